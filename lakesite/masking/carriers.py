"""Finds secrets that their surroundings give away: URLs, key blocks, hashes, cookies, commands."""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from lakesite.masking.marker import Hit
from lakesite.masking.names import Secrecy
from lakesite.masking.values import Trust, is_secret, is_stand_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakesite.masking.rules import CarrierRule

_LOOK_BACK = 240


class _Ready:
    """A rule with its patterns, which are compiled when their literal is first met."""

    def __init__(self, rule: CarrierRule) -> None:
        self.rule = rule

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The carrier, from its literal on."""
        return re.compile(self.rule.pattern)

    @cached_property
    def before(self) -> re.Pattern[str] | None:
        """What must stand before it."""
        return re.compile(self.rule.before) if self.rule.before else None

    @cached_property
    def each(self) -> re.Pattern[str] | None:
        """The secrets in its block."""
        return re.compile(self.rule.each) if self.rule.each else None


class CarrierFinder:
    """All carrier rules, by the literal that says where one may stand."""

    def __init__(self, rules: Iterable[CarrierRule]) -> None:
        self._by_literal: dict[bytes, list[_Ready]] = defaultdict(list)
        for rule in rules:
            for literal in rule.literal:
                self._by_literal[literal.encode()].append(_Ready(rule))

    follows: frozenset[int] = frozenset(range(256))
    """What must follow for a look to be worth while: anything."""

    @property
    def literals(self) -> Iterable[bytes]:
        """What texts are searched for."""
        return self._by_literal

    def hits_at(self, text: str, at: int, literal: bytes) -> Iterator[Hit]:
        """Every secret in a carrier whose literal stands here."""
        for ready in self._by_literal.get(literal, ()):
            found = ready.pattern.match(text, at)
            before = ready.before.search(text, max(0, at - _LOOK_BACK), at) if found and ready.before else None
            if found and (before or not ready.before):
                yield from _secrets(ready, before if before and "secret" in before.re.groupindex else found)


def _secrets(ready: _Ready, found: re.Match[str]) -> Iterator[Hit]:
    secrets = ready.each.finditer(found["block"] or "") if ready.each else (found,)
    offset = found.start("block") if ready.each else 0
    for secret in secrets:
        value = secret["secret"]
        if value and not value.isspace() and _counts(value, ready.rule):
            start = offset + secret.start("secret")
            yield Hit(start + len(value) - len(value.lstrip()), start + len(value.rstrip()), ready.rule.kind, ready.rule.id)


def _counts(value: str, rule: CarrierRule) -> bool:
    match rule.judge:
        case "any":
            return True
        case "password":
            return is_secret(value, Secrecy.PASSWORD, Trust.SURE, quoted=True)
        case "stated":
            return is_secret(value, Secrecy.PASSWORD, Trust.PROSE, quoted=True)
        case "token":
            return is_secret(value, Secrecy.TOKEN, Trust.CODE, quoted=True)
        case "base64":
            return not is_stand_in(value) and _is_base64(value)


def _is_base64(value: str) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except binascii.Error:
        return False
    return True
