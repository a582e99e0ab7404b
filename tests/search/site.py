"""Writes the search of a small site: the index, the search page, and pages for hits to open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from jinja2 import FileSystemLoader

from lakesite.render.pages import Assets, Pages, make_shell
from lakesite.search.library import Library, Published, publish
from lakesite.search.page import NAME, SearchPage
from lakesite.search.segment import Indexed, SegmentWriter
from lakesite.site.output import write_file
from lakesite.view import address
from lakesite.view.shapes import DocumentPage, Row
from tests import ROOT
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
    write_page(out)
    return published


def _assets(*more: str) -> Assets:
    css, js = (
        "".join((ROOT / "static" / f"{name}.{kind}").read_text(encoding="utf-8") for name in names)
        for kind, names in (("css", ("lakesite", "find", *more)), ("js", ("lakesite", "find")))
    )
    return Assets(css, js, FileSystemLoader(str(ROOT / "templates")))


@cache
def _pages() -> Pages:
    pages = Pages(_assets())
    pages.shells = {name: make_shell(_assets(), "search", "marks", "long") for name in pages.shells}
    return pages


def write_page(out: Path) -> None:
    """Write the search page and what it needs."""
    shell = make_shell(_assets("search"), "lists", "search")
    policy = shell.policy.replace("script-src ", "script-src 'self' ")
    template = _pages()._document.environment.get_template("search.html")  # noqa: SLF001
    write_file(out, NAME, [template.render(page=SearchPage("search/search.js"), shell=replace(shell, policy=policy))])
    write_file(out, "search/search.js", [(ROOT / "static" / "search.js").read_text(encoding="utf-8")])
    write_file(out, shell.style_name, [shell.style])
    write_file(out, _pages().shell.style_name, [_pages().shell.style])
    write_file(out, "index.html", ["<!DOCTYPE html><title>Archive</title><h1>Archive</h1>"])


def write_documents(read: Iterable[Read], out: Path) -> None:
    """Write the pages of documents."""
    for each in read:
        for number, rows in enumerate(each.parts, 1):
            page = DocumentPage(
                each.facts.kind,  # type: ignore[arg-type]
                each.facts.title, "id", "id", "", "", (), (), (), None, (), (), "Steps", 0, (), (), (), (), (), "", "../", packed=True,
            )  # fmt: skip
            write_file(out, address.part(each.facts.href, number), _pages().document(page, _sections(rows)))


def _sections(rows: Sequence[Row]) -> Iterator[str]:
    for start in range(0, len(rows), 50):
        yield _pages().rows(rows[start : start + 50])
