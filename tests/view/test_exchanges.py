"""What one side of a call says otherwise than the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.site.builds import build, call, event, result, row, said, step, write

if TYPE_CHECKING:
    from pathlib import Path


def shown(folder: Path, called: str, answered: str) -> str:
    """The page of a run with one call."""
    events = [
        event(1, "step.started", step("work")),
        event(2, "tool.call", call("c", called, {"path": "a"})),
        event(3, "tool.result", result("c", "done", name=answered)),
        event(4, "step.completed", step("work")),
    ]
    write(folder / "in" / "run.jsonl", events)
    return build(folder / "out", folder / "in").page().text


@pytest.mark.parametrize(
    ("called", "answered"), [("foo__read", "bar__read"), ("mcp__a__read", "mcp__b__read"), ("read", "mcp__b__read"), ("read", "write")]
)
def test_another_name_of_the_result_is_shown(tmp_path: Path, called: str, answered: str) -> None:
    page = shown(tmp_path, called, answered)
    assert "name, recorded with the result" in page
    assert answered in page


@pytest.mark.parametrize(("called", "answered"), [("foo__read", "foo__read"), ("mcp__a__read", "read"), ("read", "read")])
def test_a_name_that_says_nothing_new_is_not(tmp_path: Path, called: str, answered: str) -> None:
    assert "name, recorded with the result" not in shown(tmp_path, called, answered)


def test_another_name_of_a_result_of_a_conversation_is_shown(tmp_path: Path) -> None:
    rows = [
        row("tool_call", '{"path":"a"}', 1, tool_name="foo__read", extra={"tool_call_id": "c"}),
        row("tool_result", "done", 2, tool_name="bar__read", extra={"tool_call_id": "c"}),
    ]
    write(tmp_path / "in" / "part-0.ndjson", rows)
    page = build(tmp_path / "out", tmp_path / "in").page().text
    assert "foo__read" in page
    assert "bar__read" in page


def test_what_the_agent_says_otherwise_of_a_call_is_shown(tmp_path: Path) -> None:
    use = {"type": "tool_use", "fidelity": "agent_emitted", "tool_name": "mcp__a__read", "tool_id": "c", "tool_input": '{"path": "other"}'}
    same = {**use, "tool_id": "d", "tool_input": '{"path": "a"}'}
    events = [
        event(1, "step.started", step("work")),
        *(event(seq, "tool.call", call(identity, "read", {"path": "a"})) for seq, identity in ((2, "c"), (3, "d"))),
        event(4, "message.assistant", said("assistant", blocks=[use, same])),
        event(5, "step.completed", step("work")),
    ]
    write(tmp_path / "in" / "run.jsonl", events)
    page = build(tmp_path / "out", tmp_path / "in").page().text
    assert page.count("router + agent") >= 2
    assert page.count("input, recorded with the call") == 1
    assert '"path": "other"' in page
    assert "mcp__a__read" in page


def test_a_call_leads_to_the_run_that_it_started(tmp_path: Path) -> None:
    started = [
        event(1, "step.started", step("work")),
        event(2, "tool.call", call("c", "run_workflow", {"name": "audit"}), child_run_id="run-b"),
        event(3, "tool.result", result("c")),
        event(4, "step.completed", step("work")),
    ]
    write(tmp_path / "in" / "a.jsonl", started)
    write(tmp_path / "in" / "b.jsonl", [event(1, "run.started", step("audit"), run_id="run-b", parent_run_id="run-a")])
    site = build(tmp_path / "out", tmp_path / "in")
    page = site.page(site.documents["run-a"])
    (row_of_call,) = re.findall(r'<details class="row tool.*?</details>', page.raw, re.DOTALL)
    assert f'href="../{site.documents["run-b"]["href"]}"' in row_of_call
