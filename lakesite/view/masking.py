"""What was masked, by document and rule, as the page about masking shows it. Nothing of a secret is in it: no text, no place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from lakesite.view.shapes import Fact
from lakesite.view.summary import Summary
from lakesite.view.words import number, plural

BEST_EFFORT = "best effort: review before sharing"
LISTED = 1_000
"""Rows that the page lists; `masking.json` has them all."""


class MaskedRow(NamedTuple):
    """How often one rule masked in one field of a document."""

    field: str
    """Where in a record: `prompt`, `tool output`, …; empty: not told apart."""
    rule: str
    """Id of the rule; empty: not told apart."""
    kind: str
    """Class of the markers."""
    values: int
    characters: int
    """Characters that were masked."""


class MaskedDocument(NamedTuple):
    """What was masked in a document."""

    kind: str
    """`run`, `session`."""
    id: str | None
    title: str
    href: str
    rows: tuple[MaskedRow, ...]


@dataclass(frozen=True, slots=True)
class MaskingSettings:
    """With what a site was masked."""

    mode: str
    """`precise`, `strict`."""
    fingerprint: str
    """`zero`, `lake`: whether markers of short passwords keep a fingerprint."""
    publish: bool
    """Whether homes, machines and users were hidden, too."""
    named: int
    """How many values the user named."""
    digest: str
    """Of all rules and options: the same digest, the same masking."""
    weaker: tuple[str, ...]
    """What makes the masking weaker than it is by itself."""
    across: bool = False
    """Whether what was caught in one document was masked in all."""


class MaskingPage(NamedTuple):
    """The page about masking."""

    facts: tuple[Fact, ...]
    settings: MaskingSettings
    words: tuple[tuple[str, str], ...]
    """The settings in words: (what, how)."""
    totals: tuple[MaskedRow, ...]
    """By rule, over all documents; the most frequent first."""
    documents: tuple[MaskedDocument, ...]
    """The most masked first."""
    more: int
    """Documents with masked values that are not listed."""
    root: str = ""


def masked_documents(summaries: Iterable[Summary]) -> tuple[MaskedDocument, ...]:
    """All documents in which something was masked, in order of their addresses."""
    found = (_document(summary) for summary in summaries if summary.masked)
    return tuple(sorted(found, key=lambda document: document.href))


def _document(summary: Summary) -> MaskedDocument:
    rows = tuple(MaskedRow(place, rule, kind, values, characters) for kind, rule, values, characters, place in summary.rules)
    return MaskedDocument(summary.kind, summary.id.shown if summary.id else None, summary.title, summary.href, rows)


def masking_page(summaries: Sequence[Summary], settings: MaskingSettings) -> MaskingPage:
    """Everything that was masked in a site, the documents with the most values first."""
    documents = sorted(masked_documents(summaries), key=lambda document: (-_values(document.rows), document.href))
    totals = _totals(row for document in documents for row in document.rows)
    listed = _listed(documents)
    return MaskingPage(
        facts=(
            Fact(number(_values(totals)), "value masked" if _values(totals) == 1 else "values masked", note=BEST_EFFORT),
            Fact(number(sum(row.characters for row in totals)), "characters"),
            Fact(number(len(documents)), f"of {plural(len(summaries), 'document')}"),
            *readable_facts(summaries),
        ),
        settings=settings,
        words=_in_words(settings),
        totals=totals,
        documents=tuple(listed),
        more=len(documents) - len(listed),
    )


def readable_facts(summaries: Iterable[Summary]) -> tuple[Fact, ...]:
    """How many values were masked in one document and can be read in another; nothing where none can."""
    found = sum(problem.kind == "readable-elsewhere" for summary in summaries for problem in summary.problems)
    unit = "value masked in one document and readable in another" if found == 1 else "values masked in one document and readable in another"
    return (Fact(number(found), unit, href="problems.html"),) if found else ()


def _values(rows: Iterable[MaskedRow]) -> int:
    return sum(row.values for row in rows)


def _totals(rows: Iterable[MaskedRow]) -> tuple[MaskedRow, ...]:
    by_rule = groupby(sorted(rows, key=_rule), key=_rule)
    sums = [(rule, kind, [(row.values, row.characters) for row in same]) for (rule, kind), same in by_rule]
    totals = (MaskedRow("", rule, kind, sum(v for v, _ in same), sum(c for _, c in same)) for rule, kind, same in sums)
    return tuple(sorted(totals, key=lambda row: (-row.values, row.rule, row.kind)))


def _rule(row: MaskedRow) -> tuple[str, str]:
    return row.rule, row.kind


def _listed(documents: Iterable[MaskedDocument]) -> list[MaskedDocument]:
    """As many whole documents as have rows to list; at least one."""
    listed: list[MaskedDocument] = []
    rows = 0
    for document in documents:
        rows += len(document.rows)
        if listed and rows > LISTED:
            break
        listed.append(document)
    return listed


def _in_words(settings: MaskingSettings) -> tuple[tuple[str, str], ...]:
    generic = "spare shapes that are known to be harmless" if settings.mode == "precise" else "spare nothing"
    kept = "without a fingerprint" if settings.fingerprint == "zero" else "keep their fingerprint, which can be guessed from"
    hidden = "hidden" if settings.publish else "shown as recorded"
    return (
        ("Generic rules", generic),
        ("Short passwords", kept),
        ("Homes, machines and users", hidden),
        ("Caught in one document", "masked in all" if settings.across else "masked in the whole document, and looked for in the others"),
        ("Values named by the user", number(settings.named)),
        ("Markers that the input held", "shown as masked values are, and not counted"),
        ("Digest of rules and options", settings.digest),
    )
