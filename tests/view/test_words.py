"""Figures in words, and the words that stand for a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.view.words import first_line, short_number, size
from tests.sources.fixtures import cases

TITLES = [pytest.param(text, wanted, id=title) for title, text, wanted in cases(Path(__file__).parent / "titles.txt")]


@pytest.mark.parametrize(("text", "wanted"), TITLES)
def test_a_prompt_is_quoted_as_it_is(text: str, wanted: str) -> None:
    assert first_line(text) == wanted


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"), (9_999, "9,999"), (10_000, "10 k"), (156_300, "156 k"), (999_499, "999 k"), (999_600, "1.0 M"), (1_234_567, "1.2 M"),
        (99_940_000, "99.9 M"), (99_960_000, "100 M"), (999_400_000, "999 M"), (999_950_000, "1.0 G"), (-999_600, "-1.0 M"),
        (12_300_000_000, "12.3 G"), (99_960_000_000, "100 G"),
    ],
)  # fmt: skip
def test_a_number_in_short(value: int, words: str) -> None:
    assert short_number(value) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 KB"), (999_949, "999.9 KB"), (999_999, "1.0 MB"), (1_000_000, "1.0 MB"),
        (999_949_999, "999.9 MB"), (999_999_999, "1.0 GB"), (2_500_000_000_000, "2500.0 GB"),
    ],
)  # fmt: skip
def test_a_size(count: int, words: str) -> None:
    assert size(count) == words


@given(st.integers(0, 999_000_000_000))
def test_no_figure_has_four_digits_before_its_unit(value: int) -> None:
    for words in (short_number(value), size(value)):
        figure, _, unit = words.partition(" ")
        assert not unit or len(figure.partition(".")[0]) <= 3
