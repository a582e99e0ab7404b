"""What a secret looks like: rules as data, read from TOML and checked before they are used."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_ALPHABETS = {
    "alnum": "A-Za-z0-9",
    "hex": "0-9A-Fa-f",
    "lower36": "a-z0-9",
    "upper36": "A-Z0-9",
    "base32": "A-Z2-7",
    "word": "A-Za-z0-9_",
    "b64": "A-Za-z0-9+/=",
    "b64url": "A-Za-z0-9_-",
    "dotted": "A-Za-z0-9_.-",
    "wide": "A-Za-z0-9_.~+/=-",
}


@dataclass(frozen=True, slots=True)
class TokenRule:
    """A token that its beginning gives away."""

    id: str
    """Its name in reports."""
    what: str
    """What it is, for people."""
    body: str
    """The alphabet of what follows the beginning: a name, then further characters."""
    source: str
    """The page that documents the format."""
    prefix: tuple[str, ...] = ()
    """The literal beginnings."""
    inside: tuple[str, ...] = ()
    """Literals that stand somewhere in the token instead."""
    lead: str = ""
    """A bounded pattern for the beginning, where no literal will do; it ends in a character of `.:~|!$`."""
    min: int = 10
    """How many characters of the alphabet must follow."""
    max: int = 0
    """How many may follow at most; 0: any number."""
    length: int = 0
    """How many its maker issues."""
    weak: bool = False
    """Whether the beginning is so ordinary that the rest must look random too."""
    example: str = ""
    """A beginning that `lead` matches."""

    @property
    def alphabet(self) -> str:
        """The body's alphabet as the inside of a regular expression's character class."""
        return character_class(self.body)


Judge = Literal["password", "token", "base64", "any"]


@dataclass(frozen=True, slots=True)
class CarrierRule:
    """A secret that its surroundings give away."""

    id: str
    """Its name in reports."""
    what: str
    """What it is, for people."""
    literal: tuple[str, ...]
    """What the text is searched for, in lower case."""
    source: str
    """The page that documents the form."""
    pattern: str = ""
    """What must follow, from the literal on."""
    before: str = ""
    """What must stand before the literal; ends in `\\Z`."""
    each: str = ""
    """What the group `block` is searched for."""
    judge: Judge = "password"
    """What counts as a secret there."""
    kind: Literal["token", "credential"] = "credential"
    """The class of its marker."""


@dataclass(frozen=True, slots=True)
class CommandRule:
    """A short flag that takes a password."""

    id: str
    """Its name in reports."""
    tools: tuple[str, ...]
    """The commands that have it."""
    flags: tuple[str, ...]
    """How it is written."""
    form: Literal["glued", "spaced", "either", "pair"]
    """How its value follows."""
    source: str
    """The page that documents it."""
    separator: str = ":"
    """What stands between user and password in a pair."""


@dataclass(frozen=True, slots=True)
class BenignRule:
    """A harmless shape that the Lake's generic rules would mask."""

    id: str
    """Its name."""
    what: str
    """What it is, for people."""
    reason: str
    """Why it may be shown."""
    whole: str = ""
    """A pattern for all of the hit."""
    start: str = ""
    """A pattern for the beginning of the hit."""
    before: str = ""
    """A pattern for what stands before the hit; ends in `\\Z`."""


def character_class(body: str) -> str:
    """Spell out an alphabet: a known name, then further characters."""
    for name in sorted(_ALPHABETS, key=len, reverse=True):
        if body.startswith(name):
            known = re.compile(f"[{_ALPHABETS[name]}]")
            return "".join(re.escape(c) for c in sorted(set(body[len(name) :])) if not known.match(c)) + _ALPHABETS[name]
    raise ValueError(f"unknown alphabet {body!r}; known: {', '.join(sorted(_ALPHABETS))}")
