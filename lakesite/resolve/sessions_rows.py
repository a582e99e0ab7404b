"""The rows of a session page, in the order in which they are shown."""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lakesite.model import SessionRow
from lakesite.resolve.sessions_chains import MAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    chain_of: Sequence[int]
    """The chain of each entry, or `MAIN`."""
    notices: frozenset[int]

    def rows(self) -> Iterator[SessionRow]:
        """Make the rows: by time, receipts beside their call, a sub-agent's rows together, after its call where that is known."""
        leaders = array("i", map(self._leader, self.exchanges))
        exchange_of = array("i", [-1]) * len(self.chain_of)
        for number, leader in enumerate(leaders):
            exchange_of[leader] = number
        beside: dict[int, list[int]] = defaultdict(list)
        for receipt, number in self.receipts.items():
            beside[leaders[number]].append(receipt)
        for index in self._in_order(self._elsewhere(exchange_of), leaders):
            number = exchange_of[index]
            yield self._row(index, index, None if number < 0 else number)
            for receipt in sorted(beside.get(index, ()), key=self._by_sequence):
                yield self._row(receipt, index, self.receipts[receipt])

    def _elsewhere(self, exchange_of: Sequence[int]) -> bytearray:
        """For each entry whether it stands with another: receipts, and all of an exchange but what leads it."""
        found = bytearray(len(self.chain_of))
        for made in self.exchanges:
            for side in _sides(made):
                found[side] = exchange_of[side] < 0
        for receipt in self.receipts:
            found[receipt] = True
        return found

    def _in_order(self, elsewhere: bytearray, leaders: Sequence[int]) -> Iterator[int]:
        """The entries that have a place of their own: those of a chain together, the others where they stand."""
        members = [array("i") for _ in self.chains]
        for index in self.order.shown:
            if self.chain_of[index] != MAIN and not elsewhere[index]:
                members[self.chain_of[index]].append(index)
        behind: dict[int, list[int]] = defaultdict(list)
        for number, chain in enumerate(self.chains):
            behind[self._anchor(chain, leaders)].append(number)
        for place, index in enumerate(self.order.shown):
            if self.chain_of[index] == MAIN and not elsewhere[index]:
                yield index
            for number in behind.get(place, ()):
                yield from members[number]

    def _row(self, index: int, leader: int, exchange: int | None) -> SessionRow:
        """The row of an entry; `leader`: the entry at whose place it stands."""
        chain, copies = self.chain_of[leader], self.order.copies
        again = _sides(self.exchanges[exchange]) if copies and exchange is not None and index == leader else (index,)
        return SessionRow(
            what=self._what(index),
            entry=index,
            exchange=exchange,
            chain=None if chain == MAIN else chain,
            repeats=sum(copies.get(side, 0) for side in again),
        )

    def _leader(self, exchange: Exchange) -> int:
        """The entry at whose place an exchange is shown: the first of its call and its result."""
        return min((side.entry for side in (*exchange.calls, *exchange.results)), key=self.order.place.__getitem__)

    def _anchor(self, chain: Chain, leaders: Sequence[int]) -> int:
        """The place after which a chain is shown: its call's, where that stands in the main conversation, else its own."""
        caller = None if chain.call is None else leaders[chain.call]
        return self.order.place[chain.first if caller is None or self.chain_of[caller] != MAIN else caller]

    def _what(self, index: int) -> _What:
        if index in self.notices:
            return "notice"
        entry = self.entries[index]
        return "receipt" if entry.receipt else _WHAT[entry.type]

    def _by_sequence(self, receipt: int) -> tuple[bool, int, int]:
        sequence = self.entries[receipt].sequence
        return sequence is None, sequence or 0, self.order.place[receipt]


def _sides(exchange: Exchange) -> list[int]:
    """The entries that an exchange was recorded in."""
    return [side.entry for side in (*exchange.calls, *exchange.results, *exchange.extra)]
