"""Finds tokens that their beginning gives away, inside runs of the characters that tokens are written in."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from lakesite.masking.marker import Hit
from lakesite.masking.shapes import is_filler, is_worded, looks_random

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakesite.masking.rules import TokenRule
    from lakesite.masking.sheet import Sheet

_LONGEST_LEAD = 96
_SHORTEST_WITH_MIDDLE = 30
_LONGEST_CHAIN = 32
_LONGEST_BODY = 4096
_LONGEST_JUDGED = 96
_JOINTS = frozenset(".:|~!$")
"""Characters that may stand in a token's beginning but not in a run."""

_STARTS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_JOINED = re.compile(r"[-_.]")
_REST = re.compile(r"[A-Za-z0-9_-]*+")


class _Ready(NamedTuple):
    rule: TokenRule
    lead: re.Pattern[str]
    body: re.Pattern[str]


class TokenFinder:
    """All token rules, indexed by how a token begins."""

    def __init__(self, rules: Iterable[TokenRule]) -> None:
        self._by_start: dict[str, list[_Ready]] = defaultdict(list)
        self._by_joint: dict[str, list[_Ready]] = defaultdict(list)
        self._by_middle: list[_Ready] = []
        for rule in rules:
            end = f"(?![{rule.alphabet}])" if rule.max else ""
            body = re.compile(f"[{rule.alphabet}]{{{rule.min},{rule.max or _LONGEST_BODY}}}+{end}")
            for prefix in rule.prefix:
                self._by_start[prefix[:2]].append(_Ready(rule, re.compile(re.escape(prefix)), body))
            if rule.lead:
                self._by_joint[rule.lead[-1]].append(_Ready(rule, re.compile(f"(?:{rule.lead})\\Z"), body))
            if rule.inside:
                self._by_middle.append(_Ready(rule, re.compile("|".join(map(re.escape, rule.inside))), body))
        for bucket in self._by_start.values():
            bucket.sort(key=lambda ready: len(ready.lead.pattern), reverse=True)
        self._any_middle = re.compile("|".join(ready.lead.pattern for ready in self._by_middle) or "(?!)")

    def hits(self, sheet: Sheet) -> Iterator[Hit]:
        """Every token in the text."""
        text = sheet.text
        for start, end in sheet.telling_runs:
            first = start
            if start and text[start - 1] in _JOINTS:
                first = _chain_start(text, start)
                yield from self._after_joint(text, start)
            yield from self._from_start(text, first, end)
            if end - start >= _SHORTEST_WITH_MIDDLE and self._any_middle.search(text, start, end):
                yield from self._around_middle(text, start, end)

    def _from_start(self, text: str, first: int, end: int) -> Iterator[Hit]:
        starts = [found.start() for found in _STARTS.finditer(text, first, end)]
        if first and text[first - 1] == "\\" and text[first] in "nrtbf":
            starts.append(first + 1)
        done = first
        for at in starts:
            if at < done:
                continue
            for ready in self._by_start.get(text[at : at + 2], ()):
                lead = ready.lead.match(text, at)
                body = lead and ready.body.match(text, lead.end())
                if body and _credible(ready.rule, body[0]) and not (ready.rule.weak and _in_base64(text, first, at)):
                    done = _run_end(text, body.end())
                    yield Hit(at, done, "token", ready.rule.id)
                    break

    def _after_joint(self, text: str, start: int) -> Iterator[Hit]:
        for ready in self._by_joint.get(text[start - 1], ()):
            body = ready.body.match(text, start)
            lead = body and ready.lead.search(text, max(0, start - _LONGEST_LEAD), start)
            if lead and body and _credible(ready.rule, body[0]):
                yield Hit(lead.start(), _run_end(text, body.end()), "token", ready.rule.id)

    def _around_middle(self, text: str, start: int, end: int) -> Iterator[Hit]:
        for rule, lead, body in self._by_middle:
            for found in body.finditer(text, start, end):
                if lead.search(found[0]) and _credible(rule, found[0]):
                    yield Hit(found.start(), found.end(), "token", rule.id)


def _credible(rule: TokenRule, body: str) -> bool:
    head = body[:_LONGEST_JUDGED]
    if not rule.weak:
        return not is_filler(head)
    return looks_random(head) and not (_JOINED.search(head) and is_worded(head))


def _in_base64(text: str, first: int, at: int) -> bool:
    """Tell a place in the middle of something encoded from the last part of a path."""
    return at > first and text[at - 1] in "+/" and not is_worded(text[max(first, at - _LONGEST_JUDGED) : at])


def _chain_start(text: str, start: int) -> int:
    """Where the short pieces before a run begin: at `dp.` for the run behind `dp.pt.`."""
    at = start
    while at > max(0, start - _LONGEST_CHAIN) and (text[at - 1] in _JOINTS or text[at - 1].isalnum() or text[at - 1] in "_-"):
        at -= 1
    return at


def _run_end(text: str, end: int) -> int:
    rest = _REST.match(text, end)
    return rest.end() if rest else end
