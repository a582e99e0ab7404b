"""Texts that were one before they were cut: a secret that goes over a cut is masked, wherever the cut is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker, MaskOptions
from lakesite.masking.joined import spread
from tests.site.planting import made

SECRETS = {
    "token": f"ghp_{made(36, 1)}",
    "password in a URL": f"postgres://app:{made(12, 2)}@db.internal/x",
    "assignment": f"API_KEY={made(24, 3)}",
    "flag": f"mysql --password {made(9, 4)}1!",
}


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({min(place, len(text)) for place in places})
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_cut_at_each_place(kind: str) -> None:
    text = f"before it\n{SECRETS[kind]}\nand after it"
    whole = Masker().mask(text)
    assert whole != text
    for place in range(len(text) + 1):
        parts = Masker().joined([text[:place], text[place:]])
        assert "".join(parts) == whole
        assert all(part.count("[masked:") == part.count("]") for part in parts)
        if place <= len("before it\n"):
            assert parts[0] == text[:place]
        if place >= len(text) - len("\nand after it"):
            assert parts[1] == text[place:]


def test_one_letter_at_a_time() -> None:
    text = f"x {SECRETS['token']} y"
    assert "".join(Masker().joined(list(text))) == Masker().mask(text)


@given(st.text(alphabet="ab \n:/[]", max_size=40), st.text(alphabet="ab \n", max_size=40), st.lists(st.integers(0, 120), max_size=6))
def test_nothing_is_lost_and_nothing_comes_from_elsewhere(before: str, after: str, places: list[int]) -> None:
    text = f"{before} {SECRETS['token']} [masked:token:9:00c0ffee] {after} /home/marguerite/x"
    for masker in (Masker(), Masker(MaskOptions(publish=True))):
        parts = masker.joined(cut(text, places))
        assert "".join(parts) == masker.mask(text)


def test_what_cannot_be_found_again_is_kept() -> None:
    assert spread(["ab", "cd"], "a[masked:token:2:00000000]zz") == ["a[masked:token:2:00000000]zz", ""]
    assert spread(["ab", "cd"], "ab[masked:token:9:00000000]d") == ["ab", "[masked:token:9:00000000]d"]
    assert spread(["", "ab", "", "cd"], "abcd") == ["", "ab", "", "cd"]
