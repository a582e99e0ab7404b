"""Tool calls joined with their results, and what the router and the agent both recorded made one."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

from lakesite.model import Exchange, Keep, Masked, Part, RunEntry, Side

Scope: TypeAlias = tuple[int, int | None, bool | None]
"""Where a call or a result was recorded: segment, step, and whether that step certainly owns it (None: no agent step was open)."""

_Channel: TypeAlias = Literal["router", "agent", "both", "other"]
_CHANNELS: dict[str, _Channel] = {"router": "router", "agent_emitted": "agent"}
_Key: TypeAlias = Callable[[int], int | None]
_NONE = -1
_WIDTH = 32
"""Bits of a number in a key of several."""


class _Numbers:
    """A number for each thing that is only to be compared."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    def __call__(self, value: Hashable | None) -> int:
        return _NONE if value is None else self._known.setdefault(value, len(self._known))


class _Recorded:
    """All calls and results of a run, each known by its place among them: a column for each fact, because there may be very many."""

    def __init__(self, order: Iterable[tuple[int, Scope]], entries: Sequence[RunEntry]) -> None:
        self.entries = entries
        self.entry, self.block = array("i"), array("i")
        """Where it stands, as in a `Side`."""
        self.when = array("i")
        """The place of its event among all events of the run."""
        self.result = bytearray()
        self.id, self.name, self.input = array("i"), array("i"), array("i")
        """Numbers for its id, its bare name, its input."""
        self.scope = array("i")
        self.scopes: list[Scope] = []
        ids, names, inputs, scopes = _Numbers(), _Numbers(), _Numbers(), _Numbers()
        for when, (index, scope) in enumerate(order):
            number = scopes(scope)
            if number == len(self.scopes):
                self.scopes.append(scope)
            for part in entries[index].parts:
                self.entry.append(index)
                self.block.append(part.block)
                self.when.append(when)
                self.result.append(part.result)
                self.id.append(ids(part.id))
                self.name.append(names(part.bare_name))
                self.input.append(inputs(part.input))
                self.scope.append(number)

    def some(self, *, block: bool, result: bool) -> Sequence[int]:
        """Calls or results of one sort: events of their own, or blocks in messages."""
        return array("i", (at for at in range(len(self.entry)) if self.result[at] == result and self.is_block(at) == block))

    def is_block(self, at: int) -> bool:
        """Whether it stands in a message."""
        return self.block[at] >= 0

    def is_owned(self, at: int) -> bool:
        """Whether its step certainly owns it."""
        return self.scopes[self.scope[at]][2] is True

    def side(self, at: int) -> Side:
        """Where it stands."""
        return Side(self.entry[at], self.block[at])

    def part(self, at: int) -> Part:
        """All that is known of it."""
        return next(part for part in self.entries[self.entry[at]].parts if part.block == self.block[at])

    def same_name(self, one: int, other: int) -> bool:
        """Whether nothing speaks against one name: a name that was not recorded does not."""
        return self.name[one] == self.name[other] or _NONE in (self.name[one], self.name[other])

    def by_id(self, at: int) -> int | None:
        """A key: its id."""
        return None if self.id[at] == _NONE else self.id[at]

    def by_message(self, at: int) -> int | None:
        """A key: its id, within its message."""
        return None if self.id[at] == _NONE else self.id[at] << _WIDTH | self.entry[at]

    def by_scope(self, at: int) -> int | None:
        """A key: its id, within its step."""
        return None if self.id[at] == _NONE else self.id[at] << _WIDTH | self.scope[at]

    def by_segment(self, at: int) -> int | None:
        """A key: its id, within its segment."""
        return None if self.id[at] == _NONE else self.id[at] << _WIDTH | self.scopes[self.scope[at]][0]

    def by_input(self, at: int) -> int | None:
        """A key: its name and its input, within the step that owns it."""
        known = self.is_owned(at) and _NONE not in (self.name[at], self.input[at])
        return (self.scope[at] << _WIDTH | self.name[at]) << _WIDTH | self.input[at] if known else None


class _Answers:
    """What was found for the calls, by their place."""

    def __init__(self, count: int) -> None:
        self.result = array("i", [_NONE]) * count
        self.single = bytearray(count)
        """Whether call and result were joined because there are no others, not by an id."""
        self.extra: dict[int, list[int]] = {}
        self.orphans = array("i")

    def put(self, pairs: Iterable[tuple[int, int]]) -> bytearray:
        """Join results to calls, given as (result, call); gives which places are taken by that."""
        taken = bytearray(len(self.result))
        for result, call in pairs:
            self.result[call] = result
            taken[result] = taken[call] = True
        return taken


