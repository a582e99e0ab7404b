"""Reads rule files of the user, and refuses rules that would be slow, blind or boundless."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lakesite.errors import UsageError
from lakesite.masking.packaged import packaged_rules
from lakesite.masking.rules import KINDS, BenignRule, CarrierRule, CommandRule, Rule, RuleSet, TokenRule, collected, rule_of
from lakesite.masking.trial import spares_keys, try_out
from lakesite.masking.ways import TOO_MANY_STEPS, boundless, ends_the_text, steps
from lakesite.tomlfile import line_of, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_DISABLE = "disable"
_LONGEST_REPEAT = 20_000
_MOST_STEPS = 250_000
_MOST_STEPS_EVERYWHERE = 70_000
_TRIED_EVERYWHERE = frozenset({"before", "each", "lead"})
"""Patterns that are tried at every place of a window."""
_LONGEST_BEFORE = 240
_MOST_WORDS = 4
_LONGEST_LITERAL = 60
_SHORTEST_LITERAL = 2
_SAMPLE_MARKER = "[masked:token:40:0a1b2c3d]"
_JOINTS = ".:~|!$"
_PATTERN_KEYS = ("lead", "pattern", "before", "each", "whole", "start")
_PARTS_OF_PATTERNS = frozenset({"lead", "whole", "start"})
"""Patterns that stand inside of a larger one."""
_LONGEST_BODY = 4096
_FLAG = re.compile(r"-[A-Za-z0-9-]+")
_NOT_FOR_USERS = frozenset({"length"})
"""Keys that only tests of packaged rules read."""


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
        spared = ((kind, rule.id) for kind, rules in (("benign", self.added.benign), ("allow", self.added.allow)) for rule in rules)
        replaced = self.added.ids & packaged_rules().ids
        return (*sorted(self.disabled), *sorted(replaced), *(f"{kind}:{name}" for kind, name in spared if name not in replaced))

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
    source, tables = read_toml(path)
    if not tables:
        raise UsageError(f"{path}: no rule in it; write one, or leave the file out")
    for key in tables:
        if key not in {*KINDS, _DISABLE}:
            raise UsageError(f"{path}:{line_of(source, key)}: unknown table {key!r}; known: {', '.join(sorted({*KINDS, _DISABLE}))}")
    disabled = _disabled(path, source, tables.get(_DISABLE, []), allow_weaker=allow_weaker)
    rules = (_rules(path, source, kind, tables.get(kind, []), allow_weaker=allow_weaker) for kind in KINDS)
    return collected(rule for each in rules for rule in each), disabled


def _disabled(path: Path, source: str, ids: object, *, allow_weaker: bool) -> frozenset[str]:
    where = f"{path}:{line_of(source, _DISABLE)}"
    if not isinstance(ids, list) or not all(isinstance(rule_id, str) for rule_id in ids):
        raise UsageError(f"{where}: {_DISABLE!r} must be a list of rule ids")
    for rule_id in ids:
        if rule_id not in packaged_rules().ids:
            raise UsageError(f"{where}: there is no packaged rule {rule_id!r}")
    if ids and not allow_weaker:
        raise UsageError(f"{where}: switching off packaged rules ({', '.join(ids)}) needs --allow-weaker")
    return frozenset(ids)


def _rules(path: Path, source: str, kind: str, tables: object, *, allow_weaker: bool) -> Iterator[Rule]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{path}:{line_of(source, kind)}: write [[{kind}]] above the keys of each rule")
    ids: set[str] = set()
    for number, table in enumerate(tables):
        name = str(table.get("id", ""))
        where = f"{path}:{_line_of_rule(source, kind, number, name)}: {kind} {name or number + 1}"
        if name in ids:
            raise UsageError(f"{where}: its id stands twice; give each rule its own")
        try:
            rule = _rule(kind, table, allow_weaker=allow_weaker)
        except ValueError as error:
            raise UsageError(f"{where}: {error}") from error
        ids.add(name)
        yield rule


def _rule(kind: str, table: dict[str, Any], *, allow_weaker: bool) -> Rule:
    """A rule of the user; a ValueError says why it cannot be used."""
    for key in _NOT_FOR_USERS & table.keys():
        raise ValueError(f"{key!r} masks nothing: say with 'min' and 'max' how many characters must follow")
    rule = rule_of(KINDS[kind], table, unknown=_NOT_FOR_USERS)
    check(rule)
    try_out(rule)
    if rule.id in packaged_rules().ids and not allow_weaker:
        raise ValueError("taking the place of the packaged rule of this id needs --allow-weaker; under another id it stands beside it")
    if isinstance(rule, BenignRule) and not allow_weaker and spares_keys(rule):
        raise ValueError("it holds random keys too: to show those needs --allow-weaker; say more of what makes the shape harmless")
    return rule


def _line_of_rule(source: str, kind: str, number: int, name: str) -> int:
    found = re.search(rf"\bid\s*=\s*[\"']{re.escape(name)}[\"']", source) if name else None
    return source.count("\n", 0, found.start()) + 1 if found else line_of(source, kind, number)


def check(rule: Rule) -> None:
    """Refuse a rule that is slow, blind or boundless; a ValueError says why."""
    for key in _PATTERN_KEYS:
        pattern = getattr(rule, key, "")
        if pattern:
            _check_pattern(key, pattern, found_by_itself=key not in {"before", "each"})
    for literal in (*getattr(rule, "literal", ()), *getattr(rule, "prefix", ()), *getattr(rule, "inside", ())):
        if not _SHORTEST_LITERAL <= len(literal) <= _LONGEST_LITERAL and literal != "$":
            raise ValueError(f"the literal {literal!r} must have {_SHORTEST_LITERAL} to {_LONGEST_LITERAL} characters")
    match rule:
        case TokenRule():
            _check_token(rule)
        case CarrierRule():
            _check_carrier(rule)
        case CommandRule():
            _check_command(rule)
        case BenignRule():
            _check_benign(rule)


def _check_token(rule: TokenRule) -> None:
    if not (rule.prefix or rule.inside or rule.lead):
        raise ValueError("one of 'prefix', 'inside' and 'lead' is needed")
    if rule.min < 1 or (rule.max and rule.max < rule.min) or max(rule.min, rule.max) > _LONGEST_BODY:
        raise ValueError(f"'min' must be 1 or more, and 'max' not less; neither can be more than {_LONGEST_BODY}")
    if rule.lead and rule.lead[-1] not in _JOINTS:
        raise ValueError(f"'lead' must end in one of {_JOINTS}")
    if re.search(f"[{rule.alphabet}]{{{rule.min}}}", _SAMPLE_MARKER) and any(prefix in _SAMPLE_MARKER for prefix in rule.prefix):
        raise ValueError("it matches a marker")


def _check_carrier(rule: CarrierRule) -> None:
    if any(literal != literal.lower() or not literal.isascii() for literal in rule.literal):
        raise ValueError("'literal' must be in lower case, without accents and other scripts")
    pattern, before, each = (re.compile(part).groupindex for part in (rule.pattern, rule.before, rule.each))
    if rule.each and "block" in pattern and "secret" in each and "secret" not in before:
        return
    if not rule.each and ("secret" in pattern or "secret" in before):
        return
    raise ValueError("'pattern' needs the group (?P<secret>…), or (?P<block>…) and 'each' with (?P<secret>…)")


def _check_command(rule: CommandRule) -> None:
    for flag in rule.flags:
        if not _FLAG.fullmatch(flag):
            raise ValueError(f"the flag {flag!r} must be of a dash and letters, digits and dashes")
    for tool in rule.tools:
        if tool.count(" ") >= _MOST_WORDS:
            raise ValueError(f"the tool {tool!r} can have {_MOST_WORDS} words at most")


def _check_benign(rule: BenignRule) -> None:
    if not (rule.whole or rule.start or rule.before):
        raise ValueError("one of 'whole', 'start' and 'before' is needed")
    if rule.before and re.search(rule.before, ""):
        raise ValueError("'before' matches an empty text")
    if rule.before and not ends_the_text(rule.before):
        raise ValueError(r"'before' must end in \Z, or it spares all that follows somewhere behind")
    for key, pattern in (("whole", rule.whole), ("start", rule.start)):
        if re.compile(pattern).groups:
            raise ValueError(f"{key!r} must not capture: write (?:…) for (…)")


def _check_pattern(key: str, pattern: str, *, found_by_itself: bool) -> None:
    compiled = _compiled(key, pattern)
    if key in _PARTS_OF_PATTERNS and compiled.flags != re.compile("").flags:
        raise ValueError(f"{key!r} must not begin with flags: write (?i:…) for (?i)…")
    endless = boundless(pattern, _LONGEST_REPEAT)
    if endless:
        raise ValueError(f"{key!r} repeats without bound ({endless}); say how often at most, as in {{0,200}}")
    if steps(pattern, _LONGEST_BEFORE if key in {"before", "lead"} else _LONGEST_REPEAT) > (
        _MOST_STEPS_EVERYWHERE if key in _TRIED_EVERYWHERE else _MOST_STEPS
    ):
        raise ValueError(f"{key!r} {TOO_MANY_STEPS}")
    if found_by_itself and compiled.match(""):
        raise ValueError(f"{key!r} matches an empty text")
    if found_by_itself and compiled.match(_SAMPLE_MARKER):
        raise ValueError(f"{key!r} matches a marker")


def _compiled(key: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{key!r} is no regular expression ({error})") from error
