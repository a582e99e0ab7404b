"""A document in short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.model import Id, Key, Masked
from lakesite.view.summary import short_id

UUID = "7cfd6b9f-0e0e-4d0d-9b0a-1c0ffee0d00d"


def short(text: str) -> str:
    return short_id(Id(Key("k"), Masked(text)))


@pytest.mark.parametrize("text", [UUID, UUID.upper(), UUID.replace("-", ""), "a1" * 32])
def test_random_digits_are_cut(text: str) -> None:
    assert short(text) == text[:8]


@pytest.mark.parametrize(
    "text",
    [
        *("nightly-build-1", "deadbeef", "0123456789", f"x{UUID}", f"{UUID}-2", "é" * 64, ".."),
        *("[masked:token:41:526d6232]", f"s-[masked:token:41:526d6232]-{UUID * 3}"),
    ],
)
def test_any_other_id_is_whole(text: str) -> None:
    assert short(text) == text


def test_a_very_long_id_keeps_both_ends() -> None:
    assert short("release-" + "x" * 400 + "-17") == "release-" + "x" * 24 + "…" + "x" * 29 + "-17"


@given(st.text("ab-1", max_size=50), st.text("ab-1", max_size=50))
def test_ids_that_share_a_beginning_are_told_apart(one: str, other: str) -> None:
    assert (short(f"nightly-{one}") == short(f"nightly-{other}")) == (one == other)


def test_no_id() -> None:
    assert short_id(None) == ""
