"""Input that grows fourfold costs about four times as much, at its worst."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from lakesite.render.ansi import ansi
from lakesite.render.code import LIMITS, highlight
from lakesite.render.diff import edit, patch
from lakesite.render.escape import visible
from lakesite.render.fold import fold
from lakesite.render.jsontext import json_text
from lakesite.render.markdown import markdown

FOLD = 4
MOST, NOISE = 6, 0.02
"""The fourfold may cost sixfold and 20 ms: five, and something for a busy machine."""

MARKDOWN = (
    "[", "![", "[a](", "]", "*", "*a ", "a*", "**a ", "**a** b**", "_a ", "_a_ ", "~~a ", "`", "`` a ` ", "<", "<http://a", ">", "> ",
    "- ", "- a\n", "1. a\n\n", "#", "| a | b |\n|---|---|\n", "|a", "word ", "a", "\n", " \n", " ", "\\", "\\*", "C:\\a ",
    "[a]: http://x\n", "[masked:token:41:526d6232]", "> a\nb\n", "    a\n", "```\n", "---\n", "a\n===\n", "=", "*_`[<", "[a](<b",
    '[a](b "', "(", "&amp;", "- > ", "***a ", "a~~b",
)  # fmt: skip
ANSI = (
    "\x1b[", "\x1b", "\x1b]0;", "\r", "a\r", "\x9d", "\x1b[1;", "\x1b[31ma", "\x1b]8;;http://a\x07b", "\x1bP", "10%\r\x1b[K",
    "\x1b[38;2;1;2;3mx",
)
VISIBLE = ("\x00", "\u202e", "<", "[masked:", "[masked:token:41:526d6232]", "&", "\r")


def seconds(work: Callable[[Any], object], given: object) -> float:
    best = float("inf")
    gc.disable()
    for _ in range(3):
        start = process_time()
        work(given)
        best = min(best, process_time() - start)
    gc.enable()
    return best


def new(text: str) -> str:
    """The same text with another end, which no cache has seen."""
    return f"{text}\n\n{random.random()}"  # noqa: S311 -- any other end will do


def assert_linear(work: Callable[[str], object], unit: str, length: int) -> None:
    text = (unit * (length * FOLD // len(unit) + 1))[: length * FOLD]
    assert seconds(work, text) < MOST * seconds(work, text[:length]) + NOISE


@pytest.mark.parametrize("unit", MARKDOWN)
def test_markdown(unit: str) -> None:
    assert_linear(lambda text: markdown(new(text)), unit, 3_000)


def test_markdown_lists_and_tables_of_growing_size() -> None:
    deep = "".join("  " * (number % 40) + "- a\n" for number in range(1_000))
    assert_linear(lambda text: markdown(new(text)), deep, 3_000)
    wide = ["|a" * count + "\n" + "|-" * count + "\n" + "|b" * count for count in (500, 2_000)]
    assert seconds(lambda text: markdown(new(text)), wide[1]) < MOST * seconds(lambda text: markdown(new(text)), wide[0]) + NOISE


@pytest.mark.parametrize("unit", ANSI)
def test_ansi(unit: str) -> None:
    assert_linear(ansi, unit, 20_000)


@pytest.mark.parametrize("unit", VISIBLE)
def test_visible(unit: str) -> None:
    assert_linear(visible, unit, 40_000)


@pytest.mark.parametrize("language", ["python", "c", "java", "go", "typescript", "scala", "kotlin", "yaml", "make", "terraform", "csharp"])
def test_a_hostile_text_is_coloured_in_bounded_time(language: str) -> None:
    for unit in ("a ", "a\n", "'", "/*\n", "<<A\n", "(", "a.", "\n ", "const ", "a<", '"'):
        text = (unit * LIMITS.characters)[: LIMITS.characters]
        lines = "\n".join(text[start : start + 80] for start in range(0, len(text) - len(text) // 80, 80))
        assert seconds(lambda text: highlight(new(text), language), lines[:-40]) < 1


@pytest.mark.parametrize("kind", ["same", "other", "few", "reversed", "shuffled"])
def test_edit(kind: str) -> None:
    chance = random.Random(7)  # noqa: S311 -- the same lines every time

    def pair(count: int) -> tuple[str, str]:
        lines = [f"line {number}" for number in range(count)]
        if kind == "few":
            lines = [str(chance.randrange(5)) for _ in range(count)]
        other = {
            "same": lines,
            "other": [f"x{line}" for line in lines],
            "few": [str(chance.randrange(5)) for _ in range(count)],
            "reversed": lines[::-1],
            "shuffled": chance.sample(lines, count),
        }[kind]
        return "\n".join(lines), "\n".join(other)

    small, large = pair(1_500), pair(6_000)
    cost = seconds(lambda old: edit(old, small[1]), small[0])
    assert cost < 0.15  # meant: 0.05
    assert seconds(lambda old: edit(old, large[1]), large[0]) < MOST * cost + 3 * NOISE


def test_patch() -> None:
    head = "--- a\n+++ b\n@@ -1,99999 +1,99999 @@\n"
    assert_linear(lambda text: patch(head + text), "-old line\n+new line\n same\n", 40_000)


def test_json() -> None:
    small, large = ([[1, "a" * 90]] * count for count in (5_000, 20_000))
    assert seconds(json_text, large) < MOST * seconds(json_text, small) + NOISE


@pytest.mark.parametrize("unit", ["a\n", "a", "\u0301", "\x1b[", "[masked:token:41:526d6232]", "\r\n"])
def test_fold(unit: str) -> None:
    assert_linear(fold, unit, 200_000)
