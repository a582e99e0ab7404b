"""A conversation as a task: its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakesite.masking import Masker
from lakesite.model import LakeEntry
from lakesite.resolve.sessions import counts, resolve_session
from lakesite.site.writing import Setting, blank_summary, document_problems, event_loader, in_two_passes, origin_words, write_pages
from lakesite.sources.documents import Document
from lakesite.sources.reader import Reader
from lakesite.view import address
from lakesite.view.session_page import session_pages, session_title
from lakesite.view.session_rows import SessionSource, rows
from lakesite.view.summary import Summary, short_id


def write_session(document: Document, setting: Setting, *, restless: bool = False) -> Summary:
    """Write the pages of a conversation. ChangedError where a file of it changed meanwhile, unless it is `restless`."""
    return in_two_passes(lambda known: _write(document, setting, known, restless=restless), setting)


def _write(document: Document, setting: Setting, known: Masker | None, *, restless: bool) -> tuple[Summary, Masker]:
    reading = known.second_pass() if known else Masker(setting.masking)
    identity = document.identity
    with Reader(document, reading, restless=restless) as reader:
        entries = reader.lake_entries()
        masker = known.second_pass() if known else Masker(setting.masking, machines=sorted(reader.machines))
        session = resolve_session(entries)
        source = SessionSource(
            session=session,
            entries=entries,
            anchors=_anchors(entries),
            load=event_loader(lambda index, by: reader.lake_event(entries[index].origin, by), masker, reading),
            where=origin_words(reader),
            speaker=identity.runtime or "assistant",
            unsure_hooks=document.unsure_hooks,
        )
        title = session_title(source, short_id(identity.id), identity.part)
        href = address.session_page(identity.runtime or "", identity.id.shown if identity.id else identity.part or "", identity.key)
        problems = document_problems(document, entries, session.problems, reader)
        times = [entry.time for entry in entries if entry.time is not None]
        summary = replace(
            blank_summary(document, href, title, counts(session, entries), problems),
            status="unfinished" if session.interruption else "unknown",
            started=min(times, default=None),
            ended=max(times, default=None),
            interruption=session.interruption,
            models=session.models,
            projects=session.projects,
            tokens=session.tokens,
        )
        made = write_pages(
            summary, rows(source), masker, setting, lambda full, layout: session_pages(source, full, document.labels, layout)
        )
    masker.caught.update(reading.caught)
    return made, masker


def _anchors(entries: Sequence[LakeEntry]) -> list[str]:
    """An anchor for each row, from what it says; rows that say the same are numbered."""
    taken: dict[str, int] = {}
    return [address.unique(f"e-{entry.same[:8]}", taken) for entry in entries]
