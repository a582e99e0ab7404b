"""Where anchors are in a document of several pages, so that a link to the document lands in the right one.

Each anchor is four base64 digits of its FNV-1a hash; the digits of a part stand together, parts are divided by `|`. The
page's script works out the same four digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def code(anchor: str) -> str:
    """Four digits for an anchor: the low 24 bits of its FNV-1a hash, most significant first."""
    value = 0x811C9DC5
    for char in anchor.encode():
        value = ((value ^ char) * 0x01000193) & 0xFFFFFFFF
    return "".join(_DIGITS[value >> shift & 63] for shift in (18, 12, 6, 0))


def anchor_map(parts: Sequence[Iterable[str]]) -> str:
    """The anchors of each part as one string; empty for a single part."""
    return "|".join("".join(code(anchor) for anchor in part) for part in parts) if len(parts) > 1 else ""


def strays(parts: Sequence[Iterable[str]]) -> dict[str, int]:
    """The anchors whose digits stand in an earlier part, too, each with its own part (from 0): the map alone would mislead."""
    first: dict[str, int] = {}
    return {anchor: number for number, part in enumerate(parts) for anchor in part if first.setdefault(code(anchor), number) != number}
