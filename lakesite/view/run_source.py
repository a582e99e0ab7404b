"""What the rows and the page of a run are made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, cast

from lakesite.model import Json, Key, Masked, Origin, Run, RunEntry, RunEvent, RunState, Side
from lakesite.view.shapes import Link


class RunSource(NamedTuple):
    """All that the rows of a run are made from."""

    run: Run
    entries: Sequence[RunEntry]
    anchors: Sequence[str]
    """For each entry."""
    load: Callable[[int], RunEvent]
    """An entry's event in full."""
    where: Callable[[Origin], str]
    """`file:line` of an origin."""
    state: RunState | None
    child: Callable[[Key], Link | None]
    """The page of a run that was called."""
    exchange_at: Callable[[Side], int | None]
    """The exchange that a block of a message belongs to."""


def exchange_at(run: Run) -> Callable[[Side], int | None]:
    """Gives the exchange that a block of a message of a run belongs to."""
    known: dict[int, int] = {}
    for number, each in enumerate(run.exchanges):
        known.update((_place(side), number) for side in (*each.calls, *each.results, *each.extra) if side.block >= 0)
    return lambda side: known.get(_place(side))


def _place(side: Side) -> int:
    """A block as one number, which takes less room."""
    return side.entry << _BLOCKS | side.block


_BLOCKS = 32
"""Bits of the number of a block."""
_LOOPS = re.compile(r"(?:loop:\d+/)+")


def with_path(event: RunEvent, names: Collection[str]) -> RunEvent:
    """The event with its path among its further fields, unless that only names what the page shows anyway.

    `names` are those of the steps, and the title. Turns of loops stand at their steps.
    """
    path = _LOOPS.sub("", event.path, count=1) if event.path.startswith("loop:") else event.path
    if not path or path in names or all(part in names for part in path.split(".")):
        return event
    return event._replace(more=cast("dict[Masked, Json]", {"path": event.path, **event.more}))
