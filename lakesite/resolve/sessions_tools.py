"""Calls and results of a conversation, joined; Jeden's execution receipts, and what they leave open."""

from __future__ import annotations

from array import array
from collections import Counter, deque
from typing import TYPE_CHECKING, Literal

from lakesite.model import Exchange, Side
from lakesite.model.sessions import NO_FIDELITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lakesite.model import Key, LakeEntry, Masked
    from lakesite.resolve.sessions_order import Order

_NEVER_ANSWERED = frozenset({"web_search_call"})
"""`extra.kind` of calls whose results are recorded nowhere."""

_PENDING = frozenset({"requested", "started", "running", "pending"})
"""Statuses of an execution that has no outcome yet."""


class Joined:
    """Which results belong to which call, while it is being worked out."""

    def __init__(self, count: int) -> None:
        """`count`: entries of the conversation."""
        self._other = array("i", [-1]) * count
        """The result of each call, and the call of each result."""
        self.extra: dict[int, list[int]] = {}
        """Further results of a call."""
        self.by_position: set[int] = set()
        """Calls that were joined by position."""

    def put(self, call: int, result: int) -> None:
        """A call and a result belong together."""
        self._other[call], self._other[result] = result, call

    def put_extra(self, call: int, results: Iterable[int]) -> None:
        """Further results belong to a call that has one."""
        for result in results:
            self._other[result] = call
            self.extra.setdefault(call, []).append(result)

    def other(self, index: int) -> int | None:
        """The result of a call; the call of a result, also of a further one."""
        return None if (other := self._other[index]) < 0 else other

    def is_extra(self, result: int) -> bool:
        """Whether it is a further result of its call."""
        call = self._other[result]
        return call >= 0 and self._other[call] != result


class _Named:
    """Indexes of entries under names. Most names have a single one, whose index is what the name is called then."""

    def __init__(self) -> None:
        self._first: dict[Key, int] = {}
        self._more: dict[int, list[int]] = {}

    def add(self, key: Key | None, index: int) -> None:
        """Put an entry under a name, if it has one."""
        if key is None:
            return
        first = self._first.setdefault(key, index)
        if first != index:
            self._more.setdefault(first, []).append(index)

    def first(self, key: Key | None) -> int | None:
        """The first entry under a name."""
        return None if key is None else self._first.get(key)

    def all(self, first: int) -> list[int]:
        """All entries of the name of which this is the first."""
        return [first, *self._more.get(first, ())]


def join(entries: Sequence[LakeEntry], order: Order, chain_of: Sequence[int]) -> Joined:
    """Join results to calls: by recorded identity first, then by position where neither has one."""
    joined = Joined(len(entries))
    by_event, by_id = _Named(), _Named()
    for index in order.shown:
        entry = entries[index]
        if entry.type == "tool_call":
            by_event.add(entry.event, index)
            by_id.add(entry.id, index)
    of_event: dict[int, list[int]] = {}
    of_id: dict[int, list[int]] = {}
    for index in order.shown:
        entry = entries[index]
        if entry.type == "tool_result":
            # What it names its call by: the call's event, its id, or, in older ledgers, its parent.
            event, call = by_event.first(entry.request), by_id.first(entry.id)
            if event is None and call is None:
                event = by_event.first(entry.parent)
            if event is not None:
                of_event.setdefault(event, []).append(index)
            elif call is not None:
                of_id.setdefault(call, []).append(index)
    # An event is one call for certain; an id may be used again, so it gets what events leave over.
    for named, results in ((by_event, of_event), (by_id, of_id)):
        for call, found in results.items():
            _deal(joined, order, named.all(call), found)
    _join_by_position(joined, entries, order, chain_of)
    return joined


def _deal(joined: Joined, order: Order, calls: Sequence[int], results: Sequence[int]) -> None:
    """Give calls and results of one identity to each other, nth to nth.

    Where results are more than calls, the ones too many are those that come while every call before them has its result.
    """
    open_calls = [call for call in calls if joined.other(call) is None]
    too_many = len(results) - len(open_calls)
    waiting: deque[int] = deque()
    early: deque[int] = deque()
    answered = None if open_calls else calls[-1]
    called = set(open_calls)
    for index in sorted([*open_calls, *results], key=order.place.__getitem__):
        if index in called and early:
            answered = index
            joined.put(answered, early.popleft())
        elif index in called:
            waiting.append(index)
        elif waiting:
            answered = waiting.popleft()
            joined.put(answered, index)
        elif too_many > 0 and answered is not None:
            joined.put_extra(answered, [index])
            too_many -= 1
        else:
            early.append(index)
    if answered is not None and early:
        joined.put_extra(answered, early)


def _join_by_position(joined: Joined, entries: Sequence[LakeEntry], order: Order, chain_of: Sequence[int]) -> None:
    """Join a result without identity to the call without identity right before it, if no other open call could be meant.

    A call is open until the next user row. Metadata, receipts and hook decisions do not come between.
    """
    before: dict[int, tuple[int, LakeEntry]] = {}
    waiting: dict[int, Counter[Masked | None]] = {}
    for index in order.shown:
        entry, lane = entries[index], chain_of[index]
        if entry.type in ("meta", "hook_decision"):
            continue
        asked = waiting.setdefault(lane, Counter())
        if entry.type == "user":
            asked.clear()
        elif entry.type == "tool_call" and _is_anonymous(entry):
            asked[entry.tool] += 1
        elif entry.type == "tool_result" and lane in before and joined.other(index) is None:
            at, call = before[lane]
            if _answers(entry, call, asked):
                joined.put(at, index)
                joined.by_position.add(at)
                asked[call.tool] -= 1
        before[lane] = index, entry


def _is_anonymous(call: LakeEntry) -> bool:
    return call.id is None and call.event is None and call.kind not in _NEVER_ANSWERED


def _answers(result: LakeEntry, call: LakeEntry, asked: Counter[Masked | None]) -> bool:
    if result.id or result.request or call.type != "tool_call" or not _is_anonymous(call):
        return False
    if result.tool is None:
        return asked.total() == 1
    return result.tool == call.tool and asked[call.tool] == 1


def exchanges(entries: Sequence[LakeEntry], order: Order, joined: Joined) -> Iterator[Exchange]:
    """Make the exchanges of a conversation, in order of their first side."""
    for index in order.shown:
        kind = entries[index].type
        if kind in ("tool_call", "tool_result"):
            other = joined.other(index)
            if kind == "tool_result" and joined.is_extra(index):
                continue
            if other is None or order.place[index] < order.place[other]:
                call, result = (index, other) if kind == "tool_call" else (other, index)
                yield _exchange(entries, joined, call, result)


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
    asked: Counter[Key | None] = Counter()
    done: set[Key | None] = set()
    for execution, status in _executions(entries, order):
        if status in _PENDING:
            asked[execution] += 1
        elif status is not None:
            done.add(execution)
    if not asked:
        return 0
    done.update(entries[call].event for call in order.shown if entries[call].type == "tool_call" and joined.other(call) is not None)
    return sum(execution not in done for execution in asked if execution is not None) + asked[None]


def _executions(entries: Sequence[LakeEntry], order: Order) -> Iterator[tuple[Key | None, str | None]]:
    """Yield each receipt's execution, named by what was requested, and its status."""
    for index in order.shown:
        entry = entries[index]
        if entry.receipt:
            yield entry.request or entry.event, entry.receipt_status.casefold() if entry.receipt_status else None
