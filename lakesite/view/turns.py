"""What followed a prompt, in figures."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from lakesite.model import Instant, LakeEntry, Session
from lakesite.view.words import number, plural, took


def turn_words(session: Session, entries: Sequence[LakeEntry], start: int) -> str:
    """For the prompt at a row: `9 calls, 1 failed · tokens 115,918 in, 2,495 out (…) · over 4 min`; or nothing."""
    turn = bisect_right(session.prompts, start)
    end = session.prompts[turn] if turn < len(session.prompts) else len(session.rows)
    calls = failed = 0
    tokens: dict[str, int] = {}
    first: Instant | None = None
    last: Instant | None = None
    for place in range(start, end):
        row = session.rows[place]
        sides = [row.entry]
        if row.what == "exchange" and row.exchange is not None:
            call = session.exchanges[row.exchange]
            calls += 1
            failed += call.failed is True
            sides = [side.entry for side in (*call.calls, *call.results)]
        for index in sides:
            entry = entries[index]
            for way, figure in (("in", entry.tokens_in), ("out", entry.tokens_out)):
                if figure is not None:
                    tokens[way] = tokens.get(way, 0) + figure
            if entry.time is not None:
                first = entry.time if first is None else min(first, entry.time)
                last = entry.time if last is None else max(last, entry.time)
    shown = [plural(calls, "call") + (f", {number(failed)} failed" if failed else "")] if calls else []
    if tokens:
        shown.append(f"tokens {', '.join(f'{number(tokens[way])} {way}' for way in ('in', 'out') if way in tokens)} (sum, may repeat)")
    if first is not None and last is not None and first < last:
        shown.append(f"over {took(first, last)}")
    return " · ".join(shown)
