"""Field cases: sub-runs, pairing, permalinks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.builds import build, call, event, result, row, said, stamp, step, write

if TYPE_CHECKING:
    from tests.site.builds import Site, Value


def rows_of(site: Site, document: Value | None = None) -> list[str]:
    """The text of each row of a document's pages, in order."""
    found = document or site.only
    raw = "".join(site.pages[part].raw.partition("<main")[2] for part in found["parts"])
    pieces = re.split(r'<(?:div|details) class="row ', raw)[1:]
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", piece.partition(">")[2])).strip() for piece in pieces]


# --- F068 ------------------------------------------------------------------------------------------------------------------------


def anchors(site: Site, document: Value) -> dict[str, str]:
    """For each word of ours, the anchor of the row that it stands in."""
    found = {}
    for part in document["parts"]:
        for piece in re.split(r'(?=<(?:div|details) class="row )', site.pages[part].raw)[1:]:
            anchor = re.search(r'id="(e-[^"]+)"', piece)
            for word in re.findall(r"word-\d+", piece):
                if anchor:
                    found.setdefault(word, anchor[1])
    return found


def test_f068_links_to_events_stay(tmp_path: Path) -> None:
    """Rebuilt, with more events behind, an older session and an older run beside: every old link still lands on its event."""
    lines = [event(seq, "message.user", said("user", f"word-{seq}"), timestamp=stamp(1)) for seq in range(1, 6)]
    rows = [row("user", f"word-{at}", 7) for at in range(1, 6)]
    write(tmp_path / "in" / "a.jsonl", lines)
    write(tmp_path / "in" / "part-1.ndjson", rows)
    before = build(tmp_path / "before", tmp_path / "in")
    write(tmp_path / "in" / "a.jsonl", [*lines, event(6, "message.user", said("user", "word-6"), timestamp=stamp(0))])
    write(tmp_path / "in" / "part-1.ndjson", [row("assistant", "word-0", 1), *rows, row("assistant", "word-6", 9)])
    write(tmp_path / "in" / "part-0.ndjson", [row("user", "older", 0, session_id="older")])
    write(tmp_path / "in" / "0.jsonl", [event(1, "step.started", step("older"), run_id="older", timestamp=stamp(0))])
    after = build(tmp_path / "after", tmp_path / "in")
    for name in ("run-a", "session-a"):
        old, new = before.documents[name], after.documents[name]
        assert old["href"] == new["href"]
        then, now = anchors(before, old), anchors(after, new)
        assert len(set(then.values())) == len(then) == 5
        assert {word: now[word] for word in then} == then
        for anchor in then.values():
            assert before.page(old).raw.count(f'href="#{anchor}"') >= 1, "each row shows a link to itself"


def test_f068_rows_moved_between_files_keep_their_links(tmp_path: Path) -> None:
    rows = [row("user", f"word-{at}", at) for at in range(1, 5)]
    write(tmp_path / "one" / "part-1.ndjson", rows)
    write(tmp_path / "two" / "part-1.ndjson", rows[:2])
    write(tmp_path / "two" / "part-2.ndjson", rows[2:])
    one, two = build(tmp_path / "a", tmp_path / "one"), build(tmp_path / "b", tmp_path / "two")
    assert anchors(one, one.only) == anchors(two, two.only)


# --- F069 ------------------------------------------------------------------------------------------------------------------------


