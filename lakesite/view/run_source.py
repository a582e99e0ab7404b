"""What the rows and the page of a run are made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NamedTuple, cast

from lakesite.model import Json, Key, Masked, Origin, Run, RunEntry, RunEvent, RunState, Side
from lakesite.view.shapes import Link


class RunSource(NamedTuple):
    """All that the rows of a run are made from."""

    run: Run
    entries: tuple[RunEntry, ...]
    anchors: list[str]
    """For each entry."""
    load: Callable[[int], RunEvent]
    """An entry's event in full."""
    where: Callable[[Origin], str]
    """`file:line` of an origin."""
    state: RunState | None
    child: Callable[[Key], Link | None]
    """The page of a run that was called."""
    exchange_at: dict[Side, int]
    """The exchange that each call and each result belongs to."""


def exchange_at(run: Run) -> dict[Side, int]:
    """The exchange that each call and each result of a run belongs to."""
    return {side: index for index, each in enumerate(run.exchanges) for side in (*each.calls, *each.results, *each.extra)}


_LOOPS = re.compile(r"(?:loop:\d+/)+")


def with_path(event: RunEvent, names: Collection[str]) -> RunEvent:
    """The event with its path among its further fields, unless that only names what the page shows anyway.

    `names` are those of the steps, and the title. Turns of loops stand at their steps.
    """
    path = _LOOPS.sub("", event.path, count=1) if event.path.startswith("loop:") else event.path
    if not path or path in names or all(part in names for part in path.split(".")):
        return event
    return event._replace(more=cast("dict[Masked, Json]", {"path": event.path, **event.more}))
