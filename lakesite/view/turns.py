"""What followed a prompt, and what a side chain holds, in figures."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from lakesite.model import Instant, LakeEntry, Session
from lakesite.view.words import number, plural, took


class _Tally:
    """What some rows of a conversation come to."""

    def __init__(self, session: Session, entries: Sequence[LakeEntry], places: range) -> None:
        self._calls = self._failed = 0
        self._tokens: dict[str, int] = {}
        self._first: Instant | None = None
        self._last: Instant | None = None
        for place in places:
            row = session.rows[place]
            sides = [row.entry]
            if row.what == "exchange" and row.exchange is not None:
                call = session.exchanges[row.exchange]
                self._calls += 1
                self._failed += call.failed is True
                sides = [side.entry for side in (*call.calls, *call.results)]
            for index in sides:
                self._add(entries[index])

    def _add(self, entry: LakeEntry) -> None:
        for way, figure in (("in", entry.tokens_in), ("out", entry.tokens_out)):
            if figure is not None:
                self._tokens[way] = self._tokens.get(way, 0) + figure
        if entry.time is not None:
            self._first = entry.time if self._first is None else min(self._first, entry.time)
            self._last = entry.time if self._last is None else max(self._last, entry.time)

    def calls(self) -> list[str]:
        """`9 calls, 1 failed`; nothing where there are none."""
        return [plural(self._calls, "call") + (f", {number(self._failed)} failed" if self._failed else "")] if self._calls else []

    def tokens(self) -> list[str]:
        """`tokens 115,918 in, 2,495 out (…)`; nothing where none are recorded."""
        told = ", ".join(f"{number(self._tokens[way])} {way}" for way in ("in", "out") if way in self._tokens)
        return [f"tokens {told} (sum, may repeat)"] if told else []

    def time(self) -> list[str]:
        """`over 4 min`, from the earliest side of a call to the latest; nothing where that is no time."""
        first, last = self._first, self._last
        return [f"over {took(first, last)}"] if first is not None and last is not None and first < last else []


def turn_words(session: Session, entries: Sequence[LakeEntry], start: int) -> str:
    """For the prompt at a row: `9 calls, 1 failed · tokens 115,918 in, 2,495 out (…) · over 4 min`; or nothing."""
    turn = bisect_right(session.prompts, start)
    end = session.prompts[turn] if turn < len(session.prompts) else len(session.rows)
    tally = _Tally(session, entries, range(start, end))
    return " · ".join((*tally.calls(), *tally.tokens(), *tally.time()))


def chain_words(session: Session, entries: Sequence[LakeEntry], start: int) -> str:
    """For the side chain that begins at a row: `12 rows · 7 calls, 1 failed · over 41 s`."""
    chain, end = session.rows[start].chain, start
    while end < len(session.rows) and session.rows[end].chain == chain:
        end += 1
    tally = _Tally(session, entries, range(start, end))
    return " · ".join((plural(end - start, "row"), *tally.calls(), *tally.time()))
