"""Finds the values of things with secret names: assignments, fields, flags, elements, headers, sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lakesite.masking.marker import Hit
from lakesite.masking.names import Secrecy, secrecy
from lakesite.masking.packaged import NAMES
from lakesite.masking.values import Trust, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_NAME = 64
_REST_OF_NAME = re.compile(r"[A-Za-z0-9_-]*+")
_WORDS_BEFORE = re.compile(r"(?:[A-Za-z]{1,20} )?[A-Za-z]{1,20} \Z")
_LONGEST_WORDS_BEFORE = 42

_CLOSE = r"""(?:["'`*\]\)_]{0,4}+)"""
_DELIM = r"(?:(?:\?|!)?:[ \t]?[A-Za-z_][\w.\[\]|<>, ]{0,60}?[ \t]?=(?![=~>])|:=|=>|->|<-|\|\|=|\?\?=|\?=|\+=|=(?![=~])|:(?![:=]))"
_ASSIGNED = rf"{_CLOSE}[ \t]{{0,24}}(?P<delim>{_DELIM})(?P<gap>[ \t]{{0,24}})(?:\*\*|__)?[ \t]?"
_QUOTED = r"""(?:[A-Za-z@$]{1,2}(?=["']))?(?P<quote>["'`])(?P<value>(?:(?!(?P=quote))[^\\\n]|\\[^\n]){1,4096}+)(?P=quote)"""
_BARE = r"""(?P<value>(?:[^\s"'`<>,;&|()\[\]{}\\\ue000]|\\(?![nrtu"'\\/])){1,4096}+)"""
_REST_OF_LINE = r"""(?P<value>[^\s"'`<>{}\[\]|\\\ue000][^\s"'`\\\ue000]{0,4096}+)(?=[ \t]*+(?:[\r\n]|\\[nr]|[ \t]#|\Z))"""
_SCHEME = r"(?i:bearer|basic|token|apikey|api-key|key|bot|ssws|jwt|digest|negotiate|splunk|sso-key|oauth|ntlm|glpat)"
_WRAPPER = r"(?:(?i:secretstr|secret|string|str|new string|text)\()?"
_VALUE_FIELD = r"(?:value|text|content|input|keys|secret|default)"
_FILLING = r"(?i:fill|type|send_?keys|set_?value|press_?sequentially|val|input|enter_?text|insert_?text|clear_?and_?type)"


class _Form(NamedTuple):
    """One way in which a value follows its name."""

    id: str
    first: str
    """The characters that can follow the name."""
    trust: Trust
    pattern: re.Pattern[str]
    quoted: bool
    decides: bool
    """Whether no other form is tried where this one fits."""


def _form(form_id: str, first: str, trust: Trust, pattern: str, *, quoted: bool = True, decides: bool = False) -> _Form:
    return _Form(form_id, first, trust, re.compile(pattern), quoted, decides)


_QUOTES = "\"'`"
_ASSIGNING = _QUOTES + "*]) \t:=|?!<-"
_FORMS = (
    _form("scheme", _ASSIGNING, Trust.SURE, rf"""{_ASSIGNED}(?:[a-z]{{0,2}}["'`])?{_SCHEME}[ \t]{{1,4}}(?P<value>[^\s"'`<>,\\\ue000]{{1,4096}}+)"""),
    _form("quoted", _ASSIGNING, Trust.CODE, rf"{_ASSIGNED}{_WRAPPER}{_QUOTED}", decides=True),
    _form("line", _ASSIGNING, Trust.CODE, rf"{_ASSIGNED}{_REST_OF_LINE}", quoted=False),
    _form("bare", _ASSIGNING, Trust.CODE, rf"{_ASSIGNED}{_BARE}", quoted=False, decides=True),
    _form("pair", " \t=(", Trust.CODE, rf"""[ \t]{{0,4}}=?[ \t]{{0,4}}[(\[][ \t]{{0,4}}["'][^"'\\\n]{{0,80}}["'][ \t]{{0,4}},[ \t]{{0,4}}{_QUOTED}"""),
    _form("call", "(", Trust.CODE, rf"\([ \t]{{0,4}}{_QUOTED}[ \t]{{0,4}}\)"),
    _form("field", _QUOTES + "]", Trust.CODE, rf"""\]?["']?\]?["']?,?(?:\s{{0,24}}-?[ \t]{{0,4}})["']?{_VALUE_FIELD}["']?[ \t]{{0,4}}[:=][ \t]{{0,4}}{_QUOTED}"""),
    _form("field", _QUOTES + "\r\n", Trust.CODE, rf"""["']?\r?\n[ \t]{{0,40}}value:[ \t]{{1,4}}(?:{_QUOTED})"""),
    _form("field", _QUOTES + "\r\n", Trust.CODE, rf"""["']?\r?\n[ \t]{{0,40}}value:[ \t]{{1,4}}{_BARE}""", quoted=False),
    _form("attribute", _QUOTES, Trust.CODE, rf"""["'](?:[ \t]{{1,4}}[\w:-]{{1,40}}=["'][^"'<>\n]{{0,80}}["']){{0,6}}[ \t]{{1,4}}value={_QUOTED}"""),
    _form("argument", _QUOTES, Trust.PROSE, rf"""["'`]\]?\)?[ \t]{{0,4}},\s{{0,24}}{_QUOTED}(?![ \t]*[:=])"""),
    _form("filled", _QUOTES + "])", Trust.SURE, rf"""["'`\]\)]{{1,5}}(?:\.\w{{1,30}}\(\)){{0,3}}\.{_FILLING}\([ \t]{{0,4}}{_QUOTED}"""),
    _form("element", _QUOTES + "> ", Trust.CODE, r"[^<>\n]{0,80}>(?P<value>[^<>\n]{1,4096}+)</", decides=True),
    _form("part", _QUOTES, Trust.CODE, r"""["'](?:\r?\n){2}(?P<value>[^\s\ue000]{1,256}+)(?=\r?\n|\Z)"""),
    _form("flag", " \t", Trust.SURE, rf"[ \t]{{1,8}}(?!-){_QUOTED}", decides=True),
    _form("flag", " \t", Trust.SURE, rf"[ \t]{{1,8}}(?!-){_BARE}", quoted=False, decides=True),
    _form("cell", "*_` \t|", Trust.PROSE, r"""[*_`]{0,3}[ \t]{0,40}\|[ \t]{0,40}[*_`]{0,3}(?P<value>[^\s|]{1,4096}?)[*_`]{0,3}[ \t]{0,40}\|""", quoted=False),
    _form(
        "stated",
        "*_`\"') \t",
        Trust.PROSE,
        r"""[*_`"')]{0,3}[ \t]{1,4}(?:[a-z]{1,20}[ \t]){0,4}?(?:is|was|to|as|of|are|=|:)[ \t]{1,4}[*_`"'(]{0,3}(?P<value>[^\s"'`<>,;()]{1,4096}+)""",
        quoted=False,
    ),
    _form("next", " \t", Trust.PROSE, rf"[ \t]{{1,4}}[`\"']?{_BARE}", quoted=False),
)
_BY_FIRST = {first: tuple(form for form in _FORMS if first in form.first) for form in _FORMS for first in form.first}
_VALUE_ON_NEXT_LINE = re.compile(r"\r?\n[ \t]{0,40}value:")
_FLAG_LEADS = re.compile(r"(?:^|[\s\"'])(?:-|/)", re.MULTILINE)


class AssignmentFinder:
    """Judges what follows the names of secret things."""

    literals = tuple(anchor.encode() for anchor in NAMES.anchors)
    """What texts are searched for."""

    def hits_at(self, text: str, at: int, literal: bytes) -> Iterator[Hit]:
        """The value of the thing whose name holds the literal here."""
        rest = _REST_OF_NAME.match(text, at + len(literal))
        end = rest.end() if rest else at
        forms = _BY_FIRST.get(text[end : end + 1])
        if not forms or (text[end] in "\r\n" and not _VALUE_ON_NEXT_LINE.match(text, end)):
            return
        start = _name_start(text, at)
        kind = _secrecy_of(text, start, end)
        if kind:
            yield from _value(text, start, end, kind, forms)


def _name_start(text: str, at: int) -> int:
    start = at
    while start > max(0, at - _LONGEST_NAME) and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    return start


def _secrecy_of(text: str, start: int, end: int) -> Secrecy:
    name = text[start:end]
    kind = secrecy(name)
    if kind is Secrecy.NONE and name[-3:].lower() == "key" and text[start - 1 : start] == " ":
        before = _WORDS_BEFORE.search(text, max(0, start - _LONGEST_WORDS_BEFORE), start)
        return secrecy(before[0] + name) if before else kind
    return kind


def _value(text: str, start: int, end: int, kind: Secrecy, forms: tuple[_Form, ...]) -> Iterator[Hit]:
    for form in forms:
        found = form.pattern.match(text, end)
        if not found or (form.id == "flag" and not _is_flag(text, start)):
            continue
        value = found["value"].rstrip(".,;:!?*`_") if form.trust is Trust.PROSE else found["value"]
        told = Secrecy.PASSWORD if form.id == "pair" else kind
        names_itself = not form.quoted and text[start:end].lower() in value.lower()
        if not names_itself and is_secret(value, told, _trust(form, found, text, start), quoted=form.quoted):
            at = found.start("value")
            yield Hit(at, at + len(value), "credential" if told is Secrecy.PASSWORD else "token", f"name-{form.id}")
            return
        if form.decides:
            return


def _is_flag(text: str, start: int) -> bool:
    """Tell `--password` and `/password` from `username/password`."""
    dashed = text[start] == "-"
    before = text[start - 1 : start] if dashed else text[start - 2 : start - 1] or " "
    return (dashed or text[start - 1 : start] == "/") and (not before or before in " \t\n\"'([")


def _trust(form: _Form, found: re.Match[str], text: str, start: int) -> Trust:
    """An assignment without blanks is sure of its value in the shell, in a URL or in a connection string."""
    if form.id in {"bare", "line"} and found["delim"] == "=" and not found["gap"]:
        name = text[start : found.start()]
        if name.isupper() or name.startswith("-") or text[start - 1 : start] in set("?&;#"):
            return Trust.SURE
    return form.trust
