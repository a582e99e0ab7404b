"""A field of another sort than it should be orders nothing and pairs nothing, but it can be read like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.site.builds import build, call, event, result, row, said, step, write

ODD: list[tuple[object, str]] = [
    ("a word", "a word"), (1.5, "1.5"), (-7, "-7"), (10**30, "1" + "0" * 30), (True, "true"), ({"deep": ["inside"]}, "inside"),
    (["item"], "item"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "shown"), ODD)
@pytest.mark.parametrize("name", ["seq", "iteration"])
def test_a_number_that_is_none(tmp_path: Path, name: str, value: object, shown: str) -> None:
    records: list[dict[str, Any]] = [
        event(1, "step.started", step("one")), event(2, "message.user", said("user", "hello")), event(3, "tool.call", call("c")),
        event(4, "step.paused", {"name": "x"}), event(5, "run.started"), event(6, "step.completed", step("one")),
    ]  # fmt: skip
    for record in records:
        write(tmp_path / "in" / "a.jsonl", [*(other for other in records if other is not record), {**record, name: value}])
        text = build(tmp_path / "out", tmp_path / "in").text()
        assert f'"{name}":' in text, record["type"]
        assert shown in text, record["type"]


@pytest.mark.parametrize("name", ["run_id", "parent_run_id", "child_run_id"])
def test_an_id_that_is_none(tmp_path: Path, name: str) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("one")), {**event(2, "step.paused", {}), name: {"deep": "inside"}}])
    assert "inside" in build(tmp_path / "out", tmp_path / "in").text()


@pytest.mark.parametrize("value", [None, 0, 3, ""])
def test_what_is_as_it_should_be_takes_no_room(tmp_path: Path, value: object) -> None:
    number = value or 0
    record = {**event(1, "step.started", step("one")), "iteration": number, "parent_run_id": value or None}
    write(tmp_path / "in" / "a.jsonl", [record])
    assert '"iteration"' not in build(tmp_path / "out", tmp_path / "in").text()


PATHS = {
    "": False, "one": False, "loop:0/one": False, "loop:2/loop:11/one": False, "one.two": False, "flow": False,
    "elsewhere": True, "one.elsewhere": True, "loop:0/elsewhere": True, "a/one": True, "loop:x/one": True, "one.": True,
}  # fmt: skip


@pytest.mark.parametrize(("path", "shown"), PATHS.items())
@pytest.mark.parametrize("kind", ["step.started", "message.user", "tool.call", "step.paused"])
def test_a_path_is_shown_where_nothing_else_tells_it(tmp_path: Path, path: str, kind: str, *, shown: bool) -> None:
    payloads = {"step.started": step("one"), "message.user": said("user", "hello"), "tool.call": call("c"), "step.paused": step("x")}
    write(tmp_path / "in" / "a.jsonl", [
        event(1, "run.started", step("flow", "workflow")), event(2, "step.started", step("one")), event(3, "step.started", step("two")),
        event(4, kind, payloads[kind], path=path),
    ])  # fmt: skip
    text = build(tmp_path / "out", tmp_path / "in").text()
    assert (f'"path": "{path}"' in text) == shown


KNOWN = ("run.started", "tool.call", "step.started")


@pytest.mark.parametrize("kind", ["step.paused", "paused", ["listed"], {"deep": "word"}, "message.paused", *KNOWN])
def test_a_type_is_told_whatever_its_payload_is(tmp_path: Path, kind: object) -> None:
    use = {"type": "tool_use", "fidelity": "guessed", "tool_name": "Bash", "tool_id": "use-1", "tool_input": {"command": "ls"}}
    payloads = (said("user"), said("user", "hello"), said("an-agent", "hello", blocks=[use, {"type": "tool_use", "tool_name": "Odd"}]))
    for payload in payloads:
        write(tmp_path / "in" / "a.jsonl", [{**event(1, "run.completed"), "type": kind, "payload": payload}])
        site = build(tmp_path / "out", tmp_path / "in")
        page = site.text(site.documents["run-a"]).partition("What the badges mean")[0]
        words = [kind] if isinstance(kind, str) and kind != "step.started" else ["listed"] if isinstance(kind, list) else []
        told = [*words, *(block["text"] for block in payload["blocks"] if "text" in block)]
        told += [payload["role"]] if kind != "message.paused" else []
        assert [word for word in told if word not in page] == []
        assert kind in KNOWN or "unknown type" in page
        if payload is payloads[2]:
            assert [word for word in ("use-1", "guessed", "Odd", '"ls"') if word not in page] == []


def test_the_ids_of_calls_and_results_can_be_read(tmp_path: Path) -> None:
    use = {"type": "tool_use", "fidelity": "agent_emitted", "tool_name": "Bash", "tool_id": "toolu_7", "tool_input": {"command": "ls"}}
    write(tmp_path / "in" / "a.jsonl", [
        event(1, "step.started", step("one")), event(2, "tool.call", call("uuid-1", given={"command": "ls"})),
        event(3, "tool.result", result("uuid-1")), event(4, "message.assistant", said("assistant", blocks=[use])),
        event(5, "tool.call", call(12.50, given={"command": "pwd"})), event(6, "tool.result", result("lone-9")),
    ])  # fmt: skip
    write(tmp_path / "in" / "part-1.ndjson", [
        row("tool_call", "{}", 1, tool_name="Bash", extra={"tool_call_id": "id-1", "call_id": 42}),
        row("tool_result", "x", 2, extra={"tool_use_id": "id-1"}), row("assistant", "x", 3, extra={"call_id": "id-3"}),
        row("tool_call", "{}", 4, tool_name="Read", extra={"call_id": {"deep": "id-4"}}),
    ])  # fmt: skip
    site = build(tmp_path / "out", tmp_path / "in")
    run, session = (site.text(site.documents[name]) for name in ("run-a", "session-a"))
    assert "id uuid-1 · toolu_7" in run
    assert all(word in run for word in ("id 12.5", "id lone-9"))
    assert all(word in session for word in ("id id-1 · 42", '"call_id": "id-3"', '"id-4"'))


@pytest.mark.parametrize("value", [True, {"deep": "inside"}, ["inside"]])
def test_an_id_of_a_call_or_a_conversation_that_is_none(tmp_path: Path, value: object) -> None:
    use = {"type": "tool_use", "tool_name": "Bash", "tool_id": value, "tool_input": {"command": "ls"}}
    told = {"type": "tool_result", "tool_id": value, "tool_content": "done"}
    records = [
        event(1, "message.assistant", said("assistant", blocks=[use])), event(1, "message.user", said("user", blocks=[told])),
        event(1, "tool.call", call(value)), event(1, "tool.result", result(value)),
        event(1, "message.user", said("user", blocks=[{"type": "odd", "tool_id": value}])),
    ]  # fmt: skip
    for record in records:
        write(tmp_path / "in" / "a.jsonl", [record])
        text = build(tmp_path / "out", tmp_path / "in").text()
        assert "inside" in text or '_id": true' in text
    (tmp_path / "in" / "a.jsonl").unlink()
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "hello", 1, session_id=value)])
    text = build(tmp_path / "out", tmp_path / "in").text()
    assert '"session_id":' in text
    assert "inside" in text or "true" in text


INPUTS: list[tuple[str, dict[str, object], tuple[str, ...]]] = [
    ("Bash", {"zq": "ls"}, ('"zq": "ls"',)), ("Read", {"zq": "a.py"}, ('"zq": "a.py"',)), ("shell", {"path": "a"}, ('"path": "a"',)),
    ("Bash", {"description": "ls"}, ('"description": "ls"',)), ("Read", {"query": "a"}, ('"query": "a"',)),
    ("Bash", {"command": "ls", "description": "ls"}, ('"description": "ls"',)),
    ("MultiEdit", {"file_path": "/a", "edits": [{"old_string": "A", "new_string": "B", "file_path": "/other", "replace_all": False}]},
     ('"file_path": "/other"', '"replace_all": false')),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "shown"), INPUTS)
def test_a_field_of_a_call_that_its_line_does_not_tell(tmp_path: Path, name: str, given: dict[str, object], shown: tuple[str, ...]) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "tool.call", call("c", name, given))])
    text = build(tmp_path / "out", tmp_path / "in").text()
    assert [word for word in shown if word not in text] == []


@pytest.mark.parametrize(("name", "given"), [("Bash", {"command": "ls -l"}), ("shell", {"cmd": "ls -l"}), ("Read", {"file_path": "ls -l"})])
def test_a_field_that_the_line_tells_is_not_told_twice(tmp_path: Path, name: str, given: dict[str, object]) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "tool.call", call("c", name, given))])
    site = build(tmp_path / "out", tmp_path / "in")
    assert site.text(site.documents["run-a"]).count("ls -l") == 1


def test_the_files_that_the_writer_read_are_named(tmp_path: Path) -> None:
    """Those of rows too that were written again."""
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "one", 1, extra={"source_stem_hash": name}) for name in ("stem-a", "stem-b")])
    text = build(tmp_path / "out", tmp_path / "in").text()
    assert all(word in text for word in ("2 files that the writer read", "stem-a", "stem-b"))


@pytest.mark.parametrize(
    ("field", "shown"),
    [({"zq": "new"}, '"zq": "new"'), ({"zq": 0}, '"zq": 0'), ({"ts": "yesterday"}, '"ts": "yesterday"'), ({"ts": True}, '"ts": true')],
)
def test_a_field_of_a_label_that_has_no_place(tmp_path: Path, field: dict[str, object], shown: str) -> None:
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "hello", 1)])
    label = {"ts": "2026-09-14T10:00:00Z", "session_id": "session-a", "runtime": "claude", "aspect": "mood", "value": "good", "note": None}
    write(tmp_path / "in" / "labels" / "labels.ndjson", [label])
    plain = build(tmp_path / "out", tmp_path / "in").text()
    assert "label mood" in plain
    assert "label mood · more" not in plain
    write(tmp_path / "in" / "labels" / "labels.ndjson", [label | field])
    text = build(tmp_path / "out", tmp_path / "in").text()
    assert "label mood · more" in text
    assert shown in text


@pytest.mark.parametrize("value", [17, True, {"deep": "inside"}, ["inside"], "inside"])
@pytest.mark.parametrize("name", ["recordType", "operationKind", "operation", "status", "requestEvent", "eventId", "parentId", "sequence"])
def test_every_field_of_a_receipt_is_shown(tmp_path: Path, name: str, value: object) -> None:
    receipt = {"recordType": "execution", "operationKind": "tool", "operation": "count", "status": "completed", "eventId": "e2"}
    write(tmp_path / "in" / "part-1.ndjson", [row("meta", None, 1, runtime="jeden", extra={**receipt, name: value})])
    text = build(tmp_path / "out", tmp_path / "in").text()
    assert ("inside" if "inside" in str(value) else str(value).lower()) in text


@pytest.mark.parametrize("value", [17, True, {"deep": "inside"}])
@pytest.mark.parametrize("name", ["decision", "event", "tool", "kind", "subtype"])
def test_a_word_that_is_none(tmp_path: Path, name: str, value: object) -> None:
    for kind in ("hook_decision", "meta"):
        write(tmp_path / "in" / "part-1.ndjson", [row(kind, "x", 1, extra={name: value})])
        text = build(tmp_path / "out", tmp_path / "in").text()
        assert ("inside" if isinstance(value, dict) else f'"{name}": {str(value).lower()}') in text


def test_what_a_code_block_says_of_itself(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "message.assistant", said("assistant", '```python title="a <b>.py"\nx = 1\n```'))])
    assert 'python title="a <b>.py"' in build(tmp_path / "out", tmp_path / "in").text()


@pytest.mark.parametrize(("data", "shown"), [("no base64: <words>", True), ("QUJD" * 9, False), ("QUJD\nQUJD==", False)])
def test_what_should_be_an_image(tmp_path: Path, data: str, *, shown: bool) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/svg+xml", "data": data}}
    write(tmp_path / "in" / "a.jsonl", [event(1, "tool.call", call("c")), event(2, "tool.result", result("c", [image]))])
    text = build(tmp_path / "out", tmp_path / "in").text()
    assert (data in text) == shown
    assert "image/svg+xml" in text


def test_a_name_that_stands_twice(tmp_path: Path) -> None:
    """The last value counts, as everywhere; the others can be read."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(
        '{"seq":1,"run_id":"a","type":"step.paused","type":"step.started","payload":{"kind":"first-kind","name":"s","kind":"agent"}}\n'
        '{"seq":2,"run_id":"a","type":"tool.call","payload":{"call_id":"c","name":"n","input":{"p":"first-input","p":"last-input"}}}\n',
        encoding="utf-8",
    )
    write(tmp_path / "in" / "part-1.ndjson", ['{"ts":null,"runtime":"r","session_id":"s","event_type":"user","text":"one","text":"two"}'])
    site = build(tmp_path / "out", tmp_path / "in")
    assert all(word in site.text(site.documents["a"]) for word in ("step.paused", "first-kind", "first-input", "last-input"))
    assert all(word in site.text(site.documents["s"]) for word in ("one", "two"))
