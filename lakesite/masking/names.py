"""Tells whether a thing of some name holds a secret: a key, a variable, a flag, a header, a label."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from lakesite.masking.packaged import NAMES


class Secrecy(IntEnum):
    """What a name says about its value."""

    NONE = 0
    SESSION = 1
    """The same as a token, but a UUID is only an id."""
    TOKEN = 2
    """A secret that a machine made, if the value looks like one."""
    PASSWORD = 3
    """A secret that a person may have chosen."""


_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z\u00df-\u017f]+|[0-9]+")
_LONGEST_NAME = 128


def secrecy(name: str) -> Secrecy:
    """Judge a name by its last telling word, and that by the word before."""
    return _secrecy(name[-_LONGEST_NAME:])


@lru_cache(maxsize=1 << 14)
def _secrecy(name: str) -> Secrecy:
    words = [word.lower() for word in _WORDS.findall(name)]
    while words and (words[-1].isdigit() or (len(words) > 1 and words[-1] in NAMES.neutral)):
        words.pop()
    if not words:
        return Secrecy.NONE
    if len(words) > 1 and words[-1] == "id" and words[-2] in {"session", "key"}:
        words.pop()
    before = [word for word in words[:-1] if not word.isdigit()]
    return _of_last(words[-1], before[-1] if before else "")


def _of_last(last: str, before: str) -> Secrecy:
    if last.endswith("pass") and last not in NAMES.no_pass:
        return Secrecy.PASSWORD
    if last in NAMES.password or last.endswith(("password", "passwords", "passwd", "passphrase", "pw", "pwd")):
        return Secrecy.PASSWORD
    if last in {"key", "keys"}:
        return Secrecy.TOKEN if before and before not in NAMES.not_before_key else Secrecy.NONE
    if last in NAMES.session:
        return Secrecy.SESSION
    if last in NAMES.token or last.endswith(("token", "secret", "apikey")):
        return Secrecy.NONE if last == "token" and before in NAMES.not_before_token else Secrecy.TOKEN
    return Secrecy.NONE
