"""The order of a conversation: rows that were written again are folded, the others stand by time."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakesite.model import Instant, Key, LakeEntry, Masked

_ANY = True
"""Stands for every project, or every model, of rows that are equal otherwise."""


@dataclass(frozen=True, slots=True)
class Order:
    """The rows that are shown, each once, in order."""

    shown: Sequence[int]
    """Indexes of entries."""
    place: Sequence[int]
    """Where each entry stands in `shown`; for copies, where the row stands that is shown for them."""
    copies: Mapping[int, int]
    """How often an entry was written again, where it was."""


def source_of(entry: LakeEntry) -> Key | int:
    """The file from which the writer took a row: rows of one such file are spread over days, rows of several share a day."""
    return entry.origin.source if entry.stem is None else entry.stem


def in_order(entries: Sequence[LakeEntry]) -> Order:
    """Order a conversation by instant, then by reading order.

    A row without a time follows the row before it in its own file, or leads the file's first row with a time. A file without
    any time says nothing of its place: it comes last. So a conversation without times is in reading order.
    """
    copies = fold(entries)
    read_at: dict[int, int] = {}
    for copy, original in copies.items():
        read_at[original] = min(read_at.get(original, original), copy)
    shown = [index for index in range(len(entries)) if index not in copies]
    if read_at:
        shown.sort(key=lambda index: read_at.get(index, index))
    times = _times(entries)
    shown.sort(key=lambda index: inf if (time := times[index]) is None else time)
    place = array("i", bytes(4 * len(entries)))
    for number, index in enumerate(shown):
        place[index] = number
    for copy, original in copies.items():
        place[copy] = place[original]
    return Order(array("i", shown), place, Counter(copies.values()))


def fold(entries: Sequence[LakeEntry]) -> dict[int, int]:
    """Find rows that were written again: for each copy, the row that is shown for it.

    Copies have the same time and are equal but for `project` and `model`, which may be lost in one; the fuller row is shown.
    Without a time nothing can be proved.
    """
    seen: set[int] = set()
    again: set[int] = set()
    for entry in entries:
        said = hash((entry.time, entry.same))  # as good as the two themselves, and smaller, to find what may be a copy
        (again if said in seen else seen).add(said)
    if not again:
        return {}
    alike: dict[tuple[Instant, Key], list[int]] = {}
    for index, entry in enumerate(entries):
        if entry.time is not None and hash((entry.time, entry.same)) in again:
            alike.setdefault((entry.time, entry.same), []).append(index)
    copies: dict[int, int] = {}
    for group in alike.values():
        copies |= _fold_alike(entries, group)
    return copies


def _fold_alike(entries: Sequence[LakeEntry], group: list[int]) -> dict[int, int]:
    """Find copies among rows that differ in nothing but `project` and `model`, fuller rows first."""
    known: dict[tuple[object, ...], int] = {}
    copies: dict[int, int] = {}
    for index in sorted(group, key=lambda index: _lost(entries[index])):
        original = next((known[key] for key in _keys(entries[index], looking=True) if key in known), None)
        if original is not None:
            copies[index] = original
            continue
        for key in _keys(entries[index], looking=False):
            known.setdefault(key, index)
    return copies


def _lost(entry: LakeEntry) -> int:
    return (entry.project is None) + (entry.model is None)


def _keys(entry: LakeEntry, *, looking: bool) -> Iterator[tuple[object, ...]]:
    """Keys under which a row is known to its copies; `looking`: keys under which it finds the row that it is a copy of."""
    for project in _matching(entry.project, looking=looking):
        for model in _matching(entry.model, looking=looking):
            yield project, model


def _matching(value: Masked | None, *, looking: bool) -> tuple[Masked | bool | None, ...]:
    if not looking:
        return (value, _ANY)
    return (_ANY,) if value is None else (value, None)


def _times(entries: Sequence[LakeEntry]) -> list[Instant | None]:
    """The instant by which each row is ordered: its own, else that of its neighbour in its own file."""
    times = [entry.time for entry in entries]
    if None not in times:
        return times
    sources = array("i", (entry.origin.source for entry in entries))
    for indexes in (range(len(entries)), range(len(entries) - 1, -1, -1)):
        latest: dict[int, Instant] = {}
        for index in indexes:
            time, source = times[index], sources[index]
            if time is None:
                times[index] = latest.get(source)
            else:
                latest[source] = time
    return times
