"""The rows of a session page, in the order in which they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lakesite.model import SessionRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakesite.model import Chain, Exchange, LakeEntry, LakeType
    from lakesite.resolve.sessions_order import Order

_What = Literal["prompt", "notice", "assistant", "thinking", "exchange", "meta", "hook", "receipt", "other"]
_WHAT: dict[LakeType, _What] = {
    "user": "prompt",
    "assistant": "assistant",
    "thinking": "thinking",
    "tool_call": "exchange",
    "tool_result": "exchange",
    "meta": "meta",
    "hook_decision": "hook",
    "unknown": "other",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """All that decides where a row stands."""

    entries: Sequence[LakeEntry]
    order: Order
    exchanges: Sequence[Exchange]
    receipts: Mapping[int, int]
    """The exchange that a receipt belongs to."""
    chains: Sequence[Chain]
    chain_of: Mapping[int, int]
    notices: frozenset[int]

    def rows(self) -> tuple[SessionRow, ...]:
        """Make the rows: by time, receipts beside their call, a sub-agent's rows together, after its call where that is known."""
        members = {number: [side.entry for side in (*made.calls, *made.results, *made.extra)] for number, made in enumerate(self.exchanges)}
        leaders = [self._leader(made) for made in self.exchanges]
        inside = {index for sides in members.values() for index in sides}.difference(leaders)
        exchange_of = {leader: number for number, leader in enumerate(leaders)} | dict(self.receipts)
        anchors = [self._anchor(chain, leaders) for chain in self.chains]
        found = []
        for index in self.order.shown:
            if index not in inside:
                leader = leaders[self.receipts[index]] if index in self.receipts else index
                number = exchange_of.get(index)
                again = members[number] if number is not None and index == leader else (index,)
                row = SessionRow(
                    what=self._what(index),
                    entry=index,
                    exchange=number,
                    chain=self.chain_of.get(leader),
                    repeats=sum(self.order.copies.get(side, 0) for side in again),
                )
                found.append((self._key(index, leader, anchors), row))
        return tuple(row for _, row in sorted(found, key=lambda pair: pair[0]))

    def _leader(self, exchange: Exchange) -> int:
        """The entry at whose place an exchange is shown: the first of its call and its result."""
        return min((side.entry for side in (*exchange.calls, *exchange.results)), key=self.order.place.__getitem__)

    def _anchor(self, chain: Chain, leaders: Sequence[int]) -> int:
        """The place after which a chain is shown: its call's, where that stands in the main conversation, else its own."""
        caller = None if chain.call is None else leaders[chain.call]
        return self.order.place[chain.first if caller is None or caller in self.chain_of else caller]

    def _what(self, index: int) -> _What:
        if index in self.notices:
            return "notice"
        return "receipt" if self.entries[index].receipt else _WHAT[self.entries[index].type]

    def _key(self, index: int, leader: int, anchors: Sequence[int]) -> tuple[int, ...]:
        """Sort by place; a receipt behind its call, by its sequence; a chain behind its anchor, as a whole."""
        place, chain, sequence = self.order.place, self.chain_of.get(leader), self.entries[index].sequence
        beside = (index != leader, sequence is None, sequence or 0) if index != leader else (0, 0, 0)
        around = (place[leader], 0, 0) if chain is None else (anchors[chain], 1, chain)
        return (*around, place[leader], *beside, place[index])
