"""What is written in place of a secret, and the count of what was masked."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from lakesite.model import NO_FINGERPRINT

MarkerClass = Literal["token", "entropy", "assignment", "credential"]


class Hit(NamedTuple):
    """A stretch of text that must not be shown."""

    start: int
    end: int
    kind: MarkerClass
    rule: str
    secret: str = ""
    """What it reads as, where the text writes it in an encoding."""


@dataclass(frozen=True, slots=True)
class Row:
    """How often one rule masked, and how many characters in all."""

    kind: MarkerClass
    """The class of the markers."""
    rule: str
    """The id of the rule."""
    count: int
    """How many markers it made."""
    characters: int
    """How many characters they stand for."""
    field: str = ""
    """In which field of a record; empty: not told apart."""


@dataclass(slots=True)
class Findings:
    """How much was masked, by class, rule and field. No text of a secret is ever in it."""

    counts: Counter[tuple[MarkerClass, str, str]] = field(default_factory=Counter)
    """Hits by class, rule and field."""
    characters: Counter[tuple[MarkerClass, str, str]] = field(default_factory=Counter)
    """Masked characters by class, rule and field."""

    def add(self, kind: MarkerClass, rule: str, characters: int, place: str = "") -> None:
        """Count a hit of one rule in one field."""
        self.counts[kind, rule, place] += 1
        self.characters[kind, rule, place] += characters

    def update(self, other: Findings) -> None:
        """Add the counts of another document or text."""
        self.counts.update(other.counts)
        self.characters.update(other.characters)

    @property
    def total(self) -> int:
        """All hits."""
        return self.counts.total()

    def rows(self) -> tuple[Row, ...]:
        """One row for each class, rule and field, in a fixed order."""
        return tuple(Row(*key[:2], count, self.characters[key], key[2]) for key, count in sorted(self.counts.items()))


def marker(secret: str, kind: MarkerClass, *, fingerprint: bool) -> str:
    """Name class, length and, where asked for, the fingerprint of a secret."""
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:8] if fingerprint else NO_FINGERPRINT
    return f"[masked:{kind}:{len(secret)}:{digest}]"
