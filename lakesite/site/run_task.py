"""A run as a task: first what others must know of it, later its pages."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from lakesite.masking import Caught
from lakesite.model import (
    Audit,
    Counts,
    Id,
    Instant,
    Masked,
    Place,
    ProblemKind,
    RunEntry,
    RunLinks,
    RunStatus,
    StatusSource,
    Tokens,
)
from lakesite.resolve.steps import counts, resolve_run
from lakesite.resolve.tree import links
from lakesite.site.sections import Stood
from lakesite.site.writing import (
    Setting,
    Written,
    blank_summary,
    caught_in,
    document_problems,
    event_loader,
    known_first,
    masked_again,
    origin_words,
    write_pages,
)
from lakesite.sources.companions import read_state
from lakesite.sources.documents import Document
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import Reader, Survey
from lakesite.sources.shelf import Shelf
from lakesite.view import address
from lakesite.view.run_page import Kin, link_to, run_pages
from lakesite.view.run_rows import rows
from lakesite.view.run_source import RunSource, exchange_at, with_path
from lakesite.view.state import lone_steps, state_status
from lakesite.view.summary import short_id, tool_counts
from lakesite.view.words import plural


@dataclass(frozen=True, slots=True)
class RunBrief:
    """What must be known of every run before the page of any can be written."""

    links: RunLinks
    title: str
    recorded: RunStatus | None
    derived: RunStatus
    state: str | None
    """Lower-cased status word of its state file."""
    started: Instant | None
    ended: Instant | None


class Around(NamedTuple):
    """What is known of a run when all were read far enough."""

    title: str
    href: str
    place: Place
    kin: Kin
    status: RunStatus
    status_source: StatusSource


@dataclass(frozen=True, slots=True)
class RunJob:
    """A run to write."""

    document: Document
    state: SourceFile | None
    audit: Audit | None
    around: Around
    found: Survey | None = None
    """What its secrets are, where that is known already."""


def brief_run(
    document: Document, state: SourceFile | None, audit: Audit | None, setting: Setting, *, restless: bool = False
) -> tuple[RunBrief, Survey | None]:
    """Resolve a run far enough to know its name, its end and its relatives; no name says what is caught in it.

    ChangedError where a file of it changed meanwhile, unless it is `restless`.
    """
    masker = setting.masker(document)
    with Shelf(setting.staging) as shelf, Reader(document, masker, keep=shelf.keep, survey=True, restless=restless) as reader:
        if state:
            read_state(state, reader.masker)
        entries, masker = known_first(reader, reader.run_entries, setting)
        run = resolve_run(entries, shelf.keep, torn=document.torn)
        found = read_state(state, masker) if state else None
        audit = masked_again(audit, masker) if audit else None
        identity = _id_of(reader.document)
        started, ended = _span(entries)
        brief = RunBrief(
            links=links(identity, entries),
            title=_run_title(entries, found.name if found else None, audit, identity),
            recorded=run.recorded,
            derived=run.derived,
            state=found.status.lower() if found and found.status else None,
            started=started,
            ended=ended,
        )
        return brief, reader.survey


def _id_of(document: Document) -> Id:
    assert document.identity.id is not None  # noqa: S101 - every run has one
    return document.identity.id


def _span(entries: Sequence[RunEntry]) -> tuple[Instant | None, Instant | None]:
    """Start and end: as recorded, else the first and the last usable time by `seq`; never an end before the start."""
    began = over = first = last = None
    for entry in entries:
        if (time := entry.time) is not None:
            first = time if first is None else min(first, time)
            last = time if last is None else max(last, time)
            if entry.type == "run.started" and began is None:
                began = time
            elif entry.type == "run.completed":
                over = time
    start = first if began is None else began
    end = last if over is None else over
    return start, (end if start is None or end is None or end >= start else last)


def _run_title(entries: Sequence[RunEntry], state_name: Masked | None, audit: Audit | None, identity: Id) -> str:
    """The workflow's name, by the first that tells it: companions, `run.started`, or the messages, whose path is its name."""
    if state_name:
        return state_name
    named = next((entry.name for entry in entries if entry.type.startswith("run.") and entry.name), None)
    if named or (audit and audit.name):
        return named or (audit.name if audit else None) or ""
    steps = {text for entry in entries if entry.type.startswith("step.") for text in (entry.path, entry.name)}
    said = next((entry.path for entry in entries if entry.type.startswith("message.") and entry.path), None)
    return said if said and said not in steps else f"run {short_id(identity)}"


