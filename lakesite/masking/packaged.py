"""The rules that come with lakesite, read once from the TOML files beside this module."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lakesite.masking.rules import KINDS, RuleSet, collected, rule_of

RULE_FILES = (
    "hosting.toml",
    "cloud.toml",
    "models.toml",
    "business.toml",
    "data.toml",
    "carriers.toml",
    "commands.toml",
    "benign.toml",
)
_NAME_FILE = "names.toml"


@dataclass(frozen=True, slots=True)
class Names:
    """The words by which secret names are told."""

    anchors: frozenset[str]
    """What texts are searched for; every word of the next three holds one."""
    password: frozenset[str]
    """Last words of names whose value people choose."""
    no_pass: frozenset[str]
    """Words that end in `pass` by chance."""
    token: frozenset[str]
    """Last words of names whose value machines make."""
    session: frozenset[str]
    """The same, where a UUID is only an id."""
    not_before_key: frozenset[str]
    """Words that make a key a harmless one."""
    not_before_token: frozenset[str]
    """Words that make a token a harmless one."""
    neutral: frozenset[str]
    """Words that say nothing at the end of a name."""
    foreign: frozenset[str]
    """Words for a password that are not written in ASCII."""


@dataclass(frozen=True, slots=True)
class StandIns:
    """What stands where a secret would, and is none."""

    words: frozenset[str]
    """All of a value."""
    parts: frozenset[str]
    """Something in it."""
    prose: frozenset[str]
    """Words of sentences, of which no passphrase holds any."""


def _source(name: str) -> str:
    return (files(__package__) / "rules" / name).read_text(encoding="utf-8")


def _name_tables() -> tuple[Names, StandIns]:
    tables: dict[str, Any] = tomllib.loads(_source(_NAME_FILE))
    names = Names(*(frozenset(tables["names"][field.name]) for field in fields(Names)))
    return names, StandIns(*(frozenset(tables["stand_ins"][field.name]) for field in fields(StandIns)))


NAMES, STAND_INS = _name_tables()


@lru_cache(maxsize=1)
def packaged_rules() -> RuleSet:
    """All packaged rules."""
    return collected(
        rule_of(KINDS[kind], table) for name in RULE_FILES for kind, tables in tomllib.loads(_source(name)).items() for table in tables
    )


@lru_cache(maxsize=1)
def packaged_sources() -> str:
    """The text of all packaged rules and words: what their digest is made from."""
    return "".join(_source(name) for name in (*RULE_FILES, _NAME_FILE))
