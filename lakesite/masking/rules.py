"""What a secret looks like: rules as data, in five kinds, read from TOML."""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

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
_PLAIN: dict[str, tuple[type, str]] = {"str": (str, "a text"), "int": (int, "a whole number"), "bool": (bool, "true or false")}
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRule:
    """A token that its beginning gives away."""

    id: str
    """Its name in reports."""
    what: str
    """What it is, for people."""
    source: str = ""
    """The page that documents the format."""
    body: str
    """The alphabet of what follows the beginning: a name, then further characters."""
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
    anywhere: bool = False
    """Whether it counts in the middle of a word too, where a writer cut something off."""
    example: str = ""
    """A text in which it finds something, with `{token}` for what follows the beginning."""
    counter: tuple[str, ...] = ()
    """Texts in which nothing is found."""

    @property
    def alphabet(self) -> str:
        """The body's alphabet as the inside of a regular expression's character class."""
        return character_class(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierRule:
    """A secret that its surroundings give away."""

    id: str
    """Its name in reports."""
    what: str
    """What it is, for people."""
    source: str = ""
    """The page that documents the form."""
    literal: tuple[str, ...]
    """What the text is searched for, in lower case."""
    pattern: str
    """What must follow, from the literal on."""
    before: str = ""
    r"""What must stand before the literal; ends in `\Z`."""
    each: str = ""
    """What the group `block` is searched for."""
    judge: Literal["password", "stated", "token", "base64", "any"] = "password"
    """What counts as a secret there."""
    kind: Literal["token", "credential"] = "credential"
    """The class of its marker."""
    example: str = ""
    """A text in which it finds something, with `{password}`, `{token}`, `{base64}` or `{pem}` in it."""
    counter: tuple[str, ...] = ()
    """Texts in which nothing is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRule:
    """A short flag that takes a password."""

    id: str
    """Its name in reports."""
    source: str = ""
    """The page that documents it."""
    tools: tuple[str, ...]
    """The commands that have it."""
    flags: tuple[str, ...]
    """How it is written."""
    form: Literal["glued", "spaced", "either", "pair", "cookies"]
    """How its value follows."""
    separator: str = ":"
    """What stands between user and password in a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenignRule:
    """A harmless shape that the generic rules would mask."""

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
    r"""A pattern for what stands before the hit; ends in `\Z`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowRule:
    """A value that its owner wants to be shown, whatever rule finds it."""

    id: str
    """Its name in reports."""
    reason: str
    """Why it may be shown."""
    value: str
    """The exact value."""


Rule = TokenRule | CarrierRule | CommandRule | BenignRule | AllowRule
_R = TypeVar("_R", bound=Rule)
KINDS: dict[str, type[Rule]] = {
    "token": TokenRule,
    "carrier": CarrierRule,
    "command": CommandRule,
    "benign": BenignRule,
    "allow": AllowRule,
}
"""The tables of a rule file."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules of all kinds."""

    token: tuple[TokenRule, ...] = ()
    """Tokens by their beginning."""
    carrier: tuple[CarrierRule, ...] = ()
    """Secrets by their surroundings."""
    command: tuple[CommandRule, ...] = ()
    """Short flags of commands."""
    benign: tuple[BenignRule, ...] = ()
    """Harmless shapes."""
    allow: tuple[AllowRule, ...] = ()
    """Values that may be shown."""

    def joined(self, other: RuleSet) -> RuleSet:
        """These rules and those of another set, which replaces rules of the same id."""
        return RuleSet(
            _replaced(self.token, other.token),
            _replaced(self.carrier, other.carrier),
            _replaced(self.command, other.command),
            _replaced(self.benign, other.benign),
            _replaced(self.allow, other.allow),
        )

    def without(self, ids: frozenset[str]) -> RuleSet:
        """These rules but for some ids."""
        return collected(rule for rule in self.all if rule.id not in ids)

    @property
    def all(self) -> tuple[Rule, ...]:
        """The rules of all kinds."""
        return (*self.token, *self.carrier, *self.command, *self.benign, *self.allow)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all rules."""
        return frozenset(rule.id for rule in self.all)


def collected(rules: Iterable[Rule]) -> RuleSet:
    """Sort rules by kind."""
    every = tuple(rules)
    return RuleSet(
        tuple(rule for rule in every if isinstance(rule, TokenRule)),
        tuple(rule for rule in every if isinstance(rule, CarrierRule)),
        tuple(rule for rule in every if isinstance(rule, CommandRule)),
        tuple(rule for rule in every if isinstance(rule, BenignRule)),
        tuple(rule for rule in every if isinstance(rule, AllowRule)),
    )


def rule_of(kind: type[_R], table: dict[str, Any], unknown: Collection[str] = ()) -> _R:
    """Make one rule; a ValueError says what is wrong with its table. Keys in `unknown` are not taken."""
    wanted = {field.name: field for field in fields(kind) if field.name not in unknown}
    for key, value in table.items():
        if key not in wanted:
            raise ValueError(f"unknown key {key!r}; known: {', '.join(sorted(wanted))}")
        _expect_type(key, value, wanted[key].type)
    for name, field in wanted.items():
        if field.default is MISSING and name not in table:
            raise ValueError(f"the key {name!r} is missing")
    if not _ID.fullmatch(table["id"]):
        raise ValueError(f"the id {table['id']!r} must be of lower-case letters, digits and dashes, at most 60, no dash first")
    values: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return kind(**values)


def _expect_type(key: str, value: object, declared: object) -> None:
    wanted = str(declared)
    if wanted in _PLAIN and type(value) is not _PLAIN[wanted][0]:
        raise ValueError(f"{key!r} must be {_PLAIN[wanted][1]}")
    if wanted.startswith("tuple") and not (isinstance(value, list) and value and all(isinstance(item, str) and item for item in value)):
        raise ValueError(f"{key!r} must be a list of texts, none of them empty")
    if wanted.startswith("Literal") and value not in (choices := re.findall(r"\w+", wanted.removeprefix("Literal"))):
        raise ValueError(f"{key!r} must be one of {', '.join(choices)}")


def _replaced(old: tuple[_R, ...], new: tuple[_R, ...]) -> tuple[_R, ...]:
    fresh = {rule.id for rule in new}
    return (*(rule for rule in old if rule.id not in fresh), *new)


def character_class(body: str) -> str:
    """Spell out an alphabet: a known name, then further characters."""
    for name in sorted(_ALPHABETS, key=len, reverse=True):
        if body.startswith(name):
            known = re.compile(f"[{_ALPHABETS[name]}]")
            return "".join(re.escape(c) for c in sorted(set(body[len(name) :])) if not known.match(c)) + _ALPHABETS[name]
    raise ValueError(f"unknown alphabet {body!r}; known: {', '.join(sorted(_ALPHABETS))}")
