"""What stands in place of a secret, and how a text with it may be cut."""

from __future__ import annotations

import re

from lakesite.model.values import Masked

MARKER = re.compile(r"\[masked:(token|entropy|assignment|credential):([1-9][0-9]{0,6}):([0-9a-f]{8})\]")
"""Exactly a marker: class, length of what it stands for, fingerprint. Anything looser is ordinary text."""

NO_FINGERPRINT = "00000000"
OPENING = "[masked:"
"""What every marker begins with: a cheap first question."""


def cut(text: Masked, length: int) -> Masked:
    """The first `length` characters of a masked text, with an ellipsis where something is left out; never half a marker."""
    return text if len(text) <= length else Masked(text[: before_marker(text, length)].rstrip() + "…")


def before_marker(text: str, length: int) -> int:
    """Where a masked text may be cut: at `length`, or where the marker begins that stands across it."""
    opened = text.rfind(OPENING, 0, length + len(OPENING) - 1)
    return opened if 0 <= opened < length <= text.find("]", opened) else length
