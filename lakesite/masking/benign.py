"""Well-known harmless shapes, which the Lake's generic rules would mask."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lakesite.masking.packaged import BENIGN
from lakesite.masking.shapes import wordiness

if TYPE_CHECKING:
    from lakesite.masking.marker import Hit

_LOOK_BACK = 240
_LONGEST_ARMOUR = 20_000
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BEFORE_IN_RUN = re.compile(r"[A-Za-z0-9_-]{0,64}\Z")
_SEPARATORS = re.compile(r"[/_=+-]+")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_DIGITS = re.compile(r"[0-9]+")
_LONGEST_ODD = 10
_MOST_ODD = 2
_WORD_FROM = 0.4
_SHORT = 2

_WHOLE = re.compile("|".join(f"(?:{rule.whole})" for rule in BENIGN if rule.whole))
_START = re.compile("|".join(f"(?:{rule.start})" for rule in BENIGN if rule.start))
_BEFORE = tuple(re.compile(rule.before) for rule in BENIGN if rule.before)


def is_benign(text: str, hit: Hit) -> bool:
    """Tell whether a generic hit is a shape that stands in every transcript and opens nothing."""
    found = text[hit.start : hit.end]
    before = text[max(0, hit.start - _LOOK_BACK) : hit.start]
    return (
        bool(_WHOLE.fullmatch(found) or _START.match(found))
        or is_worded(found)
        or (hit.kind == "token" and is_worded(_BEFORE_IN_RUN.search(before)[0] + found))  # type: ignore[index]  # may be empty
        or any(pattern.search(before) for pattern in _BEFORE)
        or _in_public_armour(text, hit.start)
    )


@lru_cache(maxsize=4096)
def is_worded(run: str) -> bool:
    """Tell a slug, a path, an identifier, a UUID or a numbered name from a random run, by its parts."""
    words = hexes = odd = 0
    rest, uuids = _UUID.subn("", run)
    for part in filter(None, _SEPARATORS.split(rest)):
        if _is_word(part):
            words += 1
        elif _HEX.fullmatch(part):
            hexes += 1
        elif len(part) <= _LONGEST_ODD:
            odd += 1
        else:
            return False
    if not words:
        return not odd or (bool(uuids) and odd + hexes == 1)
    return odd <= _MOST_ODD and words > odd and (words > 1 or not hexes)


def _is_word(part: str) -> bool:
    if len(part) <= _SHORT or part.isdigit():
        return True
    numbers = _DIGITS.findall(part.rstrip("0123456789"))
    return len(numbers) <= len(part) // 12 + 1 and all(len(number) <= _SHORT for number in numbers) and wordiness(part.rstrip("0123456789")) >= _WORD_FROM


def _in_public_armour(text: str, at: int) -> bool:
    begin = text.rfind("-----BEGIN ", max(0, at - _LONGEST_ARMOUR), at)
    if begin < 0 or text.find("-----END ", begin, at) >= 0:
        return False
    label = text[begin : begin + 48]
    return "CERTIFICATE" in label or "PUBLIC KEY" in label
