"""Postings: in which blocks a term stands; made from bits or from numbers, joined, and kept in files that only one build reads."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from lakesite.search.codec import CODED, numbers

Posting: TypeAlias = tuple[str, int, int, int, bytes]
"""(term, first block, last block, number of blocks, how many blocks each but the first leaves out as `codec.numbers`).

A plain tuple, because there are millions, and they are written and read as they are.
"""
_BATCH = 250
"""Postings that are written together and read together."""
_SPARSE = 60
"""Blocks for each one that holds a term, from which on these are picked out one by one."""


def posting_of_mask(term: str, base: int, mask: int) -> Posting:
    """The posting of a term with one bit for each block, of which the lowest is block `base`; at least one is set."""
    count, last = mask.bit_count(), mask.bit_length() - 1
    if count == 1:
        return term, base + last, base + last, 1, b""
    if count * _SPARSE > last:
        gaps = list(map(len, bin(mask)[3:].split("1")))
        first = gaps.pop()
        gaps.reverse()
        return term, base + first, base + last, count, numbers(gaps)
    coded = []
    first = last
    while mask := mask ^ 1 << first:  # the highest bit is found at once, and what is left is shorter each time
        before = mask.bit_length() - 1
        coded.append(CODED[first - before - 1])
        first = before
    coded.reverse()
    return term, base + first, base + last, count, b"".join(coded)


def posting_of_blocks(term: str, blocks: Sequence[int]) -> Posting:
    """The posting of a term in ascending blocks, at least one."""
    gaps = [block - before - 1 for before, block in zip(blocks, islice(blocks, 1, None), strict=False)]
    return term, blocks[0], blocks[-1], len(blocks), numbers(gaps)


def joined(before: Posting, after: Posting) -> Posting:
    """Two postings of one term, the first of which ends before the second begins."""
    term, first, end, count, gaps = before
    _, begin, last, more, others = after
    return term, first, last, count + more, b"".join((gaps, CODED[begin - end - 1], others))


def write_postings(target: Path, postings: Iterable[Posting]) -> None:
    """Write postings to a file that only this build reads."""
    left = iter(postings)
    with target.open("wb") as stream:
        while batch := list(islice(left, _BATCH)):
            data = marshal.dumps(batch)
            stream.write(len(data).to_bytes(4, "little") + data)


def read_postings(source: Path) -> Iterator[Posting]:
    """The postings of such a file."""
    with source.open("rb") as stream:
        while size := stream.read(4):
            yield from marshal.loads(stream.read(int.from_bytes(size, "little")))  # noqa: S302 - written by this build
