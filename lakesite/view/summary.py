"""What is known of a document as a whole: its line in the index and in `site.json`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lakesite.model import Counts, Id, Instant, Key, Masked, Place, Problem, RunStatus, StatusSource, Tokens
from lakesite.view.shapes import Body, IndexRow
from lakesite.view.words import number, plural, short_number, took, when

RUNTIME = "runtime "
"""Before the name of a runtime among the filters: a runtime may be called as a status is."""
_DIGITS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}", re.ASCII | re.IGNORECASE)
"""A UUID, a digest."""
_SHORT, _LONG = 8, 64
_ENDS = {"unanswered": "unanswered", "cut_off_mid_tool": "cut off mid-tool"}


@dataclass(frozen=True, slots=True)
class Summary:
    """One document in short."""

    kind: Literal["run", "session"]
    key: Key
    id: Id | None
    runtime: Masked | None
    part: Masked | None
    """Name of the partition, for rows without a session id."""
    href: str
    parts: tuple[str, ...]
    """Addresses of all its pages, the first included."""
    title: str
    status: RunStatus
    status_source: StatusSource
    started: Instant | None
    ended: Instant | None
    place: Place | None
    """Of a run, its place in the forest."""
    interruption: Literal["unanswered", "cut_off_mid_tool"] | None
    models: tuple[Masked, ...]
    projects: tuple[Masked, ...]
    counts: Counts
    tokens: Tokens
    problems: tuple[Problem, ...]
    masked: tuple[tuple[str, int, int], ...]
    """(class, values, characters)."""
    rules: tuple[tuple[str, str, int, int, str], ...]
    """(class, rule, values, characters, field)."""
    sources: tuple[Masked, ...]
    """The files that it stands in."""
    pages: tuple[tuple[str, int, int], ...] = ()
    """(address, bytes, elements) of each page."""
    asides: tuple[str, ...] = ()
    """Addresses of texts too long for a page."""


def sources_body(summary: Summary) -> Body:
    """The files that a document was recorded in, by their full names."""
    return Body("text", "\n".join(summary.sources), label=plural(len(summary.sources), "source file"), folded=True)


def short_id(identity: Id | None) -> str:
    """The first eight characters of an id that is random digits; any other is kept whole, its beginning may be all that it shares.

    Of a very long one the middle is left out.
    """
    shown = identity.shown if identity else ""
    if _DIGITS.fullmatch(shown):
        return shown[:_SHORT]
    if len(shown) <= _LONG or "[masked:" in shown:
        return shown
    return f"{shown[: _LONG // 2]}…{shown[-_LONG // 2 :]}"


def index_row(summary: Summary, depth: int, below: int, failed_below: int) -> IndexRow:
    """The line of a document in the index. `below`: runs under it, at any depth; `failed_below`: those that failed."""
    notes: list[str] = []
    if summary.kind == "run" and below:
        notes.append(f"{number(below)} sub-workflow{'s' if below > 1 else ''}" + (f", {failed_below} failed" if failed_below else ""))
    if summary.kind == "session":
        project = summary.projects[0].rstrip("/").rsplit("/", 1)[-1] if summary.projects else ""
        notes += [summary.runtime or "", project, _ENDS.get(summary.interruption or "", "")]
    counted = summary.counts
    return IndexRow(
        kind=summary.kind,
        href=summary.href,
        title=summary.title,
        note=" · ".join(note for note in notes if note),
        status=summary.status if summary.kind == "run" else "none",
        when=when(summary.started),
        took=took(summary.started, summary.ended) or "–",
        calls=number(counted.exchanges if summary.kind == "run" else counted.calls),
        errors=counted.errors,
        tokens=_tokens(summary),
        depth=depth,
        filters=(f"{RUNTIME}{summary.runtime}",) if summary.runtime else (),
    )


def _tokens(summary: Summary) -> str:
    if summary.kind == "run" and not summary.tokens.reported:
        return "–"
    if summary.tokens.tokens_out is None:
        return "not reported" if summary.tokens.tokens_in is None else f"{short_number(summary.tokens.tokens_in)} in"
    return f"{short_number(summary.tokens.tokens_out)} out"
