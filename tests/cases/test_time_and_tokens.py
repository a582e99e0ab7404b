"""Field cases: time, tokens and cost."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.builds import build, event, row, said, stamp, step, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.site.builds import Site


@pytest.fixture(params=["Asia/Shanghai", "America/St_Johns", "UTC"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let the machine live in another time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_f077_times_are_utc_and_say_so(tmp_path: Path, zone: str) -> None:
    assert zone
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("s"), timestamp="2025-09-01T08:15:08.316123456+08:00")])
    write(
        tmp_path / "in" / "part-1.ndjson",
        [row("user", "Hi", "2025-09-01T00:15:08.316Z"), row("assistant", "x", "2025-08-31T23:59:59-00:30")],
    )
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.documents["run-a"]["started"] == site.documents["session-a"]["started"] == "2025-09-01T00:15:08.316Z"
    for name in ("run-a", "session-a"):
        page = site.page(site.documents[name])
        assert 'datetime="2025-09-01T00:15:08.316Z"' in page.raw
        assert re.search(r"1 Sep 2025 00:15:08[^<]{0,30}(</\w+>\s*<\w+[^>]*>)?[^<]{0,30}UTC", page.raw) or re.search(
            "00:15:08.{0,40}UTC", page.text
        )
        assert "08:15:08" not in page.text
    assert "2025-09-01T08:15:08.316123456+08:00" in site.page(site.documents["run-a"]).raw, "the original is kept, to look at"
    assert "Sep 2025" in site.page("index.html").text


NO_TIME = [
    None,
    "",
    "yesterday",
    "0001-01-01T00:00:00Z",
    "2026-13-45T99:99:99Z",
    0,
    1780906482,
    "NaN",
    [],
    "9999-12-31T23:59:59-23:59",
    "\ud800",
]


@pytest.mark.parametrize("broken", NO_TIME, ids=repr)
def test_f079_times_that_are_none(tmp_path: Path, broken: object) -> None:
    lines = [event(seq, "message.assistant", said("assistant", f"event-{seq}.")) for seq in range(1, 6)]
    lines[2]["timestamp"] = broken
    write(tmp_path / "in" / "a.jsonl", lines)
    rows = [row("assistant", f"row-{at}.", at) for at in range(1, 6)]
    rows[2]["ts"] = broken
    write(tmp_path / "in" / "date=unknown" / "part-1.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    run, session = site.documents["run-a"], site.documents["session-a"]
    for document in (run, session):
        assert (document["started"], document["ended"]) == ("2026-09-14T10:00:01Z", "2026-09-14T10:00:05Z")
        text = re.sub(r"event-|row-", "", site.page(document).text)
        if broken:
            text = text.replace(str(broken), "")
        assert not re.search(r"invalid|NaN|\b0001\b|9999|-\d+ (?:s|ms|min)\b|\bNone\b", text, re.IGNORECASE)
    assert re.findall(r"event-(\d)\.", site.page(run).text) == list("12345")
    assert sorted(re.findall(r"row-(\d)\.", site.page(session).text)) == list("12345")
    if isinstance(broken, str) and broken.isascii() and broken not in ("", "NaN"):
        assert broken in site.page(session).raw, "the words that were recorded can be seen"


def test_f079_no_time_anywhere(tmp_path: Path) -> None:
    write(
        tmp_path / "in" / "a.jsonl",
        [event(seq, "message.assistant", said("assistant", f"event-{seq}."), timestamp=None) for seq in range(1, 4)],
    )
    write(tmp_path / "in" / "part-1.ndjson", [row("assistant", f"row-{at}.", None) for at in range(1, 4)])
    site = build(tmp_path / "site", tmp_path / "in")
    for document in site.json["documents"]:
        assert (document["started"], document["ended"]) == (None, None)
        assert "no time recorded" in site.page(document).text
        assert re.findall(r"(?:event|row)-(\d)\.", site.page(document).text) == list("123")


@pytest.mark.parametrize("year", ["0002-06-01T00:00:00Z", "0999-06-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59.999Z"])
def test_f079_the_ends_of_the_calendar(tmp_path: Path, year: str) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("s"), timestamp=year), event(2, "step.completed", step("s"))])
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "Hi", year), row("assistant", "x", 1)])
    site = build(tmp_path / "site", tmp_path / "in")
    for document in site.json["documents"]:
        assert year in (document["started"], document["ended"])
        assert f'datetime="{year}"' in site.page(document).raw


def test_f080_the_number_decides_in_runs(tmp_path: Path) -> None:
    """A clock that goes back seven minutes in mid-run: the order is that of `seq`, and no duration is negative."""
    lines = [event(seq, "message.assistant", said("assistant", f"event-{seq}.")) for seq in range(1, 7)]
    lines[3]["timestamp"] = "2026-09-14T09:53:04.000Z"
    lines += [event(7, "step.started", step("s"), timestamp=stamp(100)), event(8, "step.completed", step("s"), timestamp=stamp(40))]
    write(tmp_path / "in" / "a.jsonl", [lines[order] for order in (0, 2, 1, 4, 3, 5, 6, 7)])
    site = build(tmp_path / "site", tmp_path / "in")
    assert re.findall(r"event-(\d)\.", site.page().text) == list("123456")
    assert not re.search(r"-\d+(?:\.\d+)? (?:s|ms|min|h)\b", site.page().text)
    assert site.only["started"] <= site.only["ended"]


def test_f080_time_file_and_line_decide_in_sessions(tmp_path: Path) -> None:
    same = "2026-09-14T23:59:59.500Z"
    days = tmp_path / "in" / "events" / "runtime=claude"
    write(days / "date=2026-09-14" / "part-2.ndjson", [row("assistant", f"row-{at}.", same) for at in (3, 4, 5)])
    write(days / "date=2026-09-14" / "part-1.ndjson", [row("assistant", f"row-{at}.", same) for at in (1, 2)])
    write(
        days / "date=2026-09-15" / "part-1.ndjson",
        [row("assistant", "row-7.", "2026-09-15T00:00:01Z"), row("assistant", "row-6.", "2026-09-15T00:00:00Z")],
    )
    write(days / "date=2026-09-13" / "part-1.ndjson", [row("assistant", "row-8.", "2026-09-14T23:00:02-02:00")])
    site = build(tmp_path / "site", tmp_path / "in")
    assert re.findall(r"row-(\d)\.", site.page().text) == list("12345678")


# --- tokens ----------------------------------------------------------------------------------------------------------------------


def test_f081_counters_that_repeat(tmp_path: Path) -> None:
    """The same counters on three blocks of one answer: the sum says what it is, and only copies of a row count once."""
    usage = {"tokens_in": 115_918, "tokens_out": 2_495, "model": "opus"}
    rows = [row("user", "Go", 0), *[row(kind, f"block {kind}", 1, **usage) for kind in ("thinking", "assistant", "tool_call")]]
    write(tmp_path / "in" / "part-1.ndjson", [*rows, rows[2], rows[2]])
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.only["tokens"] == {"in": 3 * 115_918, "out": 3 * 2_495, "reported": 3, "of": 4}
    assert site.only["counts"]["repeated"] == 2
    page = site.page()
    assert "may repeat" in page.raw
    assert page.text.count("115,918 in") >= 2
    assert "repeated 2×" in page.text


@pytest.mark.parametrize(
    ("counters", "tokens", "shown", "index"),
    [
        ([(None, None), (None, None)], (None, None, 0), "not reported", "not reported"),
        ([(0, 0), (None, None)], (0, 0, 1), "0", "0 out"),
        ([(5, None), (None, 7)], (5, 7, 2), "7", "7 out"),
        ([(5, None), (None, None)], (5, None, 1), "5", "5 in"),
        ([("5", 1.5), (True, [])], (None, None, 0), "not reported", "not reported"),
        ([(-3, 10**15), (None, None)], (-3, 10**15, 1), "1,000,000,000,000,000", ""),
    ],
)
def test_f083_usage_that_is_missing_is_not_zero(
    tmp_path: Path, counters: list[tuple[object, object]], tokens: tuple[object, ...], shown: str, index: str
) -> None:
    rows = [row("assistant", f"answer {at}", at, tokens_in=given, tokens_out=out) for at, (given, out) in enumerate(counters)]
    write(tmp_path / "in" / "part-1.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    found = site.only["tokens"]
    assert (found["in"], found["out"], found["reported"], found["of"]) == (*tokens, 2)
    assert shown in site.page().text
    assert index in site.page("index.html").text
    assert "$" not in site.page().text + site.page("index.html").text
    if tokens[2]:
        assert re.search(rf"{tokens[2]} of 2", site.page().raw), "how many events report usage is told"


def test_f083_runs_have_no_counters(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("s"))])
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.only["tokens"] == {"in": None, "out": None, "reported": 0, "of": 1}
    assert not re.search(r"\b0 (?:out|in|tokens)\b", site.page().text + site.page("index.html").text)


def folded(site: Site, name: str) -> tuple[int, int]:
    counts = site.documents[name]["counts"]
    return counts["events"], counts["repeated"]


def test_f084_lines_written_again(tmp_path: Path) -> None:
    rows = [row("user" if at % 2 else "assistant", f"row-{at}.", at) for at in range(60)]
    write(tmp_path / "in" / "part-1.ndjson", [*rows, *rows[20:]])
    lines = [event(seq, "message.assistant", said("assistant", f"event-{seq}.")) for seq in range(1, 6)]
    other = event(3, "message.assistant", said("assistant", "event-3. but otherwise"))
    write(tmp_path / "in" / "a.jsonl", [*lines, lines[1], other])
    site = build(tmp_path / "site", tmp_path / "in")
    assert folded(site, "session-a") == (60, 40)
    assert folded(site, "run-a") == (6, 1)
    sections = re.findall(r"<section.*?</section>", site.page(site.documents["session-a"]).raw, re.DOTALL)
    assert re.findall(r"row-(\d+)\.", "".join(sections)).count("59") == 1
    text = site.page(site.documents["run-a"]).text
    assert re.findall(r"event-(\d)\.", text) == list("123345")
    assert "but otherwise" in text
    assert [kind for kind, file, _ in sorted(site.problems()) if file == "a.jsonl"] == ["repeated-line", "seq-conflict"]
    assert "seq-conflict" not in {problem["kind"] for problem in site.json["problems"] if problem["note"]}
