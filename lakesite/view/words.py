"""Figures, times and addresses in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from hashlib import blake2b

from lakesite.model import Instant, Masked, before_marker
from lakesite.view.shapes import When

_EPOCH = date(1970, 1, 1).toordinal()
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SECOND = 1_000_000_000
_DAY = 86_400 * _SECOND
_SLUG = 60
_NEXT_UNIT = 1_000
_BEFORE = re.compile(r"\A(?:(?:#{1,6}|[>*-])[ \t]+)+")
"""Marks of headings, quotes and lists: with the blank behind them, else they are signs of the text."""
_AROUND = re.compile(r"(?<!`)(`+)(?=[^`\s])([^`]+)(?<=\S)\1(?!`)|(?<![*\w])\*\*(?=[^*\s])([^*]+)(?<=\S)\*\*(?![*\w])")
"""A span of code; strong words."""
_MARKS_ALONE = re.compile(r"[#>*`\s-]*\Z|```|~~~")
_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


def when(time: Instant | None, original: Masked | None = None) -> When | None:
    """An instant for a page, in UTC; None where no usable time was recorded."""
    if time is None:
        return None
    iso = utc(time)
    written = original if original is not None and original != iso else None
    return When(iso, _day(time // _DAY)[1], iso[11:19], written)


def utc(time: Instant) -> str:
    """`2026-11-30T09:26:11.123Z`, with milliseconds only where there are any."""
    days, rest = divmod(time, _DAY)
    minutes, rest = divmod(rest, 60 * _SECOND)
    milliseconds = rest % _SECOND // 1_000_000
    text = f"{_day(days)[0]}T{minutes // 60:02d}:{minutes % 60:02d}:{rest // _SECOND:02d}"
    return f"{text}.{milliseconds:03d}Z" if milliseconds else f"{text}Z"


@lru_cache(maxsize=1024)
def _day(days: int) -> tuple[str, str]:
    """`2026-11-30` and `30 Nov 2026`, so many days after the epoch."""
    day = date.fromordinal(_EPOCH + days)
    return day.isoformat(), f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def day_of(days: int) -> str:
    """`30 Nov 2026`, so many days after the epoch."""
    return _day(days)[1]


def month_of(year: int, month: int) -> str:
    """`Nov 2026`; months are counted from 0."""
    return f"{_MONTHS[month]} {year}"


def took(start: Instant | None, end: Instant | None) -> str:
    """A duration in words; empty where a time is missing or the clock went back."""
    if start is None or end is None or end < start:
        return ""
    return duration(end - start)


def duration(nanoseconds: int) -> str:
    """`0.8 s`, `48.2 s`, `12 min`, `1 h 43 min`, `3 d 4 h`."""
    seconds = nanoseconds / _SECOND
    if seconds < 0.0995:  # noqa: PLR2004 - shown as milliseconds below a tenth of a second
        return f"{max(round(nanoseconds / 1_000_000), 1) if nanoseconds else 0} ms"
    if seconds < 59.95:  # noqa: PLR2004
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    if minutes < 60:  # noqa: PLR2004
        whole, rest = divmod(round(seconds), 60)
        return f"{whole} min {rest} s" if whole < 10 and rest else f"{minutes} min"  # noqa: PLR2004
    hours, minutes = divmod(minutes, 60)
    if hours < 48:  # noqa: PLR2004
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def number(value: int) -> str:
    """`1,218`."""
    return f"{value:,}"


def short_number(value: int) -> str:
    """`10.3 M`, `156 k`, `928`."""
    if abs(value) < 10_000:  # noqa: PLR2004
        return number(value)
    for limit, unit in ((1_000, "k"), (1_000_000, "M")):
        digits = 0 if unit == "k" else _digits(value / limit)
        if abs(round(value / limit, digits)) < _NEXT_UNIT:
            return f"{value / limit:.{digits}f} {unit}"
    return f"{value / 1_000_000_000:.{_digits(value / 1_000_000_000)}f} G"


def _digits(scaled: float) -> int:
    return int(abs(round(scaled, 1)) < 100)  # noqa: PLR2004 - three figures are enough


def plural(count: int, singular: str, several: str | None = None) -> str:
    """`1 step`, `9 steps`."""
    return f"{number(count)} {singular if count == 1 else several or singular + 's'}"


def size(count: int) -> str:
    """`812 bytes`, `9.4 KB`, `1.2 MB`."""
    if count < 1_000:  # noqa: PLR2004
        return plural(count, "byte")
    for limit, unit in ((1_000, "KB"), (1_000_000, "MB")):
        if round(count / limit, 1) < _NEXT_UNIT:
            return f"{count / limit:.1f} {unit}"
    return f"{count / 1_000_000_000:.1f} GB"


def plain_line(text: str, length: int = 160) -> str:
    """The first line of a text that says something, as it is written; never half a mask marker."""
    return _cut(next(filter(None, map(str.strip, _lines(text))), ""), length)


def first_line(text: str, length: int = 120) -> str:
    """The first line of prose that says something, without Markdown marks, cut after a word."""
    kept = next(filter(None, map(_prose, _lines(text))), "")
    word_end = kept.rfind(" ", length // 2, length + 1)
    return _cut(kept, word_end if len(kept) > length and word_end > 0 else length)


def _prose(line: str) -> str:
    """A line without the marks before it and around its words; empty where it is nothing but marks, or the fence of code."""
    line = line.strip()
    if _MARKS_ALONE.match(line):
        return ""
    return _AROUND.sub(_inner, _BEFORE.sub("", line, count=1))


def _inner(found: re.Match[str]) -> str:
    return found[2] or _AROUND.sub(_inner, found[3])


def _lines(text: str) -> Iterator[str]:
    """The lines of a text that are not empty, one by one: mostly only the first is wanted of a long text."""
    return (found[0] for found in _LINE.finditer(text))


def _cut(line: str, length: int) -> str:
    return line if len(line) <= length else line[: before_marker(line, length)].rstrip() + "…"


def slug(text: str, key: str) -> str:
    """A file name for a document: `[a-z0-9-]`, at most 60 characters and a hash of its identity; unique ignoring case.

    Made from masked text and from the digest of the identity alone, so that it does not depend on what else was built.
    """
    words = re.sub(r"[^a-z0-9]+", "-", re.sub(r"\[masked:[^\]]*\]", " masked ", text).lower()).strip("-")
    tail = blake2b(key.encode(), digest_size=5).hexdigest()
    return f"{words[: _SLUG - len(tail) - 1].strip('-') or 'document'}-{tail}"
