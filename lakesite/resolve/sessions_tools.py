"""Calls and results of a conversation, joined; Jeden's execution receipts, and what they leave open."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lakesite.model import Exchange, Side
from lakesite.model.sessions import NO_FIDELITY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lakesite.model import Key, LakeEntry, Masked
    from lakesite.resolve.sessions_order import Order

_NEVER_ANSWERED = frozenset({"web_search_call"})
"""`extra.kind` of calls whose results are recorded nowhere."""

_PENDING = frozenset({"requested", "started", "running", "pending"})
"""Statuses of an execution that has no outcome yet."""


@dataclass(slots=True)
class Joined:
    """Which results belong to which call, while it is being worked out."""

    answer: dict[int, int] = field(default_factory=dict)
    """The result of a call."""
    extra: dict[int, list[int]] = field(default_factory=dict)
    """Further results of a call."""
    by_position: set[int] = field(default_factory=set)
    """Calls that were joined by position."""

    def taken(self) -> set[int]:
        """All results that belong to a call."""
        return set(self.answer.values()).union(*self.extra.values())


def join(entries: Sequence[LakeEntry], order: Order, chain_of: Mapping[int, int]) -> Joined:
    """Join results to calls: by recorded identity first, then by position where neither has one."""
    joined = Joined()
    calls = [index for index in order.shown if entries[index].type == "tool_call"]
    by_event = _calls_by([(entries[call].event, call) for call in calls])
    by_id = _calls_by([(entries[call].id, call) for call in calls])
    named: dict[tuple[bool, Key], list[int]] = {}
    for index in order.shown:
        if entries[index].type == "tool_result" and (name := _identity(entries[index], by_event, by_id)):
            named.setdefault(name, []).append(index)
    # An event is one call for certain; an id may be used again, so it gets what events leave over.
    for is_id, key in sorted(named, key=lambda name: name[0]):
        _deal(joined, order, (by_id if is_id else by_event)[key], named[is_id, key])
    _join_by_position(joined, entries, order, chain_of)
    return joined


def _calls_by(pairs: Sequence[tuple[Key | None, int]]) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    for key, call in pairs:
        if key is not None:
            found.setdefault(key, []).append(call)
    return found


def _identity(result: LakeEntry, by_event: Mapping[Key, list[int]], by_id: Mapping[Key, list[int]]) -> tuple[bool, Key] | None:
    """What a result names its call by: the call's event, its id, or, in older ledgers, its parent; True: an id."""
    for is_id, key in ((False, result.request), (True, result.id), (False, result.parent)):
        if key is not None and key in (by_id if is_id else by_event):
            return is_id, key
    return None


def _deal(joined: Joined, order: Order, calls: Sequence[int], results: Sequence[int]) -> None:
    """Give calls and results of one identity to each other, nth to nth.

    Where results are more than calls, the ones too many are those that come while every call before them has its result.
    """
    open_calls = [call for call in calls if call not in joined.answer]
    too_many = len(results) - len(open_calls)
    waiting: deque[int] = deque()
    early: deque[int] = deque()
    answered = None if open_calls else calls[-1]
    called = set(open_calls)
    for index in sorted([*open_calls, *results], key=order.place.__getitem__):
        if index in called and early:
            answered = index
            joined.answer[answered] = early.popleft()
        elif index in called:
            waiting.append(index)
        elif waiting:
            answered = waiting.popleft()
            joined.answer[answered] = index
        elif too_many > 0 and answered is not None:
            joined.extra.setdefault(answered, []).append(index)
            too_many -= 1
        else:
            early.append(index)
    if answered is not None and early:
        joined.extra.setdefault(answered, []).extend(early)


