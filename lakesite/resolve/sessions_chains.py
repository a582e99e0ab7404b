"""Sub-agents inside a conversation: which rows are one sub-agent's, and which call started it."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from lakesite.resolve.sessions_order import source_of
from lakesite.resolve.sessions_people import is_injected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lakesite.model import Exchange, Key, LakeEntry
    from lakesite.resolve.sessions_order import Order

_SUB_AGENTS = frozenset({"agent", "dispatch_agent", "runsubagent", "spawn_agent", "subagent", "sub_agent", "task"})
"""Tools that start a sub-agent, in small letters."""
MAIN = -1
"""Stands for the main conversation, where chains have numbers."""


def chains(entries: Sequence[LakeEntry], order: Order) -> tuple[Sequence[int], tuple[int, ...]]:
    """Group the rows of sub-agents: for each row its chain, or `MAIN`, and for each chain its first row.

    A chain starts at a sub-agent's prompt, and where a source file begins, or goes on after the main conversation, with a
    sub-agent's row. Sub-agents that work at the same time in files of their own do not mix.
    """
    chain_of = array("i", [MAIN]) * len(entries)
    first: list[int] = []
    current: dict[Key | int, int] = {}
    for index in order.shown:
        entry = entries[index]
        source = source_of(entry)
        if entry.sidechain and entry.type != "hook_decision":
            if source not in current or (entry.type == "user" and not is_injected(entry)):
                current[source] = len(first)
                first.append(index)
            chain_of[index] = current[source]
        elif entry.type in ("user", "assistant", "thinking", "tool_call"):
            current.pop(source, None)
    return chain_of, tuple(first)


@dataclass(frozen=True, slots=True)
class _Window:
    """The stretch of a conversation in which a call to a sub-agent was open."""

    exchange: int
    source: Key | int
    start: int
    end: float


def callers(
    entries: Sequence[LakeEntry], order: Order, first: Sequence[int], made: Sequence[Exchange], prompts: Iterable[int],
) -> dict[int, int]:
    """Find the exchange that started each chain, where only one chain and one call can belong together.

    A call that was open when the chain began is sought in the chain's own source file first, then in all.
    """
    windows = _windows(entries, order, made, prompts)
    starts = {chain: order.place[index] for chain, index in enumerate(first)}
    windows_of: dict[Key | int, list[_Window]] = {}
    starts_of: dict[Key | int, dict[int, int]] = {}
    for window in windows:
        windows_of.setdefault(window.source, []).append(window)
    for chain, index in enumerate(first):
        starts_of.setdefault(source_of(entries[index]), {})[chain] = starts[chain]
    found: dict[int, int] = {}
    for source, begun in starts_of.items():
        found |= _only_pairs(windows_of.get(source, ()), begun)
    linked = set(found.values())
    left = {chain: place for chain, place in starts.items() if chain not in found}
    return found | _only_pairs([window for window in windows if window.exchange not in linked], left)


def _windows(entries: Sequence[LakeEntry], order: Order, made: Sequence[Exchange], prompts: Iterable[int]) -> list[_Window]:
    """The windows of all calls to sub-agents: from the call to its result, or to the person's next prompt."""
    turns = sorted(order.place[index] for index in prompts)
    found: list[_Window] = []
    for number, exchange in enumerate(made):
        if exchange.calls and exchange.name is not None and exchange.name.casefold() in _SUB_AGENTS:
            call = exchange.calls[0].entry
            start = order.place[call]
            turn = bisect_right(turns, start)
            ends = [order.place[side.entry] for side in exchange.results] + turns[turn : turn + 1]
            found.append(_Window(number, source_of(entries[call]), start, min(ends, default=inf)))
    return found


def _only_pairs(windows: Sequence[_Window], starts: Mapping[int, int]) -> dict[int, int]:
    """Chains that begin in exactly one window, when nothing else begins in that window."""
    places = sorted(starts.values())
    events = sorted(
        [(window.start, 2, window.exchange) for window in windows]
        + [(window.end, 0, window.exchange) for window in windows]
        + [(place, 1, chain) for chain, place in starts.items()],
    )
    alone = {window.exchange for window in windows if bisect_left(places, window.end) - bisect_right(places, window.start) == 1}
    is_open: dict[int, None] = {}
    found: dict[int, int] = {}
    for _, what, number in events:
        if what == 2:  # noqa: PLR2004 - opens
            is_open[number] = None
        elif what == 0:
            is_open.pop(number, None)
        elif len(is_open) == 1 and (exchange := next(iter(is_open))) in alone:
            found[number] = exchange
    return found
