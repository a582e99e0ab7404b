"""A walk through one segment of a run: which step each event opens or closes, and in which it stands."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, TypeAlias

from lakesite.model import Id, Masked, RunEntry
from lakesite.resolve.crowd import Register
from lakesite.resolve.stage import CONTAINERS, LOOPS, Draft, Stage, Sure, Turns, turns_of

_Sort: TypeAlias = Literal["step", "call", "left"]
"""A step without an end: opened as a step, opened by the call of a workflow alone, or left behind when a container closed."""


class Mark(IntEnum):
    """What an entry is to its run."""

    FOLDED = 0
    OPENS = 1
    CLOSES = 2
    TOOL = 3
    SAID = 4


@dataclass(slots=True)
class Places:
    """Where each entry of a run stands."""

    marks: bytearray
    """`Mark` of each entry."""
    sure: bytearray
    """`Sure` of each entry."""
    steps: list[int | None]
    """The step in which each entry stands."""

    @classmethod
    def for_entries(cls, count: int) -> Places:
        """Places for so many entries, none of them placed."""
        return cls(bytearray(count), bytearray(count), [None] * count)


@dataclass(slots=True)
class Walk:
    """One segment of a run on the way through it."""

    segment: int
    steps: list[Draft]
    """All steps of the run so far; shared by its segments, like the next two."""
    places: Places
    latest: dict[tuple[int | None, str], int]
    """The latest step of a name in a step."""
    stage: Stage = field(init=False)
    closed: list[int] = field(default_factory=list)
    """Steps of the segment in the order in which they ended."""
    begun: bool = False
    """`run.started` was recorded."""
    ended: bool = False
    """`run.completed` was recorded."""
    word: bool | None = None
    """Whether the payload of `run.completed` holds an error; None: no payload."""
    _ends: Register = field(default_factory=Register)
    """Steps without an end: by sort with name, path and turn, and with the run that a call alone called."""
    _called: dict[Id, int] = field(default_factory=dict)
    """The surrounding step in which a run was called."""

    def __post_init__(self) -> None:
        self.stage = Stage(self.steps)

    def take(self, index: int, entry: RunEntry) -> None:
        """Go on to the next entry."""
        match entry.type:
            case "step.started":
                self._start(index, entry, by_call=False)
            case "step.completed":
                self._close_or_say(index, entry, self._find(entry, "step", "call", "left"))
            case "step.call_workflow.started":
                self._call(index, entry)
            case "step.call_workflow.completed":
                self._return(index, entry)
            case "run.started":
                self.begun = True
                self._place(index, None)
            case "run.completed":
                self.ended = True
                self.word = entry.failed if entry.shape != "none" else None
                self._place(index, None)
            case "unknown":
                step = self.stage.at_path(entry)
                self._place(index, *(self.stage.owner(entry) if step is None else (step, Sure.NONE)))
            case _:
                tool = bool(entry.parts) and entry.parts[0].block < 0
                self._place(index, *self.stage.owner(entry), mark=Mark.TOOL if tool else Mark.SAID)

    def _place(self, index: int, step: int | None, sure: Sure = Sure.NONE, mark: Mark = Mark.SAID) -> None:
        self.places.marks[index] = mark
        self.places.sure[index] = sure
        self.places.steps[index] = step

    def _start(self, index: int, entry: RunEntry, *, by_call: bool) -> None:
        parent = self.stage.around(entry)
        around = self.steps[parent] if parent is not None else None
        turns = turns_of(entry.path)
        loop, known = _loop(entry, turns, around, by_call=by_call)
        step = len(self.steps)
        draft = Draft(
            parent=parent,
            depth=around.depth + 1 if around else 0,
            name=_name(entry),
            kind=entry.kind,
            path=entry.path,
            iteration=entry.iteration,
            turns=turns,
            loop=loop,
            segment=self.segment,
            started=index,
            child=entry.child,
            container=by_call or entry.kind in CONTAINERS,
            by_call=by_call,
            top=not self.stage.live,
        )
        if known:
            draft.attempt = self._attempt(draft)
            self.latest[parent, draft.name] = step
        self.steps.append(draft)
        self._place(index, step, mark=Mark.OPENS)
        self._ends.add(step, _keys(draft))
        self.stage.enter(step)

    def _attempt(self, draft: Draft) -> int:
        """One more than that of the same step at the same place, if that is over."""
        latest = self.latest.get((draft.parent, draft.name))
        before = self.steps[latest] if latest is not None else None
        if before is None or (before.path, before.loop) != (draft.path, draft.loop):
            return 1
        return 1 if before.live and before.segment == self.segment else before.attempt + 1

    def _call(self, index: int, entry: RunEntry) -> None:
        """A call of a workflow belongs to the open step of its name, or is a step of its own."""
        step = self._find(entry, "step")
        if step is None:
            self._start(index, entry, by_call=True)
            return
        draft = self.steps[step]
        draft.child = draft.child or entry.child
        if entry.child:
            self._called[entry.child] = step
        self._place(index, step)

    def _return(self, index: int, entry: RunEntry) -> None:
        """The end of a call closes the step that the call opened; a surrounding step has an end of its own."""
        step = self._ends.oldest((sort, entry.child) for sort in ("call", "left")) if entry.child else None
        if step is None:
            named = self._find(entry, "call")
            step = named if named is not None and not (entry.child and self.steps[named].child) else None
        if step is None:
            around = self._called.get(entry.child) if entry.child else None
            around = self._find(entry, "step") if around is None else around
            if around is not None:
                self._place(index, around)
                return
        self._close_or_say(index, entry, step)

    def _find(self, entry: RunEntry, *sorts: _Sort) -> int | None:
        """The step without an end that is closest to an event, by name, path and turn; of several the oldest."""
        return self._ends.oldest((sort, key) for key in _names(entry) for sort in sorts)

    def _close_or_say(self, index: int, entry: RunEntry, step: int | None) -> None:
        """Close a step; an end without a start is shown where it stands."""
        if step is None:
            self._place(index, self.stage.around(entry))
            return
        draft = self.steps[step]
        self._ends.drop(step, _keys(draft))
        draft.completed = index
        draft.failed = entry.failed
        draft.child = draft.child or entry.child
        self.closed.append(step)
        self._place(index, step, mark=Mark.CLOSES)
        for left in self.stage.leave(step):
            behind = self.steps[left]
            self._ends.drop(left, _keys(behind))
            behind.left = True
            self._ends.add(left, _keys(behind))


def _name(entry: RunEntry) -> Masked:
    return entry.path if entry.name is None else entry.name


def _names(step: RunEntry | Draft) -> tuple[Hashable, ...]:
    """Keys by which an end finds its step, the closest first."""
    name = _name(step) if isinstance(step, RunEntry) else step.name
    return (name, step.path, step.iteration), (name, step.path), name


def _keys(step: Draft) -> Iterator[Hashable]:
    """All keys under which a step without an end is kept."""
    sort: _Sort = "left" if step.left else "call" if step.by_call else "step"
    called = (step.child,) if step.by_call and step.child else ()
    return ((sort, key) for key in (*_names(step), *called))


def _loop(entry: RunEntry, turns: Turns, around: Draft | None, *, by_call: bool) -> tuple[Turns, bool]:
    """The turns of all loops around a step, and whether the turn of the innermost is known.

    A call of a workflow inside a loop names neither loop nor turn: turn 0 may be any turn.
    """
    if turns or around is None:
        return turns, True
    if around.kind not in LOOPS:
        return around.loop, True
    if by_call and not entry.iteration:
        return around.loop, False
    return (*around.loop, entry.iteration), True
