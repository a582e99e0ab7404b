"""A conversation resolved: its order, who said what, its tool exchanges, its sub-agents, how it ended and what it used."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lakesite.model import Chain, Counts, Session, Tokens
from lakesite.resolve.sessions_chains import callers, chains
from lakesite.resolve.sessions_order import in_order
from lakesite.resolve.sessions_people import notices
from lakesite.resolve.sessions_rows import Layout
from lakesite.resolve.sessions_tools import exchanges, join, receipts, unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lakesite.model import Keep, LakeEntry, LakeType, Masked, ProblemKind
    from lakesite.resolve.sessions_order import Order

_Problem = tuple["ProblemKind", int, str]
_TURN: frozenset[LakeType] = frozenset({"user", "assistant", "tool_call"})
"""Types that tell how a conversation ended."""


def resolve_session(entries: Sequence[LakeEntry], keep: Keep = tuple) -> Session:
    """Work out what the rows of one conversation mean together; `entries` are in reading order. `keep` holds what is made of each."""
    order = in_order(entries)
    chain_of, first = chains(entries, order)
    joined = join(entries, order, chain_of)
    made = keep(exchanges(entries, order, joined))
    notes = notices(entries, order)
    prompts = [index for index in order.shown if entries[index].type == "user" and index not in notes]
    caller = callers(entries, order, first, made, prompts)
    started = tuple(Chain(index, caller.get(number)) for number, index in enumerate(first))
    rows = keep(Layout(entries, order, made, receipts(entries, order, made), started, chain_of, notes).rows())
    own = _own(entries, order.shown)
    used = _used(entries, own)
    return Session(
        rows=rows,
        exchanges=made,
        chains=started,
        prompts=tuple(number for number, row in enumerate(rows) if row.what == "prompt"),
        interruption=_interruption(entries, own),
        tokens=used.tokens,
        repeated=sum(order.copies.get(index, 0) for index in own),
        events=len(own),
        unfinished=unfinished(entries, order, joined),
        projects=tuple(used.projects),
        models=tuple(used.models),
        machines=tuple(used.machines),
        problems=tuple(_problems(entries, order)),
    )


def counts(session: Session, entries: Sequence[LakeEntry]) -> Counts:
    """Count what a resolved conversation holds. Errors are the rows that a page marks as failed, hooks and receipts aside."""
    rows, made = Counter[str](), Counter[str]()
    for row in session.rows:
        rows[row.what] += 1
        if row.what == "hook":
            rows["block"] += entries[row.entry].decision == "block"
        elif row.what not in ("exchange", "receipt"):
            rows["failed"] += bool(entries[row.entry].failed)
    for exchange in session.exchanges:
        made["calls"] += len(exchange.calls)
        made["results"] += len(exchange.results) + len(exchange.extra)
        made["extra"] += len(exchange.extra)
        made[exchange.joined] += 1
        made["no result"] += not exchange.results
        made["no call"] += not exchange.calls
        made["failed"] += exchange.failed is True
    return Counts(
        events=session.events,
        repeated=session.repeated,
        messages=rows["prompt"] + rows["notice"] + rows["assistant"],
        calls=made["calls"],
        results=made["results"],
        paired=made["id"],
        exchanges=len(session.exchanges),
        no_result=made["no result"],
        no_call=made["no call"],
        extra_result=made["extra"],
        positional=made["position"],
        errors=made["failed"] + rows["failed"],
        hook_decisions=rows["hook"],
        hook_blocks=rows["block"],
        receipts=rows["receipt"],
        unfinished=session.unfinished,
    )


def _own(entries: Sequence[LakeEntry], shown: Sequence[int]) -> Sequence[int]:
    """Rows of the conversation itself: without the hook decisions that join it, unless there is nothing else."""
    return array("i", (index for index in shown if entries[index].type != "hook_decision")) or shown


def _interruption(entries: Sequence[LakeEntry], own: Sequence[int]) -> Literal["unanswered", "cut_off_mid_tool"] | None:
    """How a conversation was interrupted, by its last turn; turns without a time count only where no turn has one."""
    last: LakeEntry | None = None
    for index in reversed(own):
        entry = entries[index]
        if entry.type in _TURN:
            last = last or entry
            if entry.time is not None:
                last = entry
                break
    match last.type if last else None:
        case "user":
            return "unanswered"
        case "tool_call":
            return "cut_off_mid_tool"
        case _:
            return None


@dataclass(slots=True)
class _Used:
    """What a conversation used, each name once, by first use."""

    tokens: Tokens
    projects: dict[Masked, None] = field(default_factory=dict)
    models: dict[Masked, None] = field(default_factory=dict)
    machines: dict[Masked, None] = field(default_factory=dict)


def _used(entries: Sequence[LakeEntry], own: Sequence[int]) -> _Used:
    """Gather names and sum the recorded counters; what nobody reported is None, not 0."""
    used = _Used(Tokens(None, None, 0, len(own)))
    tokens_in: int | None = None
    tokens_out: int | None = None
    reported = 0
    for index in own:
        entry = entries[index]
        for names, name in ((used.projects, entry.project), (used.models, entry.model), (used.machines, entry.machine)):
            if name:
                names[name] = None
        if entry.tokens_in is not None:
            tokens_in = (tokens_in or 0) + entry.tokens_in
        if entry.tokens_out is not None:
            tokens_out = (tokens_out or 0) + entry.tokens_out
        reported += entry.tokens_in is not None or entry.tokens_out is not None
    used.tokens = Tokens(tokens_in, tokens_out, reported, len(own))
    return used


def _problems(entries: Sequence[LakeEntry], order: Order) -> Iterator[_Problem]:
    """Yield what a reader should know of the input, each kind once, at its first row."""
    timeless: list[int] = []
    types: dict[Masked, list[int]] = {}
    for index in order.shown:
        entry = entries[index]
        if entry.time is None:
            timeless.append(index)
        if entry.type == "unknown":
            types.setdefault(entry.known_as, []).append(index)
    if timeless:
        yield ("no-time", timeless[0], f"{_rows(len(timeless))} without a usable time: ordered by place in the file")
    for unknown in types.values():
        yield ("unknown-type", unknown[0], f"{_rows(len(unknown))} of a type that the reference does not name")
    if order.copies:
        repeated = min(order.copies, key=lambda index: order.place[index])
        yield ("repeated-line", repeated, f"{_rows(sum(order.copies.values()))} written again; each is shown once")


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"
