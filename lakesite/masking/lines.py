"""Finds the lines that hold something, fast: a text is mostly lines that do not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Span: TypeAlias = "tuple[int, int]"
"""Start and end."""
Piece: TypeAlias = "tuple[str, int, int]"
"""What a part of a text reads as, where it begins, and how long it is, -1: as long as what it reads as."""
Triggers: TypeAlias = "tuple[tuple[bytes, re.Pattern[bytes]], ...]"


def triggers(*patterns: bytes) -> Triggers:
    """Prepare patterns, each of which begins with one character: a text that does not hold it is done at once."""
    return tuple((pattern.removeprefix(b"\\")[:1], re.compile(pattern)) for pattern in patterns)


def lines_with(wanted: Triggers, data: bytes) -> list[Span]:
    """The lines in which a pattern matches."""
    found: set[Span] = set()
    for first, trigger in wanted:
        if first in data:
            found.update(lines_of(trigger, data))
    return sorted(found)


def lines_of(trigger: re.Pattern[bytes], data: bytes) -> Iterator[Span]:
    """The lines in which one pattern matches."""
    found = trigger.search(data)
    while found:
        line = line_around(data, *found.span())
        yield line
        found = trigger.search(data, line[1])


def united_lines(lines: Iterable[Span], between: Callable[[int, int], object] = lambda _start, _end: False) -> list[Span]:
    """Unite the lines that follow each other, or of which `between` says so of what stands between them."""
    out: list[Span] = []
    for start, end in sorted(lines):
        if out and (start <= out[-1][1] + 1 or between(out[-1][1], start)):
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def line_around(data: bytes, start: int, end: int) -> Span:
    """The whole lines around a stretch."""
    stop = data.find(b"\n", end)
    return data.rfind(b"\n", 0, start) + 1, stop if stop >= 0 else len(data)


def without(gone: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Piece]:
    """A part of a text without what a pattern matches."""
    at = start
    for found in gone.finditer(text, start, end):
        if found.start() > at:
            yield text[at : found.start()], at, -1
        at = found.end()
    if at < end:
        yield text[at:end], at, -1
