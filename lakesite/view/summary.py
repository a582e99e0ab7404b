"""What is known of a document as a whole: its line in the index and in `site.json`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sys import intern
from typing import Literal

from lakesite.model import (
    OPENING,
    Counts,
    Exchange,
    Id,
    Instant,
    Key,
    LakeEntry,
    Masked,
    Place,
    Problem,
    RunStatus,
    StatusSource,
    Tokens,
)
from lakesite.view.exchanges import NO_NAME
from lakesite.view.listing import IndexRow
from lakesite.view.shapes import Body
from lakesite.view.words import number, plural, short_number, took, when

RUNTIME = "runtime "
"""Before the name of a runtime among the filters: a runtime may be called as a status is."""
PROJECT, MODEL = "project ", "model "
_NAMED = 8
"""Projects and models that a document is found by."""
_DIGITS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}", re.ASCII | re.IGNORECASE)
"""A UUID, a digest."""
_SHORT, _LONG = 8, 64
DAY = 86_400_000_000_000
"""Nanoseconds."""
_TOOLS = 24
"""Tools that are kept of a document."""
NO_MODEL = "model not recorded"
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
    tools: tuple[tuple[str, int, int], ...] = ()
    """(tool, calls, failed ones), most called first; the last, without a name, is all others together."""
    usage: tuple[tuple[int, str, int], ...] = ()
    """(day after the epoch, model, tokens out), as far as they were reported."""


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
    if len(shown) <= _LONG or OPENING in shown:
        return shown
    return f"{shown[: _LONG // 2]}…{shown[-_LONG // 2 :]}"


def index_row(summary: Summary, depth: int, below: int, failed_below: int) -> IndexRow:
    """The line of a document in the index. `below`: runs under it, at any depth; `failed_below`: those that failed."""
    notes: list[str] = []
    if summary.kind == "run" and below:
        notes.append(f"{number(below)} sub-workflow{'s' if below > 1 else ''}" + (f", {failed_below} failed" if failed_below else ""))
    if summary.kind == "session":
        project = project_name(summary.projects[0]) if summary.projects else ""
        notes += [summary.runtime or "", project, _ENDS.get(summary.interruption or "", "")]
    counted = summary.counts
    return IndexRow(
        kind=summary.kind,
        href=summary.href,
        title=summary.title,
        note=" · ".join(note for note in notes if note),
        status="none" if _open_end(summary) else summary.status,
        when=when(summary.started),
        took=took(summary.started, summary.ended) or "–",
        calls=number(counted.exchanges),
        errors=counted.errors,
        tokens=_tokens(summary),
        depth=depth,
        filters=tuple(dict.fromkeys(_filters(summary))),
        sort=(
            _milliseconds(summary.started, summary.ended),
            counted.exchanges,
            counted.errors,
            -1 if summary.tokens.tokens_out is None else summary.tokens.tokens_out,
        ),
    )


def _milliseconds(start: Instant | None, end: Instant | None) -> int:
    return -1 if start is None or end is None or end < start else (end - start) // 1_000_000


def _open_end(summary: Summary) -> bool:
    """Whether it is a conversation of which nothing is known to be left open: it is found as such, but no word at it says so."""
    return summary.kind == "session" and summary.status == "unknown"


def _filters(summary: Summary) -> Iterator[str]:
    """What chips count it by: each its own kind of word, so that a project that is called as a status is not taken for one."""
    if summary.runtime:
        yield RUNTIME + _plain(summary.runtime)
    yield from (PROJECT + _plain(project_name(project)) for project in summary.projects[:_NAMED])
    yield from (MODEL + _plain(model) for model in summary.models[:_NAMED])
    if summary.counts.errors:
        yield "errors"
    if _open_end(summary):
        yield "unknown"


def project_name(project: str) -> str:
    """The last part of a project's folder."""
    return project.rstrip("/").rsplit("/", 1)[-1]


def _plain(name: str) -> str:
    """A name without the sign that stands between names."""
    return name.replace("|", "¦")


def tool_counts(exchanges: Iterable[Exchange]) -> tuple[tuple[str, int, int], ...]:
    """How often each tool was called, and how often that failed."""
    calls, failed = Counter[str](), Counter[str]()
    for exchange in exchanges:
        name = intern(exchange.name or NO_NAME)  # most documents name the same few tools
        calls[name] += 1
        failed[name] += exchange.failed is True
    ranked = sorted(calls, key=lambda name: (-calls[name], name))
    shown = [(name, calls[name], failed[name]) for name in ranked[:_TOOLS]]
    if others := ranked[_TOOLS:]:
        shown.append(("", sum(calls[name] for name in others), sum(failed[name] for name in others)))
    return tuple(shown)


def usage(entries: Iterable[LakeEntry]) -> tuple[tuple[int, str, int], ...]:
    """Tokens out by day and model."""
    sums = Counter[tuple[int, str]]()
    for entry in entries:
        if entry.tokens_out and entry.tokens_out > 0 and entry.time is not None:
            sums[entry.time // DAY, entry.model or NO_MODEL] += entry.tokens_out
    return tuple(sorted((*pair, tokens) for pair, tokens in sums.items()))


def _tokens(summary: Summary) -> str:
    if summary.kind == "run" and not summary.tokens.reported:
        return "–"
    if summary.tokens.tokens_out is None:
        return "not reported" if summary.tokens.tokens_in is None else f"{short_number(summary.tokens.tokens_in)} in"
    return f"{short_number(summary.tokens.tokens_out)} out"
