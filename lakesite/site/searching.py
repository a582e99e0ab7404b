"""Search in a build: what each document leaves for it while its pages are written, and the search that is made of all.

A document that is written anew, because a file of it changed meanwhile, is indexed anew: only what its last writing left
counts. Until then nothing of it is in the site: no text stays there that its last writing would have masked.
"""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lakesite.render.pages import Pages
from lakesite.search.entries import entries, page_entries
from lakesite.search.library import Library, Runner, publish
from lakesite.search.segment import FOLDER, Facts, Indexed, SegmentWriter, chunk_path
from lakesite.site.assets import search_script
from lakesite.site.output import Output, write_file
from lakesite.view.search_page import NAME, SearchPage
from lakesite.view.shapes import DocumentPage, Row
from lakesite.view.summary import Summary

SCRIPT = f"{FOLDER}/search.js"
"""The script of the search page, from the site's root."""
_LEFT, _UNITS = "left", "units"


@dataclass(frozen=True, slots=True)
class Searching:
    """How a site is made searchable."""

    work: Path
    """A folder that is there as long as the build."""
    snippets: bool
    """The texts are stored, too: snippets are cut from them, phrases are looked for in them."""


class Leaving:
    """Takes what can be searched of a document while its pages are written, in order; close it after use."""

    def __init__(self, searching: Searching, href: str) -> None:
        self._folder = searching.work / href.replace("/", "-").removesuffix(".html")
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o700)
        self._writer = SegmentWriter(searching.work, f"{self._folder.name}/{_UNITS}", self._write if searching.snippets else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def _write(self, name: str, pieces: Iterable[str]) -> None:
        write_file(self._folder, name.rpartition("/")[2], pieces)

    def rows(self, part: int, rows: Sequence[Row]) -> None:
        """Rows of a part, from 1."""
        for row in rows:
            self._writer.add(part, entries(row))

    def end(self, summary: Summary, first: DocumentPage) -> None:
        """What stands around the rows of the first part; no more comes."""
        self._writer.add(1, page_entries(first))
        (self._folder / _LEFT).write_bytes(pickle.dumps(self._writer.finish(facts(summary))))


def facts(summary: Summary) -> Facts:
    """What search knows of a document as a whole."""
    return Facts(
        kind=summary.kind,
        title=summary.title,
        href=summary.href,
        status=summary.status,
        runtime=summary.runtime or "",
        projects=tuple(summary.projects),
        models=tuple(summary.models),
        started=summary.started,
    )


@dataclass(frozen=True, slots=True)
class Searched:
    """What became of the search of a site."""

    kept: frozenset[str]
    """Files of the old site that are still part of it."""
    too_long: dict[str, int]
    """How many words of each new document's blocks are too long for the index, by its address."""


def write_search(searching: Searching, output: Output, pages: Pages, run: Runner, old: Library | None, stay: Mapping[str, int]) -> Searched:
    """Make the search of a site of what its documents left, and the page that asks it.

    `stay` are the addresses of documents that stay as they are in the `old` search, with their words that are too long.
    """
    fresh = []
    for left in sorted(searching.work.glob(f"*/{_LEFT}")):
        fresh.append(_read(left))
        for name in dict.fromkeys(fresh[-1].listed.names):  # equal texts of two documents are one file
            output.take(left.parent / f"{name}.js", f"{FOLDER}/{chunk_path(name)}.js")
    published = publish(fresh, searching.work, output.write, texts=searching.snippets, old=old, unchanged=stay, run=run)
    too_long = {each.listed.facts.href: each.too_long for each in fresh}
    output.write(SCRIPT, [search_script()])
    page = SearchPage((SCRIPT, *published.first), searching.snippets, sum((*too_long.values(), *stay.values())))
    output.write(NAME, [pages.search(page)])
    return Searched(published.kept, too_long)


def _read(left: Path) -> Indexed:
    found = pickle.loads(left.read_bytes())  # noqa: S301 - written by this build
    assert isinstance(found, Indexed)  # noqa: S101 - nothing else is written there
    return found
