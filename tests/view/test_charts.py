"""Charts of the index: what they draw, and what they leave undrawn."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.view.charts import HEIGHT, WIDTH, charts, tool_bars
from lakesite.view.listing import Chart
from lakesite.view.summary import DAY
from tests.view.made import MONDAY, made

BAR = re.compile(r"M(\d+) (\d+) h(\d+) V(\d+) h-\3 z")


def chart(title: str, *summaries: object) -> Chart:
    return next(each for each in charts(summaries) if each.title.startswith(title))  # type: ignore[arg-type]


def test_nothing_is_drawn_where_there_is_nothing_to_draw() -> None:
    assert charts([]) == ()
    assert charts([made("a", None, status="failed")]) == ()
    assert [each.title for each in charts([made("a")])] == ["Activity per day"]
    assert tool_bars([made("a")]) == ()


def test_activity_counts_documents_and_tells_the_failed_ones() -> None:
    drawn = chart("Activity", made("a"), made("b", 0.5), made("c", 2, status="failed"), made("d", None))
    assert drawn.columns == ("day", "went well or not known", "failed")
    assert drawn.lines == (("3 Dec 2025", "0", "1"), ("1 Dec 2025", "2", "0"))
    assert (drawn.first, drawn.last) == ("1 Dec 2025", "3 Dec 2025")
    assert drawn.note == "1 document without a time left out"
    assert [series.style for series in drawn.series] == ["one", "bad"]
    assert drawn.series[0].path == f"M0 {HEIGHT} h24 V0 h-24 z"


def test_failures_are_the_failed_documents_of_activity() -> None:
    """Not the calls and steps that failed in them, which a run may survive."""
    found = (made("a", errors=7), made("b", status="failed"), made("c", 2, status="failed", errors=5), made("d", 2, status="failed"))
    drawn = chart("Failures", *found)
    assert (drawn.title, drawn.columns) == ("Failures per day", ("day", "failed runs"))
    assert drawn.lines == (("3 Dec 2025", "2"), ("1 Dec 2025", "1"))
    assert drawn.note == "by the day on which the run began"
    undated = (made("e", None), made("f", None, status="failed"))
    assert chart("Failures", *found, *undated).note == "by the day on which the run began; 1 document without a time left out"
    activity = chart("Activity", *found)
    assert [(line[0], line[-1]) for line in activity.lines] == list(drawn.lines)


@pytest.mark.parametrize(("days", "word", "bars"), [(92, "day", 92), (93, "week", 14), (700, "month", 23), (5000, "year", 15)])
def test_many_days_become_few_bars(days: int, word: str, bars: int) -> None:
    drawn = chart("Activity", *(made(f"r{day}", day) for day in range(days)))
    assert drawn.title == f"Activity per {word}"
    assert len(drawn.lines) == bars
    assert sum(int(line[1].replace(",", "")) for line in drawn.lines) == days


@pytest.mark.parametrize(
    ("days", "names"),
    [
        ((0, 5), ("1 Dec 2025", "6 Dec 2025")),
        ((1, 100), ("1 Dec 2025", "9 Mar 2026")),
        ((6, 13 + 7 * 13), ("1 Dec 2025", "9 Mar 2026")),
        ((7, 104), ("8 Dec 2025", "9 Mar 2026")),
        ((20, 1000), ("Dec 2025", "Aug 2028")),
        ((20, 5000), ("2025", "2039")),
    ],
)
def test_bars_are_named_by_what_they_cover_not_by_what_falls_into_them(days: tuple[int, int], names: tuple[str, str]) -> None:
    drawn = chart("Activity", *(made(f"r{day}", day) for day in days))
    assert (drawn.first, drawn.last) == names
    assert [line[0] for line in drawn.lines] == list(reversed(names))


def test_tokens_are_told_by_day_and_model_as_far_as_they_were_reported() -> None:
    day = MONDAY // DAY
    told = made("a", kind="session", usage=((day, "sonnet", 30), (day + 1, "haiku", 5)))
    drawn = chart("Tokens", told, made("b", kind="session"), made("c"))
    assert drawn.columns == ("day", "sonnet", "haiku")
    assert drawn.lines == (("2 Dec 2025", "0", "5"), ("1 Dec 2025", "30", "0"))
    assert drawn.note == "sum of recorded counters, may repeat; not reported by 1 of 2 sessions"
    models = tuple((day, f"m{number}", 10 - number) for number in range(6))
    assert chart("Tokens", made("a", usage=models)).columns == ("day", "m0", "m1", "m2", "other models")


@given(st.lists(st.tuples(st.integers(-700_000, 2_900_000), st.sampled_from(["failed", "completed"])), min_size=1, max_size=30))
def test_every_bar_is_inside_its_chart(found: list[tuple[int, str]]) -> None:
    for drawn in charts([made(f"r{place}", day, status=status, errors=place) for place, (day, status) in enumerate(found)]):
        for series in drawn.series:
            bars = BAR.findall(series.path)
            assert len(bars) == series.path.count("M") > 0
            for left, low, width, high in (map(int, bar) for bar in bars):
                assert 0 <= left < left + width <= WIDTH + 24
                assert 0 <= high < low <= HEIGHT


def test_tools_are_ranked_and_the_rest_is_one_bar() -> None:
    many = made("a", tools=tuple((f"t{number}", 10 - number, number % 2) for number in range(7)))
    bars = tool_bars([many, made("b", tools=(("t6", 20, 0), ("", 3, 0)))])
    assert [(bar.name, bar.calls, bar.failed) for bar in bars] == [
        ("t6", "24", ""), ("t0", "10", ""), ("t1", "9", "1 failed"), ("t2", "8", ""), ("t3", "7", "1 failed"),
        ("other tools", "14", "1 failed"),
    ]  # fmt: skip
    assert bars[0].path == f"M0 0 h{WIDTH} v10 h-{WIDTH} z"
