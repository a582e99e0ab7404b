"""A run resolved: its steps, what happened in them, its tool exchanges, and how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lakesite.model import Counts, Keep, Run, RunEntry, Said, Step
from lakesite.resolve import outcome, tools
from lakesite.resolve.rows import rows
from lakesite.resolve.segments import segments
from lakesite.resolve.stage import Draft, Sure
from lakesite.resolve.tools import Scope
from lakesite.resolve.walk import Places, Walk

_OWNED: dict[int, bool | None] = {Sure.NONE: None, Sure.OWNER: True, Sure.UNCLEAR: False}


def resolve_run(entries: Sequence[RunEntry], keep: Keep = tuple, *, torn: bool) -> Run:
    """Work out what the events of one run mean together.

    `entries` are in reading order: files in the order of their first usable time, then name; inside a file by line. `torn`
    says that the last file ends inside a record. `keep` holds what is made of each.
    """
    found = segments(entries)
    places = Places.for_entries(len(entries))
    last = Walk(0, [], places, {})
    for number, order in enumerate(found.orders):
        last = Walk(number, last.steps, places, last.latest)
        for index in order:
            last.take(index, entries[index])
    paired = tools.pair(_recorded(found.orders, entries, places), entries, keep)
    return Run(
        steps=tuple(map(_step, last.steps)),
        exchanges=paired.exchanges,
        rows=keep(rows(found.orders, places, last.steps, paired.heads)),
        segments=tuple(min(order) for order in found.orders),
        derived=outcome.derived(last, torn=torn),
        recorded=outcome.recorded(last),
        failing=outcome.failing(last.steps, last.closed),
        problems=found.problems,
        repeated=found.repeated,
    )


def counts(run: Run, entries: Sequence[RunEntry]) -> Counts:
    """Count what a run holds.

    A call that router and agent both recorded is one exchange and counts for both. Errors are all that a page marks as
    failed: exchanges, steps, and other events with an error. Unfinished are the steps that were open at the run's end.
    """
    failed = sum(step.status == "failed" for step in run.steps)
    messages = 0
    for row in run.rows:
        if isinstance(row, Said):
            entry = entries[row.entry]
            failed += entry.failed  # such as the end of the run itself
            messages += entry.type in ("message.user", "message.assistant")
    made = Counter[str]()
    for exchange in run.exchanges:
        made["calls"] += len(exchange.calls)
        made["results"] += len(exchange.results) + len(exchange.extra)
        made["extra"] += len(exchange.extra)
        made[exchange.channel] += 1
        made["paired"] += len(exchange.results) if exchange.joined == "id" else 0
        made["no result"] += not exchange.results
        made["no call"] += not exchange.calls
        made["failed"] += exchange.failed is True
    return Counts(
        events=len(entries) - run.repeated,
        repeated=run.repeated,
        steps=len(run.steps),
        messages=messages,
        calls=made["calls"],
        results=made["results"],
        paired=made["paired"],
        exchanges=len(run.exchanges),
        router=made["router"] + made["both"],
        agent=made["agent"] + made["both"],
        merged=made["both"],
        no_result=made["no result"],
        no_call=made["no call"],
        extra_result=made["extra"],
        errors=failed + made["failed"],
        unfinished=sum(step.status == "open" and step.segment == len(run.segments) - 1 for step in run.steps),
        problems=len(run.problems),
    )


def _recorded(orders: Sequence[Sequence[int]], entries: Sequence[RunEntry], places: Places) -> Iterator[tuple[int, Scope]]:
    """Yield the events that hold calls or results, each with its place, in the order in which they happened."""
    for segment, order in enumerate(orders):
        for index in order:
            if entries[index].parts:
                yield index, (segment, places.steps[index], _OWNED[places.sure[index]])


def _step(draft: Draft) -> Step:
    return Step(
        parent=draft.parent,
        depth=draft.depth,
        name=draft.name,
        kind=draft.kind,
        path=draft.path,
        iteration=draft.iteration,
        loop=draft.loop,
        attempt=draft.attempt,
        segment=draft.segment,
        started=draft.started,
        completed=draft.completed,
        status=draft.status,
        child=draft.child,
    )
