"""What the tasks of runs and of conversations share: reading events, masking in two passes, and writing the pages.

Each task is a pure function of where its records stand and of the options: it can run in any process, in any order, and
gives the same bytes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from lakesite.masking import Caught, Masker, MaskOptions
from lakesite.model import Audit, Counts, Label, LakeEntry, Origin, Problem, ProblemKind, RunEntry, Tokens
from lakesite.render.pages import Pages
from lakesite.render.small import href
from lakesite.site.assets import load_assets
from lakesite.site.lay import Part, lay
from lakesite.site.output import write_file
from lakesite.site.searching import Leaving, Searching
from lakesite.site.sections import Rendering, Section, Stood
from lakesite.sources.documents import Document, named_again
from lakesite.sources.reader import Reader, Spot, Survey
from lakesite.view import address
from lakesite.view.layout import Layout
from lakesite.view.shapes import DocumentPage, Row
from lakesite.view.summary import Summary

_Event = TypeVar("_Event")
_Record = TypeVar("_Record", Audit, Label)
_Entries = TypeVar("_Entries", Sequence[RunEntry], Sequence[LakeEntry])
_IN_MEMORY = 2_000_000
"""Bytes of laid out rows that are set aside in memory; more go to a file."""
_CACHED = 4
"""Events kept while their blocks become rows: an exchange reads two, a reply is read once a block."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all tasks of a build share."""

    staging: Path
    """Where pages are written."""
    masking: MaskOptions
    known: Caught = ()
    """What was caught in any document, where it is to be masked in all of them."""
    search: Searching | None = None
    """How the site is made searchable, if it is."""
    templates: Path | None = None
    """The user's own templates."""

    def masker(self, document: Document | None = None, found: Survey | None = None) -> Masker:
        """A masker for one document, of which another reading may have told, or for what belongs to none."""
        told = (*(document.given_away if document else ()), *(found.caught if found else ()))
        return Masker(self.masking, caught=dict((*self.known, *told)))


@dataclass(frozen=True, slots=True)
class Written:
    """A document that was written."""

    summary: Summary
    caught: Caught
    """What was caught in it beside what is known of all, to be looked for in the others."""
    spots: tuple[Spot, ...] = ()
    """The records in which something was caught."""
    checksums: tuple[int, ...] = ()
    """Of the records of each of its extents."""
    sections: tuple[Section, ...] = ()
    """What its pages hold that need not be rendered again."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Of its files, by their names, where they were written just now."""
    settled: bool = True
    """Its files did not change meanwhile."""
    too_long: int = 0
    """How many words of its blocks are too long for the index of the search."""


@cache
def pages(*, search: bool = False, templates: Path | None = None) -> Pages:
    """The page renderer of this process; `search`: for a site that can be searched; `templates`: a user's own.

    UsageError with `file:line` where one of these cannot be used.
    """
    return Pages(load_assets(templates), search=search)


def known_first(reader: Reader, read: Callable[..., _Entries], setting: Setting) -> tuple[_Entries, Masker]:
    """Read the entries of a document, which catches all of its secrets; gives them and a masker that knows them from the start.

    `read` takes the entries of an earlier reading, if there was one. What is caught anywhere in a document goes everywhere in
    it; names of machines and users need the same. So entries are read again where there is something to know, and the document
    is named again.
    """
    entries = read()
    masker = reader.masker.second_pass(sorted(reader.machines))
    if reader.masker.has_learnt or setting.masking.publish:
        reader.masker = masker.second_pass()
        entries = read(entries)
    reader.document = named_again(reader.document, masker.at("name"))
    return entries, masker


def caught_in(masker: Masker, setting: Setting) -> Caught:
    """What was caught in one document beside what is known of all."""
    return tuple(masker.caught.items())[len(setting.known) :]


def masked_again(record: _Record, masker: Masker) -> _Record:
    """What stands beside a document was masked without it: mask what was caught in it there, too."""
    values: dict[str, Any] = {each.name: getattr(record, each.name) for each in fields(record)}
    values |= {name: masker.value(value) for name, value in values.items() if isinstance(value, str | dict | list)}
    return type(record)(**values)


