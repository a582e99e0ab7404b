"""The lists of a site as data: what filters count, how they are paged, where days begin."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

from lakesite.model import Id, Key, Masked, Place
from lakesite.render.listing import rows_script
from lakesite.view.index import ROWS, IndexList, index_lists
from lakesite.view.summary import NO_MODEL, tool_counts, usage
from tests.site.builds import build, row, write
from tests.view.made import made

if TYPE_CHECKING:
    from pathlib import Path


def only(*summaries: object) -> IndexList:
    (found,) = index_lists("t", summaries, ())  # type: ignore[arg-type]
    return found


def test_chips_count_what_they_select() -> None:
    found = only(
        made("a", status="failed", errors=2),
        made("b", kind="session", runtime="claude", projects=("/home/dev/shop/", "/x/shop"), models=("sonnet",), errors=1),
        made("c", kind="session", runtime="failed", projects=("/x/a|b",)),
    )
    page = found.pages[0][1]
    assert [(chip.name, chip.text, chip.count) for chip in page.chips] == [
        ("all", "all", "3"), ("failed", "failed", "1"), ("errors", "has errors", "2"), ("unknown", "end not known", "2"),
        ("runs", "runs", "1"), ("sessions", "sessions", "2"), ("runtime claude", "claude", "1"), ("runtime failed", "failed", "1"),
    ]  # fmt: skip
    assert [chip.name for chip in page.more_chips] == ["project a¦b", "project shop", "model sonnet"]
    assert page.rows_file == ""


def test_a_conversation_that_was_interrupted_is_unfinished() -> None:
    """As `site.json` and search say it; at others nothing is said, but they are counted with what has no known end."""
    found = only(
        made("a", status="unfinished"),
        made("b", kind="session", status="unfinished", interruption="cut_off_mid_tool", runtime="claude"),
        made("c", kind="session", status="unfinished", interruption="unanswered"),
        made("d", kind="session", status="unknown"),
        made("e", status="unknown"),
    )
    assert [(row.title, row.status, row.note) for row in found.rows] == [
        ("a", "unfinished", ""), ("e", "unknown", ""), ("b", "unfinished", "claude · cut off mid-tool"), ("c", "unfinished", "unanswered"),
        ("d", "none", ""),
    ]  # fmt: skip
    counts = {chip.name: chip.count for chip in found.pages[0][1].chips}
    assert (counts["unfinished"], counts["unknown"]) == ("3", "2")
    assert [row.title for row in found.rows if "unknown" in (row.status, *row.filters)] == ["e", "d"]


def test_the_headline_leads_to_the_failures_that_it_counts() -> None:
    """Where sub-runs of large trees are left out of the index, to the list that has them."""
    (alone,) = index_lists("t", [made("a", status="failed"), made("b")], ())
    assert [(fact.figure, fact.href) for fact in alone.pages[0][1].facts if fact.unit == "failure"] == [("1", "index.html#list?f=failed")]
    children = tuple(Id(Key(f"child {number}"), Masked(f"child {number}")) for number in range(7))
    parent = Id(Key("root"), Masked("root"))
    tree = [made(child.key, 1, status="failed", place=Place(parent, None, (), (), (), (), (), None)) for child in children]
    root = made("root", 1, status="failed", place=Place(None, None, children, (), (), (), (), None))
    index, everything = index_lists("t", [root, *tree], ())
    for each, failed, left_out in ((index, "1", 7), (everything, "8", 0)):
        page = each.pages[0][1]
        assert [(fact.figure, fact.href) for fact in page.facts if fact.unit == "failures"] == [("8", "all.html#list?f=failed")]
        assert {chip.name: chip.count for chip in page.chips}["failed"] == failed
        assert page.left_out == left_out


def test_a_headline_without_failures_leads_nowhere() -> None:
    (found,) = index_lists("t", [made("a")], ())
    assert [(fact.figure, fact.href) for fact in found.pages[0][1].facts if fact.unit == "failures"] == [("0", None)]


def test_a_long_list_has_pages_and_a_file_of_all_rows() -> None:
    found = only(*(made(f"r{number:04}", number / 100, errors=number % 3) for number in range(2 * ROWS + 1)))
    assert [name for name, _ in found.pages] == ["index.html", "index.p2.html", "index.p3.html"]
    assert [len(page.rows) for _, page in found.pages] == [ROWS, ROWS, 1]
    assert {page.rows_file for _, page in found.pages} == {"index-rows.js"} == {found.rows_file}
    assert [bool(page.charts) for _, page in found.pages] == [True, False, False]
    text = "".join(rows_script(found.rows))
    rows = json.loads(text.removeprefix("lakesiteRows(").removesuffix(");\n"))
    assert [row[2] for row in rows] == [row.title for row in found.rows]
    assert rows[0] == ["|runs|completed|errors|", "runs/r1000.html", "r1000", "", "2025-12-11T00:00:00Z", "–", "0", "–", 0, -1, 0, 1, -1]
    assert text.isascii()


def test_the_file_of_rows_holds_nothing_that_acts() -> None:
    (row,) = only(made("a", title="</script>\u202e\x00\u2028é")).rows
    text = "".join(rows_script([row]))
    assert "\\u202e" not in text
    assert json.loads(text.removeprefix("lakesiteRows(").removesuffix(");\n"))[0][2] == "</script>U+202E\u2028é"


def test_days_begin_with_roots() -> None:
    child = Id(Key("child"), Masked("child"))
    parent = Id(Key("root"), Masked("root"))
    place = Place(None, None, (child,), (), (), (), (), None)
    found = only(
        made("root", 1, place=place), made("child", 2, place=Place(parent, None, (), (), (), (), (), None)), made("b", 1), made("c", 0),
        made("d", None),
    )  # fmt: skip
    assert [(row.title, row.day) for row in found.pages[0][1].rows] == [
        ("b", "2 Dec 2025"), ("root", ""), ("child", ""), ("c", "1 Dec 2025"), ("d", "No time recorded"),
    ]  # fmt: skip


def test_what_is_counted_of_a_document(tmp_path: Path) -> None:
    assert tool_counts([]) == ()
    assert usage([]) == ()
    calls = [
        row("tool_call", "x", number, tool_name=f"tool {number % 30:02}", extra={"tool_call_id": str(number)}, tokens_out=2, model="m")
        for number in range(60)
    ]
    ends = [row("tool_result", "x", 99, extra={"tool_call_id": "7", "is_error": True}, tokens_out=3, model="n")]
    days = [row("assistant", "x", f"2026-{month:02}-{day:02}T00:00:00Z", tokens_out=1) for month in (1, 2, 3) for day in range(1, 29)]
    write(tmp_path / "in" / "p.ndjson", [*calls, *ends, ends[0], *days])
    (found,) = build(tmp_path / "site", tmp_path / "in").built.summaries  # type: ignore[union-attr]
    assert len(found.tools) == 25
    assert sum(count for _, count, _ in found.tools) == 60
    assert [bad for _, _, bad in found.tools if bad] == [1]
    assert found.tools[-1] == ("", 12, 0)
    january = (date(2026, 1, 1) - date(1970, 1, 1)).days
    assert found.usage[:29] == (*((january + day, NO_MODEL, 1) for day in range(28)), (january + 31, NO_MODEL, 1)), "each on its own day"
    assert found.usage[-2:] == ((january + 256, "m", 120), (january + 256, "n", 3))
    assert sum(tokens for _, _, tokens in found.usage) == found.tokens.tokens_out == 2 * 60 + 3 + 84
