"""Charts of the index, drawn at build: paths, the words around them, and the tables behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import accumulate

from lakesite.view.listing import Chart, Series, ToolBar
from lakesite.view.summary import DAY, Summary
from lakesite.view.words import day_of, month_of, number, plural, short_number

WIDTH, HEIGHT = 600, 90
"""Of a chart, in its own units: a page stretches it."""
_BARS = 92
"""Bars of a chart at most, as long as it covers less than a century: more days become weeks, months or years."""
_TOOLS, _MODELS = 5, 3
_TABLE = 400
_STYLES = ("one", "two", "three", "four")
_EPOCH = date(1970, 1, 1).toordinal()
_OTHERS = "other models"

_Counts = Mapping[str, Counter[int]]
"""For each series how much of it falls on each day, as days after the epoch."""


def charts(summaries: Sequence[Summary]) -> tuple[Chart, ...]:
    """What happened when; no chart where there is nothing to draw."""
    dated = [summary for summary in summaries if summary.started is not None]
    failed = [summary for summary in summaries if summary.status == "failed"]
    made = (_activity(dated, _left_out(summaries)), _tokens(dated), _failures(failed))
    return tuple(chart for chart in made if chart)


def _left_out(summaries: Sequence[Summary]) -> str:
    undated = sum(summary.started is None for summary in summaries)
    return f"{plural(undated, 'document')} without a time left out" if undated else ""


def tool_bars(summaries: Sequence[Summary]) -> tuple[ToolBar, ...]:
    """The tools that were called most, and all others together."""
    calls, failed = Counter[str](), Counter[str]()
    for summary in summaries:
        for name, count, bad in summary.tools:
            calls[name] += count
            failed[name] += bad
    rest = [name for name in calls if not name]
    ranked = sorted((name for name in calls if name), key=lambda name: (-calls[name], name))
    shown = [(name, calls[name], failed[name]) for name in ranked[:_TOOLS]]
    others = [*ranked[_TOOLS:], *rest]
    if others:
        words = "other tools" if rest else f"{number(len(others))} more"
        shown.append((words, sum(calls[name] for name in others), sum(failed[name] for name in others)))
    most = max((count for _, count, _ in shown), default=0)
    return tuple(
        ToolBar(name, short_number(count), f"{short_number(bad)} failed" if bad else "", _bar(count, most), _bar(bad, most) if bad else "")
        for name, count, bad in shown
        if count
    )


def _bar(count: int, most: int) -> str:
    width = max(round(WIDTH * count / most), 2) if count else 0
    return f"M0 0 h{width} v10 h-{width} z"


def _day(summary: Summary) -> int:
    return (summary.started or 0) // DAY


def _activity(dated: Sequence[Summary], left: str) -> Chart | None:
    counts = {"went well or not known": Counter[int](), "failed": Counter[int]()}
    names = list(counts)
    for summary in dated:
        counts[names[summary.status == "failed"]][_day(summary)] += 1
    return _chart("Activity", "runs and sessions begun", counts, ("one", "bad"), left)


def _failures(failed: Sequence[Summary]) -> Chart | None:
    days = Counter(_day(summary) for summary in failed if summary.started is not None)
    words = "; ".join(filter(None, ("by the day on which the run began", _left_out(failed))))
    return _chart("Failures", "failed runs", {"failed": days}, ("bad",), words)


def _tokens(dated: Sequence[Summary]) -> Chart | None:
    models = Counter[str]()
    for summary in dated:
        for _, model, tokens in summary.usage:
            models[model] += tokens
    ranked = sorted(models, key=lambda name: (-models[name], name))
    counts: dict[str, Counter[int]] = {name: Counter() for name in ranked[:_MODELS]}
    for summary in dated:
        for day, model, tokens in summary.usage:
            counts.setdefault(model if model in counts else _OTHERS, Counter())[day] += tokens
    sessions = [summary for summary in dated if summary.kind == "session"]
    silent = sum(not summary.usage for summary in sessions)
    words = "sum of recorded counters, may repeat"
    if silent:
        words += f"; not reported by {number(silent)} of {plural(len(sessions), 'session')}"
    return _chart("Tokens out", "tokens", counts, _STYLES, words)


def _chart(title: str, unit: str, counts: _Counts, styles: Sequence[str], note: str) -> Chart | None:
    """A chart of bars on an axis of time; None where nothing would be drawn."""
    days = sorted({day for each in counts.values() for day, count in each.items() if count})
    if not days:
        return None
    word, place, name_of = _axis(days[0], days[-1])
    first = place(days[0])
    slots = place(days[-1]) - first + 1
    bins: dict[str, Counter[int]] = {name: Counter() for name in counts}
    for name, each in counts.items():
        for day, count in each.items():
            bins[name][place(day) - first] += count
    used = sorted({place(day) - first for day in days})
    most = max(sum(each[slot] for each in bins.values()) for slot in used)
    drawn = [
        Series(name, style, " ".join(_columns(list(bins.values()), index, used, slots, most)))
        for index, (name, style) in enumerate(zip(bins, styles, strict=False))
        if bins[name].total()
    ]
    lines = tuple((name_of(first + slot), *(number(bins[series.name][slot]) for series in drawn)) for slot in reversed(used[-_TABLE:]))
    columns = (word, *(series.name for series in drawn)) if len(drawn) > 1 else (word, unit)
    return Chart(f"{title} per {word}", note, name_of(first), name_of(first + slots - 1), tuple(drawn), columns, lines)


def _columns(bins: list[Counter[int]], index: int, used: Sequence[int], slots: int, most: int) -> Iterator[str]:
    """The bars of one series, on top of those before it."""
    for slot in used:
        heights = list(accumulate((each[slot] for each in bins[: index + 1]), initial=0))
        if heights[-1] == heights[-2]:
            continue
        low, high = (HEIGHT - round(HEIGHT * value / most) for value in heights[-2:])
        high = min(high, low - 1)
        left = WIDTH * slot // slots
        width = max(min(WIDTH // slots - (WIDTH // slots > 3), 24), 1)  # noqa: PLR2004 - a gap where there is room for one
        yield f"M{left} {low} h{width} V{high} h-{width} z"


def _axis(first: int, last: int) -> tuple[str, Callable[[int], int], Callable[[int], str]]:
    """What one bar covers, so that there are not too many, the number of the one that a day falls into, and the name of such a number."""
    span = last - first + 1
    if span <= _BARS:
        return "day", lambda day: day, day_of
    if span <= 7 * _BARS:
        return "week", lambda day: (day + 3) // 7, lambda week: day_of(7 * week - 3)  # the epoch was a Thursday, weeks begin on Mondays
    if span <= 30 * _BARS:
        return "month", lambda day: _date(day).year * 12 + _date(day).month - 1, lambda month: month_of(*divmod(month, 12))
    return "year", lambda day: _date(day).year, str


def _date(day: int) -> date:
    return date.fromordinal(_EPOCH) + timedelta(days=day)
