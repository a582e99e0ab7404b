"""Sorted postings into the dictionary of a segment: shards of about 64 KB, each a file.

A shard holds, one after the other: how many terms; the terms, front-coded; in how many blocks each stands; and of each
the gaps before its blocks, the first counted from block 0. All numbers are those of `codec`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge as in_order
from pathlib import Path
from typing import Final

from lakesite.search.codec import front_coded, number, numbers, read_front_coded, read_numbers
from lakesite.search.postings import Posting, joined, read_postings, write_postings

SHARD: Final = 65_536
"""Bytes from which on a shard is full."""
_AT_ONCE = 100
"""Files that are read side by side."""


def merged(sources: Iterable[Iterable[Posting]]) -> Iterator[Posting]:
    """All postings by term, those of one term joined; the sources are sorted and have no block in common."""
    postings = in_order(*sources)
    before = next(postings, None)
    for posting in postings:  # `groupby` would take a seventh longer
        assert before is not None  # noqa: S101 - there is one before any other
        if posting[0] == before[0]:
            before = joined(before, posting)
        else:
            yield before
            before = posting
    if before is not None:
        yield before


def merged_files(paths: Sequence[Path], more: Iterable[Iterable[Posting]] = ()) -> Iterator[Posting]:
    """The postings of files, and of other sources; never more files at once than a system lets a program open."""
    left = list(paths)
    while len(left) > _AT_ONCE:
        left = [_together(left[start : start + _AT_ONCE]) for start in range(0, len(left), _AT_ONCE)]
    return merged([*map(read_postings, left), *more])


def _together(paths: Sequence[Path]) -> Path:
    """One file of the postings of some that follow one another."""
    target = paths[0].with_name(f"{paths[0].name}+")
    write_postings(target, merged(map(read_postings, paths)))
    return target


def shards(postings: Iterable[Posting]) -> Iterator[list[Posting]]:
    """The postings of each shard."""
    shard: list[Posting] = []
    size = 0
    for posting in postings:
        term, _, _, _, gaps = posting
        shard.append(posting)
        size += len(term) + len(gaps)
        if size >= SHARD:
            yield shard
            shard, size = [], 0
    if shard:
        yield shard


def shard_sections(shard: Sequence[Posting]) -> tuple[bytes, bytes, bytes]:
    """The content of one file of the dictionary: terms, counts, blocks."""
    terms, firsts, _, counts, gaps = zip(*shard, strict=True)
    blocks = [piece for pair in zip(map(number, firsts), gaps, strict=True) for piece in pair]
    return number(len(shard)) + front_coded(terms), numbers(counts), b"".join(blocks)


def read_shard(data: bytes) -> Iterator[tuple[str, list[int]]]:
    """The terms of a shard, each with its blocks."""
    (count,), at = read_numbers(data, 0, 1)
    terms, at = read_front_coded(data, at, count)
    counts, at = read_numbers(data, at, count)
    for term, length in zip(terms, counts, strict=True):
        gaps, at = read_numbers(data, at, length)
        yield term, list(_blocks(gaps))


def _blocks(gaps: Iterable[int]) -> Iterator[int]:
    block = -1
    for gap in gaps:
        block += gap + 1
        yield block
