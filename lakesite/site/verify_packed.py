"""Opens what a site holds packed: base64 with deflated data or a picture in it, as folds and the files of the search have it."""

from __future__ import annotations

import binascii
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from operator import add
from typing import NamedTuple

from lakesite.search.codec import read_front_coded, read_numbers
from lakesite.search.segment import BETWEEN

LARGEST = 1 << 28
"""Bytes that are unpacked from one place; where there are more, that is told."""
_SHORTEST = 20
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{_SHORTEST},}}={{0,2}}")
_STANDARD = str.maketrans("-_", "+/")
_GLANCE = 256
_CONTINUED = bytes(range(0x80, 0x100))
"""Bytes of numbers that are not their last."""
_WALL = "\n"
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PICTURE = re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8|RIFF....WEBP", re.DOTALL)
_ZIPPED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")
_SHARED, _LONGEST_SHARED = 64, 800
"""Characters that two pieces of a text in the text store have in common: at least, at most."""


_LONGEST_TERM = 1_024
"""Bytes that no term of the dictionary has."""


class Inner(NamedTuple):
    """A text that was packed."""

    text: str
    binary: bool = False
    """It is no text: what looks like one in it stands between numbers, or is a word in lower case."""
    whole: bool = True
    """False: it is larger than what is unpacked."""


def opened(text: str) -> tuple[str, list[Inner]]:
    """A text without what is packed in it, and that."""
    found: list[Inner] = []
    if len(text) < _SHORTEST:
        return text, found

    def take(match: re.Match[str]) -> str:
        inner = unpacked(match[0])
        if inner is None:
            return match[0]
        found.extend(inner)
        return _WALL

    return _BASE64.sub(take, text), found


def unpacked(written: str) -> list[Inner] | None:
    """What some base64 holds; None where it holds nothing that was packed."""
    if written == written.lower() or written == written.upper():
        return None  # words, a digest
    body = written.rstrip("=").translate(_STANDARD)
    try:
        data = binascii.a2b_base64(body + "=" * (-len(body) % 4))
    except binascii.Error:
        return None
    return [_raw(data)] if _PICTURE.match(data) else inflated(data)


def inflated(data: bytes) -> list[Inner] | None:
    """What deflated data holds, raw or as zlib or gzip write it; None for any other data."""
    window = zlib.MAX_WBITS | 32 if _ZIPPED.match(data) else -zlib.MAX_WBITS
    try:
        zlib.decompressobj(window).decompress(data, _GLANCE)  # most of what is none is told by its first bytes
        packer = zlib.decompressobj(window)
        content = packer.decompress(data, LARGEST)
    except zlib.error:
        return None
    if packer.unconsumed_tail:
        return [Inner("", whole=False)]
    return list(_texts(content)) if packer.eof and not packer.unused_data else None


def _texts(data: bytes) -> Iterator[Inner]:
    """The texts in some data: all of it, those of the text store, the terms of the dictionary."""
    try:
        texts = data.decode("utf-8").split(BETWEEN)
    except UnicodeDecodeError:
        texts = []
    if texts and not any(map(_CONTROLS.search, texts)):
        yield from map(Inner, _rejoined(texts))
        return
    line, terms, rest = _head(data) or ("", *_terms(data))
    yield Inner(line)
    yield Inner("\n".join(term for term in terms if ":" not in term), binary=True)  # words that a colon joins are terms, too
    if rest and not _is_numbers(rest, len(terms)):
        yield _raw(rest)


def _rejoined(texts: Iterable[str]) -> Iterator[str]:
    """Texts that were cut in pieces, each of which begins with the end of the one before, as they were."""
    pieces: list[str] = []
    for text in texts:
        last = pieces[-1] if pieces else ""
        shared = last.rfind(text[:_SHARED], -_LONGEST_SHARED) if len(text) > _SHARED else -1
        if shared >= 0 and text.startswith(last[shared:]):
            pieces[-1] = last[:shared]
        elif pieces:
            yield "".join(pieces)
            pieces = []
        pieces.append(text)
    yield "".join(pieces)


def _terms(data: bytes) -> tuple[list[str], bytes]:
    """The sorted terms that some data begins with, if they are such, and what follows."""
    try:
        (count,), at = read_numbers(data, 0, 1)
        shared, behind = read_numbers(data, at, count)
        lengths, _ = read_numbers(data, behind, count)
        if max(map(add, shared, lengths), default=0) > _LONGEST_TERM:
            return [], data
        terms, at = read_front_coded(data, at, count)
    except (IndexError, UnicodeDecodeError):
        return [], data
    return (terms, data[at:]) if terms == sorted(terms) else ([], data)


def _head(data: bytes) -> tuple[str, list[str], bytes] | None:
    """The line, the terms and nothing more of the head of a segment; None for any other data."""
    line, _, rest = data.partition(b"\n")
    try:
        told = json.loads(line)
        terms, at = read_front_coded(rest, 0, told["shards"])
        return (line.decode("utf-8"), terms, b"") if sum(told["columns"]) == len(rest) - at else None
    except (ValueError, RecursionError, LookupError, TypeError):
        return None


def _is_numbers(data: bytes, terms: int) -> bool:
    """Whether some data is nothing but the numbers that stand behind so many terms, in which letters would be chance."""
    try:
        counts, at = read_numbers(data, 0, terms)
    except IndexError:
        return False
    return len(data[at:].translate(None, _CONTINUED)) == sum(counts) and data[-1:] not in _CONTINUED


def _raw(data: bytes) -> Inner:
    return Inner(data.decode("utf-8", "replace"), binary=True)
