"""Well-known harmless shapes, which the Lake's generic rules would mask."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakesite.masking.shapes import is_worded
from lakesite.masking.sheet import APART

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakesite.masking.marker import Hit
    from lakesite.masking.rules import BenignRule

_LOOK_BACK = 240
_LONGEST_ARMOUR = 20_000
_ENDS_ARMOUR = ("-----END ", APART)
_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


class BenignShapes:
    """The shapes that stand in every transcript and open nothing."""

    def __init__(self, rules: Iterable[BenignRule]) -> None:
        rules = tuple(rules)
        self._whole = _either(rule.whole for rule in rules)
        self._start = _either(rule.start for rule in rules)
        self._before = tuple(re.compile(rule.before) for rule in rules if rule.before)

    def hold(self, text: str, hit: Hit) -> bool:
        """Tell whether a generic hit is one of them."""
        found = text[hit.start : hit.end]
        before = text[max(0, hit.start - _LOOK_BACK) : hit.start].rpartition(APART)[2]
        if self._whole.fullmatch(found) or self._start.match(found) or is_worded(found):
            return True
        if hit.kind == "token" and is_worded(before[len(before.rstrip(_RUN)) :] + found):
            return True
        return any(pattern.search(before) for pattern in self._before) or _in_public_armour(text, hit.start)


def _either(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns if pattern) or "(?!)")


def _in_public_armour(text: str, at: int) -> bool:
    begin = text.rfind("-----BEGIN ", max(0, at - _LONGEST_ARMOUR), at)
    if begin < 0 or any(text.find(end, begin, at) >= 0 for end in _ENDS_ARMOUR):
        return False
    label = text[begin : begin + 48]
    return "CERTIFICATE" in label or "PUBLIC KEY" in label
