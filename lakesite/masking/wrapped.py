"""Follows a token into the next lines where it was wrapped: behind an indent, in a frame, in quotes, behind the signs of a diff."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakesite.masking.shapes import looks_random

if TYPE_CHECKING:
    from collections.abc import Collection

    from lakesite.masking.marker import Hit

_SHORTEST = 16
_LONG = 30
"""From this length on the next line may be the longer one."""
_FRAME = "│┃║|"
_NEXT_LINE = re.compile(
    rf"""["'`]?[ \t]{{0,240}}[{_FRAME}+\\]?[ \t]{{0,8}}\r?\n"""
    rf"""(?P<line>[ \t]{{0,240}}(?:(?:[{_FRAME}>#*+-]|//)[ \t]{{1,240}}){{0,3}}["'`]?(?P<run>[A-Za-z0-9+/_.-]{{4,4096}}={{0,2}}))"""
    rf"""(?=["'`]?[ \t]{{0,240}}[{_FRAME}+\\,;)]?[ \t]{{0,8}}\r?(?:\n|\Z))"""
)


def with_wrapped_lines(text: str, hit: Hit, others: Collection[int]) -> Hit:
    """Let a token go on in the next lines where it was wrapped, unless one of the others begins there."""
    lines = [hit.secret or text[hit.start : hit.end]]
    end, length = hit.end, hit.end - hit.start
    while hit.kind != "credential" and length >= _SHORTEST:
        rest = _NEXT_LINE.match(text, end)
        if not rest or rest.start("run") in others or not looks_random(rest["run"]):
            break
        width = end - text.rfind("\n", 0, end) - 1
        if length < _LONG and len(rest["line"]) > width:
            break
        lines.append(rest["run"])
        end = rest.end()
    return hit if end == hit.end else hit._replace(end=end, secret="\n".join(lines))
