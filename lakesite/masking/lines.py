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


_FREQUENT = b"*`"
"""Characters that stand in many lines of which few are looked for."""


def triggers(*patterns: bytes) -> Triggers:
    """Prepare patterns, each of which begins with one character: a text that does not hold it is done at once."""
    return tuple((pattern.removeprefix(b"\\")[:1], re.compile(pattern)) for pattern in patterns)


def lines_with(wanted: Triggers, data: bytes) -> list[Span]:
    """The lines in which a pattern matches."""
    found: set[Span] = set()
    for first, trigger in wanted:
        if first in data:
            found.update(lines_of(trigger, data) if first in _FREQUENT else _lines_at(first, trigger, data))
    return sorted(found) if found else []


def lines_of(trigger: re.Pattern[bytes], data: bytes) -> Iterator[Span]:
    """The lines in which one pattern matches."""
    found = trigger.search(data)
    while found:
        line = line_around(data, *found.span())
        yield line
        found = trigger.search(data, line[1])


def _lines_at(first: bytes, trigger: re.Pattern[bytes], data: bytes) -> Iterator[Span]:
    """The same for a pattern that begins with a rare character, which alone is found many times as fast."""
    at = data.find(first)
    while at >= 0:
        if found := trigger.match(data, at):
            line = line_around(data, *found.span())
            yield line
            at = data.find(first, line[1])
        else:
            at = data.find(first, at + 1)


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
    return line_start(data, start), line_end(data, end)


def line_start(data: bytes, at: int) -> int:
    """Where the line begins that holds a place."""
    return data.rfind(b"\n", 0, at) + 1


def line_end(data: bytes, at: int) -> int:
    """Where the line ends that holds a place, before the line feed."""
    end = data.find(b"\n", at)
    return end if end >= 0 else len(data)


def without(gone: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Piece]:
    """A part of a text without what a pattern matches."""
    at = start
    for found in gone.finditer(text, start, end):
        if found.start() > at:
            yield text[at : found.start()], at, -1
        at = found.end()
    if at < end:
        yield text[at:end], at, -1
