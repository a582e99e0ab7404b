"""Finds very many values at once by how they end, which tells them apart: many begin alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TAIL = 8
"""No value is shorter, none has white space in it, and none is all letters."""
_RUN = re.compile(rb"\S{8,}")


class Tails:
    """Tells where values stand, in a time that does not grow with their number."""

    def __init__(self, values: Iterable[bytes]) -> None:
        self._by_tail: dict[bytes, list[bytes]] = {}
        for value in sorted(set(values)):
            self._by_tail.setdefault(value[-TAIL:], []).append(value)

    def places(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every value."""
        tails = self._by_tail.keys()
        runs = {run for run in text.split() if len(run) >= TAIL and not run.isalpha()}  # most stand there again and again
        suspects = {run for run in runs if not tails.isdisjoint(run[at : at + TAIL] for at in range(len(run) - TAIL + 1))}
        if suspects:
            for found in _RUN.finditer(text):
                if found[0] in suspects:
                    yield from self._in_run(text, *found.span())

    def _in_run(self, text: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        for at in range(start + TAIL, end + 1):
            for value in self._by_tail.get(text[at - TAIL : at], ()):
                if at - len(value) >= start and text.startswith(value, at - len(value)):
                    yield at - len(value), value