@dataclass(frozen=True, slots=True)
class Tools:
    """The tool exchanges of a run."""

    exchanges: Sequence[Exchange]
    """In the order in which they are shown."""
    heads: Sequence[int]
    """For each entry, the index of the exchange that is shown at its event; -1: none."""


def pair(order: Iterable[tuple[int, Scope]], entries: Sequence[RunEntry], keep: Keep = tuple) -> Tools:
    """Join the calls and results of one run. `order` gives its events by index, as they happened, with their places."""
    recorded = _Recorded(order, entries)
    answers = _Answers(len(recorded.entry))
    calls, results = (recorded.some(block=False, result=result) for result in (False, True))
    uses, blocks = (recorded.some(block=True, result=result) for result in (False, True))
    _pair_events(recorded, calls, results, answers)
    _pair_blocks(recorded, uses, blocks, answers)
    _pair_single(recorded, calls, results, answers)
    _pair_single(recorded, uses, blocks, answers)
    return _exchanges(recorded, calls, uses, answers, keep)


def _match(
    items: Iterable[int], partners: Sequence[int], key: _Key, fits: Callable[[int, int], bool] = lambda _item, _partner: True
) -> Iterator[tuple[int, int]]:
    """Join items of equal key in order, each with the first free partner, if that one fits. A key of None joins nothing."""
    free: dict[int | None, int] = {}
    after: dict[int, int] = {}
    for partner in reversed(partners):
        name = key(partner)
        if name in free:
            after[partner] = free[name]
        free[name] = partner
    free.pop(None, None)
    for item in items:
        name = key(item)
        waiting = free.get(name)
        if waiting is not None and fits(item, waiting):
            yield item, waiting
            if waiting in after:
                free[name] = after.pop(waiting)
            else:
                del free[name]


def _without(items: Sequence[int], taken: bytearray) -> Sequence[int]:
    return array("i", (item for item in items if not taken[item]))


def _pair_events(recorded: _Recorded, calls: Sequence[int], results: Sequence[int], answers: _Answers) -> None:
    """The nth call of an id has the nth result of that id, anywhere in the run, whichever was written first."""
    taken = answers.put(_match(results, calls, recorded.by_id))
    _leave_over(recorded, _without(results, taken), calls, recorded.by_id, answers, early=True)


def _pair_blocks(recorded: _Recorded, calls: Sequence[int], results: Sequence[int], answers: _Answers) -> None:
    """A result belongs to the first free call of its id in the same message, else in an earlier message of the same step."""
    near = answers.put(_match(results, calls, recorded.by_message))
    left = _without(results, near)
    when = recorded.when
    far = answers.put(_match(left, _without(calls, near), recorded.by_scope, lambda result, call: when[call] < when[result]))
    _leave_over(recorded, _without(left, far), calls, recorded.by_scope, answers, early=False)


def _leave_over(
    recorded: _Recorded, results: Sequence[int], calls: Sequence[int], key: _Key, answers: _Answers, *, early: bool
) -> None:
    """Results that found no free call: further ones for the call before them, or results of which no call is recorded.

    `early` says that a result may come before its call.
    """
    known: dict[int | None, list[int]] = {name: [] for name in map(key, results) if name is not None}
    if not known:
        return
    for call in calls:
        if (name := key(call)) in known:
            known[name].append(call)
    for result in results:
        same = known.get(key(result))
        if same is None:
            continue
        before = bisect_right(same, recorded.when[result], key=recorded.when.__getitem__)
        if before or (early and same):
            answers.extra.setdefault(same[max(before - 1, 0)], []).append(result)
        else:
            answers.orphans.append(result)


def _pair_single(recorded: _Recorded, calls: Sequence[int], results: Sequence[int], answers: _Answers) -> None:
    """Without an id, a call and a result belong together where they are the only ones in their place."""
    asked = _nameless(recorded, calls)
    for scope, found in _nameless(recorded, results).items():
        call = asked.get(scope, ())
        if len(found) == len(call) == 1 and recorded.same_name(call[0], found[0]):
            answers.result[call[0]] = found[0]
            answers.single[call[0]] = True
        else:
            answers.orphans.extend(found)


