"""Finds base64 that hides something readable: settings, credentials, key files."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.masking.sheet import Sheet

_SHORTEST = 16
_LONGEST = 65_536
_MAY_BE_TEXT = re.compile(r"(?:[A-Za-f][A-Za-z0-9+/_-]{3}){3}")
"""A byte of ASCII begins with a zero bit, and so does every fourth character."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}\Z")
_PRINTABLE = re.compile(rb"[\t\r\n -~]+\Z")
_LEAD = 12  # characters that are decoded first: random text is hardly ever readable so far


class Encoded(NamedTuple):
    """A run of base64 that says something, from start to end."""

    start: int
    end: int
    text: str
    """What it says."""


def readable_base64(sheet: Sheet, *, alone: bool = False) -> Iterator[Encoded]:
    """Runs that decode to plain ASCII text. `alone`: nothing else asks for runs, so that few have to be sorted."""
    whole, may_be_text = sheet.text, _MAY_BE_TEXT.match
    for start, end in sheet.runs() if alone else sheet.telling_runs:
        at = whole.rfind("=", start, end - 2) + 1 or start  # behind `name=`
        if may_be_text(whole, at) and _SHORTEST <= end - at <= _LONGEST:
            run = whole[at:end]
            text = _readable(run) if _readable(run[:_LEAD]) and _BASE64.match(run) else ""
            if text and (not alone or sheet.tells(start, end)):
                yield Encoded(at, end, text)


def _readable(run: str) -> str:
    body = run.rstrip("=")
    try:
        raw = base64.b64decode(body.translate(_STANDARD) + "=" * (-len(body) % 4))
    except binascii.Error:
        return ""
    return raw.decode("ascii") if _PRINTABLE.match(raw) else ""


_STANDARD = str.maketrans("-_", "+/")
