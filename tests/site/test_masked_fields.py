"""`masking.json` tells in which field of a record something was masked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.site.builds import Value, build, call, event, result, row, said, step, write
from tests.site.planting import made

if TYPE_CHECKING:
    from pathlib import Path

KEY = f"ghp_{made(36, 31)}"


def block(kind: str, **fields: object) -> Value:
    return {"type": kind, "fidelity": "agent_emitted", **fields}


RUNS: dict[str, list[Value]] = {
    "prompt": [event(1, "message.user", said("user", KEY))],
    "reply": [event(1, "message.assistant", said("assistant", KEY))],
    "thinking": [event(1, "message.assistant", said("assistant", blocks=[block("thinking", thinking=KEY)]))],
    "command": [event(1, "message.assistant", said("assistant", blocks=[block("command", text=KEY)]))],
    "stream": [event(1, "message.assistant", said("assistant", blocks=[block("stream", text=KEY)]))],
    "tool name": [event(1, "tool.call", call("c1", KEY))],
    "tool input": [event(1, "tool.call", call("c1", "Bash", {"command": f"export A={KEY}"}))],
    "tool output": [event(1, "tool.call", call("c1")), event(2, "tool.result", result("c1", KEY))],
    "error": [event(1, "step.started", step("a")), event(2, "step.completed", step("a", error=KEY))],
    "result": [event(1, "step.started", step("a")), event(2, "step.completed", step("a", result=KEY))],
    "other fields": [event(1, "message.user", said("user", "x"), note=KEY)],
}
ROWS: dict[str, Value] = {
    "prompt": row("user", KEY, 1),
    "reply": row("assistant", KEY, 1),
    "tool input": row("tool_call", KEY, 1, tool_name="Bash"),
    "tool output": row("tool_result", KEY, 1),
    "meta": row("meta", KEY, 1),
    "extra": row("user", "x", 1, extra={"note": KEY}),
    "other fields": row("user", "x", 1, note=KEY),
}


def fields_of(folder: Path) -> set[str | None]:
    (document,) = json.loads((folder / "masking.json").read_text(encoding="utf-8"))["documents"]
    return {each["field"] for each in document["masked"]}


@pytest.mark.parametrize("field", RUNS)
def test_fields_of_runs(field: str, tmp_path: Path) -> None:
    build(tmp_path / "site", write(tmp_path / "a.jsonl", RUNS[field]))
    assert fields_of(tmp_path / "site") == {field}
    assert f"<td>{field}</td>" in (tmp_path / "site" / "masking.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("field", ROWS)
def test_fields_of_conversations(field: str, tmp_path: Path) -> None:
    build(tmp_path / "site", write(tmp_path / "part-1.ndjson", [ROWS[field]]))
    assert fields_of(tmp_path / "site") == {field}


def test_fields_of_a_state_file(tmp_path: Path) -> None:
    write(tmp_path / "storage" / "transcripts" / "a.jsonl", [event(1, "step.started", step("a"))])
    steps = {"a": {"Status": "failed", "Output": f"one {KEY}", "Stderr": "", "Error": f"two {KEY}"}}
    state = {"WorkflowID": "run-a", "WorkflowName": "flow", "Status": "failed", "Env": {"A": KEY}, "Inputs": {"b": KEY}, "States": steps}
    write(tmp_path / "storage" / "states" / "run-a.json", [state])
    build(tmp_path / "site", tmp_path / "storage")
    assert fields_of(tmp_path / "site") == {"environment", "inputs", "output", "error"}
