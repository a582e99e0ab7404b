"""What the timeline of a run shows: lanes with bars on an axis of time. Places are parts of the axis in percent, as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lakesite.view.shapes import Link


class Bar(NamedTuple):
    """One step, or several that stand too close to be told apart."""

    x: str
    """Where it begins: `12.5%`."""
    width: str
    y: str
    """Pixels from the top of the drawing."""
    height: str
    look: str
    """`completed failed cancelled open around run`: `around` holds other steps, `run` is a run of its own that went well."""
    words: str
    """What it is, for the pointer: `lint, turn 3 · 3.1 s · failed`."""
    href: str
    """The step, or the page of the run that it called."""


class Lane(NamedTuple):
    """A line of the timeline: a step, all its turns in a loop, or all that is folded away."""

    name: str
    depth: int
    status: str
    """The worst of its steps: `failed unfinished cancelled completed`."""
    kind: str
    """`parallel`, `× 24`; empty: nothing to say."""
    failed: str
    """`failed`; of several steps `22 failed`; empty: none did."""
    href: str | None
    """Its first step; None for what is folded away."""
    bars: tuple[Bar, ...]
    start: str
    """Time after the beginning of the run; `not recorded` where there is none."""
    took: str
    """From its first start to its last end, which is said of several steps; `not recorded`."""
    outcome: str
    """In words: `2 failed, 22 completed`."""
    runs: tuple[Link, ...]
    """The runs that its steps called, the first few."""


class Tick(NamedTuple):
    """A line of the axis."""

    x: str
    words: str


class Timeline(NamedTuple):
    """When the steps of a run began and ended."""

    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    height: str
    """Pixels of the drawing."""
    failed: bool
    """Some bar is that of a failure."""