def test_f069_interleaved_branches(tmp_path: Path) -> None:
    def asks(seq: int, branch: str) -> Value:
        return event(seq, "message.user", said("user", f"asked-in-{branch}"), path=f"fan/{branch}")

    lines = [
        event(1, "step.started", step("fan", "parallel"), path="fan"),
        event(2, "step.started", step("a"), path="fan/a"),
        event(3, "step.started", step("b"), path="fan/b"),
        asks(4, "b"),
        asks(5, "a"),
        event(6, "tool.call", call("x", "Read", {"path": "of-x"})),
        event(7, "tool.call", call("y", "Read", {"path": "of-y"})),
        event(8, "tool.result", result("y", "result-of-y")),
        event(9, "tool.result", result("x", "result-of-x")),
        event(10, "step.completed", step("b"), path="fan/b"),
        event(11, "step.completed", step("a"), path="fan/a"),
        event(12, "step.completed", step("fan", "parallel"), path="fan"),
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    exchanges = [text for text in rows_of(site) if text.startswith(("Read", "✓", "of-")) or "of-x" in text or "of-y" in text]
    assert [("of-x" in text, "result-of-x" in text, "result-of-y" in text) for text in exchanges] == [
        (True, True, False),
        (False, False, True),
    ]
    raw = site.page().raw
    assert raw.index('id="e-2"') < raw.index("asked-in-a") < raw.index('id="e-3"') < raw.index("asked-in-b")
    for seq in (4, 5, 6, 7):
        assert f'id="e-{seq}"' in raw, "its number, which tells the order of all branches, can be seen"


def test_f069_results_in_another_order(tmp_path: Path) -> None:
    rows = [row("tool_call", f'{{"path":"of-{name}"}}', 1, tool_name="Read", extra={"tool_call_id": name}) for name in "ABC"]
    rows += [row("tool_result", f"result-of-{name}", 1, extra={"tool_call_id": name}) for name in "CAB"]
    write(tmp_path / "in" / "part-1.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    texts = rows_of(site)
    assert len(texts) == 3
    for text, name in zip(texts, "ABC", strict=True):
        assert re.findall(r"(?:result-)?of-[A-C]", text)[-1] == f"result-of-{name}"
        assert f"of-{name}" in text


# --- F070 ------------------------------------------------------------------------------------------------------------------------


def test_f070_nothing_that_is_unattached_is_dropped(tmp_path: Path) -> None:
    write(
        tmp_path / "in" / "1.jsonl",
        [event(1, "step.call_workflow.started", step("c", "call_workflow"), run_id="caller", child_run_id="no-such-child")],
    )
    write(tmp_path / "in" / "2.jsonl", [event(1, "step.started", step("s"), run_id="orphan", parent_run_id="no-such-parent")])
    write(
        tmp_path / "in" / "3.jsonl",
        [event(1, "step.call_workflow.started", step("c", "call_workflow"), run_id="claims", child_run_id="contested")],
    )
    write(tmp_path / "in" / "4.jsonl", [event(1, "step.started", step("s"), run_id="contested", parent_run_id="other")])
    write(tmp_path / "in" / "5.jsonl", [event(1, "step.started", step("s"), run_id="other")])
    rows = [row("user", "the-question", 1), row("assistant", "word-of-a-sub-agent", 2, extra={"sidechain": True})]
    write(tmp_path / "in" / "part-1.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    assert len(site.json["documents"]) == 6
    assert site.documents["caller"]["missing"] == ["no-such-child"]
    assert re.search("not in this archive", site.page(site.documents["caller"]).text)
    assert "no-such-child"[:8] in site.page(site.documents["caller"]).text
    assert site.documents["orphan"]["parent"] is None
    assert site.documents["orphan"]["missing"] == ["no-such-parent"]
    assert "no-such-parent, not in this archive" in site.page(site.documents["orphan"]).text
    assert site.documents["contested"]["parent"] == "other"
    assert "contested" not in site.documents["claims"]["children"]
    assert site.documents["contested"]["href"].rpartition("/")[2] in "".join(site.page(site.documents["claims"]).links)
    session = site.page(site.documents["session-a"]).text
    assert "word-of-a-sub-agent" in session
    assert "side chain" in session
    roots = {document["href"] for document in site.json["documents"] if document["parent"] is None}
    assert roots <= set(site.page("index.html").links)


def test_f070_rings_and_selves(tmp_path: Path) -> None:
    for name, child in (("a", "b"), ("b", "c"), ("c", "a"), ("self", "self")):
        line = event(
            1,
            "step.call_workflow.started",
            step("c", "call_workflow"),
            run_id=name,
            child_run_id=child,
            parent_run_id=None,
            timestamp=stamp(ord(name[0])),
        )
        write(tmp_path / "in" / f"{name}.jsonl", [line])
    site = build(tmp_path / "site", tmp_path / "in")
    assert {name: document["parent"] for name, document in site.documents.items()} == {"a": None, "b": "a", "c": "b", "self": None}
    assert "cycle" in site.page(site.documents["a"]).text + site.page(site.documents["c"]).text
    assert "names itself" in site.page(site.documents["self"]).text


# --- F072 ------------------------------------------------------------------------------------------------------------------------


def test_f072_sub_runs_do_not_flood_the_index(tmp_path: Path) -> None:
    calls = [
        event(seq, "step.call_workflow.started", step("c", "call_workflow"), run_id="root", child_run_id=f"child-{seq}")
        for seq in range(1, 162)
    ]
    write(tmp_path / "in" / "root.jsonl", calls)
    for seq in range(1, 162):
        lines = [event(1, "step.started", step("s"), run_id=f"child-{seq}", parent_run_id="root")]
        lines += [event(2, "step.completed", step("s", error="no" if seq % 40 == 0 else ""), run_id=f"child-{seq}", parent_run_id="root")]
        write(tmp_path / "in" / f"{seq}.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    hrefs = {document["href"] for document in site.json["documents"]}
    index = site.page("index.html")
    assert [link for link in index.links if link in hrefs] == [site.documents["root"]["href"]]
    assert "161 sub-workflows, 4 failed" in index.text
    assert hrefs <= set(site.page("all.html").links)
    child = site.page(site.documents["child-77"])
    assert f"../{site.documents['root']['href']}" in child.links
    assert sum(link == f"../{site.documents['child-5']['href']}" for link in site.page(site.documents["root"]).links) >= 1


# --- F075 ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reported", "merged"), [(2, 2), (1, 1), (0, 0), (3, 2)])
def test_f075_one_action_on_two_channels(tmp_path: Path, reported: int, merged: int) -> None:
    """Two equal router calls, and the agent's reports of two, of one, of none, and of one more than there were."""
    elsewhere = {"type": "tool_use", "fidelity": "agent_emitted", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    uses = [
        {
            "type": "tool_use",
            "fidelity": "agent_emitted",
            "tool_name": "mcp__awf__Bash",
            "tool_id": f"toolu_{number}",
            "tool_input": '{"command": "ls"}',
        }
        for number in range(reported)
    ]
    lines = [
        event(1, "step.started", step("one"), path="one"),
        event(2, "tool.call", call("uuid-1", "Bash", {"command": "ls"})),
        event(3, "tool.result", result("uuid-1", "first-result")),
        event(13, "tool.call", call("uuid-2", "Bash", {"command": "ls"})),
        event(14, "tool.result", result("uuid-2", "second-result")),
        event(15, "message.assistant", said("assistant", "Done", blocks=uses), path="flow"),
        event(16, "step.completed", step("one"), path="one"),
        event(17, "step.started", step("two"), path="two"),
        event(18, "message.assistant", said("assistant", blocks=[elsewhere])),
        event(19, "step.completed", step("two"), path="two"),
    ]  # fmt: skip
    write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    counts = site.only["counts"]
    assert (counts["router"], counts["merged"], counts["agent"]) == (2, merged, reported + 1)
    assert counts["exchanges"] == 2 + reported - merged + 1
    texts = rows_of(site)
    assert sum("first-result" in text for text in texts) == sum("second-result" in text for text in texts) == 1
    both = [
        text for text in texts if "router + agent" in text and "result" in text and "recorded the same" not in text and "-result" in text
    ]
    assert len(both) == merged


# --- F076 ------------------------------------------------------------------------------------------------------------------------


def test_f076_calls_and_steps_without_an_end(tmp_path: Path) -> None:
    lines = [
        event(1, "step.started", step("ask"), path="ask"),
        event(2, "tool.call", call("c", "Bash", {"command": "sleep"})),
        event(3, "message.assistant", said("assistant", "something-later"), path="flow"),
        event(4, "step.call_workflow.started", step("sub", "call_workflow"), path="sub", child_run_id="child"),
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    write(tmp_path / "in" / "child.jsonl", [event(1, "step.started", step("s"), run_id="child", parent_run_id="run-a")])
    rows = [
        row("user", "Go", 1),
        row("tool_call", '{"command":"x"}', 2, tool_name="Bash", extra={"tool_call_id": "c"}),
        row("meta", "later", 3),
    ]
    write(tmp_path / "in" / "part-1.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    assert (site.documents["run-a"]["status"], site.documents["run-a"]["counts"]["no_result"]) == ("unfinished", 1)
    assert site.documents["child"]["status"] == "unfinished"
    assert site.documents["session-a"]["interruption"] == "cut_off_mid_tool"
    for name in ("run-a", "session-a"):
        text = site.page(site.documents[name]).text
        assert "no result recorded" in text
        assert not re.search(r"\b(running|pending|in progress|loading)\b", text, re.IGNORECASE)
    assert "end not recorded" in site.page(site.documents["run-a"]).text
    assert "cut off mid-tool" in site.page("index.html").text
