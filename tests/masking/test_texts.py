"""Text fixtures: what is masked in a text, and what stays as it is. Anyone can add a case to the .txt files of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakesite.masking import mask_text
from tests.masking.made import Maker, expected_pattern
from tests.sources.fixtures import cases

HERE = Path(__file__).parent
CASES = [(path.stem, *case) for path in sorted(HERE.glob("*.txt")) for case in cases(path)]


def _meant(text: str) -> str:
    r"""A text of a fixture, which writes an escape character as `\e` and a return of the carriage as `\r`."""
    return text.replace("\\e", "\x1b").replace("\\r", "\r")


@pytest.mark.parametrize(("file", "title", "given", "expected"), CASES, ids=[f"{case[0]}: {case[1]}" for case in CASES])
def test_text(file: str, title: str, given: str, expected: str) -> None:
    text, names = Maker(file + title).filled(_meant(given))
    masked = mask_text(text)
    assert expected_pattern(_meant(expected), names).fullmatch(masked), masked
    assert mask_text(masked) == masked
