"""The rules that come with lakesite, read once from the TOML files beside this module."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any, TypeVar

from lakesite.masking.rules import BenignRule, CarrierRule, CommandRule, TokenRule

_Rule = TypeVar("_Rule", TokenRule, CarrierRule, CommandRule, BenignRule)
_TOKEN_FILES = ("hosting.toml", "cloud.toml", "models.toml", "business.toml", "data.toml")


@dataclass(frozen=True, slots=True)
class Names:
    """The words by which secret names are told; see names.toml."""

    anchors: tuple[str, ...]
    password: frozenset[str]
    token: frozenset[str]
    session: frozenset[str]
    not_before_key: frozenset[str]
    not_before_token: frozenset[str]
    neutral: frozenset[str]


@dataclass(frozen=True, slots=True)
class StandIns:
    """What stands where a secret would, and is none; see names.toml."""

    words: frozenset[str]
    parts: tuple[str, ...]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "rules" / name).read_text(encoding="utf-8"))


def _rule(kind: type[_Rule], table: dict[str, Any]) -> _Rule:
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in table.items()})


_TABLES = _read("names.toml")
NAMES = Names(**{f.name: (tuple if f.name == "anchors" else frozenset)(_TABLES["names"][f.name]) for f in fields(Names)})
STAND_INS = StandIns(frozenset(_TABLES["stand_ins"]["words"]), tuple(_TABLES["stand_ins"]["parts"]))
TOKENS = tuple(_rule(TokenRule, table) for name in _TOKEN_FILES for table in _read(name)["token"])
CARRIERS = tuple(_rule(CarrierRule, table) for table in _read("carriers.toml")["carrier"])
COMMANDS = tuple(_rule(CommandRule, table) for table in _read("commands.toml")["command"])
BENIGN = tuple(_rule(BenignRule, table) for table in _read("benign.toml")["benign"])
