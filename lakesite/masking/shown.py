"""Reads the lines of a text as a terminal shows them: without what nobody sees, and as they are once they have overwritten themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakesite.masking.lines import lines_of, lines_with, triggers, united_lines, without
from lakesite.model.terminal import ONE_CHARACTER_CONTROL, SEQUENCE, left

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lakesite.masking.lines import Piece, Span
    from lakesite.masking.sheet import Sheet

_UNSEEN = "\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
"""Characters without a width."""
_GONE = re.compile(rf"(?x:{SEQUENCE.pattern})|[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f{_UNSEEN}]++")
_OVERWRITES = re.compile("\r(?![\r\n]|\\Z)")
_LINE = re.compile(r"[^\n]+\n?|\n")

_TRIGGERS = triggers(b"\x1b", _OVERWRITES.pattern.encode())
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f](?<=[!-~].)")
_BEYOND_ASCII = triggers(rb"\?(?<=[!-~]\?)")
_MAY_BE_GONE = re.compile(rf"{ONE_CHARACTER_CONTROL.pattern}|[{_UNSEEN}]")


def regions(sheet: Sheet) -> list[Span]:
    """The lines that look otherwise, or in which a word is split by something that nobody sees."""
    lines = lines_with(_TRIGGERS, sheet.ascii)
    if sheet.holds_controls:
        lines += lines_of(_CONTROL, sheet.ascii)
    if _MAY_BE_GONE.search("".join(sheet.beyond_ascii)):
        lines += (span for span in lines_with(_BEYOND_ASCII, sheet.ascii) if _MAY_BE_GONE.search(sheet.text, *span))
    return united_lines(lines) if lines else []


def whole(text: str, start: int, end: int) -> str:
    """What is left of some lines."""
    if not _OVERWRITES.search(text, start, end):
        return _GONE.sub("", text[start:end])
    return "".join(piece for piece, _, _ in pieces(text, start, end))


def pieces(text: str, start: int, end: int) -> Iterator[Piece]:
    """What is left of some lines, piece by piece."""
    if not _OVERWRITES.search(text, start, end):
        yield from without(_GONE, text, start, end)
        return
    for line in _LINE.finditer(text, start, end):
        for begin, stop in _stretches(left(line[0])):
            yield from without(_GONE, text, line.start() + begin, line.start() + stop)


def _stretches(places: Sequence[int]) -> Iterator[Span]:
    """The places that follow each other, as start and end."""
    first = 0
    for at in range(1, len(places) + 1):
        if at == len(places) or places[at] != places[at - 1] + 1:
            yield places[first], places[at - 1] + 1
            first = at
