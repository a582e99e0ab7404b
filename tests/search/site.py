"""Writes the search of a small site: the index, the search page, and pages for hits to open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from lakesite.search.library import Library, Published, publish
from lakesite.search.segment import Indexed, SegmentWriter
from lakesite.site.assets import search_script
from lakesite.site.output import write_file
from lakesite.site.searching import SCRIPT
from lakesite.site.writing import pages
from lakesite.view import address
from lakesite.view.search_page import NAME, SearchPage
from lakesite.view.shapes import DocumentPage, Row
from tests.search.archive import Read


def index(read: Iterable[Read], folder: Path, out: Path, *, texts: bool = True) -> list[Indexed]:
    """Index documents, each as its own task would."""
    write = partial(write_file, out) if texts else None
    found = []
    for each in read:
        writer = SegmentWriter(folder, each.facts.href.replace("/", "-"), write)
        for part, entry in each.entries():
            writer.add(part, [entry])
        found.append(writer.finish(each.facts))
    return found


def write_search(
    read: Iterable[Read], out: Path, *, texts: bool = True, old: Library | None = None, unchanged: Collection[str] = (),
) -> Published:  # fmt: skip
    """Write the index and the search page."""
    with TemporaryDirectory() as name:
        fresh = index(read, Path(name), out, texts=texts)
        published = publish(fresh, Path(name), partial(write_file, out), texts=texts, old=old, unchanged=unchanged)
    write_page(out, published, texts=texts)
    return published


def write_page(out: Path, published: Published, *, texts: bool = True) -> None:
    """Write the search page and what it needs."""
    write_file(out, NAME, [pages(search=True).search(SearchPage((SCRIPT, *published.first), texts, 0))])
    write_file(out, SCRIPT, [search_script()])
    shell = pages(search=True).shell
    write_file(out, shell.style_name, [shell.style])
    write_file(out, "index.html", ["<!DOCTYPE html><title>Archive</title><h1>Archive</h1>"])


def write_documents(read: Iterable[Read], out: Path) -> None:
    """Write the pages of documents."""
    for each in read:
        for number, rows in enumerate(each.parts, 1):
            page = DocumentPage(
                each.facts.kind,  # type: ignore[arg-type]
                each.facts.title, "id", "id", "", "", (), (), (), None, (), (), "Steps", 0, (), (), (), (), (), "", "../", packed=True,
            )  # fmt: skip
            write_file(out, address.part(each.facts.href, number), pages(search=True).document(page, _sections(rows)))


def _sections(rows: Sequence[Row]) -> Iterator[str]:
    for start in range(0, len(rows), 50):
        yield pages(search=True).rows(rows[start : start + 50])
