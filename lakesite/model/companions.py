"""What stands beside the transcripts: state files, the audit trail, labels."""

from __future__ import annotations

from dataclasses import dataclass

from lakesite.model.values import Instant, Json, Masked


@dataclass(frozen=True, slots=True)
class StepState:
    """What a state file says of one step; of a step in a loop, of its last turn."""

    status: Masked | None
    output: Masked | None
    """Standard output; None: not recorded or empty."""
    stderr: Masked | None
    error: Masked | None
    exit_code: int | None
    attempt: int | None
    """The attempt that ended it, from 1."""
    tokens_in: int | None
    tokens_out: int | None
    estimated: bool
    """The token counts are estimates."""
    truncated: bool
    """The output was cut by the writer."""
    started: Instant | None
    completed: Instant | None
    more: dict[Masked, Json]
    """What else it holds, and what is of another type than it should be; empty values left aside."""


@dataclass(frozen=True, slots=True)
class RunState:
    """The state file of a run."""

    name: Masked | None
    """Name of the workflow."""
    status: Masked | None
    terminal: Masked | None
    """The step that the run had reached."""
    exit_code: int | None
    inputs: Json
    env: Json
    steps: dict[Masked, StepState]
    started: Instant | None
    completed: Instant | None
    more: dict[Masked, Json]
    """What else it holds, and what is of another type than it should be; empty values left aside."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What the audit trail says of a run."""

    name: Masked | None
    status: Masked | None
    """None: no `workflow.completed` line."""
    exit_code: int | None
    error: Masked | None
    inputs: Json
    user: Masked | None
    started: Instant | None
    completed: Instant | None
    duration_ms: int | None
    more: dict[Masked, Json]
    """What else its lines hold, and what is of another type than it should be; empty values left aside."""


@dataclass(frozen=True, slots=True)
class Label:
    """The latest label of one aspect of a conversation."""

    aspect: Masked
    value: Masked
    note: Masked | None
    source: Masked | None
    time: Instant | None
    file: Masked
    """The file that it stands in."""
    more: dict[Masked, Json]
    """Fields that the reference does not name, and named ones of another type than it says."""
