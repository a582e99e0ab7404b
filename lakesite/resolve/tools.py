"""Tool calls joined with their results, and what the router and the agent both recorded made one."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from lakesite.model import Exchange, Key, Part, RunEntry, Side

Scope: TypeAlias = tuple[int, int | None, bool | None]
"""Where a call or a result was recorded: segment, step, and whether that step certainly owns it (None: no agent step was open)."""

_Joined: TypeAlias = Literal["id", "single"]
_Channel: TypeAlias = Literal["router", "agent", "both", "other"]
_CHANNELS: dict[str, _Channel] = {"router": "router", "agent_emitted": "agent"}


class _Recorded(NamedTuple):
    """A call or a result, where it stands."""

    at: int
    """Its place among all calls and results of the run."""
    when: int
    """The place of its event among all events of the run."""
    side: Side
    part: Part
    scope: Scope

    @property
    def is_block(self) -> bool:
        """Whether it stands in a message."""
        return self.side.block >= 0


@dataclass(slots=True)
class _Answers:
    """What was found for the calls, by their place."""

    results: dict[int, tuple[_Recorded, _Joined]] = field(default_factory=dict)
    extra: dict[int, list[_Recorded]] = field(default_factory=dict)
    orphans: list[_Recorded] = field(default_factory=list)


@dataclass(slots=True)
class _Sides:
    """Calls and results of one sort: events of their own, or blocks in messages."""

    calls: list[_Recorded] = field(default_factory=list)
    results: list[_Recorded] = field(default_factory=list)

    def add(self, recorded: _Recorded) -> None:
        (self.results if recorded.part.result else self.calls).append(recorded)


@dataclass(frozen=True, slots=True)
class Tools:
    """The tool exchanges of a run."""

    exchanges: tuple[Exchange, ...]
    """In the order in which they are shown."""
    heads: dict[int, int]
    """Events at which an exchange is shown: index of the entry → index of the exchange."""


def pair(order: Iterable[tuple[int, Scope]], entries: Sequence[RunEntry]) -> Tools:
    """Join the calls and results of one run. `order` gives its events by index, as they happened, with their places."""
    events, blocks = _collect(order, entries)
    answers = _Answers()
    _pair_events(events, answers)
    _pair_blocks(blocks, answers)
    for sides in (events, blocks):
        _pair_single(sides, answers)
    return _exchanges(events.calls, blocks.calls, _same_calls(events.calls, blocks.calls), answers)


def _collect(order: Iterable[tuple[int, Scope]], entries: Sequence[RunEntry]) -> tuple[_Sides, _Sides]:
    events, blocks = _Sides(), _Sides()
    at = 0
    for when, (index, scope) in enumerate(order):
        for part in entries[index].parts:
            recorded = _Recorded(at, when, Side(index, part.block), part, scope)
            (blocks if recorded.is_block else events).add(recorded)
            at += 1
    return events, blocks


def _match(
    items: Sequence[_Recorded],
    partners: Sequence[_Recorded],
    key: Callable[[_Recorded], Hashable | None],
    fits: Callable[[_Recorded, _Recorded], bool] = lambda _item, _partner: True,
) -> Iterator[tuple[_Recorded, _Recorded]]:
    """Join items of equal key in order, each with the first free partner, if that one fits. A key of None joins nothing."""
    free: dict[Hashable, list[_Recorded]] = defaultdict(list)
    for partner in reversed(partners):
        free[key(partner)].append(partner)
    free.pop(None, None)
    for item in items:
        waiting = free.get(key(item))
        if waiting and fits(item, waiting[-1]):
            yield item, waiting.pop()


def _without(items: list[_Recorded], taken: Iterable[_Recorded]) -> list[_Recorded]:
    gone = {item.at for item in taken}
    return [item for item in items if item.at not in gone] if gone else items


def _pair_events(events: _Sides, answers: _Answers) -> None:
    """The nth call of an id has the nth result of that id, anywhere in the run, whichever was written first."""
    pairs = list(_match(events.results, events.calls, _id))
    answers.results.update((call.at, (result, "id")) for result, call in pairs)
    _leave_over(_without(events.results, (result for result, _ in pairs)), events.calls, _id, answers, early=True)


def _pair_blocks(blocks: _Sides, answers: _Answers) -> None:
    """A result belongs to the first free call of its id in the same message, else in an earlier message of the same step."""
    near = list(_match(blocks.results, blocks.calls, lambda block: block.part.id and (block.part.id, block.side.entry)))
    results = _without(blocks.results, (result for result, _ in near))
    calls = _without(blocks.calls, (call for _, call in near))
    far = list(_match(results, calls, _id_in_scope, lambda result, call: call.when < result.when))
    answers.results.update((call.at, (result, "id")) for result, call in (*near, *far))
    _leave_over(_without(results, (result for result, _ in far)), blocks.calls, _id_in_scope, answers, early=False)


def _leave_over(
    results: list[_Recorded],
    calls: list[_Recorded],
    key: Callable[[_Recorded], Hashable | None],
    answers: _Answers,
    *,
    early: bool,
) -> None:
    """Results that found no free call: further ones for the call before them, or results of which no call is recorded.

    `early` says that a result may come before its call.
    """
    if not results:
        return
    known: dict[Hashable, list[_Recorded]] = defaultdict(list)
    for call in calls:
        known[key(call)].append(call)
    for result in results:
        if result.part.id is None:
            continue
        same = known.get(key(result), [])
        before = bisect_right(same, result.when, key=lambda call: call.when)
        if before or (early and same):
            answers.extra.setdefault(same[max(before - 1, 0)].at, []).append(result)
        else:
            answers.orphans.append(result)


def _pair_single(sides: _Sides, answers: _Answers) -> None:
    """Without an id, a call and a result belong together where they are the only ones in their place."""
    calls, results = _nameless(sides.calls), _nameless(sides.results)
    for scope, found in results.items():
        asked = calls.get(scope, [])
        if len(found) == len(asked) == 1 and _same_name(asked[0], found[0]):
            answers.results[asked[0].at] = (found[0], "single")
        else:
            answers.orphans += found


def _nameless(items: list[_Recorded]) -> dict[Scope, list[_Recorded]]:
    by_scope: dict[Scope, list[_Recorded]] = defaultdict(list)
    for item in items:
        if item.part.id is None:
            by_scope[item.scope].append(item)
    return by_scope


def _same_calls(calls: list[_Recorded], uses: list[_Recorded]) -> dict[int, _Recorded]:
    """The `tool_use` that is the same call as a `tool.call`, by the place of the latter.

    Equal ids say so, unless both certainly stand in different steps. Else the agent's report of a call of the router has the
    same name and an equal input in the same step.
    """
    found: dict[int, _Recorded] = {}

    def join(some: list[_Recorded], others: list[_Recorded], key: Callable[[_Recorded], Hashable | None]) -> None:
        left = [use for use in others if use.at not in used]
        for call, use in _match([call for call in some if call.at not in found], left, key, _same_name):
            found[call.at] = use
            used.add(use.at)

    used: set[int] = set()
    join(calls, uses, _id_in_scope)
    join([call for call in calls if not _is_owned(call)], uses, _id_in_segment)
    join(calls, [use for use in uses if not _is_owned(use)], _id_in_segment)
    routed = [call for call in calls if call.part.fidelity == "router"]
    join(routed, [use for use in uses if use.part.fidelity in ("agent_emitted", "")], _input_in_step)
    return found


def _id(item: _Recorded) -> Key | None:
    return item.part.id


def _id_in_scope(item: _Recorded) -> Hashable | None:
    return item.part.id and (item.part.id, item.scope)


def _id_in_segment(item: _Recorded) -> Hashable | None:
    return item.part.id and (item.part.id, item.scope[0])


def _input_in_step(item: _Recorded) -> Hashable | None:
    known = _is_owned(item) and item.part.bare_name and item.part.input
    return (item.scope, item.part.bare_name, item.part.input) if known else None


def _is_owned(item: _Recorded) -> bool:
    return item.scope[2] is True


def _same_name(one: _Recorded, other: _Recorded) -> bool:
    """Whether nothing speaks against one name: a name that was not recorded does not."""
    names = {one.part.bare_name, other.part.bare_name} - {None}
    return len(names) <= 1


def _exchanges(calls: list[_Recorded], uses: list[_Recorded], same: dict[int, _Recorded], answers: _Answers) -> Tools:
    reported = {use.at for use in same.values()}
    made = [_exchange((call, same[call.at]) if call.at in same else (call,), answers) for call in calls]
    made += [_exchange((use,), answers) for use in uses if use.at not in reported]
    made += [(result, _made((), [(result, None)], [])) for result in answers.orphans]
    made.sort(key=lambda item: item[0].at)
    heads = {first.side.entry: number for number, (first, _) in enumerate(made) if not first.is_block}
    return Tools(tuple(exchange for _, exchange in made), heads)


def _exchange(calls: tuple[_Recorded, ...], answers: _Answers) -> tuple[_Recorded, Exchange]:
    results = [answers.results[call.at] for call in calls if call.at in answers.results]
    extra = [result for call in calls for result in answers.extra.get(call.at, ())]
    sides = (*calls, *(result for result, _ in results), *extra)
    # An agent may report a call before its router records it: it is shown with the event, to which the report leads.
    first = min(sides, key=lambda item: (item.is_block, item.at))
    return first, _made(calls, results, extra)


def _made(calls: tuple[_Recorded, ...], results: Sequence[tuple[_Recorded, _Joined | None]], extra: list[_Recorded]) -> Exchange:
    told_by = calls or tuple(result for result, _ in results)
    everything = (*calls, *(result for result, _ in results))
    channel, fidelity = _channel(told_by)
    ways = {joined for _, joined in results}
    return Exchange(
        calls=tuple(call.side for call in calls),
        results=tuple(result.side for result, _ in results),
        extra=tuple(result.side for result in extra),
        name=next((item.part.name for item in everything if item.part.name), None),
        channel=channel,
        fidelity=fidelity.part.fidelity,
        joined="single" if "single" in ways else "id" if "id" in ways else "none",
        failed=any(item.part.failed for item in everything) or (False if results else None),
        step=told_by[0].scope[1],
    )


def _channel(told_by: Sequence[_Recorded]) -> tuple[_Channel, _Recorded]:
    """Who recorded it, and the side whose fidelity is to be shown: one that is neither of the two known ones, if any."""
    words = [item.part.fidelity for item in told_by]
    known: set[_Channel] = {_CHANNELS[word] for word in words if word in _CHANNELS}
    if len(words) > 1 and "" in words:
        known.add("agent")  # the report of a call that another channel recorded too
    odd = next((item for item in told_by if item.part.fidelity and item.part.fidelity not in _CHANNELS), told_by[0])
    return "both" if len(known) > 1 else next(iter(known), "other"), odd
