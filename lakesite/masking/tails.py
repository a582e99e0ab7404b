"""Finds very many values at once by how they end, which tells them apart: many begin alike."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TAIL = 8
"""No value is shorter."""
_WIDTHS: tuple[tuple[int, Literal["Q", "I"]], ...] = ((8, "Q"), (4, "I"))
"""Bytes of a block, and how memory calls a number of that size."""


class Tails:
    """Tells where values stand, in a time that does not grow with their number.

    A text is cut into blocks of one width, which are looked up as numbers. Of twice the width less one byte, one whole block
    lies within, wherever they begin: so much of each value's end is known, by each block that may come first.
    """

    def __init__(self, values: Iterable[bytes]) -> None:
        self._by_width: dict[int, dict[int, list[tuple[int, bytes]]]] = {}
        for value in sorted(set(values)):
            width = next(width for width, _ in _WIDTHS if len(value) >= 2 * width - 1)
            blocks = self._by_width.setdefault(width, {})
            for at in range(len(value) - 2 * width + 1, len(value) - width + 1):
                block = int.from_bytes(value[at : at + width], sys.byteorder)
                blocks.setdefault(block, []).append((at, value))

    def places(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every value, in no order."""
        for width, kind in _WIDTHS:
            known = self._by_width.get(width, {})
            blocks = memoryview(text)[: len(text) // width * width].cast(kind)
            if known and not known.keys().isdisjoint(blocks):
                for number, block in enumerate(blocks):
                    for at, value in known.get(block, ()):
                        start = number * width - at
                        if start >= 0 and text.startswith(value, start):
                            yield start, value
