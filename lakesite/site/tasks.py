"""What is done for one document.

Each task is a pure function of where its records stand and of the options: it can run in any process, in any order, and
gives the same bytes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TypeVar

from lakesite.masking import Masker, MaskOptions
from lakesite.model import (
    Audit,
    Counts,
    Id,
    Instant,
    LakeEntry,
    Masked,
    Origin,
    Place,
    Problem,
    ProblemKind,
    RunEntry,
    RunLinks,
    RunStatus,
    StatusSource,
    Tokens,
)
from lakesite.render.code import Budget
from lakesite.render.pages import Pages
from lakesite.resolve.sessions import counts as session_counts
from lakesite.resolve.sessions import resolve_session
from lakesite.resolve.steps import counts as run_counts
from lakesite.resolve.steps import resolve_run
from lakesite.resolve.tree import links
from lakesite.site.assets import load_assets
from lakesite.site.lay import lay
from lakesite.site.output import write_file
from lakesite.sources.companions import read_state
from lakesite.sources.documents import Document, Scan, scan
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import Reader
from lakesite.view import address
from lakesite.view.layout import Layout
from lakesite.view.run_page import Kin, link_to, run_pages
from lakesite.view.run_rows import rows as run_rows
from lakesite.view.run_source import RunSource
from lakesite.view.session_page import session_pages, session_title
from lakesite.view.session_rows import SessionSource
from lakesite.view.session_rows import rows as session_rows
from lakesite.view.shapes import DocumentPage, Row
from lakesite.view.summary import Summary, short_id
from lakesite.view.words import plural

_Event = TypeVar("_Event")
_CACHED = 4
"""Events kept while their blocks become rows: an exchange reads two, a reply is read once a block."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all tasks of a build share."""

    staging: Path
    """Where pages are written."""
    masking: MaskOptions


@cache
def pages() -> Pages:
    """The page renderer of this process."""
    return Pages(load_assets())


def scan_file(file: SourceFile, setting: Setting) -> Scan:
    """First pass over one file."""
    return scan(file, Masker(setting.masking))


# ---------------------------------------------------------------- runs


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


@dataclass(frozen=True, slots=True)
class RunJob:
    """A run to write, and what is known of it from elsewhere."""

    document: Document
    state: SourceFile | None
    audit: Audit | None
    title: str
    href: str
    place: Place
    kin: Kin
    status: RunStatus
    status_source: StatusSource


def brief_run(document: Document, state: SourceFile | None, audit: Audit | None, setting: Setting) -> RunBrief:
    """Resolve a run far enough to know its name, its end and its relatives."""
    masker = Masker(setting.masking)
    with Reader(document, masker) as reader:
        entries = reader.run_entries()
    run = resolve_run(entries, torn=document.torn)
    found = read_state(state, masker) if state else None
    identity = _id_of(document)
    started, ended = _span(entries)
    return RunBrief(
        links=links(identity, entries),
        title=_run_title(entries, found.name if found else None, audit, identity),
        recorded=run.recorded,
        derived=run.derived,
        state=found.status.lower() if found and found.status else None,
        started=started,
        ended=ended,
    )


def _id_of(document: Document) -> Id:
    assert document.identity.id is not None  # noqa: S101 - every run has one
    return document.identity.id


def _span(entries: Sequence[RunEntry]) -> tuple[Instant | None, Instant | None]:
    """Start and end: as recorded, else the first and the last usable time by `seq`; never an end before the start."""
    began = [entry.time for entry in entries if entry.type == "run.started" and entry.time is not None]
    over = [entry.time for entry in entries if entry.type == "run.completed" and entry.time is not None]
    times = [entry.time for entry in entries if entry.time is not None]
    start = began[0] if began else min(times, default=None)
    end = over[-1] if over else max(times, default=None)
    return start, (end if start is None or end is None or end >= start else max(times))


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


def write_run(job: RunJob, setting: Setting) -> Summary:
    """Write the pages of a run."""
    reading, masker = Masker(setting.masking), Masker(setting.masking)
    with Reader(job.document, reading) as reader:
        entries = reader.run_entries()
        run = resolve_run(entries, torn=job.document.torn)

        load = _loader(lambda index, by: reader.run_event(entries[index].origin, by), masker, reading)
        source = RunSource(
            run=run,
            entries=entries,
            anchors=address.run_anchors(entries, run.segments),
            load=load,
            where=_where(reader),
            state=read_state(job.state, masker) if job.state else None,
            child=lambda key: next((link_to(job.kin, other) for _, other in job.kin.below if other.key == key), None),
        )
        problems = _problems(job.document, entries, (*run.problems, *_unknown(entries)), reader)
        started, ended = _span(entries)
        summary = _summary(job.document, job.href, job.title, run_counts(run, entries), problems)
        summary = replace(
            summary,
            status=job.status,
            status_source=job.status_source,
            started=started,
            ended=ended,
            place=job.place,
            tokens=_no_tokens(summary.counts),
        )
        return _write(summary, run_rows(source), masker, setting, lambda made, layout: run_pages(source, made, job.kin, job.audit, layout))


def _unknown(entries: Sequence[RunEntry]) -> Iterator[tuple[ProblemKind, int, str]]:
    """Events of types that lakesite does not know: said once."""
    unknown = [index for index, entry in enumerate(entries) if entry.type == "unknown"]
    if unknown:
        yield "unknown-type", unknown[0], f"{plural(len(unknown), 'event')} of a type that lakesite does not know, shown as recorded"


def _no_tokens(counted: Counts) -> Tokens:
    """Transcripts of runs hold no counters."""
    return Tokens(None, None, 0, counted.events)


# ---------------------------------------------------------------- conversations


