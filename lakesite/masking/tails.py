"""Finds very many values at once by how they end, which tells them apart: many begin alike."""

from __future__ import annotations

import sys
from bisect import bisect_right
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TAIL = 8
"""No value is shorter."""
_WIDTHS: tuple[tuple[int, Literal["Q", "I"]], ...] = ((8, "Q"), (4, "I"))
"""Bytes of a block, and how memory calls a number of that size."""


class Tails:
    """Tells where values stand, in a time that does not grow with their number, however many of them end alike.

    A text is cut into blocks of one width, which are looked up as numbers. Of twice the width less one byte, one whole block
    lies within, wherever they begin: so much of each value's end is known, by each block that may come first.
    """

    def __init__(self, values: Iterable[bytes]) -> None:
        by_width: dict[int, set[bytes]] = {width: set() for width, _ in _WIDTHS}
        for value in values:
            by_width[next(width for width, _ in _WIDTHS if len(value) >= 2 * width - 1)].add(value)
        self._of_width = [(kind, _OfWidth(width, by_width[width])) for width, kind in _WIDTHS if by_width[width]]

    def places(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every value, in no order."""
        for kind, values in self._of_width:
            blocks = memoryview(text)[: len(text) // values.width * values.width].cast(kind)
            if not values.rests.keys().isdisjoint(blocks):
                for number, block in enumerate(blocks, 1):
                    for rest in values.rests.get(block, ()):
                        yield from values.that_end(text, number * values.width + rest)


class _OfWidth:
    """Values whose ends hold blocks of one width."""

    def __init__(self, width: int, values: Iterable[bytes]) -> None:
        self.width = width
        self.rests: dict[int, tuple[int, ...]] = {}
        """How many bytes may follow a block until a value ends."""
        for value in values:
            for rest in range(width):
                block = int.from_bytes(value[len(value) - width - rest : len(value) - rest], sys.byteorder)
                known = self.rests.get(block, ())
                if rest not in known:
                    self.rests[block] = (*known, rest)
        self._backwards = sorted(value[::-1] for value in values)
        """The values as they are read from their end: those that end alike stand together, before what they end."""
        self._longest = max(map(len, self._backwards))
        self._within = [-1] * len(self._backwards)
        """The place of the longest other value that each ends in."""
        around: list[int] = []
        for place, value in enumerate(self._backwards):
            while around and not value.startswith(self._backwards[around[-1]]):
                around.pop()
            self._within[place] = around[-1] if around else -1
            around.append(place)

    def that_end(self, text: bytes, end: int) -> Iterator[tuple[int, bytes]]:
        """The values that end at some place of a text."""
        if end > len(text):
            return
        read = text[max(0, end - self._longest) : end][::-1]
        place = bisect_right(self._backwards, read) - 1  # whatever begins what is read is this, or this begins with it
        while place >= 0:
            value = self._backwards[place]
            if read.startswith(value):
                yield end - len(value), value[::-1]
            place = self._within[place]
