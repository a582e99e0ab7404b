"""Shows what masking left behind, `[masked:class:length:fingerprint]`, as a small labelled chip.

| element | class | means |
|---|---|---|
| span | `mk` | a masked value; `data-fp` holds its fingerprint (absent for passwords), `title` the marker as it was written |
"""

from __future__ import annotations

import re

from lakesite.model import MARKER, NO_FINGERPRINT

LONGEST = 48
"""No marker is longer than this, so that a look back of as many characters finds the start of one."""


def chips(html: str) -> str:
    """Replace each marker in escaped text by its chip; the text must hold no attributes, where a chip would break the tag."""
    return MARKER.sub(_chip, html)


def _chip(match: re.Match[str]) -> str:
    name, length, fingerprint = match.groups()
    unit = "character" if length == "1" else "characters"
    alike = "" if fingerprint == NO_FINGERPRINT else f' data-fp="{fingerprint}"'
    return f'<span class="mk"{alike} title="{match[0]}">{name} · {length} {unit}</span>'
