"""Rows of run files and partitions for tests of search: read in the plainest way, one row an event, nothing resolved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lakesite.search.entries import Entry, Fields, entries
from lakesite.search.segment import Facts
from lakesite.view.shapes import Badge, Body, EndRow, MessageRow, Row, StepRow, ToolRow


@dataclass(frozen=True, slots=True)
class Read:
    """A document: what is known of it, and the rows of its parts."""

    facts: Facts
    parts: tuple[tuple[Row, ...], ...]

    def entries(self) -> Iterator[tuple[int, Entry]]:
        """All that can be searched in it, each with the number of its part."""
        for number, rows in enumerate(self.parts, 1):
            yield from ((number, entry) for row in rows for entry in entries(row))
        yield 1, Entry("", Fields("page"), f"{self.facts.title}\n{self.facts.href}")


def read_archive(root: Path, *, whole: bool = True) -> Iterator[Read]:
    """Every document of an archive; unless `whole`, the rows of a session in each partition are one, which takes little memory."""
    runs = {path.stem: path for path in sorted(root.rglob("*.jsonl"))}
    for path in runs.values():
        events = [event for event in _events(path) if event.get("run_id")]
        if events:
            yield _run(path.stem, events)
    sessions: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for path in sorted(root.rglob("*.ndjson")):
        for event in _events(path):
            if "event_type" in event:
                part = "" if whole else path.parent.name
                sessions.setdefault((str(event.get("runtime")), str(event.get("session_id")), part), []).append(event)
        if not whole:
            yield from (_session(runtime, f"{name}{part}", events) for (runtime, name, part), events in sorted(sessions.items()))
            sessions.clear()
    for (runtime, name, _), events in sorted(sessions.items()):
        yield _session(runtime, name, events)


def _events(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def _text(value: Any) -> str:  # noqa: ANN401 -- JSON
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict) and isinstance(parts := value.get("Content"), list):
        return "\n".join(_text(part.get("Text")) for part in parts if isinstance(part, dict))
    return "" if value is None else json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _nanoseconds(text: object) -> int | None:
    try:
        return int(datetime.fromisoformat(str(text)).timestamp()) * 1_000_000_000
    except ValueError:
        return None


def _message(number: int, who: Any, text: str, fidelity: str = "") -> MessageRow:  # noqa: ANN401 -- one of the words
    badges = (Badge({"router": "router", "agent_emitted": "agent"}.get(fidelity, "other"), fidelity),) if fidelity else ()
    return MessageRow(f"e-{number}", 0, who, str(who), (Body("markdown", text),), None, badges, "")


def _tool(number: int, name: str, given: str, came: str, fidelity: str, *, failed: bool) -> ToolRow:
    badges = (Badge({"router": "router", "agent_emitted": "agent"}.get(fidelity, "other"), fidelity),) if fidelity else ()
    bodies = (Body("text", given, label="input"), Body("output", came, label="output"))
    return ToolRow(f"e-{number}", 0, name, "", "failed" if failed else "ok", "failed" if failed else "", None, "", badges, bodies, "")


def _run(name: str, events: list[dict[str, Any]]) -> Read:
    rows: list[Row] = []
    calls: dict[object, Any] = {}
    title = name
    status = "completed"
    for number, event in enumerate(events, 1):
        kind, payload = str(event.get("type")), event.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        if kind.startswith("message."):
            title = _text(event.get("path")) or title
            for block in payload.get("blocks") or []:
                if isinstance(block, dict) and block.get("text"):
                    who = "prompt" if kind == "message.user" else "thinking" if block.get("type") == "thinking" else "reply"
                    rows.append(_message(number, who, _text(block["text"]), _text(block.get("fidelity"))))
        elif kind == "tool.call":
            calls[str(payload.get("call_id"))] = payload.get("input")
        elif kind == "tool.result":
            given = _text(calls.pop(str(payload.get("call_id")), payload.get("input")))
            came = f"{_text(payload.get('output'))}\n{_text(payload.get('error'))}"
            tool, fidelity = _text(payload.get("name")), _text(payload.get("fidelity"))
            rows.append(_tool(number, tool, given, came, fidelity, failed=bool(payload.get("error"))))
        elif kind == "step.completed" and payload.get("error"):
            status = "failed"
            error = Body("text", _text(payload["error"]), bad=True)
            rows.append(EndRow(f"e-{number}", 0, _text(payload.get("name")), "failed", (error,), None, (), ""))
        elif kind.startswith("step."):
            step, what = _text(payload.get("name")), _text(payload.get("kind"))
            rows.append(StepRow(f"e-{number}", 0, step, what, "completed", None, "", (), None, "", ""))
    facts = Facts("run", title, f"runs/{_slug(name)}.html", status, "", (), (), _nanoseconds(events[0].get("timestamp")))
    return Read(facts, (tuple(rows),))


def _session(runtime: str, name: str, events: list[dict[str, Any]]) -> Read:
    rows: list[Row] = []
    calls: dict[object, dict[str, Any]] = {}
    who = {"user": "prompt", "assistant": "reply", "thinking": "thinking"}
    for number, event in enumerate(events, 1):
        kind, more = str(event.get("event_type")), event.get("extra")
        more = more if isinstance(more, dict) else {}
        if kind == "tool_call":
            calls[str(more.get("tool_call_id"))] = event
        elif kind == "tool_result":
            call = calls.pop(str(more.get("tool_call_id")), {})
            tool = _text(event.get("tool_name") or call.get("tool_name"))
            rows.append(_tool(number, tool, _text(call.get("text")), _text(event.get("text")), "", failed=bool(more.get("is_error"))))
        elif kind in who:
            rows.append(_message(number, who[kind], _text(event.get("text"))))
    projects = tuple(dict.fromkeys(_text(event["project"]) for event in events if event.get("project")))
    models = tuple(dict.fromkeys(_text(event["model"]) for event in events if event.get("model")))
    title = next((row.bodies[0].text[:80] for row in rows if isinstance(row, MessageRow) and row.who == "prompt"), name)
    href = f"sessions/{_slug(f'{runtime}-{name}')}.html"
    facts = Facts("session", title, href, "", runtime, projects, models, _nanoseconds(events[0].get("ts")))
    return Read(facts, (tuple(rows),))


def _slug(name: str) -> str:
    return "".join(char if char.isalnum() and char.isascii() else "-" for char in name.lower())
