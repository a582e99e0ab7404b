"""Conversations: canonical events in full, entries without texts, and what they mean together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from lakesite.model.resolved import Exchange
from lakesite.model.values import Instant, Json, Key, Masked, Origin, ProblemKind

TOOL_IDS = ("tool_call_id", "tool_use_id", "call_id")
"""Where `extra` tells which call it is, newest first."""
NO_FIDELITY = Masked("")
"""The fidelity of exchanges in conversations: canonical events record none."""


class LakeEvent(NamedTuple):
    """One canonical event, in full."""

    ts: Masked | None
    runtime: Masked
    machine: Masked | None
    project: Masked | None
    type: Masked
    text: Masked | None
    tool_name: Masked | None
    model: Masked | None
    extra: dict[Masked, Json]
    more: dict[Masked, Json]
    """Fields that the reference does not name, and named ones of another type than it says."""


LakeType = Literal["user", "assistant", "thinking", "tool_call", "tool_result", "meta", "hook_decision", "unknown"]


class LakeEntry(NamedTuple):
    """One canonical event, without its text."""

    origin: Origin
    time: Instant | None
    type: LakeType
    known_as: Masked
    """The recorded event type."""
    tool: Masked | None
    """`tool_name`; for hook decisions the hook."""
    id: Key | None
    """Tool identity: `extra.tool_call_id`, `tool_use_id` or `call_id`."""
    event: Key | None
    """`extra.eventId`."""
    parent: Key | None
    """`extra.parentId`."""
    request: Key | None
    """`extra.requestEvent`."""
    sequence: int | None
    """`extra.sequence`."""
    receipt: bool
    """A Jeden execution receipt (`extra.recordType` of a meta event)."""
    receipt_status: Masked | None
    """`extra.status` of a receipt."""
    tool_receipt: bool
    """A receipt of `operationKind` tool."""
    failed: bool | None
    """`extra.is_error`; None: not recorded."""
    kind: Masked | None
    """`extra.kind`."""
    subtype: Masked | None
    """`extra.subtype`."""
    sidechain: bool
    """A sub-agent's turn inside the session."""
    stem: Key | None
    """`extra.source_stem_hash`."""
    decision: Masked | None
    """`extra.decision` of a hook decision."""
    tokens_in: int | None
    tokens_out: int | None
    model: Masked | None
    project: Masked | None
    machine: Masked | None
    same: Key
    """Digest of all fields but `project`, `model` and `extra.source_stem_hash`: rows written again have the same."""
    start: Masked
    """First words of a user's text (masked, then cut), for titles and the index of prompts; empty for other types."""


class Chain(NamedTuple):
    """A sub-agent's turns, together."""

    first: int
    """Index of its first entry."""
    call: int | None
    """Index of the exchange that started it, where that is certain."""


class SessionRow(NamedTuple):
    """One thing that a session page shows."""

    what: Literal["prompt", "notice", "assistant", "thinking", "exchange", "meta", "hook", "receipt", "other"]
    """`notice`: a user row that no person typed."""
    entry: int
    """Index of the entry; of an exchange, its first recorded side."""
    exchange: int | None
    """Index of the exchange, for exchanges and for receipts that belong to one."""
    chain: int | None
    """Index of the side chain that it belongs to."""
    repeats: int
    """How often the same row was written again."""


class Tokens(NamedTuple):
    """Sums of recorded counters; they may repeat."""

    tokens_in: int | None
    """None: not reported."""
    tokens_out: int | None
    reported: int
    """Events that report any."""
    of: int
    """Events in all."""


class Session(NamedTuple):
    """One conversation, resolved."""

    rows: Sequence[SessionRow]
    exchanges: Sequence[Exchange]
    """`step` is None throughout."""
    chains: tuple[Chain, ...]
    prompts: tuple[int, ...]
    """Indexes into `rows` of what the person typed."""
    interruption: Literal["unanswered", "cut_off_mid_tool"] | None
    tokens: Tokens
    repeated: int
    """Rows that were written again and are shown once."""
    events: int
    """Rows of the conversation itself: hook decisions that join it and repeats left out."""
    unfinished: int
    """Execution requests without an outcome."""
    projects: tuple[Masked, ...]
    """By time of first use."""
    models: tuple[Masked, ...]
    machines: tuple[Masked, ...]
    problems: tuple[tuple[ProblemKind, int, str], ...]