def _join_by_position(joined: Joined, entries: Sequence[LakeEntry], order: Order, chain_of: Mapping[int, int]) -> None:
    """Join a result without identity to the call without identity right before it, if no other open call could be meant.

    A call is open until the next user row. Metadata, receipts and hook decisions do not come between.
    """
    taken = joined.taken()
    before: dict[int | None, int] = {}
    waiting: dict[int | None, Counter[Masked | None]] = {}
    for index in order.shown:
        entry, lane = entries[index], chain_of.get(index)
        if entry.type in ("meta", "hook_decision"):
            continue
        asked = waiting.setdefault(lane, Counter())
        call = before.get(lane)
        if entry.type == "user":
            asked.clear()
        elif entry.type == "tool_call" and _is_anonymous(entry):
            asked[entry.tool] += 1
        elif entry.type == "tool_result" and index not in taken and call is not None and _answers(entry, entries[call], asked):
            joined.answer[call] = index
            joined.by_position.add(call)
            asked[entries[call].tool] -= 1
        before[lane] = index


def _is_anonymous(call: LakeEntry) -> bool:
    return call.id is None and call.event is None and call.kind not in _NEVER_ANSWERED


def _answers(result: LakeEntry, call: LakeEntry, asked: Counter[Masked | None]) -> bool:
    if result.id or result.request or call.type != "tool_call" or not _is_anonymous(call):
        return False
    if result.tool is None:
        return asked.total() == 1
    return result.tool == call.tool and asked[call.tool] == 1


def exchanges(entries: Sequence[LakeEntry], order: Order, joined: Joined) -> tuple[Exchange, ...]:
    """Make the exchanges of a conversation, in order of their first side."""
    taken = joined.taken()
    found: list[tuple[int, Exchange]] = []
    for index in order.shown:
        if entries[index].type == "tool_call":
            answer = joined.answer.get(index)
            places = [order.place[side] for side in (index, answer) if side is not None]
            found.append((min(places), _exchange(entries, joined, index, answer)))
        elif entries[index].type == "tool_result" and index not in taken:
            found.append((order.place[index], _exchange(entries, joined, None, index)))
    return tuple(exchange for _, exchange in sorted(found, key=lambda pair: pair[0]))


def _exchange(entries: Sequence[LakeEntry], joined: Joined, call: int | None, result: int | None) -> Exchange:
    names = (entries[side].tool for side in (call, result) if side is not None)
    says_so = any(entries[side.entry].failed for side in _sides(call, result))
    how: Literal["id", "position", "none"] = "none"
    if call is not None and result is not None:
        how = "position" if call in joined.by_position else "id"
    return Exchange(
        calls=_sides(call),
        results=_sides(result),
        extra=() if call is None else _sides(*joined.extra.get(call, ())),
        name=next(filter(None, names), None),
        channel="other",
        fidelity=NO_FIDELITY,
        joined=how,
        failed=says_so or (None if result is None else entries[result].failed),
        step=None,
    )


def _sides(*indexes: int | None) -> tuple[Side, ...]:
    return tuple(Side(index, -1) for index in indexes if index is not None)


def receipts(entries: Sequence[LakeEntry], order: Order, made: Sequence[Exchange]) -> dict[int, int]:
    """Find the exchange that each receipt belongs to: the one whose call it requests, or in whose call a tool receipt stands."""
    of_event: dict[Key, int] = {}
    for number, exchange in enumerate(made):
        for side in exchange.calls:
            if (event := entries[side.entry].event) is not None:
                of_event.setdefault(event, number)
    found: dict[int, int] = {}
    for index in order.shown:
        entry = entries[index]
        link = entry.parent if entry.request is None and entry.tool_receipt else entry.request
        if entry.receipt and link in of_event:
            found[index] = of_event[link]
    return found


def unfinished(entries: Sequence[LakeEntry], order: Order, joined: Joined) -> int:
    """Count execution requests without an outcome: no later status, and no result of the call that they are about."""
    done: set[Key | None] = {entries[call].event for call in joined.answer}
    asked: list[Key | None] = []
    for execution, status in _executions(entries, order):
        if status in _PENDING:
            asked.append(execution)
        elif status is not None:
            done.add(execution)
    done.discard(None)
    nameless = asked.count(None)
    return len({execution for execution in asked if execution is not None} - done) + nameless


def _executions(entries: Sequence[LakeEntry], order: Order) -> Iterator[tuple[Key | None, str | None]]:
    """Yield each receipt's execution, named by what was requested, and its status."""
    for index in order.shown:
        entry = entries[index]
        if entry.receipt:
            yield entry.request or entry.event, entry.receipt_status.casefold() if entry.receipt_status else None
