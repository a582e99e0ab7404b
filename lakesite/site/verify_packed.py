"""Opens what a site holds packed: base64 with deflated data or a picture in it, as folds and the files of the index have it."""

from __future__ import annotations

import binascii
import re
import zlib
from typing import NamedTuple

LARGEST = 1 << 28
"""Bytes that are unpacked from one place; where there are more, that is told."""
_SHORTEST = 20
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{_SHORTEST},}}={{0,2}}")
_STANDARD = str.maketrans("-_", "+/")
_GLANCE = 256
_WALL = "\n"
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PICTURE = re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8|RIFF....WEBP", re.DOTALL)
_ZIPPED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")


class Inner(NamedTuple):
    """What was packed."""

    text: str
    binary: bool
    """It is no text: what looks like one in it stands between numbers."""
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
        found.append(inner)
        return _WALL

    return _BASE64.sub(take, text), found


def unpacked(written: str) -> Inner | None:
    """What some base64 holds; None where it holds nothing that was packed."""
    if written == written.lower() or written == written.upper():
        return None  # words, a digest
    body = written.rstrip("=").translate(_STANDARD)
    try:
        data = binascii.a2b_base64(body + "=" * (-len(body) % 4))
    except binascii.Error:
        return None
    if _PICTURE.match(data):
        return Inner(data.decode("utf-8", "replace"), binary=True)
    return inflated(data)


def inflated(data: bytes) -> Inner | None:
    """What deflated data holds, raw or as zlib or gzip write it; None for any other data."""
    window = zlib.MAX_WBITS | 32 if _ZIPPED.match(data) else -zlib.MAX_WBITS
    try:
        zlib.decompressobj(window).decompress(data, _GLANCE)  # most of what is none is told by its first bytes
        packer = zlib.decompressobj(window)
        content = packer.decompress(data, LARGEST)
    except zlib.error:
        return None
    if packer.unconsumed_tail:
        return Inner("", binary=False, whole=False)
    return decoded(content) if packer.eof and not packer.unused_data else None


def decoded(data: bytes) -> Inner:
    """Bytes as text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Inner(data.decode("utf-8", "replace"), binary=True)
    return Inner(text, binary=bool(_CONTROLS.search(text)))
