"""Tells a secret value from what only stands in its place: variables, templates, placeholders, expressions."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from lakesite.masking.names import Secrecy
from lakesite.masking.names import secrecy as name_secrecy
from lakesite.masking.packaged import STAND_INS
from lakesite.masking.shapes import is_filler, is_worded, looks_random, wordiness

LONGEST_VALUE = 4096


class Trust(IntEnum):
    """How much the surroundings say that a value follows."""

    PROSE = 0
    """A sentence: the value itself must show that it is a secret."""
    CODE = 1
    """A quoted text in code, or a line of configuration."""
    SURE = 2
    """A flag, an environment variable, a URL: only values can stand there."""


_TEMPLATE = re.compile(
    r"\$\{|\$\(|\{\{|#\{|<%|%\(|\$env:|"  # what a shell, a template or a format string fills in
    r"(?:\$\w+|%\w+%|\{[\w.:!=\[\]'\"]*\}|%[sdr]|:\w+)\Z|"
    r"(?:<[^<>!#$%^&*+=~?]{0,60}>|@\w+@|\[[A-Z_ ]+\]|__\w+__|@?[\w.]+\([^()]*\))\Z"  # what a person fills in, a call
)
_FILLED_IN = re.compile(r"\$\{|\{\{|\$\(|\{\w{0,20}\}")
_REFERENCE = re.compile(r"&?[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+\Z|\w+(?:->|::)|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_VARIABLE = re.compile(r"\$[A-Za-z_{(]|\W+\Z")
_NAME = re.compile(r"_*(?:[A-Z0-9]+(?:_[A-Z0-9]+)+|[a-z0-9]{1,12}(?:_[a-z0-9]{1,12})+)\Z|@[A-Za-z_]\w*\Z")
_LOCATION = re.compile(r"(?:https?|file|ssm|arn|op|vault|secretsmanager):|(?:~|\.{1,2})?/(?:[\w.@-]+/)+[\w.@-]*\Z|[A-Za-z]:\\")
_NUMBER = re.compile(r"v?[0-9]+(?:[.,:_-][0-9]+)*[a-z%]{0,2}\Z")
_ADDRESS = re.compile(r"[0-9]{1,7}:[0-9a-fA-F]{3,8}\Z|[\w-]+(?:\.[\w-]+)*:[0-9]{1,5}\Z|(?:[\w@-][\w.@-]*/)+[\w.@-]*\.\w{1,5}\Z")
_ALGORITHM = re.compile(
    r"(?i)(?:[a-z0-9]{1,12}[-_ ]){0,4}(?:md5|sha[-_]?[0-9]{1,3}|aes[-_]?[0-9]{3}|rsa|ed25519|s?cram|hmac|utf[-_]?(?:8|16)|x509)"
    r"(?:[-_][a-z0-9]{1,8}){0,4}\Z"
)
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*[(\[]|\w+=[\w.]+\Z|#")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEX = re.compile(r"[0-9a-f]+\Z|[0-9A-F]+\Z")
_NOT_IN_PROSE = re.compile(r"\A(?:[/-]|[0-9]+[^0-9]*\Z|0x|[0-9]{1,4}[-:./,_][0-9])|[\\=]|@(?:[A-Za-z][\w-]*(?:\.[\w-]+)*)?\Z")
_SYMBOL = re.compile(r"[!@#$%^&*+=~?]")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[^\W\d_]")
_UNREADABLE = re.compile(r"[^\S ]|\\[xuU0-7]")
_SPOKEN = re.compile(r"[a-z]{3,16}(?: [a-z]{3,16})*\Z")

_STAND_IN = re.compile("|".join([*map(re.escape, sorted(STAND_INS.parts)), r"[_-]here\Z", r"\bexample\.com\Z"]))
_LEFT_OUT = re.compile(r"\[?(?:…|\.{4,}+)\]?|\*{5,}+|[xX]{5,}+|\[masked(?::[a-z]*+(?::[0-9]*+(?::[0-9a-f]*+)?)?)?\]?")
"""What stands for a part of a value that was cut or hidden; of a marker any beginning, too."""

_LONGEST_REMEMBERED = 64
_TELLING_REST = 12
"""Characters of a value that are worth hiding, where the others were left out."""
_LONGEST_STAND_IN = 256
_SHORTEST = {Trust.SURE: 3, Trust.CODE: 4, Trust.PROSE: 6}
_SHORTEST_TOKEN = {Trust.SURE: 8, Trust.CODE: 8, Trust.PROSE: 16}
_LONG_ENOUGH_WITHOUT_DIGIT = 20
_LONG = 16
_FEWEST_WORDS, _MOST_WORDS, _LONGEST_PHRASE = 4, 10, 100
_SHORTEST_HEX = 20
_WORDS_WITH_DIGITS = 0.6


def is_stand_in(value: str) -> bool:
    """Tell what is written where a secret would be: a variable, a template, a placeholder."""
    low = value[:_LONGEST_STAND_IN].lower()
    return (
        low in STAND_INS.words
        or bool(_STAND_IN.search(low))
        or bool(_TEMPLATE.match(value) or _ALGORITHM.match(value) or _FILLED_IN.search(value))
        or is_filler(low)
    )


def is_secret(value: str, secrecy: Secrecy, trust: Trust, *, quoted: bool) -> bool:
    """Judge a value by what its name and its surroundings say."""
    return (_judged if len(value) <= _LONGEST_REMEMBERED else _is_secret)(value, secrecy, trust, quoted)


def _is_secret(value: str, secrecy: Secrecy, trust: Trust, quoted: bool) -> bool:  # noqa: FBT001 - a key of the cache
    if not value or len(value) > LONGEST_VALUE or _UNREADABLE.search(value):
        return False
    if _LEFT_OUT.search(value):
        rest = _LEFT_OUT.sub("", value)
        return len(rest) >= _TELLING_REST and _is_secret(rest, secrecy, trust, quoted)
    if " " in value:
        may_be = secrecy is Secrecy.PASSWORD and quoted and trust > Trust.PROSE
        return may_be and _is_passphrase(value, trust) and not is_stand_in(value)
    if is_stand_in(value) or _LOCATION.match(value):
        return False
    if not quoted and (_VARIABLE.match(value) or (trust < Trust.SURE and (_REFERENCE.match(value) or _EXPRESSION.match(value)))):
        return False
    if trust < Trust.SURE and any(pattern.match(value) for pattern in (_NUMBER, _ADDRESS)):
        return trust is Trust.CODE and value.isdigit() and (quoted if secrecy is Secrecy.PASSWORD else len(value) >= _LONG)
    if secrecy is Secrecy.PASSWORD:
        return _is_password(value, trust)
    return _is_token(value, trust, uuid_counts=secrecy is Secrecy.TOKEN and trust > Trust.PROSE)


_judged = lru_cache(maxsize=1 << 13)(_is_secret)


def _is_password(value: str, trust: Trust) -> bool:
    if len(value) < _SHORTEST[trust]:
        return False
    if trust is Trust.SURE:
        return True
    if trust is Trust.PROSE and (_NOT_IN_PROSE.search(value) or not _LETTER.search(value) or _NAME.match(value)):
        return False
    if _SYMBOL.search(value.strip("!?=*")):
        return True
    if _DIGIT.search(value):
        return trust is Trust.CODE or value != value.lower() or not is_worded(value)
    return trust is Trust.CODE and len(value) >= _SHORTEST_TOKEN[trust] and looks_random(value)


def _is_passphrase(value: str, trust: Trust) -> bool:
    """Tell a few words that somebody chose from a sentence, by words that make one and by its end."""
    words = value.split(" ")
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS or len(value) > _LONGEST_PHRASE or value.endswith((".", ":", "?", "…", ",", ";")):
        return False
    plain = [word.strip("!?.,:;()\"'").lower() for word in words]
    if not all(plain) or any(word in STAND_INS.prose or word in STAND_INS.words or name_secrecy(word) for word in plain):
        return False
    return bool(_DIGIT.search(value)) or (trust is Trust.SURE and bool(_SPOKEN.match(value)))


def _is_token(value: str, trust: Trust, *, uuid_counts: bool) -> bool:
    if len(value) < _SHORTEST_TOKEN[trust] or not _LETTER.search(value):
        return len(value) >= _LONG_ENOUGH_WITHOUT_DIGIT and value.isdigit() and trust > Trust.PROSE
    if _UUID.search(value):
        return uuid_counts
    if trust < Trust.SURE and len(value) < _SHORTEST_HEX and _HEX.match(value):
        return False
    if trust < Trust.SURE and ":" in value and is_worded(value.replace(":", "/")):
        return False
    if _NAME.match(value) or not (_DIGIT.search(value) or len(value) >= _LONG_ENOUGH_WITHOUT_DIGIT):
        return False
    if trust is Trust.PROSE:
        return looks_random(value) and not is_worded(value)
    if trust is Trust.SURE and _SYMBOL.search(value.rstrip("=")):
        return True
    return looks_random(value) or (len(value) >= _LONG and bool(_DIGIT.search(value)) and wordiness(value) < _WORDS_WITH_DIGITS)