def write_session(document: Document, setting: Setting) -> Summary:
    """Write the pages of a conversation."""
    reading, masker = Masker(setting.masking), Masker(setting.masking)
    identity = document.identity
    with Reader(document, reading) as reader:
        entries = reader.lake_entries()
        session = resolve_session(entries)

        load = _loader(lambda index, by: reader.lake_event(entries[index].origin, by), masker, reading)
        source = SessionSource(
            session=session,
            entries=entries,
            anchors=_session_anchors(entries),
            load=load,
            where=_where(reader),
            speaker=identity.runtime or "assistant",
            unsure_hooks=document.unsure_hooks,
        )
        title = session_title(source, short_id(identity.id), identity.part)
        href = address.session_page(identity.runtime or "", identity.id.shown if identity.id else identity.part or "", identity.key)
        problems = _problems(document, entries, session.problems, reader)
        times = [entry.time for entry in entries if entry.time is not None]
        summary = _summary(document, href, title, session_counts(session, entries), problems)
        summary = replace(
            summary,
            status="unfinished" if session.interruption else "unknown",
            started=min(times, default=None),
            ended=max(times, default=None),
            interruption=session.interruption,
            models=session.models,
            projects=session.projects,
            tokens=session.tokens,
        )
        return _write(
            summary,
            session_rows(source),
            masker,
            setting,
            lambda made, layout: session_pages(source, made, document.labels, layout),
        )


def _session_anchors(entries: Sequence[LakeEntry]) -> list[str]:
    """An anchor for each row, from what it says; rows that say the same are numbered."""
    taken: dict[str, int] = {}
    return [address.unique(f"e-{entry.same[:10]}", taken) for entry in entries]


# ---------------------------------------------------------------- both


def _loader(read: Callable[[int, Masker], _Event], counting: Masker, again: Masker) -> Callable[[int], _Event]:
    """Loads events, the last few from memory. What an event holds masked is counted once, however often it is read."""
    seen: set[int] = set()

    @lru_cache(_CACHED)
    def load(index: int) -> _Event:
        masker = again if index in seen else counting
        seen.add(index)
        return read(index, masker)

    return load


def _masked(masker: Masker) -> tuple[tuple[str, int, int], ...]:
    """(class, values, characters) of what was masked, by class."""
    found: dict[str, tuple[int, int]] = {}
    for (kind, rule), count in masker.findings.counts.items():
        values, characters = found.get(kind, (0, 0))
        found[kind] = (values + count, characters + masker.findings.characters[kind, rule])
    return tuple((kind, *found[kind]) for kind in sorted(found))


def _where(reader: Reader) -> Callable[[Origin], str]:
    def where(origin: Origin) -> str:
        return f"{reader.source(origin).rsplit('/', 1)[-1]}:{origin.line}"

    return where


def _problems(
    document: Document,
    entries: Sequence[RunEntry | LakeEntry],
    resolved: Iterable[tuple[ProblemKind, int, str]],
    reader: Reader,
) -> tuple[Problem, ...]:
    """What is wrong with a document: with its lines, and with what they say together."""
    found = list(document.problems)
    for kind, index, words in resolved:
        entry = entries[index]
        about = entry.known_as if kind == "unknown-type" and isinstance(entry, LakeEntry) else None
        found.append(Problem(kind, reader.source(entry.origin), entry.origin.line, words, about))
    return tuple(found)


def _summary(document: Document, href: str, title: str, counted: Counts, problems: tuple[Problem, ...]) -> Summary:
    identity = document.identity
    return Summary(
        kind=identity.kind,
        key=identity.key,
        id=identity.id,
        runtime=identity.runtime,
        part=identity.part,
        href=href,
        parts=(),
        title=title,
        status="unknown",
        status_source="derived",
        started=None,
        ended=None,
        place=None,
        interruption=None,
        models=(),
        projects=(),
        counts=replace(counted, problems=len(problems)),
        tokens=Tokens(None, None, 0, 0),
        problems=problems,
        masked=(),
    )


def _write(
    summary: Summary,
    rows: Iterator[Row],
    masker: Masker,
    setting: Setting,
    made: Callable[[Summary, Layout], Callable[[int], DocumentPage]],
) -> Summary:
    """Lay the rows out, then write each part with everything around them; gives the summary, now complete."""
    aside = _Asides(summary.href, setting.staging)
    with tempfile.TemporaryDirectory(prefix="part-") as folder:
        layout, files, elements = lay(summary.href, rows, partial(pages().rows, aside=aside.write, budget=Budget()), Path(folder))
        masked = _masked(masker)
        names = tuple(address.part(summary.href, number) for number in range(1, len(files) + 1))
        summary = replace(summary, parts=names, masked=masked, counts=replace(summary.counts, masked=sum(count for _, count, _ in masked)))
        page_of = made(summary, layout)
        sizes = [
            write_file(setting.staging, name, pages().document(page_of(number), _pieces(file), aside.write))
            for number, (name, file) in enumerate(zip(names, files, strict=True), 1)
        ]
    return replace(summary, pages=tuple(zip(names, sizes, elements, strict=True)))


class _Asides:
    """Texts too long for a page, each in a plain file beside it."""

    def __init__(self, href: str, staging: Path) -> None:
        self._href = href
        self._staging = staging
        self._count = 0

    def write(self, text: str) -> str:
        """Write one more; gives its address as seen from the page. The mark at its start says that it is UTF-8."""
        self._count += 1
        name = address.aside(self._href, self._count)
        write_file(self._staging, name, ["\ufeff", text])
        return address.beside(name)


def _pieces(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        while piece := stream.read(1 << 16):
            yield piece