def _nameless(recorded: _Recorded, items: Sequence[int]) -> dict[int, Sequence[int]]:
    by_scope: dict[int, array[int]] = defaultdict(lambda: array("i"))
    for item in items:
        if recorded.id[item] == _NONE:
            by_scope[recorded.scope[item]].append(item)
    return dict(by_scope)


def _same_calls(recorded: _Recorded, calls: Sequence[int], uses: Sequence[int]) -> tuple[Sequence[int], bytearray]:
    """The `tool_use` that is the same call as each `tool.call`, and which of them are; -1: none is.

    Equal ids say so, unless both certainly stand in different steps. Else the agent's report of a call of the router has the
    same name and an equal input in the same step.
    """
    found = array("i", [_NONE]) * len(recorded.entry)
    used = bytearray(len(recorded.entry))

    def join(some: Iterable[int], others: Iterable[int], key: _Key) -> None:
        left = array("i", (use for use in others if not used[use]))
        for call, use in _match((call for call in some if found[call] == _NONE), left, key, recorded.same_name):
            found[call] = use
            used[use] = True

    def told_as(at: int, *words: str) -> bool:
        return recorded.part(at).fidelity in words

    join(calls, uses, recorded.by_scope)
    join((call for call in calls if not recorded.is_owned(call)), uses, recorded.by_segment)
    join(calls, (use for use in uses if not recorded.is_owned(use)), recorded.by_segment)
    agent = (use for use in uses if told_as(use, "agent_emitted", ""))
    join((call for call in calls if told_as(call, "router")), agent, recorded.by_input)
    return found, used


class _Sides(NamedTuple):
    """All that belongs to one exchange."""

    calls: tuple[int, ...]
    results: tuple[int, ...]
    extra: tuple[int, ...]


def _exchanges(recorded: _Recorded, calls: Sequence[int], uses: Sequence[int], answers: _Answers, keep: Keep) -> Tools:
    """Make the exchanges. Each goes by its call, or by its result where no call was recorded."""
    same, reported = _same_calls(recorded, calls, uses)
    known = array("i", calls)
    known.extend(use for use in uses if not reported[use])
    known.extend(answers.orphans)

    def sides(at: int) -> _Sides:
        if recorded.result[at]:
            return _Sides((), (at,), ())
        both = (at,) if same[at] == _NONE else (at, same[at])
        results = tuple(answers.result[call] for call in both if answers.result[call] != _NONE)
        return _Sides(both, results, tuple(result for call in both for result in answers.extra.get(call, ())))

    def first(at: int) -> int:
        """Where it is shown. An agent may report a call before its router records it: it stands at the event, to which the report leads."""
        return min(chain(*sides(at)), key=lambda side: (recorded.is_block(side), side))

    firsts = array("i", map(first, known))
    order = array("i", sorted(range(len(known)), key=firsts.__getitem__))
    heads = array("i", [_NONE]) * len(recorded.entries)
    for number, place in enumerate(order):
        if not recorded.is_block(firsts[place]):
            heads[recorded.entry[firsts[place]]] = number
    return Tools(keep(_made(recorded, sides(known[place]), answers) for place in order), heads)


def _made(recorded: _Recorded, sides: _Sides, answers: _Answers) -> Exchange:
    told_by = sides.calls or sides.results
    parts = {at: recorded.part(at) for at in (*sides.calls, *sides.results)}
    channel, fidelity = _channel([parts[at].fidelity for at in told_by])
    single = any(answers.single[call] for call in sides.calls)
    return Exchange(
        calls=tuple(map(recorded.side, sides.calls)),
        results=tuple(map(recorded.side, sides.results)),
        extra=tuple(map(recorded.side, sides.extra)),
        name=next((part.name for part in parts.values() if part.name), None),
        channel=channel,
        fidelity=fidelity,
        joined="none" if not sides.calls or not sides.results else "single" if single else "id",
        failed=any(part.failed for part in parts.values()) or (False if sides.results else None),
        step=recorded.scopes[recorded.scope[told_by[0]]][1],
    )


def _channel(words: Sequence[Masked]) -> tuple[_Channel, Masked]:
    """Who recorded it, and the fidelity that is to be shown: one that is neither of the two known ones, if any."""
    known: set[_Channel] = {_CHANNELS[word] for word in words if word in _CHANNELS}
    if len(words) > 1 and "" in words:
        known.add("agent")  # the report of a call that another channel recorded too
    odd = next((word for word in words if word and word not in _CHANNELS), words[0])
    return "both" if len(known) > 1 else next(iter(known), "other"), odd
