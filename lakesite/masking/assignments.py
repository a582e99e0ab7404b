"""Finds the values of things with secret names."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from lakesite.masking.forms import (
    ASSIGNED,
    FOLLOWS,
    FOREIGN_FORM,
    FORMS_BY_FIRST,
    NAME_CHARACTERS,
    PLAIN_LINE,
    REST_OF_VALUE,
    UNASSIGNED_BY_FIRST,
    UNSTATED_BY_FIRST,
    Form,
)
from lakesite.masking.marker import Hit
from lakesite.masking.names import Secrecy, secrecy
from lakesite.masking.packaged import NAMES
from lakesite.masking.shapes import looks_random
from lakesite.masking.values import Trust, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakesite.masking.sheet import Sheet

_LONGEST_NAME = 64
_MOST_WORDS_BEFORE = 2
_LONGEST_WORD = 24
_NAMED = re.compile(r"(?:[\w.$:]|->)*+\Z")
"""What can be called or indexed."""
_CHOSEN = re.compile(r"[A-Z][a-z]+[0-9]*[!@#$%^&*?]+[0-9]*\Z|[A-Z][a-z]+[0-9]{2,}\Z")
"""What people choose for a password, though it names one: `Password1!`, `Secret123`. No language writes its names so."""
_NO_ASCII = re.compile(rb"\?")
_REST_OF_NAME = re.compile(r"[A-Za-z0-9_-]{0,64}+")


class AssignmentFinder:
    """Judges what follows the names of secret things."""

    literals = tuple(sorted(anchor.encode() for anchor in NAMES.anchors))
    """What texts are searched for."""
    follows = FOLLOWS
    """What must follow for a look to be worth while."""

    def hits_at(self, text: str, at: int, literal: bytes) -> Iterable[Hit]:
        """The value of the thing whose name holds the literal here."""
        end = at + len(literal)
        rest = _REST_OF_NAME.match(text, end)
        end = rest.end() if rest else end
        first = text[end : end + 1]
        if first not in FORMS_BY_FIRST:
            return ()
        start = _name_start(text, at)
        kind = _secrecy_of(text, start, end)
        return _value(text, start, end, kind, _forms(text, end, first)) if kind else ()


def _forms(text: str, end: int, first: str) -> tuple[Form, ...]:
    """The forms that are worth trying behind a name, which some character follows."""
    if ASSIGNED.match(text, end):
        return FORMS_BY_FIRST[first]
    return (UNSTATED_BY_FIRST if first in " \t" and PLAIN_LINE.match(text, end) else UNASSIGNED_BY_FIRST)[first]


def hits_of_foreign_names(sheet: Sheet) -> Iterator[Hit]:
    """Values of things whose name is a word for a password that ASCII does not spell."""
    if _FOREIGN.keys().isdisjoint(sheet.beyond_ascii):
        return
    text = sheet.text
    for letter in _NO_ASCII.finditer(sheet.ascii):
        for word, offset in _FOREIGN.get(text[letter.start()], ()):
            start = letter.start() - offset
            if start >= 0 and text.startswith(word, start):
                end = start + len(word)
                forms = FORMS_BY_FIRST.get(text[end : end + 1], (FOREIGN_FORM,))
                yield from _value(text, start, end, Secrecy.PASSWORD, forms)


def _by_first_letter_beyond_ascii(words: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
    out: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for word in sorted({spelling for each in words for spelling in (each, each.capitalize(), each.upper())}):
        at = next(at for at, letter in enumerate(word) if not letter.isascii())
        out[word[at]].append((word, at))
    return dict(out)


_FOREIGN = _by_first_letter_beyond_ascii(NAMES.foreign)


def _name_start(text: str, at: int) -> int:
    start = at
    while start > 0 and text[start - 1] in NAME_CHARACTERS and at - start < _LONGEST_NAME:
        start -= 1
    return start


def _secrecy_of(text: str, start: int, end: int) -> Secrecy:
    kind = secrecy(text[start:end])
    if not kind and text[start:end] == "key" and text[start - 1 : start] in {"?", "&"}:
        return Secrecy.TOKEN
    if kind or text[start - 1 : start] != " ":
        return kind
    at = start if text[end - 3 : end].lower() == "key" else 0
    for _ in range(_MOST_WORDS_BEFORE):  # `API key`, `secret access key`
        if kind or text[at - 1 : at] != " ":
            break
        at = _word_start(text, at - 1)
        kind = secrecy(text[at:end])
    return kind


def _word_start(text: str, end: int) -> int:
    """Where the letters begin that end here, whatever stands before them: the line, a quote, a bracket, a tag."""
    start = end
    while start > 0 and text[start - 1].isalpha() and end - start < _LONGEST_WORD:
        start -= 1
    return start


def _value(text: str, start: int, name_end: int, kind: Secrecy, forms: tuple[Form, ...]) -> Iterator[Hit]:
    found: re.Match[str] | None = None
    asked: object = None
    fits = True
    for form in forms:
        if form.fits is not asked:  # forms that ask the same stand together
            asked = form.fits
            fits = form.fits is None or form.fits(text, start, name_end)
        if not fits or (form.again and not found):
            continue
        found = form.pattern.match(text, name_end)
        if not found:
            continue
        value = found["value"].rstrip(".,;:!?*`_") if form.trust is Trust.PROSE else found["value"]
        told = Secrecy.PASSWORD if form.id == "pair" else kind
        if is_secret(value, told, _trust(form, found, start), quoted=form.quoted) and not _is_code(form, found, text[start:name_end]):
            at = found.start("value")
            end = _end_of_value(form, text, at + len(value))
            yield Hit(at, end, "credential" if told is Secrecy.PASSWORD else "token", f"name-{form.id}")
            return
        if form.decides:
            return


def _end_of_value(form: Form, text: str, end: int) -> int:
    rest = None if form.quoted or form.trust is Trust.PROSE else REST_OF_VALUE.match(text, end)
    return rest.end() if rest else end


def _is_code(form: Form, found: re.Match[str], name: str) -> bool:
    """Tell an expression from a value: it is called, indexed, named after what it is assigned to, or itself a name of a secret."""
    if form.quoted or _CHOSEN.match(found["value"]):
        return False
    value, after = found["value"][:_LONGEST_NAME], found.end("value")
    if (found.string[after : after + 1] in {"(", "["} and _NAMED.match(value)) or name.lower() in value.lower():
        return True
    return value.isidentifier() and bool(secrecy(value)) and not looks_random(value)


def _trust(form: Form, found: re.Match[str], start: int) -> Trust:
    """An assignment without blanks is sure of its value in the shell, in a URL or in a connection string."""
    if form.id in {"bare", "line"} and found["delim"] == "=" and not found["gap"]:
        name = found.string[start : found.start()]
        if name.isupper() or name.startswith("-") or found.string[start - 1 : start] in set("?&;#"):
            return Trust.SURE
    return form.trust
