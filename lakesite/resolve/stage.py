"""What is open at one moment of a run: live steps, and the step in which a new event stands."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from lakesite.model import Id, Masked, RunEntry, StepStatus
from lakesite.resolve.crowd import Crowd, Register

Turns: TypeAlias = tuple[int, ...]
"""Turns of loops, outermost first."""

LOOPS = frozenset({"for_each", "while"})
CONTAINERS = LOOPS | {"parallel", "call_workflow"}
_MOST_DOTS = 8
"""So many levels above a dotted path are looked up; above that, what is open decides."""
_LONGEST_TURN = 18
"""Digits of a loop's turn in a path; more is part of a name."""


class Sure(IntEnum):
    """How an event came to its place."""

    NONE = 0
    """No agent step was open."""
    OWNER = 1
    """One agent step is its owner."""
    UNCLEAR = 2
    """Several agent steps were open."""


@dataclass(slots=True)
class Draft:
    """A step while its run is being walked through."""

    parent: int | None
    depth: int
    name: Masked
    kind: Masked | None
    path: Masked
    iteration: int
    turns: Turns
    """Turns of loops that its path names."""
    loop: Turns
    """Turns of all loops around it."""
    segment: int
    started: int
    child: Id | None
    container: bool
    by_call: bool
    """It was opened by `step.call_workflow.started` alone."""
    top: bool
    """No other step of its segment was open when it started."""
    attempt: int = 1
    completed: int | None = None
    failed: bool = False
    live: bool = True
    """Neither closed nor left behind by a container that closed."""
    left: bool = False
    """A container around it closed before it did."""

    @property
    def status(self) -> StepStatus:
        """A terminal step that was reached has done what it is for, whether its end was recorded or not."""
        if self.completed is not None:
            return "failed" if self.failed else "completed"
        if self.kind == "terminal":
            return "completed"
        return "cancelled" if self.left else "open"


@dataclass(slots=True)
class Stage:
    """The live steps of one segment; `steps` holds all steps of the run."""

    steps: list[Draft]
    live: int = 0
    _at: Register = field(default_factory=Register)
    """Live steps by path and turn."""
    _agents_at: Register = field(default_factory=Register)
    _agents: Crowd = field(init=False)
    _holders: dict[tuple[Turns, bool], Crowd] = field(default_factory=dict)
    """Live containers, by the turns in their path and whether they are loops."""
    _inner: dict[int | None, OrderedDict[int, None]] = field(default_factory=dict)
    """Live containers in each live container."""
    _children: dict[int, list[int]] = field(default_factory=dict)
    """Steps in each step of which no container has closed."""

    def __post_init__(self) -> None:
        self._agents = Crowd(self.steps)

    def at_path(self, entry: RunEntry) -> int | None:
        """The live step that has the path of an event, where one stands alone."""
        return self._at.sole(_by_path(entry))

    def owner(self, entry: RunEntry) -> tuple[int | None, Sure]:
        """The place of a message or a tool event: its agent step, or else the innermost step that must hold it."""
        if not self._agents:
            step = self.at_path(entry)
            return (self.around(entry) if step is None else step), Sure.NONE
        step = self._agents_at.sole(_by_path(entry))
        if step is None:
            return self._agents.common(), Sure.OWNER if len(self._agents) == 1 else Sure.UNCLEAR
        return step, Sure.OWNER

    def around(self, entry: RunEntry) -> int | None:
        """The step in which a new step stands.

        A dotted path names it. Else it is a container of the same loops as the path names, or the loop whose turn the path
        names last; of several the innermost step that holds them all. Else what is open decides.
        """
        above: str = entry.path
        for _ in range(_MOST_DOTS):
            above, dot, _ = above.rpartition(".")
            if not dot:
                break
            step = self._at.sole((above, (above, entry.iteration)))
            if step is not None:
                return step
        turns = turns_of(entry.path)
        crowd = self._holders.get((turns, False)) or (self._holders.get((turns[:-1], True)) if turns else None)
        return crowd.common() if crowd else self._innermost()

    def _innermost(self) -> int | None:
        """The innermost step that holds all live containers without a live container inside."""
        step: int | None = None
        while len(inner := self._inner.get(step, ())) == 1:
            step = next(iter(inner))
        return step

    def enter(self, step: int) -> None:
        """A step opens."""
        draft = self.steps[step]
        self.live += 1
        self._at.add(step, _by_path(draft))
        if draft.parent is not None:
            self._children.setdefault(draft.parent, []).append(step)
        if draft.kind == "agent":
            self._agents.add(step)
            self._agents_at.add(step, _by_path(draft))
        if draft.container:
            self._holders.setdefault((draft.turns, draft.kind in LOOPS), Crowd(self.steps)).add(step)
            self._inner.setdefault(self._container(draft), OrderedDict())[step] = None

    def leave(self, step: int) -> list[int]:
        """A step closes. Gives the steps without an end that this leaves behind: the end of a container cancels what is in it."""
        behind = self._below(step) if self.steps[step].container else []
        for left in (*behind, step):
            if self.steps[left].live:
                self._leave(left)
        return behind

    def _below(self, container: int) -> list[int]:
        """All steps inside a container that have not ended."""
        found: list[int] = []
        below = [container]
        while below:
            inside = self._children.pop(below.pop(), [])
            found += [step for step in inside if self.steps[step].completed is None]
            below += inside
        return found

    def _leave(self, step: int) -> None:
        draft = self.steps[step]
        draft.live = False
        self.live -= 1
        self._at.drop(step, _by_path(draft))
        if draft.kind == "agent":
            self._agents.drop(step)
            self._agents_at.drop(step, _by_path(draft))
        if draft.container:
            sort = (draft.turns, draft.kind in LOOPS)
            self._holders[sort].drop(step)
            if not self._holders[sort]:
                del self._holders[sort]
            around = self._container(draft)
            del self._inner[around][step]
            if not self._inner[around]:
                del self._inner[around]

    def _container(self, draft: Draft) -> int | None:
        """The nearest container around a step."""
        step = draft.parent
        while step is not None and not self.steps[step].container:
            step = self.steps[step].parent
        return step


def _by_path(step: RunEntry | Draft) -> tuple[Hashable, ...]:
    """Keys by which an event finds the step that has its path; the turn breaks a tie."""
    return (step.path, (step.path, step.iteration)) if step.path else ()


def turns_of(path: str) -> Turns:
    """The turns of the loops that a path like `loop:0/loop:2/step` names."""
    turns: list[int] = []
    if path.startswith("loop:"):
        for part in path.split("/"):
            digits = part.removeprefix("loop:")
            if digits == part or not (digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_TURN):
                break
            turns.append(int(digits))
    return tuple(turns)