def event_loader(read: Callable[[int, Masker], _Event], masker: Masker, count: int) -> Callable[[int], _Event]:
    """Load events, the last few from memory. What one of the `count` events holds masked is counted once, however often it is read."""
    seen = bytearray(count)
    again = masker.second_pass()

    @lru_cache(_CACHED)
    def load(index: int) -> _Event:
        by = again if seen[index] else masker
        seen[index] = True
        return read(index, by)

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
    found = [*document.problems, *reader.problems]
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
    stood: Stood,
    made: Callable[[Summary, Layout], Callable[[int], DocumentPage]],
) -> tuple[Summary, tuple[Section, ...], dict[str, str]]:
    """Lay the rows out, then write each part with everything around them.

    Gives the summary, now complete, the sections, and the digests of all files.
    """
    renderer = pages(search=setting.search is not None, templates=setting.templates)
    with (
        tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+b", dir=str(setting.staging)) as stream,
        _Asides(summary.href, setting.staging) as aside,
        Leaving(setting.search, summary.href) if setting.search else nullcontext() as leaving,
    ):
        seen = leaving.rows if leaving else None
        rendering = Rendering(partial(renderer.rows, aside=aside.write), aside.names, stood)
        layout, parts = lay(summary.href, rows, rendering, stream, seen)
        masked = _masked(masker)
        names = tuple(address.part(summary.href, number) for number in range(1, len(parts) + 1))
        counted = replace(summary.counts, masked=sum(count for _, count, _ in masked))
        rules = tuple((row.kind, row.rule, row.count, row.characters, row.field) for row in masker.findings.rows())
        summary = replace(summary, parts=names, masked=masked, rules=rules, counts=counted)
        page_of = made(summary, layout)
        stream.seek(0)
        files = []
        for number, (name, part) in enumerate(zip(names, parts, strict=True), 1):
            page = page_of(number)
            if leaving and number == 1:
                leaving.end(summary, page)
            files.append(write_file(setting.staging, name, renderer.document(page, _sections(stream, part, layout, number), aside.write)))
        sections = tuple(rendering.placed(parts, stream, [setting.staging / name for name in names]))
    listed = tuple((name, size, part.elements) for name, (size, _), part in zip(names, files, parts, strict=True))
    digests = aside.digests | {name: digest for name, (_, digest) in zip(names, files, strict=True)}
    return replace(summary, pages=listed, asides=tuple(aside.names)), sections, digests


def _masked(masker: Masker) -> tuple[tuple[str, int, int], ...]:
    """(class, values, characters) of what was masked, by class."""
    found: dict[str, tuple[int, int]] = {}
    for row in masker.findings.rows():
        values, characters = found.get(row.kind, (0, 0))
        found[row.kind] = (values + row.count, characters + row.characters)
    return tuple((kind, *found[kind]) for kind in sorted(found))


class _Asides:
    """Texts too long for a page, each in a plain file beside it."""

    def __init__(self, href: str, staging: Path) -> None:
        self._href = href
        self._staging = staging
        self.names: list[str] = []
        self.digests: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, wrong: object, *_: object) -> None:
        if wrong:
            for name in self.names:
                (self._staging / name).unlink(missing_ok=True)

    def write(self, text: str) -> str:
        """Write one more; gives its address as seen from the page. The mark at its start says that it is UTF-8."""
        name = address.aside(self._href, len(self.names) + 1)
        self.names.append(name)
        _, self.digests[name] = write_file(self._staging, name, ["\ufeff", text])
        return address.beside(name)


def _sections(stream: IO[bytes], part: Part, layout: Layout, number: int) -> Iterator[str]:
    """The sections of a part, from where the stream stands; links to rows of later parts now lead there.

    No recorded text can be taken for one: it holds no `<`.
    """
    ahead = {f'<a href="{href(f"#{anchor}")}">': f'<a href="{href(layout.link(anchor, number))}">' for anchor in part.ahead}
    for size in part.sections:
        text = stream.read(size).decode("utf-8")
        for tag, moved in ahead.items():
            text = text.replace(tag, moved)
        yield text
