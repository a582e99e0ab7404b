"""Recorded times as instants."""

from __future__ import annotations

import re
from datetime import date

from lakesite.model import Instant

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?\s*(Z|z|[+-]\d\d:?\d\d)?",
)
_EPOCH = date(1970, 1, 1).toordinal()
_SECOND = 1_000_000_000


def instant(text: object) -> Instant | None:
    """The instant that an RFC 3339 time names; None for anything else, Go's zero time included.

    A time without a zone is taken as UTC. Years 1 to 9999 and every offset are in range.
    """
    if not isinstance(text, str) or not (found := _TIME.fullmatch(text.strip())):
        return None
    year, month, day, hour, minute = (int(part) for part in found.groups()[:5])
    second = int(found[6] or 0)
    try:
        days = date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None
    if year == 1 or hour > 23 or minute > 59 or second > 60:  # noqa: PLR2004 - a clock
        return None
    seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - _offset(found[8])
    return seconds * _SECOND + int((found[7] or "0")[:9].ljust(9, "0"))


def _offset(zone: str | None) -> int:
    """Seconds east of Greenwich."""
    if zone is None or zone in "Zz":
        return 0
    sign = -1 if zone[0] == "-" else 1
    return sign * (int(zone[1:3]) * 3_600 + int(zone[-2:]) * 60)
