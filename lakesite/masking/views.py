"""Reads a text as it looks elsewhere, and maps what is found there back to where it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from lakesite.masking import decoded, shown
from lakesite.masking.lines import lines_with, triggers, without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lakesite.masking.lines import Piece, Span
    from lakesite.masking.sheet import Sheet

_BETWEEN = "\n-----\n"  # stands in no secret


class Reading(NamedTuple):
    """One way to read a text."""

    regions: Callable[[Sheet], list[Span]]
    """The parts of a text that read differently."""
    pieces: Callable[[str, int, int], Iterable[Piece]]
    """What a part reads as, piece by piece."""
    again: bool = False
    """Whether what comes out may have to be read in the same way once more."""


class View:
    """A reading of parts of a text."""

    def __init__(self, text: str, regions: list[Span], reading: Reading, then: tuple[Reading, ...]) -> None:
        self._at: list[int] = []  # where each piece begins in the view
        self._from: list[int] = []  # where it begins in the text
        self._wide: list[int] = []  # how long its source is, -1: as long as the piece
        self._length = 0
        self.then = then
        """How it may have to be read in its turn."""
        pieces: list[str] = []
        for start, end in regions:
            for piece, origin, width in reading.pieces(text, start, end):
                self._add(pieces, piece, origin, width)
            self._add(pieces, _BETWEEN, end, 0)
        self.text = "".join(pieces)

    def _add(self, pieces: list[str], piece: str, origin: int, width: int) -> None:
        pieces.append(piece)
        self._at.append(self._length)
        self._from.append(origin)
        self._wide.append(width)
        self._length += len(piece)

    def origin(self, start: int, end: int) -> Span:
        """What of the text holds all of a stretch of the view."""
        first, last = bisect_right(self._at, start) - 1, bisect_right(self._at, end - 1) - 1
        spans = [self._origin(number, start, end) for number in range(first, last + 1)]
        return min(begin for begin, _ in spans), max(stop for _, stop in spans)

    def _origin(self, number: int, start: int, end: int) -> Span:
        at, origin, width = self._at[number], self._from[number], self._wide[number]
        if width >= 0:
            return origin, origin + width
        behind = self._at[number + 1] if number + 1 < len(self._at) else self._length
        return origin + max(start - at, 0), origin + min(end, behind) - at


def views_of(sheet: Sheet, readings: tuple[Reading, ...]) -> Iterator[View]:
    """Read what has to be read otherwise, in each way that a part of the text needs."""
    for number, reading in enumerate(readings):
        regions = reading.regions(sheet)
        if regions:
            yield View(sheet.text, regions, reading, readings if reading.again else readings[:number])


_MARK = re.compile(r"(?<=[\w-])(?:\*{1,3}|`{1,3}|~~)(?=[\w-])")
"""Bold, italic, code, struck out: within a word."""
_MARKS = triggers(
    *(
        rb"%s(?:(?<=[A-Za-z0-9_-]{10}.)[*`~]{0,2}[A-Za-z0-9_-]|(?<=[A-Za-z0-9_-].)[*`~]{0,2}[A-Za-z0-9_-][A-Za-z0-9_*`~-]{15})" % sign
        for sign in (rb"\*", b"`", b"~")
    )
)
"""The same in what may be a token."""

UNMARKED = Reading(lambda sheet: lines_with(_MARKS, sheet.ascii), partial(without, _MARK))
"""Without the marks of Markdown."""
DECODED = Reading(decoded.regions, decoded.pieces, again=True)
"""All encodings at once."""
SHOWN = Reading(shown.regions, shown.pieces)
"""As a terminal shows it."""

READINGS: tuple[Reading, ...] = (UNMARKED, DECODED, SHOWN)
"""Every way to read a text. What comes out of one is read in those before it; encodings lie in each other, and in all of it."""
