"""A conversation resolved: its order, who said what, its tool exchanges, its sub-agents, how it ended and what it used."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from lakesite.model import Chain, Counts, Session, Tokens
from lakesite.resolve.sessions_chains import callers, chains
from lakesite.resolve.sessions_order import in_order
from lakesite.resolve.sessions_people import notices
from lakesite.resolve.sessions_rows import Layout
from lakesite.resolve.sessions_tools import exchanges, join, receipts, unfinished

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lakesite.model import LakeEntry, LakeType, Masked, ProblemKind
    from lakesite.resolve.sessions_order import Order

_Problem = tuple["ProblemKind", int, str]
_TURN: frozenset[LakeType] = frozenset({"user", "assistant", "tool_call"})
"""Types that tell how a conversation ended."""


def resolve_session(entries: Sequence[LakeEntry]) -> Session:
    """Work out what the rows of one conversation mean together; `entries` are in reading order."""
    order = in_order(entries)
    chain_of, first = chains(entries, order)
    joined = join(entries, order, chain_of)
    made = exchanges(entries, order, joined)
    notes = notices(entries, order)
    prompts = [index for index in order.shown if entries[index].type == "user" and index not in notes]
    caller = callers(entries, order, first, made, prompts)
    started = tuple(Chain(index, caller.get(number)) for number, index in enumerate(first))
    rows = Layout(entries, order, made, receipts(entries, order, made), started, chain_of, notes).rows()
    own = _own(entries, order.shown)
    return Session(
        rows=rows,
        exchanges=made,
        chains=started,
        prompts=tuple(number for number, row in enumerate(rows) if row.what == "prompt"),
        interruption=_interruption(entries, own),
        tokens=_tokens(entries, own),
        repeated=sum(order.copies.get(index, 0) for index in own),
        events=len(own),
        unfinished=unfinished(entries, order, joined),
        projects=_used(entries[index].project for index in own),
        models=_used(entries[index].model for index in own),
        machines=_used(entries[index].machine for index in own),
        problems=tuple(_problems(entries, order)),
    )


def counts(session: Session, entries: Sequence[LakeEntry]) -> Counts:
    """Count what a resolved conversation holds. Errors are the rows that a page marks as failed, hooks and receipts aside."""
    results = [side.entry for exchange in session.exchanges for side in (*exchange.results, *exchange.extra)]
    said = [row for row in session.rows if row.what not in ("exchange", "hook")]
    failed = [row for row in said if row.what != "receipt" and entries[row.entry].failed]
    hooks = [entries[row.entry] for row in session.rows if row.what == "hook"]
    calls = [side.entry for exchange in session.exchanges for side in exchange.calls]
    return Counts(
        events=session.events,
        repeated=session.repeated,
        messages=sum(row.what in ("prompt", "notice", "assistant") for row in said),
        calls=len(calls),
        results=len(results),
        paired=sum(exchange.joined == "id" for exchange in session.exchanges),
        exchanges=len(session.exchanges),
        no_result=sum(not exchange.results for exchange in session.exchanges),
        no_call=sum(not exchange.calls for exchange in session.exchanges),
        extra_result=sum(len(exchange.extra) for exchange in session.exchanges),
        positional=sum(exchange.joined == "position" for exchange in session.exchanges),
        errors=sum(exchange.failed is True for exchange in session.exchanges) + len(failed),
        hook_decisions=len(hooks),
        hook_blocks=sum(hook.decision == "block" for hook in hooks),
        receipts=sum(row.what == "receipt" for row in said),
        unfinished=session.unfinished,
    )


def _own(entries: Sequence[LakeEntry], shown: Sequence[int]) -> list[int]:
    """Rows of the conversation itself: without the hook decisions that join it, unless there is nothing else."""
    return [index for index in shown if entries[index].type != "hook_decision"] or list(shown)


def _interruption(entries: Sequence[LakeEntry], own: Sequence[int]) -> Literal["unanswered", "cut_off_mid_tool"] | None:
    """How a conversation was interrupted, by its last turn; turns without a time count only where no turn has one."""
    turns = [entries[index] for index in own if entries[index].type in _TURN]
    timed = [entry for entry in turns if entry.time is not None]
    match (timed or turns)[-1:]:
        case [entry] if entry.type == "user":
            return "unanswered"
        case [entry] if entry.type == "tool_call":
            return "cut_off_mid_tool"
        case _:
            return None


def _tokens(entries: Sequence[LakeEntry], own: Sequence[int]) -> Tokens:
    """Sum the recorded counters; what nobody reported is None, not 0."""
    tokens_in = [entries[index].tokens_in for index in own]
    tokens_out = [entries[index].tokens_out for index in own]
    reported = sum(one is not None or other is not None for one, other in zip(tokens_in, tokens_out, strict=True))
    return Tokens(_sum(tokens_in), _sum(tokens_out), reported, len(own))


def _sum(counters: Iterable[int | None]) -> int | None:
    recorded = [counter for counter in counters if counter is not None]
    return sum(recorded) if recorded else None


def _used(values: Iterable[Masked | None]) -> tuple[Masked, ...]:
    """Each value once, by first use."""
    return tuple(dict.fromkeys(value for value in values if value))


def _problems(entries: Sequence[LakeEntry], order: Order) -> Iterator[_Problem]:
    """Yield what a reader should know of the input, each kind once, at its first row."""
    timeless = [index for index in order.shown if entries[index].time is None]
    if timeless:
        yield ("no-time", timeless[0], f"{_rows(len(timeless))} without a usable time: ordered by place in the file")
    unknown = [index for index in order.shown if entries[index].type == "unknown"]
    types = Counter(entries[index].known_as for index in unknown)
    first = {entries[index].known_as: index for index in reversed(unknown)}
    for kind, number in types.items():
        yield ("unknown-type", first[kind], f"{_rows(number)} of a type that the reference does not name")
    if order.copies:
        repeated = min(order.copies, key=lambda index: order.place[index])
        yield ("repeated-line", repeated, f"{_rows(sum(order.copies.values()))} written again; each is shown once")


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"
