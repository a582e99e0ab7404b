"""A record that is looked through as a whole gives what its texts give one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker, MaskOptions, mask_text
from lakesite.masking.engine import engine_for
from lakesite.masking.masker import batches
from lakesite.masking.memory import CleanTexts
from lakesite.masking.tree import texts_of
from tests.masking.made import Maker
from tests.sources.fixtures import cases

HERE = Path(__file__).parent
CASES = [(path.stem, *case) for path in sorted(HERE.glob("*.txt")) for case in cases(path)]
NEIGHBOURS = (
    ("tool.call", "2026-01-05T19:15:03.817Z"),
    ("password", "it is"),
    ('{"a": "', '"}'),
    ("-----BEGIN", "-----END"),
    ("export X=", "y"),
)
"""What stands before and behind a text in its record."""
TOKEN = "ghp_" + Maker("door").of("A-Za-z0-9", 36)
VALUES = st.recursive(
    st.text(max_size=30) | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
)


@pytest.fixture(autouse=True)
def nothing_is_known() -> None:
    engine_for(MaskOptions()).clean = CleanTexts()


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("file", "title", "given_text", "_expected"), CASES, ids=[f"{case[0]}: {case[1]}" for case in CASES])
def test_a_text_of_a_record_is_masked_as_it_is_alone(
    file: str, title: str, given_text: str, _expected: str, neighbours: tuple[str, str]
) -> None:
    text, _ = Maker(file + title).filled(given_text.replace("\\e", "\x1b"))
    alone = mask_text(text)
    engine_for(MaskOptions()).clean = CleanTexts()
    record = {"before": neighbours[0], "text": text, "behind": [neighbours[1]]}
    assert Masker().door(record, clean=False).mask(text) == alone


@given(VALUES)
def test_every_string_is_looked_at(record: object) -> None:
    found, _ = texts_of([record, {"token": TOKEN}])
    assert TOKEN in found
    assert "token" in found


def test_a_clean_record_passes_as_it_is() -> None:
    record = {"type": "tool.call", "payload": {"input": {"path": "a/b.py", "lines": [1, 2]}}}
    door = Masker().door(record, clean=False)
    assert door.value(record["payload"]) is record["payload"]


@pytest.mark.parametrize(
    "record",
    [
        {"password": "hunter2!x"},
        {"input": {"name": "DB_PASSWORD", "value": "hunter2!x"}},
        {"headers": ["authorization", "hunter2!x9k"]},
        {"pin_token": 1234567890123},
        {"text": f"it is {TOKEN}"},
        {TOKEN: 1},
        {"deep": [[[[[[{"a": TOKEN}]]]]]]},
    ],
)
def test_a_record_with_anything_to_mask_does_not_pass(record: dict[str, object]) -> None:
    assert not Masker().vouch(record)


def test_names_of_the_format_say_nothing_of_their_values() -> None:
    record = {"session_id": "4f1c7a52-1c0e-4f55-9a51-0d6d3c1b2a90"}
    assert Masker().vouch(record, frozenset({"session_id"}))
    assert not Masker().vouch({"extra": {"session_id": "x"}}, frozenset({"session_id"}))


def test_what_was_caught_elsewhere_is_looked_for_in_clean_records() -> None:
    first = Masker()
    first.mask(f"token: {TOKEN}")
    second = first.second_pass()
    text = f"again {TOKEN}"
    assert second.door({"text": text}, clean=True).mask(text).startswith("again [masked:")
    assert second.door({"text": "nothing"}, clean=True).mask("nothing") == "nothing"


def test_a_long_record_is_looked_at_in_parts() -> None:
    texts = ["x" * 50_000 for _ in range(5)] + ["y"]
    found = list(batches(texts))
    assert [text for batch in found for text in batch] == texts
    assert max(sum(map(len, batch)) for batch in found) < 200_000


def test_texts_that_are_made_of_a_clean_record_are_still_looked_at() -> None:
    door = Masker().door({"a": "b"}, clean=False)
    assert door.made(f"it is {TOKEN}") != f"it is {TOKEN}"
