"""Reads a text as it looks elsewhere, and maps what is found there back to where it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from lakesite.masking import decoded, shown
from lakesite.masking.lines import lines_with, triggers, without
from lakesite.masking.sheet import APART

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lakesite.masking.lines import Piece, Span
    from lakesite.masking.sheet import Sheet

class Reading(NamedTuple):
    """One way to read a text."""

    regions: Callable[[Sheet], list[Span]]
    """The parts of a text that read differently."""
    whole: Callable[[str, int, int], str]
    """What a part reads as."""
    pieces: Callable[[str, int, int], Iterable[Piece]]
    """The same piece by piece, each with its place."""
    again: bool = False
    """Whether what comes out may have to be read in the same way once more."""


class View:
    """A reading of parts of a text."""

    def __init__(self, text: str, regions: list[Span], reading: Reading, then: tuple[Reading, ...]) -> None:
        self._source = text
        self._regions = regions
        self._reading = reading
        self.then = then
        """How it may have to be read in its turn."""
        self.text = "".join(part for start, end in regions for part in (reading.whole(text, start, end), APART))

    @cached_property
    def _pieces(self) -> tuple[list[int], list[int], list[int]]:
        """Where each piece begins in the view, where it begins in the text, and how long its source is, -1: as long as the piece.

        Few views hold anything, and only then is it asked.
        """
        at, origins, widths = [0], [], []
        for start, end in self._regions:
            for piece, origin, width in (*self._reading.pieces(self._source, start, end), (APART, end, 0)):
                at.append(at[-1] + len(piece))
                origins.append(origin)
                widths.append(width)
        return at, origins, widths

    def origin(self, start: int, end: int) -> Span:
        """What of the text holds all of a stretch of the view."""
        at, _, _ = self._pieces
        first, last = bisect_right(at, start) - 1, bisect_right(at, end - 1) - 1
        spans = [self._origin(number, start, end) for number in range(first, last + 1)]
        return min(begin for begin, _ in spans), max(stop for _, stop in spans)

    def _origin(self, number: int, start: int, end: int) -> Span:
        at, origins, widths = self._pieces
        origin, width = origins[number], widths[number]
        if width >= 0:
            return origin, origin + width
        return origin + max(start - at[number], 0), origin + min(end, at[number + 1]) - at[number]


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

UNMARKED = Reading(
    lambda sheet: lines_with(_MARKS, sheet.ascii), lambda text, start, end: _MARK.sub("", text[start:end]), partial(without, _MARK)
)
"""Without the marks of Markdown."""
DECODED = Reading(decoded.regions, decoded.whole, decoded.pieces, again=True)
"""All encodings at once."""
SHOWN = Reading(shown.regions, shown.whole, shown.pieces)
"""As a terminal shows it."""

READINGS: tuple[Reading, ...] = (UNMARKED, DECODED, SHOWN)
"""Every way to read a text. What comes out of one is read in those before it; encodings lie in each other, and in all of it."""
