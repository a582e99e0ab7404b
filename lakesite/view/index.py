"""The index: runs with what they called below them, and sessions, newest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lakesite.model import Key, Problem
from lakesite.view import address
from lakesite.view.charts import charts, tool_bars
from lakesite.view.listing import IndexPage, IndexRow
from lakesite.view.problems import is_serious
from lakesite.view.shapes import Chip, Fact, PartLink
from lakesite.view.summary import MODEL, PROJECT, RUNTIME, Summary, index_row
from lakesite.view.words import number, when

ROWS = 500
"""Rows of one page of the index."""
_SMALL_TREE = 6
"""Sub-runs of a tree that the index lists under its root; of a larger one it counts them."""
_FILTERS = ("all", "failed", "errors", "unfinished", "cancelled", "unknown", "completed", "runs", "sessions")
"""What a list can be filtered by, beside names: what asks for a look comes first."""
_WORDS = {"errors": "has errors", "unknown": "end not known"}
_FAILED = "#list?f=failed"
"""What the script of a list makes of its address: the failed documents alone."""
_NAMED = 24
"""Chips of one kind of names at most; more are found by their words."""


class IndexList(NamedTuple):
    """One list of documents: its pages, and all of its rows for the file that filters over several pages need."""

    pages: tuple[tuple[str, IndexPage], ...]
    rows: tuple[IndexRow, ...]
    rows_file: str
    """Name of that file; empty for a list of one page."""


def ordered(summaries: Sequence[Summary]) -> Iterator[tuple[Summary, int, int, int]]:
    """(document, depth, runs below it, failed ones among them): roots and sessions newest first, sub-runs under theirs."""
    by_key = {summary.key: summary for summary in summaries if summary.kind == "run"}
    below = _below(by_key)
    roots = [summary for summary in summaries if summary.place is None or summary.place.parent is None]
    for root in sorted(roots, key=lambda item: (-(item.started or 0), item.kind, item.key)):
        stack = [(root, 0)]
        while stack:
            summary, depth = stack.pop()
            yield summary, depth, *below.get(summary.key, (0, 0))
            children = [by_key[child.key] for child in summary.place.children if child.key in by_key] if summary.place else []
            stack += [(child, depth + 1) for child in reversed(children)]


def _below(by_key: dict[Key, Summary]) -> dict[Key, tuple[int, int]]:
    """For each run the number of runs below it and of failed ones among them, worked out from the leaves up."""
    counts = dict.fromkeys(by_key, (0, 0))
    waiting = {key: len(summary.place.children) if summary.place else 0 for key, summary in by_key.items()}
    ready = [key for key, left in waiting.items() if not left]
    while ready:
        key = ready.pop()
        place = by_key[key].place
        parent = place.parent.key if place and place.parent else None
        if parent is None or parent not in counts:
            continue
        runs, failed = counts[key]
        counts[parent] = (counts[parent][0] + runs + 1, counts[parent][1] + failed + (by_key[key].status == "failed"))
        waiting[parent] -= 1
        if not waiting[parent]:
            ready.append(parent)
    return counts


def index_lists(title: str, summaries: Sequence[Summary], homeless: Sequence[Problem]) -> Iterator[IndexList]:
    """The lists of a site.

    `index.html` lists sessions and runs, those of small trees under what called them; of large trees it counts them, and
    `all.html` lists everything.
    """
    everything: list[IndexRow] = []
    shown: list[IndexRow] = []
    below = 0
    for summary, depth, runs, failed in ordered(summaries):
        row = index_row(summary, depth, runs, failed)
        below = below if depth else runs
        everything.append(row)
        if not depth or below <= _SMALL_TREE:
            shown.append(row)
    left_out = len(everything) - len(shown)
    page = IndexPage(title, _facts(summaries, homeless, whole="all.html" if left_out else "index.html"), (), (), ())
    yield _list("index.html", page._replace(charts=charts(summaries), tools=tool_bars(summaries), left_out=left_out), shown)
    if left_out:
        yield _list("all.html", page._replace(title=f"{title}: every run and session"), everything)


def _list(href: str, page: IndexPage, rows: list[IndexRow]) -> IndexList:
    chips, more = _chips(rows), _more_chips(rows)
    count = max((len(rows) + ROWS - 1) // ROWS, 1)
    file = f"{href.removesuffix('.html')}-rows.js" if count > 1 else ""
    pages = []
    for place in range(1, count + 1):
        links = tuple(
            PartLink(other, address.part(href, other), f"rows {(other - 1) * ROWS + 1} to {min(other * ROWS, len(rows))}", other == place)
            for other in range(1, count + 1)
        )
        shown = tuple(_with_days(rows[(place - 1) * ROWS : place * ROWS]))
        parts = links if count > 1 else ()
        drawn = page if place == 1 else page._replace(charts=(), tools=())
        pages.append((address.part(href, place), drawn._replace(chips=chips, more_chips=more, rows=shown, parts=parts, rows_file=file)))
    return IndexList(tuple(pages), tuple(rows), file)


def _with_days(rows: Sequence[IndexRow]) -> Iterator[IndexRow]:
    """The rows of a page, the first of each day with that day: a run stands under what called it, whatever its own day is."""
    day = None
    for row in rows:
        own = row.when.day if row.when else "No time recorded"
        yield row._replace(day=own) if own != day and (not row.depth or day is None) else row
        day = own if not row.depth or day is None else day


def _facts(summaries: Sequence[Summary], homeless: Sequence[Problem], *, whole: str) -> tuple[Fact, ...]:
    """The headline; `whole` is the list of everything."""
    runs = [summary for summary in summaries if summary.kind == "run"]
    roots = [run for run in runs if run.place is None or run.place.parent is None]
    sessions = len(summaries) - len(runs)
    times = [time for summary in summaries for time in (summary.started, summary.ended) if time is not None]
    facts = []
    if runs:
        trees = f"runs in {number(len(roots))} tree{'s' if len(roots) != 1 else ''}"
        facts.append(Fact(number(len(runs)), "run" if len(runs) == 1 else trees, href=None if whole == "index.html" else whole))
    if sessions:
        facts.append(Fact(number(sessions), "session" if sessions == 1 else "sessions"))
    if times and (first := when(min(times))) and (last := when(max(times))):
        facts.append(Fact(first.day if first.day == last.day else f"{first.day} – {last.day}"))
    calls = sum(summary.counts.exchanges for summary in summaries)
    failures = sum(run.status == "failed" for run in runs)
    problems = sum(is_serious(problem) for found in (homeless, *(summary.problems for summary in summaries)) for problem in found)
    masked = sum(summary.counts.masked for summary in summaries)
    facts.append(Fact(number(calls), "tool call" if calls == 1 else "tool calls"))
    facts.append(Fact(number(failures), "failure" if failures == 1 else "failures", href=f"{whole}{_FAILED}" if failures else None))
    facts.append(Fact(number(problems), "problem in the input" if problems == 1 else "problems in the input", href="problems.html"))
    facts.append(Fact(number(masked), "value masked" if masked == 1 else "values masked", href="masking.html"))
    return tuple(facts)


def _chips(rows: Sequence[IndexRow]) -> tuple[Chip, ...]:
    """What the rows of a list can be filtered by, with how many of them it selects."""
    counts = Counter(name for row in rows for name in ("all", row.status, f"{row.kind}s", *row.filters))
    names = (*_FILTERS, *_ranked(counts, RUNTIME))
    return tuple(
        Chip(name, _WORDS.get(name, name.removeprefix(RUNTIME)), number(counts[name]), bad=name in ("failed", "errors"))
        for name in names
        if counts[name]
    )


def _more_chips(rows: Sequence[IndexRow]) -> tuple[Chip, ...]:
    """The same by project and model."""
    counts = Counter(name for row in rows for name in row.filters)
    return tuple(Chip(name, name, number(counts[name])) for kind in (PROJECT, MODEL) for name in _ranked(counts, kind)[:_NAMED])


def _ranked(counts: Counter[str], kind: str) -> list[str]:
    """Names of a kind, most counted first."""
    return sorted((name for name in counts if name.startswith(kind)), key=lambda name: (-counts[name], name))
