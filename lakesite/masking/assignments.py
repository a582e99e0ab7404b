"""Finds the values of things with secret names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakesite.masking.forms import FORMS_BY_FIRST, Form
from lakesite.masking.marker import Hit
from lakesite.masking.names import Secrecy, secrecy
from lakesite.masking.packaged import NAMES
from lakesite.masking.values import Trust, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_NAME = 64
_MOST_WORDS_BEFORE = 2
_LONGEST_WORD = 24
_REST_OF_NAME = re.compile(r"[A-Za-z0-9_-]*+")
_FOREIGN = re.compile("|".join(map(re.escape, sorted(NAMES.foreign, key=len, reverse=True))), re.IGNORECASE)
_VALUE_ON_NEXT_LINE = re.compile(r"\r?\n[ \t]{0,40}value:")


class AssignmentFinder:
    """Judges what follows the names of secret things."""

    literals = tuple(sorted(anchor.encode() for anchor in NAMES.anchors))
    """What texts are searched for."""

    def hits_at(self, text: str, at: int, literal: bytes) -> Iterator[Hit]:
        """The value of the thing whose name holds the literal here."""
        rest = _REST_OF_NAME.match(text, at + len(literal))
        end = rest.end() if rest else at
        forms = FORMS_BY_FIRST.get(text[end : end + 1])
        if not forms or (text[end] in "\r\n" and not _VALUE_ON_NEXT_LINE.match(text, end)):
            return
        start = _name_start(text, at)
        kind = _secrecy_of(text, start, end)
        if kind:
            yield from _value(text, start, end, kind, forms)


def hits_of_foreign_names(text: str) -> Iterator[Hit]:
    """Values of things whose name is a word for a password that ASCII does not spell."""
    if not text.isascii():
        for name in _FOREIGN.finditer(text):
            forms = FORMS_BY_FIRST.get(text[name.end() : name.end() + 1])
            if forms:
                yield from _value(text, name.start(), name.end(), Secrecy.PASSWORD, forms)


def _name_start(text: str, at: int) -> int:
    start = at
    while start > max(0, at - _LONGEST_NAME) and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    return start


def _secrecy_of(text: str, start: int, end: int) -> Secrecy:
    kind = secrecy(text[start:end])
    at = start
    for _ in range(_MOST_WORDS_BEFORE):  # `API key`, `secret access key`
        if kind or text[at - 1 : at] != " " or text[end - 3 : end].lower() != "key":
            break
        at = max(at - _LONGEST_WORD, 0, text.rfind(" ", max(0, at - _LONGEST_WORD), at - 1) + 1)
        kind = secrecy(text[at:end]) if text[at:start].replace(" ", "").isalpha() else Secrecy.NONE
    return kind


def _value(text: str, start: int, end: int, kind: Secrecy, forms: tuple[Form, ...]) -> Iterator[Hit]:
    for form in forms:
        found = form.pattern.match(text, end)
        if not found or (form.fits and not form.fits(text, start, end)):
            continue
        value = found["value"].rstrip(".,;:!?*`_") if form.trust is Trust.PROSE else found["value"]
        told = Secrecy.PASSWORD if form.id == "pair" else kind
        if not _is_code(form, found, text[start:end]) and is_secret(value, told, _trust(form, found, start), quoted=form.quoted):
            at = found.start("value")
            yield Hit(at, at + len(value), "credential" if told is Secrecy.PASSWORD else "token", f"name-{form.id}")
            return
        if form.decides:
            return


def _is_code(form: Form, found: re.Match[str], name: str) -> bool:
    """Tell an expression from a value: it is called, indexed, or named after what it is assigned to."""
    after = found.end("value")
    return not form.quoted and (found.string[after : after + 1] in {"(", "["} or name.lower() in found["value"].lower())


def _trust(form: Form, found: re.Match[str], start: int) -> Trust:
    """An assignment without blanks is sure of its value in the shell, in a URL or in a connection string."""
    if form.id in {"bare", "line"} and found["delim"] == "=" and not found["gap"]:
        name = found.string[start : found.start()]
        if name.isupper() or name.startswith("-") or found.string[start - 1 : start] in set("?&;#"):
            return Trust.SURE
    return form.trust
