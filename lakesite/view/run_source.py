"""What the rows and the page of a run are made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lakesite.model import Key, Origin, Run, RunEntry, RunEvent, RunState
from lakesite.view.shapes import Link


@dataclass(frozen=True, slots=True)
class RunSource:
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
