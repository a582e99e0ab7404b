"""Postings: two ways to make them agree, and so do parts that are joined."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lakesite.search.codec import numbers
from lakesite.search.postings import joined, posting_of_blocks, posting_of_mask, read_postings, write_postings

BLOCKS = st.lists(st.integers(0, 5000), min_size=1, max_size=200, unique=True).map(sorted)
NEIGHBOURS = st.builds(range, st.integers(0, 5000), st.integers(5001, 5300)).map(list)


@given(BLOCKS | NEIGHBOURS)
def test_bits_and_numbers_give_the_same(blocks: list[int]) -> None:
    mask = sum(1 << block for block in blocks)
    found = posting_of_mask("t", 7, mask)
    assert found == posting_of_blocks("t", [block + 7 for block in blocks])
    assert found == ("t", blocks[0] + 7, blocks[-1] + 7, len(blocks), numbers([b - a - 1 for a, b in pairwise(blocks)]))


@given(BLOCKS, st.data())
def test_parts_that_are_joined_are_the_whole(blocks: list[int], data: st.DataObject) -> None:
    if len(blocks) > 1:
        cut = data.draw(st.integers(1, len(blocks) - 1))
        assert joined(posting_of_blocks("t", blocks[:cut]), posting_of_blocks("t", blocks[cut:])) == posting_of_blocks("t", blocks)


def test_a_file_holds_them_as_they_are(tmp_path: Path) -> None:
    postings = [posting_of_blocks(f"t{number}", range(number + 1)) for number in range(2_500)]
    write_postings(tmp_path / "a", postings)
    assert list(read_postings(tmp_path / "a")) == postings