def catch_run(document: Document, state: SourceFile | None, setting: Setting, *, restless: bool = False) -> Caught:
    """What is caught in a run, found without writing a page.

    ChangedError where a file of it changed meanwhile, unless it is `restless`.
    """
    masker = setting.masker(document)
    with Shelf(setting.staging) as shelf, Reader(document, masker, keep=shelf.keep, survey=True, restless=restless) as reader:
        if state:
            read_state(state, reader.masker)
        reader.run_entries()
        return tuple(reader.masker.caught.items())


def write_run(job: RunJob, setting: Setting, stood: Stood = Stood(), *, restless: bool = False) -> Written:  # noqa: B008 (frozen)
    """Write the pages of a run; what `stood` is taken over where it would be the same.

    ChangedError where a file of it changed meanwhile, unless it is `restless`.
    """
    found, around = None if restless else job.found, job.around
    masker = setting.masker(job.document, found)
    survey = found is None
    with (
        Shelf(setting.staging) as shelf,
        Reader(job.document, masker, keep=shelf.keep, survey=survey, found=found, restless=restless) as reader,
    ):
        if job.state:
            read_state(job.state, reader.masker)
        if job.audit:
            masked_again(job.audit, reader.masker)
        entries, masker = known_first(reader, reader.run_entries, setting)
        run = resolve_run(entries, shelf.keep, torn=job.document.torn)
        names = {around.title, *(step.name for step in run.steps)}
        called = {child.key: child for child in (*around.place.children, *around.place.missing, *around.place.links)}
        source = RunSource(
            run=run,
            entries=entries,
            anchors=shelf.keep(address.run_anchors(entries, run.segments, partial(reader.veiled, masker=masker.second_pass()))),
            load=event_loader(lambda index, by: with_path(reader.run_event(entries[index].origin, by), names), masker, len(entries)),
            where=origin_words(reader),
            state=read_state(job.state, masker) if job.state else None,
            child=lambda key: link_to(around.kin, called[key]) if key in called else None,
            exchange_at=exchange_at(run),
        )
        problems = document_problems(reader.document, entries, (*run.problems, *_unknown(entries)), reader)
        started, ended = _span(entries)
        counted = _with_state(counts(run, entries), source)
        summary = replace(
            blank_summary(reader.document, around.href, masker.at("title").mask(around.title), counted, problems),
            status=around.status,
            status_source=around.status_source,
            started=started,
            ended=ended,
            place=around.place,
            tokens=_no_tokens(counted),
            tools=tool_counts(run.exchanges),
        )
        audit = masked_again(job.audit, masker.at("audit trail")) if job.audit else None
        made, laid, digests = write_pages(
            summary, rows(source), masker, setting, stood, lambda full, layout: run_pages(source, full, around.kin, audit, layout)
        )
    return Written(made, caught_in(masker, setting), reader.spots, reader.checksums, laid, digests, reader.settled)


def _with_state(counted: Counts, source: RunSource) -> Counts:
    """Counts with the failed steps that only the state file knows."""
    failed = sum(state_status(state) == "failed" for _, state in lone_steps(source))
    return replace(counted, errors=counted.errors + failed)


def _unknown(entries: Sequence[RunEntry]) -> Iterator[tuple[ProblemKind, int, str]]:
    """Events of types that lakesite does not know: said once."""
    unknown = array("i", (index for index, entry in enumerate(entries) if entry.type == "unknown"))
    if unknown:
        yield "unknown-type", unknown[0], f"{plural(len(unknown), 'event')} of a type that lakesite does not know, shown as recorded"


def _no_tokens(counted: Counts) -> Tokens:
    """Transcripts of runs hold no counters."""
    return Tokens(None, None, 0, counted.events)
