"""A conversation as a task: its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from lakesite.masking import Caught
from lakesite.model import Instant, LakeEntry, Session
from lakesite.resolve.sessions import counts, resolve_session
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
from lakesite.sources.documents import Document
from lakesite.sources.reader import Reader
from lakesite.sources.shelf import Shelf
from lakesite.view import address
from lakesite.view.session_page import session_pages, session_title
from lakesite.view.session_rows import SessionSource, rows
from lakesite.view.summary import short_id, tool_counts, usage


def catch_session(document: Document, setting: Setting, *, restless: bool = False) -> Caught:
    """What is caught in a conversation, found without writing a page.

    ChangedError where a file of it changed meanwhile, unless it is `restless`.
    """
    masker = setting.masker(document)
    with Shelf(setting.staging) as shelf, Reader(document, masker, keep=shelf.keep, survey=True, restless=restless) as reader:
        reader.lake_entries()
        return tuple(reader.masker.caught.items())


def write_session(document: Document, setting: Setting, stood: Stood = Stood(), *, restless: bool = False) -> Written:  # noqa: B008 (frozen)
    """Write the pages of a conversation; what `stood` is taken over where it would be the same.

    ChangedError where a file of it changed meanwhile, unless it is `restless`.
    """
    masker = setting.masker(document)
    with Shelf(setting.staging) as shelf, Reader(document, masker, keep=shelf.keep, survey=True, restless=restless) as reader:
        for label in document.labels:
            masked_again(label, reader.masker)
        entries, masker = known_first(reader, reader.lake_entries, setting)
        document, identity = reader.document, reader.document.identity
        session = resolve_session(entries, shelf.keep)
        source = SessionSource(
            session=session,
            entries=entries,
            anchors=shelf.keep(_anchors(entries, partial(reader.veiled, masker=masker.second_pass()))),
            load=event_loader(lambda index, by: reader.lake_event(entries[index].origin, by), masker, len(entries)),
            where=origin_words(reader),
            speaker=identity.runtime or "assistant",
            unsure_hooks=document.unsure_hooks,
        )
        title = session_title(source, short_id(identity.id), identity.part)
        href = address.session_page(identity.runtime or "", identity.id.shown if identity.id else identity.part or "", identity.key)
        problems = document_problems(document, entries, session.problems, reader)
        summary = replace(
            blank_summary(document, href, title, counts(session, entries), problems),
            status="unfinished" if session.interruption else "unknown",
            started=min(_times(entries), default=None),
            ended=max(_times(entries), default=None),
            interruption=session.interruption,
            models=session.models,
            projects=session.projects,
            tokens=session.tokens,
            tools=tool_counts(session.exchanges),
            usage=usage(entries[index] for index in _shown(session)),
        )
        labels = tuple(masked_again(label, masker.at("label")) for label in document.labels)
        made, laid, digests = write_pages(
            summary, rows(source), masker, setting, stood, lambda full, layout: session_pages(source, full, labels, layout)
        )
    return Written(made, caught_in(masker, setting), reader.spots, reader.checksums, laid, digests, reader.settled)


def _shown(session: Session) -> Iterator[int]:
    """Indexes of the entries that a page shows: copies are left out."""
    for row in session.rows:
        if row.what == "exchange" and row.exchange is not None:
            exchange = session.exchanges[row.exchange]
            yield from (side.entry for side in (*exchange.calls, *exchange.results, *exchange.extra))
        else:
            yield row.entry


def _times(entries: Sequence[LakeEntry]) -> Iterator[Instant]:
    return (entry.time for entry in entries if entry.time is not None)


def _anchors(entries: Sequence[LakeEntry], veiled: address.Veiled) -> Iterator[str]:
    """An anchor for each row, from what it shows; rows that say the same are numbered."""
    taken: dict[str, int] = {}
    return (address.unique(f"e-{(veiled(entry.origin) or entry.same)[:8]}", taken) for entry in entries)
