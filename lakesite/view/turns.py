"""What followed a prompt, in figures."""

from __future__ import annotations

from itertools import pairwise

from lakesite.model import LakeEntry, Session
from lakesite.view.words import number, plural, took


def turn_words(session: Session, entries: tuple[LakeEntry, ...]) -> dict[int, str]:
    """For each prompt, by the index of its entry: `9 calls, 1 failed · tokens 115,918 in, 2,495 out (…) · over 4 min`; or nothing."""
    bounds = (*session.prompts, len(session.rows))
    return {session.rows[start].entry: _words(session, entries, start, end) for start, end in pairwise(bounds)}


def _words(session: Session, entries: tuple[LakeEntry, ...], start: int, end: int) -> str:
    rows = session.rows[start:end]
    calls = [session.exchanges[row.exchange] for row in rows if row.what == "exchange" and row.exchange is not None]
    failed = sum(call.failed is True for call in calls)
    shown = [plural(len(calls), "call") + (f", {number(failed)} failed" if failed else "")] if calls else []
    sides = [side.entry for call in calls for side in (*call.calls, *call.results)]
    own = dict.fromkeys([row.entry for row in rows] + sides)
    tokens = []
    for way, figures in (("in", [entries[index].tokens_in for index in own]), ("out", [entries[index].tokens_out for index in own])):
        reported = [figure for figure in figures if figure is not None]
        if reported:
            tokens.append(f"{number(sum(reported))} {way}")
    if tokens:
        shown.append(f"tokens {', '.join(tokens)} (sum, may repeat)")
    times = [time for index in own if (time := entries[index].time) is not None]
    if times and min(times) < max(times):
        shown.append(f"over {took(min(times), max(times))}")
    return " · ".join(shown)
