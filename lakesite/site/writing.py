"""What the tasks of runs and of conversations share: reading events, masking in two passes, and writing the pages.

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
from lakesite.model import Counts, LakeEntry, Origin, Problem, ProblemKind, RunEntry, Tokens
from lakesite.render.code import Budget
from lakesite.render.pages import Pages
from lakesite.site.assets import load_assets
from lakesite.site.lay import lay
from lakesite.site.output import write_file
from lakesite.site.searching import Leaving, Searching
from lakesite.sources.documents import Document
from lakesite.sources.reader import Reader
from lakesite.view import address
from lakesite.view.layout import Layout
from lakesite.view.shapes import DocumentPage, Row
from lakesite.view.summary import Summary

_Event = TypeVar("_Event")
_CACHED = 4
"""Events kept while their blocks become rows: an exchange reads two, a reply is read once a block."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all tasks of a build share."""

    staging: Path
    """Where pages are written."""
    masking: MaskOptions
    search: Searching | None = None
    """How the site is made searchable, if it is."""


@cache
def pages(*, search: bool = False) -> Pages:
    """The page renderer of this process; `search`: for a site that can be searched."""
    return Pages(load_assets(), search=search)


def in_two_passes(attempt: Callable[[Masker | None], tuple[Summary, Masker]], setting: Setting) -> Summary:
    """What is caught anywhere in a document goes everywhere in it.

    A document in which nothing was caught is written once. Else it is written again, by a masker that knows from the start
    what the first one caught; the names of users and machines need the same.
    """
    summary, masker = attempt(None)
    if masker.caught or setting.masking.publish:
        for name in (*summary.parts, *summary.asides):
            (setting.staging / name).unlink()
        summary, _ = attempt(masker)
    return summary


def event_loader(read: Callable[[int, Masker], _Event], counting: Masker, again: Masker) -> Callable[[int], _Event]:
    """Load events, the last few from memory. What an event holds masked is counted once, however often it is read."""
    seen: set[int] = set()

    @lru_cache(_CACHED)
    def load(index: int) -> _Event:
        masker = again if index in seen else counting
        seen.add(index)
        return read(index, masker)

    return load


def origin_words(reader: Reader) -> Callable[[Origin], str]:
    """Give `file:line` of an origin; of a document that stands in one file, which its page names, `line 12`."""

    def where(origin: Origin) -> str:
        if reader.files == 1:
            return f"line {origin.line}"
        return f"{reader.source(origin).rsplit('/', 1)[-1]}:{origin.line}"

    return where


def document_problems(
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


def blank_summary(document: Document, href: str, title: str, counted: Counts, problems: tuple[Problem, ...]) -> Summary:
    """A summary with what runs and conversations have in common."""
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
        rules=(),
        sources=tuple(extent.file.name for extent in document.extents),
    )


def write_pages(
    summary: Summary,
    rows: Iterator[Row],
    masker: Masker,
    setting: Setting,
    made: Callable[[Summary, Layout], Callable[[int], DocumentPage]],
) -> Summary:
    """Lay the rows out, then write each part with everything around them; gives the summary, now complete."""
    aside = _Asides(summary.href, setting.staging)
    leaving = Leaving(setting.search, summary.href) if setting.search else None
    seen, renderer = (leaving.rows if leaving else None), pages(search=leaving is not None)
    with tempfile.TemporaryDirectory(prefix="part-", dir=setting.staging) as folder:
        layout, files, elements = lay(summary.href, rows, partial(renderer.rows, aside=aside.write, budget=Budget()), Path(folder), seen)
        masked = _masked(masker)
        names = tuple(address.part(summary.href, number) for number in range(1, len(files) + 1))
        counted = replace(summary.counts, masked=sum(count for _, count, _ in masked))
        rules = tuple((row.kind, row.rule, row.count, row.characters) for row in masker.findings.rows())
        summary = replace(summary, parts=names, masked=masked, rules=rules, counts=counted)
        page_of = made(summary, layout)
        first = page_of(1)
        sizes = [
            write_file(setting.staging, name, renderer.document(page_of(number) if number > 1 else first, _pieces(file), aside.write))
            for number, (name, file) in enumerate(zip(names, files, strict=True), 1)
        ]
    if leaving:
        leaving.end(summary, first)
    return replace(summary, pages=tuple(zip(names, sizes, elements, strict=True)), asides=tuple(aside.names))


def _masked(masker: Masker) -> tuple[tuple[str, int, int], ...]:
    """(class, values, characters) of what was masked, by class."""
    found: dict[str, tuple[int, int]] = {}
    for (kind, rule), count in masker.findings.counts.items():
        values, characters = found.get(kind, (0, 0))
        found[kind] = (values + count, characters + masker.findings.characters[kind, rule])
    return tuple((kind, *found[kind]) for kind in sorted(found))


class _Asides:
    """Texts too long for a page, each in a plain file beside it."""

    def __init__(self, href: str, staging: Path) -> None:
        self._href = href
        self._staging = staging
        self.names: list[str] = []

    def write(self, text: str) -> str:
        """Write one more; gives its address as seen from the page. The mark at its start says that it is UTF-8."""
        name = address.aside(self._href, len(self.names) + 1)
        self.names.append(name)
        write_file(self._staging, name, ["\ufeff", text])
        return address.beside(name)


def _pieces(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        while piece := stream.read(1 << 16):
            yield piece
