"""What the template of the index sees: rows, and charts as paths and words."""

from __future__ import annotations

from typing import Literal, NamedTuple

from lakesite.view.shapes import Chip, Fact, PartLink, When


class Series(NamedTuple):
    """What one colour of a chart draws."""

    name: str
    """`all`, `failed`, a model; in the legend, where a chart has several."""
    style: str
    """Its class: `one two three four bad`."""
    path: str
    """An SVG path; x from 0 to `charts.WIDTH`, y from 0 to `charts.HEIGHT`."""


class Chart(NamedTuple):
    """A chart, and the table behind it."""

    title: str
    note: str
    """Small print below it; may be empty."""
    first: str
    """At the left end of its axis."""
    last: str
    series: tuple[Series, ...]
    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    """The rows of its table."""


class ToolBar(NamedTuple):
    """One tool of the chart of tools."""

    name: str
    calls: str
    failed: str
    """`2 failed`; empty: none."""
    path: str
    """The bar of its calls."""
    bad: str
    """The bar of those that failed; empty: none."""


class IndexRow(NamedTuple):
    """A document in the index."""

    kind: Literal["run", "session"]
    href: str
    title: str
    note: str
    """After the title: `2 sub-workflows, 1 failed`, `claude · harbor-shop · cut off mid-tool`."""
    status: str
    """A status, as `site.json` has it; `none`: a conversation of which no end is known, as of most."""
    when: When | None
    took: str
    calls: str
    errors: int
    tokens: str
    depth: int
    """0 for roots; sub-runs follow their parent."""
    filters: tuple[str, ...] = ()
    """Names of chips that count it, beside its kind with an `s` (`runs`) and its status: a runtime, a project, a model, `errors`; `unknown`
    where its status is `none`."""
    sort: tuple[int, int, int, int] = (-1, -1, 0, -1)
    """What its columns are sorted by: milliseconds, calls, errors, tokens; -1 where nothing was recorded."""
    day: str = ""
    """A day that begins with it, as a heading above it."""


class IndexPage(NamedTuple):
    """A page of the index."""

    title: str
    facts: tuple[Fact, ...]
    chips: tuple[Chip, ...]
    rows: tuple[IndexRow, ...]
    parts: tuple[PartLink, ...]
    root: str = ""
    charts: tuple[Chart, ...] = ()
    tools: tuple[ToolBar, ...] = ()
    rows_file: str = ""
    """A list of several pages: the file that holds all of its rows, for the script that filters and sorts them."""
    more_chips: tuple[Chip, ...] = ()
    """Further chips, folded: projects and models."""
    left_out: int = 0
    """Runs that are in `all.html` only."""
