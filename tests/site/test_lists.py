"""The lists of a site: index, problems, `site.json`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lakesite.search.library import read_library
from lakesite.view.index import ROWS, index_lists
from tests import EXAMPLES
from tests.golden.sites import SITES
from tests.site.builds import Site, build, event, row, stamp, step, write
from tests.site.planting import made


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The examples that come with lakesite, built in the ordinary way."""
    return build(tmp_path_factory.mktemp("plain") / "site", EXAMPLES)


# --- lists -----------------------------------------------------------------------------------------------------------------------


def test_the_index_is_in_order(tmp_path: Path) -> None:
    """Newest first, whatever the kind, untimed ones last; sub-runs under theirs, those of a large tree on a list of their own."""
    trees = {"old": (10, 1), "new": (30, 2), "large": (20, 9)}
    names = []
    for name, (at, count) in trees.items():
        children = [f"{name}-{number}" for number in range(count)]
        calls = [event(seq, "step.call_workflow.started", step("c", "call_workflow"), run_id=name, child_run_id=child, timestamp=stamp(at))
                 for seq, child in enumerate(children, 1)]  # fmt: skip
        write(tmp_path / "in" / f"{name}.jsonl", calls)
        for child in children:
            lines = [event(1, "step.started", step("c"), run_id=child, parent_run_id=name, timestamp=stamp(at + 50))]
            write(tmp_path / "in" / f"{child}.jsonl", lines)
        names.append([name, *children])
    write(tmp_path / "in" / "untimed.jsonl", [event(1, "step.started", step("u"), run_id="untimed", timestamp=None)])
    write(tmp_path / "in" / "p.ndjson", [row("user", "Session between", 25), row("assistant", "x", 26)])
    site = build(tmp_path / "site", tmp_path / "in")
    hrefs = {document["href"]: name for name, document in site.documents.items()}
    old, new, large = names
    shown = [hrefs[link] for link in site.page("index.html").links if link in hrefs]
    assert shown == [*new, "session-a", "large", *old, "untimed"]
    everything = [hrefs[link] for link in site.page("all.html").links if link in hrefs]
    assert everything == [*new, "session-a", *large, *old, "untimed"]
    assert "all.html" in site.page("index.html").links
    assert "9 sub-workflows" in site.page("index.html").text


def test_the_problems_page_names_file_line_and_reason(tmp_path: Path) -> None:
    good = event(1, "step.started", step("a"))
    write(tmp_path / "in" / "a.jsonl", [good, "garbage", b"\x00" * 9, "[]", event(2, "step.paused", step("a")), {"x": 1}])
    write(tmp_path / "in" / "notes.txt", ["words"])
    (tmp_path / "in" / "link").symlink_to("a.jsonl")
    site = build(tmp_path / "site", tmp_path / "in")
    text = site.page("problems.html").text
    for kind, file, line in site.problems():
        assert f"{file}:{line}" in text, kind
    assert site.problems() == [
        ("malformed-line", "a.jsonl", 2), ("zero-bytes", "a.jsonl", 3), ("not-an-object", "a.jsonl", 4), ("not-an-event", "a.jsonl", 6),
        ("unknown-type", "a.jsonl", 5),
    ]  # fmt: skip
    assert "notes.txt" in text
    assert "a symbolic link" in text
    assert [(item["file"], bool(item["reason"])) for item in site.json["skipped"]] == [("link", True), ("notes.txt", True)]
    own = site.page().text
    assert "a.jsonl:2" in own


def test_thousands_of_problems_are_counted_not_listed(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("a")), *["garbage"] * 5000])
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.only["counts"]["problems"] == 5000
    assert len(site.json["problems"]) == 5000
    assert "4,8" in site.page().text
    assert all(len(data) < 900_000 for name, data in site.files.items() if name.endswith(".html"))


