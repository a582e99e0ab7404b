"""How the files of the index are written: whatever is written is read back."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.search.codec import deflated, figures_script, front_coded, number, numbers, read_front_coded, read_numbers, script, unpacked
from lakesite.search.merge import read_shard, shard_sections
from lakesite.search.postings import posting_of_blocks

WORDS = st.lists(st.text(min_size=1, max_size=40), max_size=60, unique=True).map(sorted)
BLOCKS = st.lists(st.integers(0, 300_000), min_size=1, max_size=80, unique=True).map(sorted)


@given(st.lists(st.integers(0, 2**53)))
def test_numbers(values: list[int]) -> None:
    data = b"before" + numbers(values) + b"\x80"
    assert read_numbers(data, 6, len(values)) == (values, len(data) - 1)
    assert numbers(values) == b"".join(map(number, values))


def test_a_number_takes_seven_bits_a_byte() -> None:
    assert [len(number(value)) for value in (0, 127, 128, 16383, 16384)] == [1, 1, 2, 2, 3]
    assert number(300) == b"\xac\x02"


@given(WORDS)
def test_front_coding(terms: list[str]) -> None:
    data = front_coded(terms)
    assert read_front_coded(data + b"more", 0, len(terms)) == (terms, len(data))


def test_front_coding_shares() -> None:
    assert len(front_coded(["src/main", "src/main.rs", "src/main.rs:42"])) < len("src/main") + len(".rs") + len(":42") + 7


@given(st.lists(st.binary(max_size=2000), min_size=1, max_size=5))
def test_sections_are_one_stream(sections: list[bytes]) -> None:
    assert zlib.decompress(deflated(sections), -zlib.MAX_WBITS) == b"".join(sections)
    assert unpacked("".join(figures_script("a/b", sections))) == b"".join(sections)


@given(st.binary(max_size=2000))
def test_a_script_is_one_call_in_plain_letters(data: bytes) -> None:
    text = "".join(script("a1/i/0/7", data))
    assert text.startswith('lakesiteSearch("a1/i/0/7","')
    assert text.isascii()
    assert text.count("\n") == 1
    assert not set("<\\'") & set(text)
    assert unpacked(text) == data


@pytest.mark.parametrize("data", ['""', '"AAAA', '"€"', "0"])
def test_another_text_is_none_of_ours(data: str) -> None:
    for text in (data, f'lakesiteSearch("a",{data})\n', f'other("a",{data})\n'):
        with pytest.raises(ValueError, match=r"."):
            unpacked(text)


@given(st.dictionaries(st.text(min_size=1, max_size=20), BLOCKS, max_size=20))
def test_shards(blocks: dict[str, list[int]]) -> None:
    shard = [posting_of_blocks(term, blocks[term]) for term in sorted(blocks)]
    if shard:
        assert dict(read_shard(b"".join(shard_sections(shard)))) == blocks
