"""The words that stand for a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakesite.view.words import first_line
from tests.sources.fixtures import cases

TITLES = [pytest.param(text, wanted, id=title) for title, text, wanted in cases(Path(__file__).parent / "titles.txt")]


@pytest.mark.parametrize(("text", "wanted"), TITLES)
def test_a_prompt_is_quoted_as_it_is(text: str, wanted: str) -> None:
    assert first_line(text) == wanted
