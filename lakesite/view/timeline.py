"""The timeline of a run: one lane a step, the turns of a loop in one, on an axis from its first start to its last end.

However many steps there are, the drawing stays small: lanes beyond a limit are folded into the last, bars that are too close into one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from lakesite.model import Instant, Step
from lakesite.view.lanes import Bar, Lane, Tick, Timeline
from lakesite.view.run_source import RunSource
from lakesite.view.shapes import Link
from lakesite.view.step_tree import Group, group_failures, group_kind, group_status
from lakesite.view.words import duration, number, plural

LANES = 32
"""Lanes of their own; all other steps share one more."""
BARS = 400
"""Bars of one drawing."""

LANE = 20
"""Pixels of a lane: as high as its label in the stylesheet."""
_PAD, _ROWS, _RUNS = 4, 3, 3
_NEAR, _LEAST, _GAP = 0.3, 0.5, 0.15
"""Percent of the axis: bars that together are shorter than the first become one; none is shorter than the second; the third parts them."""
_LAST_WORDS = 92
"""No words stand at a line of the axis after this percent: they would not fit."""
_MILLISECOND = 1_000_000
_SECOND, _MINUTE, _HOUR, _DAY = (1_000 * _MILLISECOND * factor for factor in (1, 60, 3_600, 86_400))
_UNITS = ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min"), (_SECOND, "s"), (_MILLISECOND, "ms"))
_STEPS = (
    *(each * _MILLISECOND for each in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    *(each * _SECOND for each in (1, 2, 5, 10, 15, 30)),
    *(each * _MINUTE for each in (1, 2, 5, 10, 15, 30)),
    *(each * _HOUR for each in (1, 2, 3, 6, 12)),
    *(each * _DAY for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)),
)
_PARTS = 5
"""Of the axis, at most, between its lines."""
_OUTCOMES = {"failed": "failed", "open": "end not recorded", "cancelled": "cancelled", "completed": "completed"}


class _Span(NamedTuple):
    """A step on the axis, in percent; several where they are too close."""

    start: float
    end: float
    look: str
    steps: tuple[int, ...]
    row: int = 0
    """Which of the rows of its lane: steps of one name may run side by side."""


class _Axis(NamedTuple):
    """The time from the first start to the last end."""

    first: Instant
    last: Instant

    def place(self, time: Instant) -> float:
        """Where a time stands, in percent."""
        return (time - self.first) * 100 / (self.last - self.first)


class _Drawing(NamedTuple):
    """What all lanes are drawn from."""

    source: RunSource
    axis: _Axis
    link: Callable[[str], str]
    """The address of an anchor."""

    def start(self, step: int) -> Instant | None:
        """When a step began."""
        return self.source.entries[self.source.run.steps[step].started].time

    def end(self, step: int) -> Instant | None:
        """When a step ended; None where that is not recorded, or before it began."""
        found, start = self.source.run.steps[step], self.start(step)
        end = self.source.entries[found.completed].time if found.completed is not None else None
        return None if start is None or end is None or end < start else end

    def drawn_end(self, step: int) -> Instant:
        """How far a step is drawn: to its end, else to that of what holds it, else to the last that is known."""
        found = self.source.run.steps[step]
        if (end := self.end(step)) is not None:
            return end
        if found.completed is not None:
            return self.start(step) or self.axis.first
        around = self.end(found.parent) if found.parent is not None else None
        return max(self.axis.last if around is None else around, self.start(step) or self.axis.first)


def timeline(source: RunSource, groups: Sequence[Group], link: Callable[[str], str]) -> Timeline | None:
    """The timeline of a run; None for one whose times say nothing, or that has a single step."""
    axis = _axis(source)
    if axis is None:
        return None
    drawing = _Drawing(source, axis, link)
    kept = _kept(drawing, groups)
    own = {id(group) for group in kept}
    folded = sorted(member for group in groups if id(group) not in own for member in group.members)
    lanes = [(group.members, group.around) for group in kept] + ([(tuple(folded), False)] if folded else [])
    spans = _thinned([_in_rows(_spans(drawing, members, around=around)) for members, around in lanes])
    bars = [_bars(drawing, made, place) for place, made in enumerate(spans)]
    made = [_lane(drawing, group.members, group.depth, bars[place]) for place, group in enumerate(kept)]
    if folded:
        lane = _lane(drawing, tuple(folded), 0, bars[-1])
        made.append(lane._replace(name=plural(len(folded), "more step"), kind="", href=None))
    height = (len(made) + 1) * LANE
    return Timeline(tuple(made), tuple(_ticks(axis)), str(height), any(span.look == "failed" for lane in spans for span in lane))


def _axis(source: RunSource) -> _Axis | None:
    """From the first start to the last end; to the last event of all where the end of a step is not recorded."""
    steps = source.run.steps
    starts = [time for step in steps if (time := source.entries[step.started].time) is not None]
    if len(starts) < 2:  # noqa: PLR2004 - a single step has nothing beside it
        return None
    ends = [time for step in steps if step.completed is not None and (time := source.entries[step.completed].time) is not None]
    if any(step.completed is None for step in steps):
        ends += [max((entry.time for entry in source.entries if entry.time is not None), default=starts[0])]
    first, last = min(starts), max(starts + ends)
    return _Axis(first, last) if last - first >= _MILLISECOND else None


def _kept(drawing: _Drawing, groups: Sequence[Group]) -> list[Group]:
    """The groups that have lanes of their own: what did not go well, then what is least deep and longest."""
    if len(groups) <= LANES:
        return list(groups)

    def weight(at: int) -> tuple[bool, int, float]:
        members = groups[at].members
        well = group_status([drawing.source.run.steps[member] for member in members]) in ("completed", "cancelled")
        spent = sum(drawing.drawn_end(member) - start for member in members if (start := drawing.start(member)) is not None)
        return well, groups[at].depth, -spent

    return [groups[at] for at in sorted(sorted(range(len(groups)), key=weight)[:LANES])]


def _spans(drawing: _Drawing, members: Iterable[int], *, around: bool) -> Iterator[_Span]:
    """Steps on the axis, in order of start."""
    timed = sorted((start, member) for member in members if (start := drawing.start(member)) is not None)
    for start, member in timed:
        step = drawing.source.run.steps[member]
        look: str = step.status
        if step.status == "completed" and (around or step.child):
            look = "around" if around else "run"
        elif around:
            look = f"around {step.status}"
        yield _Span(drawing.axis.place(start), drawing.axis.place(drawing.drawn_end(member)), look, (member,))


def _in_rows(spans: Iterable[_Span]) -> list[_Span]:
    """Steps that run side by side, one below the other, as far as there is room."""
    ends: list[float] = []
    made = []
    for span in spans:
        row = next((row for row, end in enumerate(ends) if end <= span.start), min(len(ends), _ROWS - 1))
        ends[row:] = [span.end, *ends[row + 1 :]]
        made.append(span._replace(row=row))
    return made


def _thinned(lanes: list[list[_Span]]) -> list[list[_Span]]:
    """Put together what is too close to be told apart, and more where there would be too many bars."""
    near = _NEAR
    made = [_joined(lane, near) for lane in lanes]
    while sum(map(len, made)) > BARS and near < 100:  # noqa: PLR2004 - the whole axis
        near *= 2
        made = [_joined(lane, near) for lane in made]
    return made


def _joined(lane: list[_Span], near: float) -> list[_Span]:
    """The spans of a lane, those of one look that are together shorter than `near` as one; failures last, above the others."""
    made: list[_Span] = []
    last: dict[tuple[str, int], int] = {}
    for span in lane:
        at = last.get((span.look, span.row))
        if at is not None and span.end - made[at].start <= near:
            made[at] = made[at]._replace(end=max(span.end, made[at].end), steps=made[at].steps + span.steps)
        else:
            last[span.look, span.row] = len(made)
            made.append(span)
    return sorted(made, key=lambda span: "failed" in span.look)


def _bars(drawing: _Drawing, spans: list[_Span], place: int) -> tuple[Bar, ...]:
    rows = max((span.row for span in spans), default=0) + 1
    height = (LANE - 2 * _PAD) // rows
    return tuple(
        Bar(
            x=_percent(min(span.start, 100 - _LEAST)),
            width=_percent(max(span.end - span.start - _GAP, _LEAST)),
            y=str((place + 1) * LANE + _PAD + span.row * height),
            height=str(height - (rows > 1)),
            look=span.look,
            words=_words(drawing, span),
            href=_way(drawing, span),
        )
        for span in spans
    )


def _percent(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") + "%"


def _words(drawing: _Drawing, span: _Span) -> str:
    """What a bar is, for the pointer."""
    first = drawing.source.run.steps[span.steps[0]]
    turn = f", {plural(len(span.steps), 'step')}" if len(span.steps) > 1 else f", turn {first.loop[-1] + 1}" if first.loop else ""
    start, end = drawing.start(span.steps[0]), drawing.end(span.steps[-1])
    spent = duration(end - start) if start is not None and end is not None and end >= start else ""
    outcome = _OUTCOMES[first.status] if first.status != "completed" else ""
    return " · ".join(word for word in (f"{first.name or 'name not recorded'}{turn}", spent, outcome) if word)


def _way(drawing: _Drawing, span: _Span) -> str:
    """Where a bar leads: to the run that its step called, else to the step."""
    first = drawing.source.run.steps[span.steps[0]]
    called = drawing.source.child(first.child.key) if first.child and len(span.steps) == 1 else None
    return called.href if called and called.href else drawing.link(drawing.source.anchors[first.started])


def _lane(drawing: _Drawing, members: tuple[int, ...], depth: int, bars: tuple[Bar, ...]) -> Lane:
    steps = [drawing.source.run.steps[member] for member in members]
    starts = [start for member in members if (start := drawing.start(member)) is not None]
    ends = [end for member in members if (end := drawing.end(member)) is not None]
    whole = starts and len(ends) == len(members)
    span = " from first to last" if len(members) > 1 else ""
    return Lane(
        name=steps[0].name or "name not recorded",
        depth=depth,
        status=group_status(steps),
        kind=group_kind(steps),
        failed=group_failures(steps),
        href=drawing.link(drawing.source.anchors[steps[0].started]),
        bars=bars,
        start=duration(min(starts) - drawing.axis.first) if starts else "not recorded",
        took=duration(max(ends) - min(starts)) + span if whole else "not recorded",
        outcome=_outcome(steps),
        runs=tuple(_runs(drawing, steps)),
    )


def _outcome(steps: list[Step]) -> str:
    """How steps ended, in words; how many of each where there are several."""
    counted = Counter[str](step.status for step in steps)
    if len(steps) == 1:
        return _OUTCOMES[steps[0].status]
    return ", ".join(f"{number(counted[status])} {word}" for status, word in _OUTCOMES.items() if counted[status])


def _runs(drawing: _Drawing, steps: list[Step]) -> Iterator[Link]:
    called = (drawing.source.child(step.child.key) for step in steps if step.child)
    return islice(filter(None, called), _RUNS)


def _ticks(axis: _Axis) -> Iterator[Tick]:
    """The lines of the axis, at round times."""
    length = axis.last - axis.first
    step = next((step for step in _STEPS if length <= step * _PARTS), _STEPS[-1])
    unit, word = next((unit, word) for unit, word in _UNITS if step % unit == 0)
    for time in range(0, length + 1, step):
        x = time * 100 / length
        yield Tick(_percent(x), f"{number(time // unit)} {word}" if x <= _LAST_WORDS else "")
