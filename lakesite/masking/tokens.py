"""Finds tokens that their beginning gives away, inside runs of the characters that tokens are written in."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from lakesite.masking.marker import Hit
from lakesite.masking.shapes import is_filler, is_worded, looks_random

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakesite.masking.rules import TokenRule
    from lakesite.masking.sheet import Sheet

_TELLING = 4
"""Characters of a beginning that say whether it is worth a closer look."""
_SHORTEST_LEAD = 6
_LONGEST_LEAD = 96
_SHORTEST_WITH_MIDDLE = 30
_LONGEST_CHAIN = 32
_LONGEST_BODY = 4096
_LONGEST_JUDGED = 96
_FILLER = "xxxxxxxx"
_JOINTS = frozenset(".:|~!$")
"""Characters that may stand in a token's beginning but not in a run."""

_PICTURE = re.compile(
    r"(?:iVBORw0KGgoAAAANSUhEUg|/9j/[2-7][A-Za-z0-9+/]|R0lGOD[dl]h|UklGR[A-Za-z0-9+/]{6}XRUJQ)[A-Za-z0-9+/]{40,}+={0,2}+\Z"
)
"""The base64 of a PNG, JPEG, GIF or WebP and nothing else: long enough to hold the beginnings of many tokens by chance."""
_SHORTEST_PICTURE = 46
_STARTS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_CHAIN = re.compile(rf"[\w{''.join(sorted(_JOINTS))}-]++\Z")
_JOINED = re.compile(r"[-_.]")


class _Ready:
    """A rule with its patterns, which are compiled when they are first needed: most never are."""

    def __init__(self, rule: TokenRule, prefix: str = "", lead: str = "(?!)") -> None:
        self.rule = rule
        self.prefix = prefix
        """What a token begins with, where no pattern says so."""
        self._lead = lead

    @cached_property
    def lead(self) -> re.Pattern[str]:
        """What a token begins with, or holds."""
        return re.compile(self._lead)

    @cached_property
    def body(self) -> re.Pattern[str]:
        """So much of what follows as is needed to judge it."""
        rule = self.rule
        end = f"(?![{rule.alphabet}])" if rule.max else ""
        most = rule.max or (_LONGEST_BODY if rule.inside else max(_LONGEST_JUDGED, rule.min))
        return re.compile(f"[{rule.alphabet}]{{{rule.min},{most}}}+{end}")

    @cached_property
    def rest(self) -> re.Pattern[str]:
        """What it goes on with."""
        return re.compile(f"[{self.rule.alphabet}]{{0,{_LONGEST_BODY}}}+[A-Za-z0-9_-]*+")


