"""Lays out whole pages: the one place that knows the templates, the policy, and what stands around the rows.

One `Pages` serves a whole process: each template is compiled, and each stylesheet and script made small, once, when it is asked for.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import log
from pathlib import Path
from string import ascii_letters
from typing import Any

from jinja2 import BaseLoader
from markupsafe import Markup

from lakesite.render import bodies, small
from lakesite.render.bodies import Aside
from lakesite.render.code import Budget
from lakesite.render.escape import attribute
from lakesite.render.templates import Templates
from lakesite.view.listing import IndexPage, IndexRow
from lakesite.view.masking import MaskingPage
from lakesite.view.problems import ProblemsPage
from lakesite.view.search_page import SearchPage
from lakesite.view.shapes import Body, DocumentPage, EndRow, MessageRow, NoteRow, Row, StepRow, ToolRow
from lakesite.view.words import number

_DEEPEST_HEADING, _DEEPEST_INDENT = 6, 4
_LEAST_SECTION, _SECTION_GROWTH, _TALLEST_SECTION = 400, 3, 4
_LINE, _LETTERS, _LONGEST = 24, 95, 200
_SPACED = re.compile(r"""("[^"]*"|`[^`]*`)| *([=<>?:,{}()|&+!]+) *""")
_PROPERTY = re.compile(r"--[a-z]+")
_CSS_PART = re.compile(r"/\*\? (\w+) \*/\n(.*?)/\*\? \*/\n", re.DOTALL)
_JS_PART = re.compile(r"//\? (\w+)\n(.*?)//\?\n", re.DOTALL)
_SHELLS = {"index": ("lists", "index"), "list": ("lists",), "short": ("rows",), "long": ("rows", "long")}
"""What the pages of each kind hold beyond that which every page needs."""
_SEARCHED = {
    "index": ("lists", "index", "search"),
    "list": ("lists", "search"),
    "short": ("rows", "search", "marks"),
    "long": ("rows", "long", "search", "marks"),
    "search": ("lists", "hits"),
}
"""The same in a site that can be searched."""
_CLOSES_EARLY = re.compile(r"</(?:script|style)|<!--", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assets:
    """The files that pages are made with."""

    css: str
    """The stylesheet, as it is edited."""
    js: str
    """The script, as it is edited."""
    loader: BaseLoader
    """Where the packaged templates are."""
    own: Path | None = None
    """A folder with templates that stand in for packaged ones."""


@dataclass(frozen=True, slots=True)
class Shell:
    """What every page of a site carries."""

    style: Markup
    """The stylesheet, made small: inside each page, and as a file for places that allow no inline styles."""
    style_name: str
    """Name of that file in the site's root; it changes with what is in it."""
    script: Markup
    """The script, made small."""
    policy: str
    """What a page may do: the content security policy."""
    search: bool
    """The site can be searched."""


class Pages:
    """Turns page data into HTML; `search`: pages of a site that can be searched."""

    def __init__(self, assets: Assets, *, search: bool = False) -> None:
        self._assets = assets
        self._shells = _SEARCHED if search else _SHELLS
        filters: dict[str, Callable[..., Any]] = {
            "anchors": _anchors,
            "attr": attribute,
            "badges": small.badges,
            "capped": _capped,
            "clock": small.clock,
            "figures": _figures,
            "href": small.href,
            "level": _level,
            "link": small.link,
            "mark": small.mark,
            "number": number,
            "place": _place,
            "recorded": small.recorded,
            "tool": small.tool,
        }
        self._templates = Templates(assets.loader, filters, assets.own)
        self._templates.check()

    @property
    def shell(self) -> Shell:
        """Everything: its stylesheet is the file that all pages link to."""
        return make_shell(self._assets, *dict.fromkeys(part for parts in self._shells.values() for part in parts))

    def shell_of(self, kind: str) -> Shell:
        """What the pages of a kind carry."""
        return make_shell(self._assets, *self._shells[kind])

    def rows(self, rows: Sequence[Row], aside: Aside | None = None, budget: Budget | None = None) -> str:
        """One section of a document's page.

        `aside` writes a long text to a file and gives its address; `budget` bounds what is coloured in one document.
        """
        made = partial(bodies.of_row, aside=aside, budget=budget)
        return self._templates.get("rows.html").render(rows=rows, size=_size(rows), bodies=made)

    def document(self, page: DocumentPage, body: Iterable[str], aside: Aside | None = None) -> Iterator[str]:
        """A whole page, piece by piece; `body` holds its sections, made by `rows`, and is asked for one at a time."""
        sections = (Markup(section) for section in body)  # noqa: S704 -- made by `rows`
        shell = self.shell_of("long" if page.parts or page.packed else "short")
        return self._templates.get("document.html").generate(page=page, shell=shell, rows=sections, body=partial(bodies.body, aside=aside))

    def index(self, page: IndexPage) -> str:
        """A page of the index."""
        shell = self.shell_of("index")
        return self._templates.get("index.html").render(page=page, shell=_loading(shell) if page.rows_file else shell)

    def problems(self, page: ProblemsPage) -> str:
        """A page of what could not be read."""
        return self._templates.get("problems.html").render(page=page, shell=self.shell_of("list"))

    def masking(self, page: MaskingPage) -> str:
        """A page of what was masked."""
        return self._templates.get("masking.html").render(page=page, shell=self.shell_of("list"))

    def search(self, page: SearchPage) -> str:
        """The search page: the only one that loads scripts, which are files of the site."""
        return self._templates.get("search.html").render(page=page, shell=_loading(self.shell_of("search")))


def _loading(shell: Shell) -> Shell:
    """What a page carries that loads scripts, which are files of the site."""
    return replace(shell, policy=shell.policy.replace("script-src ", "script-src 'self' "))


@cache
def make_shell(assets: Assets, *parts: str) -> Shell:
    """Make the stylesheet and the script small, and the policy that allows just these two.

    `parts` names what they hold beyond that which every page needs.
    """
    style, script = small_css(_with(parts, _CSS_PART, assets.css)), small_js(_with(parts, _JS_PART, assets.js))
    assert not _CLOSES_EARLY.search(style + script)  # noqa: S101 -- or the page would end inside them
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src 'self' '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    name = f"lakesite-{hashlib.sha256(assets.css.encode()).hexdigest()[:10]}.css"
    return Shell(Markup(style), name, Markup(script), policy, bool({"search", "hits"}.intersection(parts)))  # noqa: S704 -- our own, and looked through


def _with(parts: Sequence[str], marked: re.Pattern[str], text: str) -> str:
    """A file with those of its marked parts that are named."""
    return marked.sub(lambda found: found[2] if found[1] in parts else "", text)


def small_css(text: str) -> str:
    """A stylesheet without comments and blanks that mean nothing, its properties renamed; no string in it holds `{ } ; , >` or `: `."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s*([{};,>])\s*|(?<=:)\s+", r"\1", text).replace(";}", "}").strip()
    names = {name: f"--{letter}" for name, letter in zip(dict.fromkeys(_PROPERTY.findall(text)), ascii_letters, strict=False)}
    return _PROPERTY.sub(lambda found: names.get(found[0], found[0]), text)


def small_js(text: str) -> str:
    """A script without comment lines, line breaks, and blanks around signs; its statements end with their own sign.

    No text or pattern in it spans lines, and no pattern holds quotes or blanks.
    """
    lines = (line.strip() for line in text.splitlines())
    return "".join(_SPACED.sub(r"\1\2", line) for line in lines if not line.startswith("//")).replace(";}", "}")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _anchors(page: DocumentPage) -> Markup:
    """Where the anchors of all parts are, for the script."""
    told = {"map": page.anchors, "hrefs": [part.href for part in page.parts], "strays": page.strays}
    text = json.dumps(told, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 -- in a script element only `<` could end it


def _figures(row: IndexRow) -> Markup:
    """What a row of the index is sorted by, and its depth before it."""
    return Markup(" ".join(map(str, (row.depth, *row.sort))))  # noqa: S704 -- numbers


def _level(depth: int) -> int:
    """The level of the heading of a step."""
    return min(depth + 2, _DEEPEST_HEADING)


def _capped(depth: int) -> int:
    """A depth for which there is an indentation."""
    return min(depth, _DEEPEST_INDENT)


def _place(row: Row) -> Markup:
    """The classes that say how far a row is set in, and that it belongs to a side chain."""
    match row:
        case StepRow(depth=depth) | EndRow(depth=depth):
            steps, chain = depth, False
        case MessageRow(depth=depth, chain=chain) | ToolRow(depth=depth, chain=chain) | NoteRow(depth=depth, chain=chain):
            steps = max(depth - 1, 0)
    return Markup((f" i{_capped(steps)}" if steps else "") + (" chain" if chain else ""))  # noqa: S704 -- our own words


def _size(rows: Sequence[Row]) -> int:
    """The class of a section's height, so that the scroll bar is nearly right before the section is drawn."""
    height = sum(_height(row) for row in rows)
    return min(max(round(log(max(height, 1) / _LEAST_SECTION, _SECTION_GROWTH)), 0), _TALLEST_SECTION)


def _height(row: Row) -> int:
    """About how many pixels a row takes while it is closed."""
    match row:
        case MessageRow(who="thinking"):
            return 3 * _LINE
        case MessageRow(bodies=texts) | EndRow(bodies=texts):
            return 2 * _LINE + sum(_LINE * _lines(each) for each in texts)
        case StepRow():
            return 3 * _LINE
        case _:
            return 34


def _lines(text: Body) -> int:
    return 1 if text.folded else min(text.text.count("\n") + len(text.text) // _LETTERS + 1, _LONGEST)
