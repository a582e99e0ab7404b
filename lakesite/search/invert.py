"""From "which runs stand in a block" to "which blocks hold a term": in groups of a fixed size, each a sorted file.

A document leaves *units* behind: the runs of up to 64 blocks, each run with one bit a block. A group of units is turned
round in memory; its size alone decides how much memory that takes. Groups know nothing of each other, so they can be
worked on anywhere, and what comes out in the end does not depend on where one ends.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import compress, filterfalse
from pathlib import Path
from typing import Final

from lakesite.search.postings import posting_of_mask, write_postings
from lakesite.search.tokens import LONG_WORD, LONGEST, ONLY_TERM, terms, words_and_pairs

UNIT: Final = 64
"""Blocks of one unit at most."""
GROUP: Final = 200_000
"""Runs of one group, counted once a unit: about 5 MB of text."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The runs of some blocks of one document, in a file."""

    offset: int
    size: int
    """Bytes."""
    blocks: int
    runs: int


@dataclass(frozen=True, slots=True)
class PlacedUnit:
    """A unit and its place in the index."""

    path: Path
    unit: Unit
    first: int
    """Number of its first block."""


@dataclass(frozen=True, slots=True)
class Group:
    """What is turned round at once, and the file that it goes to."""

    units: tuple[PlacedUnit, ...]
    target: Path


def unit_bytes(runs: Mapping[str, int], blocks: int) -> bytes:
    """The runs of so many blocks, each with one bit a block."""
    masks = array(_code(blocks), runs.values())
    if sys.byteorder == "big":
        masks.byteswap()
    return masks.tobytes() + "\n".join(runs).encode()


def _read(placed: PlacedUnit) -> tuple[list[str], array[int]]:
    unit = placed.unit
    with placed.path.open("rb") as stream:
        stream.seek(unit.offset)
        data = stream.read(unit.size)
    masks = array(_code(unit.blocks))
    length = unit.runs * masks.itemsize
    masks.frombytes(data[:length])
    if sys.byteorder == "big":
        masks.byteswap()
    return data[length:].decode().split("\n") if unit.runs else [], masks


def _code(blocks: int) -> str:
    """The smallest kind of number that has a bit for each block."""
    return "B" if blocks <= 8 else "H" if blocks <= 16 else "I" if blocks <= 32 else "Q"  # noqa: PLR2004 - bits


def groups(units: Iterable[PlacedUnit], folder: Path, size: int = GROUP) -> list[Group]:
    """Units in order, as many together as may be in memory at once."""
    found: list[Group] = []
    group: list[PlacedUnit] = []
    held = 0
    for placed in units:
        if group and held + placed.unit.runs > size:
            found.append(Group(tuple(group), folder / f"{len(found)}.postings"))
            group, held = [], 0
        group.append(placed)
        held += placed.unit.runs
    return [*found, Group(tuple(group), folder / f"{len(found)}.postings")]


def invert(group: Group) -> None:
    """Write the postings of a group, sorted."""
    first = group.units[0].first if group.units else 0
    found = _masks_of_runs(group.units, first)
    pairs = _split(found)
    _to_terms(found)
    found |= pairs
    write_postings(group.target, (posting_of_mask(term, first, found[term]) for term in sorted(found)))


def too_long(runs: Mapping[str, int]) -> int:
    """How many words of blocks are too long for the index. `runs`: one bit for each block that holds a run."""
    found: dict[str, int] = {}
    for run in compress(runs, map(LONGEST.__lt__, map(len, runs))):
        for word in LONG_WORD.findall(run):
            found[word] = found.get(word, 0) | runs[run]
    return sum(mask.bit_count() for word, mask in found.items() if not any(terms(word)))


def _masks_of_runs(units: Iterable[PlacedUnit], first: int) -> dict[str, int]:
    """One bit for each block that holds a run, counted from block `first`."""
    found: dict[str, int] = {}
    get = found.get
    for placed in units:
        runs, masks = _read(placed)
        # most runs stand in one unit only, and share the few numbers that there are of it
        moved = {mask: mask << placed.first - first for mask in set(masks)}
        for run, mask in zip(runs, map(moved.__getitem__, masks), strict=True):
            found[run] = mask | known if (known := get(run)) else mask
    return found


def _split(runs: dict[str, int]) -> dict[str, int]:
    """Let runs of several words fall into these; gives the same for the pairs in them."""
    pairs: dict[str, int] = {}
    of_word, of_pair = runs.get, pairs.get
    for run in list(filterfalse(str.isalnum, filterfalse(str.isidentifier, runs))):
        mask = runs.pop(run)
        words, neighbours = words_and_pairs(run)
        for word in words:
            runs[word] = mask | known if (known := of_word(word)) else mask
        for pair in neighbours:
            pairs[pair] = mask | known if (known := of_pair(pair)) else mask
    return pairs


def _to_terms(words: dict[str, int]) -> None:
    """Put the terms of each word in its place; most words are their only term."""
    others = list(filterfalse(ONLY_TERM.fullmatch, words))
    masks = list(map(words.pop, others))
    get = words.get
    for word, mask in zip(others, masks, strict=True):
        for term in terms(word):
            words[term] = mask | known if (known := get(term)) else mask
