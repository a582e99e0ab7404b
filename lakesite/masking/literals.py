"""Finds exact values: those that the user named, and those that were caught elsewhere in the document."""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

from lakesite.errors import UsageError
from lakesite.masking.anchors import anchors
from lakesite.masking.marker import Hit
from lakesite.masking.tails import TAIL, Tails

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lakesite.masking.anchors import Anchors
    from lakesite.masking.marker import MarkerClass
    from lakesite.masking.sheet import Sheet

SHORTEST_NAMED = 6
"""Characters of a value that the user names: shorter ones stand in half a text. No other value that is looked for is shorter."""
_FEWEST_DIFFERENT = 4
"""Characters of a named value that differ: a row of dashes stands in half a text, too."""
_SHORTEST_LINE = 8
"""Characters of a line that is looked for by itself: the user named the whole, and nobody judged whether a line tells something."""
_SHORTEST_CAUGHT = 8
"""Characters of a caught value: rules may be wrong, and short ones stand in other words by chance."""
_LONGEST_CAUGHT = 4096
"""Characters of a line of a caught value: no value that stands in syntax is longer, and each costs its length in memory."""
_SHORTEST_ENCODED = 6
"""Characters of a form of a named value: base64 loses some at its ends, and what is left must not stand in words by chance."""
_MANY = 64
"""Caught values from which on they are searched for by their ends."""
_TELLING = re.compile(r"[0-9]|[^\w\s]")
_PERCENT = re.compile(r"%[0-9A-F]{2}")
_NO_ASCII = re.compile(rb"[\x80-\xff]")
_LINE_END = re.compile(r"\n|\\{1,8}n")
_UNFIT = re.compile(r"\s|\A[\W\d_]*\Z")


def named_literals(values: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Check the values that a user named, given as (where each came from, value); no message holds a value."""
    out: dict[str, None] = {}
    for origin, value in values:
        exact = value.strip("\r\n")
        if len(exact) < SHORTEST_NAMED or len(set(exact)) < _FEWEST_DIFFERENT:
            raise UsageError(
                f"{origin}: too short to be masked everywhere: a named secret needs {SHORTEST_NAMED} characters or more, "
                f"{_FEWEST_DIFFERENT} of them different"
            )
        out[exact] = None
        out.update((line.strip(), None) for line in exact.splitlines() if len(line.strip()) >= _SHORTEST_LINE)
    return tuple(out)


def encoded_forms(value: str) -> tuple[str, ...]:
    """Every way in which a text may write a value, the value itself first."""
    spellings = dict.fromkeys((value, *(unicodedata.normalize(form, value) for form in ("NFC", "NFD"))))
    forms = (form for spelling in spellings for form in _forms_of(spelling))
    return tuple(dict.fromkeys(form for form in forms if len(form) >= _SHORTEST_ENCODED))


def _forms_of(value: str) -> Iterator[str]:
    raw = value.encode("utf-8", "surrogatepass")
    once = json.dumps(value)[1:-1]
    yield from (value, json.dumps(value, ensure_ascii=False)[1:-1], once, json.dumps(once)[1:-1])
    yield "".join(f"\\u{ord(c):04x}" if not c.isalnum() else c for c in value)
    for quoted in (quote(raw, safe=""), quote(raw, safe="/"), quote_plus(raw)):
        yield from (quoted, _PERCENT.sub(lambda found: found[0].lower(), quoted))
    yield value.replace(" ", "+")
    yield from (html.escape(value), html.escape(value, quote=False))
    yield value.replace("'", "'\\''")
    yield re.sub(r"([^\w@%+=:,./-])", r"\\\1", value)
    yield from (repr(raw)[2:-1], ascii(value)[1:-1], _NO_ASCII.sub(lambda found: f"\\{found[0][0]:03o}".encode(), raw).decode("ascii"))
    dumps = (raw.hex(), raw.hex(" "), raw.hex(":"), raw.hex(" ", -2), f"{raw[:1].hex()} {raw[1:].hex(' ', -2)}")
    yield from (digits for dump in dumps for digits in (dump, dump.upper()))
    yield from _base64_forms(raw)


def _base64_forms(raw: bytes) -> Iterator[str]:
    """The characters that stand for a value alone, wherever it begins in what was encoded."""
    for shift in range(3):
        first, last = (0, 2, 3)[shift], (len(raw) + shift) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"\0" * shift + raw).decode()[first:last]


def worth_catching(secret: str) -> Iterator[str]:
    """What of a caught value may be masked wherever it stands: long enough, no plain word or number, each line of a key for itself."""
    for line in _LINE_END.split(secret):
        piece = line.strip()
        if _SHORTEST_CAUGHT <= len(piece) <= _LONGEST_CAUGHT and _TELLING.search(piece) and not _UNFIT.search(piece):
            yield piece


class LiteralFinder:
    """Finds exact values."""

    def __init__(self, named: Iterable[str], caught: Mapping[str, MarkerClass]) -> None:
        self._literals: dict[str, tuple[MarkerClass, str]] = {literal: (kind, "caught") for literal, kind in caught.items()}
        forms = [form for value in named for form in encoded_forms(value)]
        self._literals.update((form, ("credential", "named")) for form in forms)
        many = {_in_bytes(literal) for literal in caught if len(literal) >= TAIL} if len(caught) >= _MANY else set()
        few = set(map(_in_bytes, self._literals)) - many
        self._searches: list[Anchors | Tails] = [anchors(few)] if few else []
        if many:
            self._searches.append(Tails(many))

    def hits(self, sheet: Sheet) -> Iterator[Hit]:
        """Every place of every literal, in no order; they may overlap."""
        for search in self._searches:
            for at, written in search.places(sheet.ascii):
                end = at + len(written)
                if told := self._literals.get(sheet.text[at:end]):
                    yield Hit(at, end, *told)


def _in_bytes(literal: str) -> bytes:
    """A literal as a sheet writes its text: one byte for each character."""
    return literal.encode("ascii", "replace")


@lru_cache(maxsize=4)
def literal_finder(named: tuple[str, ...], caught: tuple[tuple[str, MarkerClass], ...]) -> LiteralFinder:
    """Prepare the search for some values once: the maskers of a document share it."""
    return LiteralFinder(named, dict(caught))
