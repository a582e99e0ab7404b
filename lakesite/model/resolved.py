"""Runs resolved: steps, tool exchanges, the order of a page, and the forest that runs stand in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from lakesite.model.runs import Side
from lakesite.model.values import Id, Instant, Masked, ProblemKind

StepStatus = Literal["completed", "failed", "open", "cancelled"]


class Step(NamedTuple):
    """One step of a run, from its start to its end."""

    parent: int | None
    """Index of the step that contains it, in `Run.steps`."""
    depth: int
    """Number of steps around it."""
    name: Masked
    kind: Masked | None
    path: Masked
    iteration: int
    loop: tuple[int, ...]
    """The turns of the loops around it, outermost first, as its path or its iteration says."""
    attempt: int
    """How often the same step was started at the same place before, plus one."""
    segment: int
    """Index of the segment (a resumed run has several)."""
    started: int
    """Index of the entry that opened it."""
    completed: int | None
    """Index of the entry that closed it."""
    status: StepStatus
    """`cancelled`: its container closed without it, its end was not recorded."""
    child: Id | None
    """The run that it called."""


class Exchange(NamedTuple):
    """A tool call with what came back, or as much of it as was recorded."""

    calls: tuple[Side, ...]
    """Where the call was recorded: nowhere, once, or (merged) by an event and by a block of a message, the event first."""
    results: tuple[Side, ...]
    """Its results, one a channel."""
    extra: tuple[Side, ...]
    """Further results for a call that already has one."""
    name: Masked | None
    channel: Literal["router", "agent", "both", "other"]
    fidelity: Masked
    """The recorded fidelity of one side: of a side that is neither router nor agent, if there is one."""
    joined: Literal["id", "single", "position", "none"]
    """How call and result came together: by recorded id, as the only candidates, by position; none: they did not."""
    failed: bool | None
    """Its call or one of its results says so; further ones have no say. None: no outcome was recorded."""
    step: int | None
    """Index of the step that owns it."""


class Opens(NamedTuple):
    """A step begins."""

    step: int


class Closes(NamedTuple):
    """A step ends here (nothing is shown for one that is empty and went well)."""

    step: int


class Said(NamedTuple):
    """A message, or any event that is neither a step nor a tool boundary, in its place."""

    entry: int
    unclear: bool
    """Several agent steps were open: it stands under the innermost step that holds them all."""


class Called(NamedTuple):
    """A tool exchange that an event of its own records; those that only blocks record stand inside their message."""

    exchange: int
    unclear: bool


class Resumes(NamedTuple):
    """A second or later segment begins."""

    segment: int


Row: TypeAlias = Opens | Closes | Said | Called | Resumes


class Run(NamedTuple):
    """One run, resolved: its steps, its tool exchanges and the order in which a page shows them."""

    steps: tuple[Step, ...]
    """In order of start."""
    exchanges: Sequence[Exchange]
    """In order of their first side."""
    rows: Sequence[Row]
    """In page order: a step's rows stand between its `Opens` and its `Closes`, steps inside it nested."""
    segments: tuple[int, ...]
    """For each segment, the index of its first entry in reading order."""
    derived: Literal["completed", "failed", "unfinished"]
    """What the run's own events say of its end."""
    recorded: Literal["completed", "failed"] | None
    """What `run.completed` with a payload says."""
    failing: int | None
    """Index of the step that made it fail, if it did fail: this is known before all witnesses are heard. None: no step failed."""
    problems: tuple[tuple[ProblemKind, int, str], ...]
    """Kind, index of the entry, words: holes and conflicts of `seq`, repeated lines."""
    repeated: int
    """Lines that stood twice, byte for byte; counted once."""


class Claim(NamedTuple):
    """What a calling run says of a run that it called."""

    child: Id
    failed: bool | None
    """The word of `step.call_workflow.completed`; None: its end was not recorded."""


class RunLinks(NamedTuple):
    """All that a run says about its place among others."""

    id: Id
    first: Instant | None
    """Its first usable time."""
    parents: tuple[Id, ...]
    """Every parent that its lines name, in order, each once."""
    claims: tuple[Claim, ...]
    """Every child that its steps name, in order, each once."""


LinkNote = Literal[
    "one-sided link", "cycle cut here", "names itself", "also claimed by", "names a missing parent", "shown under another parent"
]


class Place(NamedTuple):
    """Where a run stands in the forest."""

    parent: Id | None
    """The run under which it is shown."""
    missing_parent: Id | None
    """A parent that it names and that is not in this archive."""
    children: tuple[Id, ...]
    """Runs shown under it, in the order of its claims, then by time."""
    missing: tuple[Id, ...]
    """Children that it names and that are not in this archive."""
    links: tuple[Id, ...]
    """Children that it names and that are shown under another run, itself included."""
    claimants: tuple[Id, ...]
    """Runs that name it as a child, other than `parent`."""
    notes: tuple[tuple[LinkNote, Id | None], ...]
    """What is odd about its links, each with the other run that it is about."""
    word: Literal["completed", "failed"] | None
    """How the run that it is shown under says that it ended."""
