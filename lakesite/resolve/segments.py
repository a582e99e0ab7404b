"""From reading order to the order in which a run happened: repeated lines folded, resumed parts told apart, each sorted by `seq`."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TypeAlias

from lakesite.model import ProblemKind, RunEntry, usable

Finding: TypeAlias = tuple[ProblemKind, int, str]
"""Kind, index of the entry, words."""

_NAMED_HOLES = 6
"""A note names so many holes; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Segments:
    """The entries of a run in the order in which they happened, by index."""

    orders: tuple[Sequence[int], ...]
    """One a segment; repeated lines are left out."""
    repeated: int
    problems: tuple[Finding, ...]
    """By entry."""


def segments(entries: Sequence[RunEntry]) -> Segments:
    """Put the entries of one run, given in reading order, into segments sorted by `seq`."""
    kept, repeats = _fold(entries)
    orders = tuple(_by_seq(part, entries) for part in _split(kept, entries))
    problems = [*_repeated(repeats, entries)]
    for order in orders:
        problems += [*_conflicts(_numbered(order, entries)), *_holes(_numbered(order, entries))]
    return Segments(orders, len(repeats), tuple(sorted(problems, key=lambda problem: problem[1])))


def _fold(entries: Sequence[RunEntry]) -> tuple[Sequence[int], Sequence[int]]:
    """Split into records that are new and records that stood before, byte for byte."""
    known: set[int] = set()
    again: set[int] = set()
    for entry in entries:
        said = hash(entry.digest)  # smaller than the digest, and as good to find what may have stood before
        (again if said in known else known).add(said)
    if not again:
        return range(len(entries)), ()
    seen: set[str] = set()
    kept, repeats = array("i"), array("i")
    for index, entry in enumerate(entries):
        (repeats if entry.digest in seen else kept).append(index)
        if hash(entry.digest) in again:
            seen.add(entry.digest)
    return kept, repeats


def _split(kept: Sequence[int], entries: Sequence[RunEntry]) -> Sequence[Sequence[int]]:
    """Cut into segments: at a second `seq` 1 inside a file, and at a further file if it holds a `seq` 1."""
    numbered_anew = {entries[index].origin.source for index in kept if entries[index].seq == 1}
    parts: list[array[int]] = []
    source = -1
    begun = False
    for index in kept:
        entry = entries[index]
        if not parts or (entry.origin.source != source and entry.origin.source in numbered_anew):
            parts.append(array("i"))
            begun = False
        elif entry.seq == 1 and begun:
            parts.append(array("i"))
        begun = begun or entry.seq == 1
        source = entry.origin.source
        parts[-1].append(index)
    return parts


def _by_seq(part: Sequence[int], entries: Sequence[RunEntry]) -> Sequence[int]:
    """Sort a segment by `seq`, stable; a line without one stays behind the line before it."""
    keys: list[int] = []
    last = 0
    for index in part:
        seq = usable(entries[index].seq)
        last = last if seq is None else seq
        keys.append(last)
    if all(before <= after for before, after in pairwise(keys)):
        return part
    return array("i", (part[place] for place in sorted(range(len(part)), key=keys.__getitem__)))


def _numbered(order: Sequence[int], entries: Sequence[RunEntry]) -> Iterator[tuple[int, int]]:
    return ((seq, index) for index in order if (seq := usable(entries[index].seq)) is not None)


def _repeated(repeats: Sequence[int], entries: Sequence[RunEntry]) -> Iterator[Finding]:
    """One note for each stretch of repeated lines in one file."""
    stretches = groupby(enumerate(repeats), key=lambda item: (item[1] - item[0], entries[item[1]].origin.source))
    for _, stretch in stretches:
        indexes = [index for _, index in stretch]
        lines = "this line" if len(indexes) == 1 else f"this line and the {len(indexes) - 1} after it"
        yield "repeated-line", indexes[0], f"{lines} stood before, byte for byte; each counts once"


def _conflicts(numbered: Iterator[tuple[int, int]]) -> Iterator[Finding]:
    for (before, _), (seq, index) in pairwise(numbered):
        if seq == before:
            yield "seq-conflict", index, "another line of this run has the same number and other content; both are shown"


def _holes(numbered: Iterator[tuple[int, int]]) -> Iterator[Finding]:
    """One note for all numbers that are missing from 1 to the largest; it stands at the first line after a hole."""
    holes: list[str] = []
    first: int | None = None
    expected = 1
    for seq, index in numbered:
        if seq > expected:
            holes.append(f"{expected}" if seq == expected + 1 else f"{expected}–{seq - 1}")
            first = index if first is None else first
        expected = max(expected, seq + 1)
    if first is not None:
        named = ", ".join(holes[:_NAMED_HOLES])
        rest = f" and {len(holes) - _NAMED_HOLES} more" if len(holes) > _NAMED_HOLES else ""
        numbers = "number" if named.isdecimal() else "numbers"
        yield "seq-holes", first, f"no line has the {numbers} {named}{rest}: a write was cancelled, or a line was lost"