class TokenFinder:
    """All token rules, indexed by how a token begins."""

    def __init__(self, rules: Iterable[TokenRule], *, precise: bool = True) -> None:
        self._precise = precise
        self._by_start: dict[str, list[_Ready]] = defaultdict(list)
        self._by_joint: dict[str, list[_Ready]] = defaultdict(list)
        self._by_middle: list[_Ready] = []
        self._rules = tuple(rules)
        for rule in self._rules:
            for prefix in rule.prefix:
                self._by_start[prefix[:2]].append(_Ready(rule, prefix))
            if rule.lead:
                self._by_joint[rule.lead[-1]].append(_Ready(rule, lead=f"(?:{rule.lead})\\Z"))
            if rule.inside:
                self._by_middle.append(_Ready(rule, lead="|".join(map(re.escape, rule.inside))))
        anywhere = _either(prefix for rule in self._rules if rule.anywhere for prefix in rule.prefix)
        self._anywhere = re.compile(anywhere)
        begins = _either(prefix[:_TELLING] for rule in self._rules for prefix in rule.prefix)
        self._first_start = re.compile(rf"(?<![A-Za-z0-9]){begins}")
        self._later_start = re.compile(rf"[^A-Za-z0-9]{begins}")
        for bucket in self._by_start.values():
            bucket.sort(key=lambda ready: len(ready.prefix), reverse=True)
        self._any_middle = re.compile("|".join(ready.lead.pattern for ready in self._by_middle) or "(?!)")

    def hits(self, sheet: Sheet) -> Iterator[Hit]:
        """Every token in the text."""
        text = sheet.text
        for start, end in sheet.telling_runs:
            if self._precise and end - start >= _SHORTEST_PICTURE and _PICTURE.match(text, start, end):
                continue
            first = start
            if start and text[start - 1] in _JOINTS:
                first = _chain_start(text, start)
                if start - first >= _SHORTEST_LEAD:
                    yield from self._after_joint(text, start)
            if self._may_start(text, first, end):
                yield from self._from_start(text, first, end)
            if end - start >= _SHORTEST_WITH_MIDDLE and self._any_middle.search(text, start, end):
                yield from self._around_middle(text, start, end)

    def _may_start(self, text: str, first: int, end: int) -> bool:
        """Whether a closer look is worth while. Patterns that begin with a set of characters are found several times as fast."""
        return bool(
            (text[first : first + 2] in self._by_start and self._first_start.match(text, first, end))
            or self._later_start.search(text, first, end)
            or self._anywhere.search(text, first, end)
            or (first and text[first - 1] == "\\")
        )

    def _from_start(self, text: str, first: int, end: int) -> Iterator[Hit]:
        starts = {found.start() for found in _STARTS.finditer(text, first, end)}
        starts.update(found.start() for found in self._anywhere.finditer(text, first, end))
        if first and text[first - 1] == "\\" and text[first] in "nrtbf":
            starts.add(first + 1)
        done = first
        for at in sorted(starts):
            hit = self._token(text, first, at, end) if at >= done and text[at : at + 2] in self._by_start else None
            if hit:
                done = hit.end
                yield hit

    def _token(self, text: str, first: int, at: int, end: int) -> Hit | None:
        for ready in self._by_start[text[at : at + 2]]:
            if not text.startswith(ready.prefix, at):
                continue
            body = ready.body.match(text, at + len(ready.prefix))
            if not body or not _credible(ready.rule, body[0]):
                continue
            if (ready.rule.weak or ready.prefix.isalnum()) and _in_base64(text, first, at):
                continue
            if at and text[at - 1].isalnum() and not looks_random(text[at : min(end, at + _LONGEST_JUDGED)]):
                continue
            return Hit(at, _end(ready, text, body), "token", ready.rule.id)
        return None

    def _after_joint(self, text: str, start: int) -> Iterator[Hit]:
        for ready in self._by_joint.get(text[start - 1], ()):
            body = ready.body.match(text, start)
            lead = body and ready.lead.search(text, max(0, start - _LONGEST_LEAD), start)
            if lead and body and _credible(ready.rule, body[0]):
                yield Hit(lead.start(), _end(ready, text, body), "token", ready.rule.id)

    def _around_middle(self, text: str, start: int, end: int) -> Iterator[Hit]:
        for ready in self._by_middle:
            for found in ready.body.finditer(text, start, end):
                if ready.lead.search(found[0]) and _credible(ready.rule, found[0]):
                    yield Hit(found.start(), found.end(), "token", ready.rule.id)


def _either(literals: Iterable[str]) -> str:
    """A pattern for any of some literals; those that begin alike stand together, which makes it many times as fast."""
    rests: dict[str, set[str]] = defaultdict(set)
    for literal in literals:
        rests[literal[:1]].add(literal[1:])
    branches = (re.escape(first) + (_either(rest) if all(rest) else "") for first, rest in sorted(rests.items()))
    return f"(?:{'|'.join(branches)})" if rests else "(?!)"


def _credible(rule: TokenRule, body: str) -> bool:
    head = body[:_LONGEST_JUDGED]
    if is_filler(head) or _FILLER in head.lower():
        return False
    return not rule.weak or (not head.isdigit() and looks_random(head) and not (_JOINED.search(head) and is_worded(head)))


def _in_base64(text: str, first: int, at: int) -> bool:
    """Tell a place in the middle of something encoded from the last part of a path."""
    return at > first and text[at - 1] in "+/" and not is_worded(text[max(first, at - _LONGEST_JUDGED) : at])


def _chain_start(text: str, start: int) -> int:
    """Where the short pieces before a run begin: at `dp.` for the run behind `dp.pt.`."""
    chain = _CHAIN.search(text, max(0, start - _LONGEST_CHAIN), start)
    return chain.start() if chain else start


def _end(ready: _Ready, text: str, body: re.Match[str]) -> int:
    """Where a token ends: a hit in a longer run goes on to the run's end."""
    rest = ready.rest.match(text, body.end())
    return rest.end() if rest else body.end()
