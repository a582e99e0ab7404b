"""Runs as their files record them: events in full, entries without texts."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from lakesite.model.values import Id, Instant, Json, Key, Masked, Origin, Recorded

_NUMBERS = 2**64
"""Where the numbers of lines and turns end."""


def usable(number: int | None) -> int | None:
    """The number of a line or of a turn; None where it can be none."""
    return number if number is not None and 0 <= number < _NUMBERS else None


class StepPayload(NamedTuple):
    """Payload of `step.*` and `run.*` events (reference: StepPayload)."""

    name: Masked | None
    kind: Masked | None
    error: Recorded
    result: Recorded
    more: dict[Masked, Json]
    """Fields that the reference does not name."""


class Block(NamedTuple):
    """One content block of a message (reference: ContentBlock)."""

    type: Masked
    fidelity: Masked
    text: Masked | None
    """Text of `text`, `thinking`, `command` and `stream` blocks; None: not recorded."""
    name: Masked | None
    id: Masked | None
    input: Recorded
    content: Recorded
    more: dict[Masked, Json]


class MessagePayload(NamedTuple):
    """Payload of `message.*` events; also a bare array of blocks."""

    role: Masked
    blocks: tuple[Block, ...]
    more: dict[Masked, Json]


class ToolPayload(NamedTuple):
    """Payload of `tool.*` events."""

    name: Masked | None
    call_id: Masked | None
    input: Recorded
    output: Recorded
    error: Recorded
    fidelity: Masked
    more: dict[Masked, Json]


class OtherPayload(NamedTuple):
    """A payload of a shape that the reference does not know; kept as it is."""

    value: Json


Payload: TypeAlias = StepPayload | MessagePayload | ToolPayload | OtherPayload | None


class RunEvent(NamedTuple):
    """One line of a run file, in full."""

    type: Masked
    path: Masked
    time: Masked | None
    """The recorded spelling of its time."""
    payload: Payload
    more: dict[Masked, Json]
    """Envelope fields that the reference does not name."""


RunType = Literal[
    "run.started",
    "run.completed",
    "step.started",
    "step.completed",
    "step.call_workflow.started",
    "step.call_workflow.completed",
    "message.user",
    "message.assistant",
    "tool.call",
    "tool.result",
    "unknown",
]
Shape = Literal["message", "tool", "step", "other", "none"]


class Side(NamedTuple):
    """Where one side of a tool exchange, a call or a result, was recorded."""

    entry: int
    """Index of its entry in the document."""
    block: int
    """Index of its block in the message; -1: the event itself."""


class Part(NamedTuple):
    """A call or a result as an entry holds it: all that pairing needs, no text."""

    block: int
    """Index of its block in the message; -1: the event itself."""
    result: bool
    """A result; else a call."""
    id: Key | None
    """The recorded `call_id` or `tool_id`; None where it is missing, null or empty. A number is its spelling."""
    name: Masked | None
    """The recorded tool name; None where it is missing or empty."""
    bare_name: Key | None
    """The name without an `mcp__<server>__` prefix."""
    input: Key | None
    """The input as a JSON value (objects without order, numbers by value, a string that parses as what it parses to)."""
    fidelity: Masked
    """`router`, `agent_emitted`, or whatever else was recorded; empty where nothing was."""
    failed: bool
    """It says so itself: `error`, `IsError`, `isError`, `is_error`."""


class RunEntry(NamedTuple):
    """One event of a run, without its texts."""

    origin: Origin
    seq: int | None
    type: RunType
    shape: Shape
    path: Masked
    iteration: int
    time: Instant | None
    """None where none was recorded, Go's zero time included."""
    parent: Id | None
    child: Id | None
    name: Masked | None
    """Step or workflow name of a step payload; a step without a payload takes the last part of its path."""
    kind: Masked | None
    """Step kind of a step payload."""
    failed: bool
    """A step payload with an error."""
    role: Masked | None
    """Role of a message."""
    parts: tuple[Part, ...]
    digest: Key
    """Digest of the record's bytes: identical lines count once."""
