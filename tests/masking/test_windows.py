"""Very long texts are looked at in windows, which changes nothing but the memory that it takes."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from lakesite.masking import Masker, engine
from lakesite.masking.engine import engine_for
from lakesite.masking.memory import CleanTexts
from lakesite.masking.options import MaskOptions
from tests.masking.made import Maker
from tests.sources.fixtures import cases

HERE = Path(__file__).parent
CASES = [(path.stem, *case) for path in sorted(HERE.glob("*.txt")) for case in cases(path)]
LINE = "nothing to see in this line of words\n"


def masked(text: str) -> str:
    engine_for(MaskOptions()).clean = CleanTexts()
    return Masker().mask(text)


@pytest.mark.parametrize(("file", "title", "given", "_expected"), CASES, ids=[f"{case[0]}: {case[1]}" for case in CASES])
def test_a_window_may_end_anywhere(file: str, title: str, given: str, _expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = Maker(file + title).filled(given.replace("\\e", "\x1b"))
    long = f"{LINE * 60}{text}\n{LINE * 60}"
    whole = masked(long)
    monkeypatch.setattr(engine, "REACH", len(text) + 400)
    for end in (60 * len(LINE) + len(text) * part // 4 for part in range(5)):
        monkeypatch.setattr(engine, "WINDOW", end)
        assert masked(long) == whole


def test_memory_is_a_few_times_a_long_text() -> None:
    text = LINE * 1_000_000
    masked("")
    tracemalloc.start()
    try:
        assert Masker().mask(text) == text
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(text)