def test_calls_are_counted_alike_everywhere(tmp_path: Path) -> None:
    """A result of which no call was recorded is an exchange as others are: in the headline, the bars, the row and on the page."""
    rows = [
        row("user", "Look", 1),
        row("tool_call", "{}", 2, tool_name="Read", extra={"tool_call_id": "a"}),
        row("tool_result", "x", 3, extra={"tool_call_id": "a"}),
        row("tool_result", "y", 4, extra={"tool_call_id": "gone"}),
    ]
    write(tmp_path / "in" / "p.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.only["counts"]["exchanges"] == 2
    (found,) = index_lists("t", site.built.summaries, ())
    page = found.pages[0][1]
    assert [fact.figure for fact in page.facts if fact.unit == "tool calls"] == ["2"]
    assert [(bar.name, bar.calls) for bar in page.tools] == [("Read", "1"), ("name not recorded", "1")]
    assert [row.calls for row in page.rows] == ["2"]
    assert "2 calls" in site.page().text


def test_calls_add_up(plain: Site) -> None:
    for document in plain.built.summaries:
        assert sum(calls for _, calls, _ in document.tools) == document.counts.exchanges


MARKED = re.compile(r'class="row (?!end)[^"]*\bfail\b')


@pytest.mark.parametrize("case", SITES)
def test_errors_are_counted_as_they_are_marked_and_found(tmp_path: Path, case: str) -> None:
    """The rows in red, the count of a document, its chip in the lists, and what search finds by `is:error`; what hooks decide is none."""
    site = build(tmp_path / "site", SITES[case])
    listed = site.json["documents"]
    marked = {each["href"]: sum(len(MARKED.findall(site.files[part].decode())) for part in each["parts"]) for each in listed}
    assert marked == {each["href"]: each["counts"]["errors"] for each in listed}
    library = read_library(site.folder)
    assert library
    found = {each.facts.href for part in library.segments for each in part.live() if any(field.error for field in each.fields)}
    assert found == {href for href, count in marked.items() if count}


def test_what_a_hook_decides_and_what_a_receipt_says_is_no_error(tmp_path: Path) -> None:
    rows = [
        row("user", "Push", 1),
        row("hook_decision", "not to main", 2, tool_name="no-push", extra={"decision": "block", "event": "PreToolUse", "tool": "Bash"}),
        row("meta", "", 3, extra={"recordType": "execution", "operationKind": "tool", "status": "refused", "eventId": "e1"}),
    ]
    write(tmp_path / "in" / "p.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    assert (site.only["counts"]["errors"], site.only["counts"]["hook_blocks"]) == (0, 1)
    page = site.page()
    assert not MARKED.search(page.raw)
    assert "hook block" in page.text
    assert "a decision, not an error" in page.text


# --- site.json -------------------------------------------------------------------------------------------------------------------

COUNTS = {
    "events", "repeated", "steps", "messages", "calls", "results", "paired", "exchanges", "router", "agent", "merged", "no_result",
    "no_call", "extra_result", "positional", "errors", "hook_decisions", "hook_blocks", "receipts", "unfinished", "masked", "problems",
}  # fmt: skip
FIELDS = {
    "kind", "id", "href", "parts", "title", "status", "status_source", "started", "ended", "parent", "children", "missing",
    "interruption", "models", "project", "sources", "counts", "tokens",
}  # fmt: skip
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z")


def test_the_shape_of_site_json(plain: Site) -> None:
    found = plain.json
    assert set(found) == {"format", "documents", "problems", "skipped"}
    assert found["format"] == 1
    runs = {document["id"] for document in found["documents"] if document["kind"] == "run"}
    for document in found["documents"]:
        own = FIELDS | ({"runtime"} if document["kind"] == "session" else set()) | ({"part"} if document["id"] is None else set())
        assert set(document) == own
        assert document["kind"] in ("run", "session")
        assert document["status"] in ("completed", "failed", "cancelled", "unfinished", "unknown")
        assert document["status_source"] in ("recorded", "state", "audit", "parent", "derived")
        assert document["interruption"] in ("unanswered", "cut_off_mid_tool", None)
        assert set(document["counts"]) == COUNTS
        assert all(type(count) is int and count >= 0 for count in document["counts"].values())
        assert set(document["tokens"]) == {"in", "out", "reported", "of"}
        assert (document["tokens"]["reported"] == 0) == (document["tokens"]["in"] is document["tokens"]["out"] is None)
        assert document["href"] == document["parts"][0]
        assert all(part in plain.files for part in document["parts"])
        assert all(time is None or TIME.fullmatch(time) for time in (document["started"], document["ended"]))
        assert set(document["children"]) <= runs
        assert document["parent"] is None or document["parent"] in runs
        assert not set(document["missing"]) & runs
        assert document["title"]
    for problem in found["problems"]:
        assert set(problem) == {"kind", "note", "file", "line", "what", "about", "document"}
        assert problem["document"] is None or problem["document"] in plain.files
    assert all(set(item) == {"file", "reason"} for item in found["skipped"])


def test_site_json_is_read_line_by_line(plain: Site) -> None:
    """One document a line, so that it can be looked at with ordinary tools."""
    lines = plain.files["site.json"].decode().splitlines()
    documents = [json.loads(line.rstrip(",")) for line in lines if line.startswith('{"kind":') and '"href"' in line]
    assert documents == plain.json["documents"]


def test_counts_add_up(plain: Site) -> None:
    for document in plain.json["documents"]:
        counts = document["counts"]
        if document["kind"] == "run":
            assert counts["router"] + counts["agent"] - counts["merged"] <= counts["exchanges"]
        assert counts["paired"] <= min(counts["calls"], counts["results"]) or document["kind"] == "run"
        own = [problem for problem in plain.json["problems"] if problem["document"] == document["href"]]
        assert counts["problems"] == len(own)


def test_a_long_list_comes_with_a_file_of_its_rows(tmp_path: Path) -> None:
    """It holds what the pages hold, masked as they are, and is looked through as they are."""
    secret = f"ghp_{made(36, 7)}"
    rows = [row("user", f"Use {secret} for {number}", 5 * number, session_id=f"s-{number}") for number in range(ROWS + 3)]
    write(tmp_path / "in" / "p.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in", verify=True)
    text = site.files["index-rows.js"].decode()
    assert text.count("\n") == ROWS + 5
    assert secret not in text
    assert text.count("[masked:token:40:") == ROWS + 3
    assert all(json.dumps(document["href"]) in text for document in site.json["documents"])
    assert "script-src &#39;self&#39;" in site.page("index.p2.html").raw
    assert "script-src &#39;self&#39;" not in site.page("problems.html").raw
