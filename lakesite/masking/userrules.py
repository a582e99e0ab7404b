"""Reads rule files of the user, and refuses rules that would be slow, blind or boundless."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lakesite.errors import UsageError
from lakesite.masking.packaged import packaged_rules
from lakesite.masking.rules import KINDS, CarrierRule, Rule, RuleSet, TokenRule, collected, rule_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_DISABLE = "disable"
_LONGEST_REPEAT = 20_000
_LONGEST_LITERAL = 60
_SHORTEST_LITERAL = 2
_SAMPLE_MARKER = "[masked:token:40:0a1b2c3d]"
_JOINTS = ".:~|!$"
_LINE_IN_MESSAGE = re.compile(r"at line (\d+)")
_PATTERN_KEYS = ("lead", "pattern", "before", "each", "whole", "start")


@dataclass(frozen=True, slots=True)
class UserRules:
    """What the rule files of the user say."""

    added: RuleSet = field(default_factory=RuleSet)
    """New rules, and rules that take the place of packaged ones."""
    disabled: frozenset[str] = frozenset()
    """Ids of packaged rules that are switched off."""

    @property
    def weaker(self) -> tuple[str, ...]:
        """What makes the masking weaker than the packaged rules: ids, in order."""
        allowed = (f"allow:{rule.id}" for rule in self.added.allow)
        return (*sorted(self.disabled), *sorted(self.added.ids & packaged_rules().ids), *allowed)

    def applied(self) -> RuleSet:
        """The rules to use."""
        return packaged_rules().without(self.disabled).joined(self.added)


def load_rules(paths: Iterable[Path], *, allow_weaker: bool = False) -> UserRules:
    """Read rule files, later ones over earlier ones."""
    rules = UserRules()
    for path in paths:
        added, disabled = _read(path, allow_weaker=allow_weaker)
        rules = UserRules(rules.added.joined(added), rules.disabled | disabled)
    return rules


def _read(path: Path, *, allow_weaker: bool) -> tuple[RuleSet, frozenset[str]]:
    try:
        source = path.read_text(encoding="utf-8")
        tables = tomllib.loads(source)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # not TOML, not UTF-8
        line = _LINE_IN_MESSAGE.search(str(error))
        raise UsageError(f"{path}:{line[1] if line else 1}: {error}") from error
    for key in tables.keys() - {*KINDS, _DISABLE}:
        raise UsageError(f"{path}:{_line(source, key)}: unknown table {key!r}; known: {', '.join(sorted({*KINDS, _DISABLE}))}")
    disabled = _disabled(path, source, tables.get(_DISABLE, []), allow_weaker=allow_weaker)
    return collected(rule for kind in KINDS for rule in _rules(path, source, kind, tables.get(kind, []))), disabled


def _disabled(path: Path, source: str, ids: object, *, allow_weaker: bool) -> frozenset[str]:
    where = f"{path}:{_line(source, _DISABLE)}"
    if not isinstance(ids, list) or not all(isinstance(rule_id, str) for rule_id in ids):
        raise UsageError(f"{where}: {_DISABLE!r} must be a list of rule ids")
    for rule_id in ids:
        if rule_id not in packaged_rules().ids:
            raise UsageError(f"{where}: there is no packaged rule {rule_id!r}")
    if ids and not allow_weaker:
        raise UsageError(f"{where}: switching off packaged rules ({', '.join(ids)}) needs --allow-weaker")
    return frozenset(ids)


def _rules(path: Path, source: str, kind: str, tables: list[dict[str, Any]]) -> Iterator[Rule]:
    for number, table in enumerate(tables):
        try:
            rule = rule_of(KINDS[kind], table)
            check(rule)
        except (ValueError, re.error) as error:
            name = str(table.get("id", ""))
            line = _line(source, f'"{name}"') if name else _line(source, f"[[{kind}]]", number)
            raise UsageError(f"{path}:{line}: {kind} {name or number + 1}: {error}") from error
        yield rule


def _line(source: str, what: str, occurrence: int = 0) -> int:
    lines = [number for number, line in enumerate(source.splitlines(), 1) if what in line]
    return lines[min(occurrence, len(lines) - 1)] if lines else 1


def check(rule: Rule) -> None:
    """Refuse a rule that is slow, blind or boundless; a ValueError says why."""
    for key in _PATTERN_KEYS:
        pattern = getattr(rule, key, "")
        if pattern:
            _check_pattern(key, pattern, found_by_itself=key not in {"before", "each"})
    for literal in (*getattr(rule, "literal", ()), *getattr(rule, "prefix", ()), *getattr(rule, "inside", ())):
        if not _SHORTEST_LITERAL <= len(literal) <= _LONGEST_LITERAL and literal != "$":
            raise ValueError(f"the literal {literal!r} must have {_SHORTEST_LITERAL} to {_LONGEST_LITERAL} characters")
    if isinstance(rule, TokenRule):
        _check_token(rule)
    if isinstance(rule, CarrierRule):
        _check_carrier(rule)


def _check_token(rule: TokenRule) -> None:
    if not (rule.prefix or rule.inside or rule.lead):
        raise ValueError("one of 'prefix', 'inside' and 'lead' is needed")
    if rule.min < 1 or (rule.max and rule.max < rule.min):
        raise ValueError("'min' must be 1 or more, and 'max' not less")
    if rule.lead and rule.lead[-1] not in _JOINTS:
        raise ValueError(f"'lead' must end in one of {_JOINTS}")
    if re.search(f"[{rule.alphabet}]{{{rule.min}}}", _SAMPLE_MARKER) and any(prefix in _SAMPLE_MARKER for prefix in rule.prefix):
        raise ValueError("it matches a marker")


def _check_carrier(rule: CarrierRule) -> None:
    if any(literal != literal.lower() for literal in rule.literal):
        raise ValueError("'literal' must be in lower case")
    groups = {*re.compile(rule.pattern).groupindex, *re.compile(rule.before).groupindex}
    if "block" in groups if rule.each else "secret" in groups:
        return
    raise ValueError("'pattern' needs the group (?P<secret>…), or (?P<block>…) and 'each' with (?P<secret>…)")


def _check_pattern(key: str, pattern: str, *, found_by_itself: bool) -> None:
    compiled = re.compile(pattern)
    boundless = _boundless(pattern)
    if boundless:
        raise ValueError(f"{key!r} repeats without bound ({boundless}); say how often at most, as in {{0,200}}")
    if found_by_itself and compiled.match(""):
        raise ValueError(f"{key!r} matches an empty text")
    if found_by_itself and compiled.match(_SAMPLE_MARKER):
        raise ValueError(f"{key!r} matches a marker")


def _boundless(pattern: str) -> str:
    """The first quantifier without an upper bound, or with a very high one."""
    bare = re.sub(r"\\.", "xx", pattern)
    bare = re.sub(r"\[\^?\]?[^\]]*\]", lambda found: "x" * len(found[0]), bare)
    for found in re.finditer(r"(?<![*+?}(])[*+]|\{\d*,(\d*)\}", bare):
        if found[1] is None or not found[1] or int(found[1]) > _LONGEST_REPEAT:
            return found[0]
    return ""
