"""Gives each of several texts that were masked as one its own part of what came out."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from lakesite.model import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def spread(texts: Sequence[str], masked: str) -> list[str]:
    """Divide a masked text over the texts that it was joined from; a marker goes to the one in which its secret begins.

    Nothing but pieces of the masked text comes out, all of them in order. What cannot be found again in the texts, and all
    behind it, goes to where the rest ended.
    """
    whole = "".join(texts)
    ends = list(accumulate(map(len, texts)))
    out: list[list[str]] = [[] for _ in texts]
    low = at = 0  # what follows begins here at the earliest, and if a marker tells the truth here
    lost = False
    for literal, mark, length in _pieces(masked):
        start = at if whole.startswith(literal, at) else -1 if lost else whole.find(literal, low)
        lost = lost or start < 0
        if not lost:
            low = start + len(literal)
            for number, first, end in _shares(ends, start, low):
                out[number].append(whole[first:end])
        number = min(bisect_right(ends, low), len(texts) - 1)
        out[number] += (literal, mark) if lost else (mark,)
        stood_there = whole.startswith(mark, low)
        low += len(mark) if stood_there else 0
        at = low if stood_there else low + length
    return ["".join(pieces) for pieces in out]


def _pieces(masked: str) -> Iterator[tuple[str, str, int]]:
    """What was not masked, the marker behind it, and how long the secret was that it stands for."""
    done = 0
    for found in MARKER.finditer(masked):
        yield masked[done : found.start()], found[0], int(found[2])
        done = found.end()
    yield masked[done:], "", 0


def _shares(ends: list[int], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The texts that a stretch stands in: (which, from, to)."""
    while start < end:
        number = bisect_right(ends, start)
        until = min(ends[number], end)
        yield number, start, until
        start = until
