"""How the files of the index are written: numbers in seven-bit groups, terms by what they share, deflate, base64.

Every file is a classic script of one call, which a page opened from a disk can load: `lakesiteSearch("<name>","<base64>")`.
A number is written in groups of seven bits, lowest first; all bytes but its last have the high bit set.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

CALL = "lakesiteSearch"
_LEVEL = 6
"""Of deflate for the tables: there is little of them, and every query loads some."""
_SMALL = 1 << 14
"""Numbers of one byte or two, which are nearly all that come."""
_MORE, _BITS = 0x80, 7


def number(value: int) -> bytes:
    """A whole number from 0 on."""
    found = bytearray()
    while value >= _MORE:
        found.append(value & (_MORE - 1) | _MORE)
        value >>= _BITS
    found.append(value)
    return bytes(found)


class _Coded(dict[int, bytes]):
    """Whole numbers as they are written; small ones are kept."""

    def __missing__(self, value: int) -> bytes:
        coded = number(value)
        if value < _SMALL:
            self[value] = coded
        return coded


CODED: Final = _Coded()


def numbers(values: Sequence[int]) -> bytes:
    """Whole numbers, one after the other."""
    return bytes(values) if max(values, default=0) < _MORE else b"".join(map(CODED.__getitem__, values))


def read_numbers(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    """So many numbers from a place on, and the place behind them."""
    found: list[int] = []
    value = shift = 0
    while len(found) < count:
        byte = data[at]
        at += 1
        value |= (byte & (_MORE - 1)) << shift
        if byte & _MORE:
            shift += _BITS
        else:
            found.append(value)
            value = shift = 0
    return found, at


def front_coded(terms: Sequence[str]) -> bytes:
    """Sorted terms: how many bytes each shares with the one before, how many follow of each, and all these."""
    coded = [term.encode() for term in terms]
    shared = list(map(_shared, chain((b"",), coded), coded))
    rest = [term[length:] for term, length in zip(coded, shared, strict=True)]
    return b"".join((numbers(shared), numbers(list(map(len, rest))), *rest))


def _shared(one: bytes, other: bytes) -> int:
    """The number of bytes that two byte strings begin with alike."""
    place = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        place += 1
    return place


def read_front_coded(data: bytes, at: int, count: int) -> tuple[list[str], int]:
    """So many terms from a place on, and the place behind them."""
    shared, at = read_numbers(data, at, count)
    lengths, at = read_numbers(data, at, count)
    found: list[str] = []
    term = b""
    for same, length in zip(shared, lengths, strict=True):
        term = term[:same] + data[at : at + length]
        at += length
        found.append(term.decode())
    return found, at


def deflated(sections: Sequence[bytes], level: int = _LEVEL, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    """One stream of raw deflate; each section has its own codes, because they hold different things."""
    found: list[bytes] = []
    for place, section in enumerate(sections, 1):
        packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, strategy)
        found += (packer.compress(section), packer.flush(zlib.Z_FINISH if place == len(sections) else zlib.Z_SYNC_FLUSH))
    return b"".join(found)


def script(name: str, data: bytes, level: int = _LEVEL) -> Iterator[str]:
    """The text of one file of the index."""
    return _call(name, deflated([data], level))


def figures_script(name: str, sections: Sequence[bytes]) -> Iterator[str]:
    """The same for sections that hold numbers, in which only long repetitions are worth a look."""
    return _call(name, deflated(sections, strategy=zlib.Z_FILTERED))


def _call(name: str, packed: bytes) -> Iterator[str]:
    yield f'{CALL}("{name}","'
    yield b64encode(packed).decode("ascii")
    yield '")\n'


def unpacked(text: str) -> bytes:
    """What a file of the index holds. ValueError for any other text."""
    call, _, rest = text.partition('","')
    if not call.startswith(f'{CALL}("') or not rest.endswith('")\n'):
        raise ValueError("not a file of the index")
    try:
        return zlib.decompress(b64decode(rest[:-3], validate=True), -zlib.MAX_WBITS)
    except zlib.error as error:
        raise ValueError("not a file of the index") from error
