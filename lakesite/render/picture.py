"""Says how large a picture is, from its first bytes."""

from __future__ import annotations

_LONGEST = 20_000
"""Pixels of a side: a larger one is not believed."""
_FRAMES = frozenset({*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)})
"""Markers of a JPEG after which its size stands."""


def measured(content: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, a GIF or a JPEG; None where they are not told."""
    found = None
    if content.startswith(b"\x89PNG") and content[12:16] == b"IHDR":
        found = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    elif content.startswith(b"GIF8"):
        found = int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    elif content.startswith(b"\xff\xd8"):
        found = _frame(content)
    return found if found and all(0 < side <= _LONGEST for side in found) else None


def _frame(content: bytes) -> tuple[int, int] | None:
    """The size that a JPEG tells, segment by segment."""
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:  # noqa: PLR2004 - every marker begins with it
        if content[at + 1] in _FRAMES:
            return int.from_bytes(content[at + 7 : at + 9], "big"), int.from_bytes(content[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return None
