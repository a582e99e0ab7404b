"""Where anchors are in a document of several pages, so that a link to the document lands in the right one.

Each anchor is four base64 digits of its FNV-1a hash; the digits of a part stand together, parts are divided by `|`. The
page's script works out the same four digits.
"""

from __future__ import annotations

from collections.abc import Iterable

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


_BITS = 24


def _hash(anchor: str) -> int:
    """The low 24 bits of its FNV-1a hash."""
    value = 0x811C9DC5
    for char in anchor.encode():
        value = ((value ^ char) * 0x01000193) & 0xFFFFFFFF
    return value & (1 << _BITS) - 1


def code(anchor: str) -> str:
    """Four digits for an anchor: its hash, most significant first."""
    value = _hash(anchor)
    return "".join(_DIGITS[value >> shift & 63] for shift in (18, 12, 6, 0))


def anchor_map(parts: Iterable[Iterable[str]]) -> str:
    """The anchors of each part as one string; empty for a single part."""
    codes = ["".join(code(anchor) for anchor in part) for part in parts]
    return "|".join(codes) if len(codes) > 1 else ""


def strays(parts: Iterable[Iterable[str]]) -> dict[str, int]:
    """The anchors whose digits stand in an earlier part, too, each with its own part (from 0): the map alone would mislead."""
    earlier = bytearray((1 << _BITS) // 8)
    found: dict[str, int] = {}
    for number, part in enumerate(parts):
        hashes = []
        for anchor in part:
            value = _hash(anchor)
            hashes.append(value)
            if earlier[value >> 3] & 1 << (value & 7):
                found[anchor] = number
        for value in hashes:
            earlier[value >> 3] |= 1 << (value & 7)
    return found
