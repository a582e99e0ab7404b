"""Field cases: malformed and odd input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.builds import build, call, event, lakesite, result, row, said, step, write

if TYPE_CHECKING:
    from tests.site.builds import Site, Value


def good(first: int, last: int, **more: object) -> list[Value]:
    """Write down messages that say which event they are."""
    return [event(seq, "message.assistant", said("assistant", f"event-{seq}."), **more) for seq in range(first, last + 1)]


def told(site: Site) -> list[int]:
    """The numbers of the events on the page, in order."""
    return [int(number) for number in re.findall(r"event-(\d+)\.", site.page().text)]


def problems_on_the_page(site: Site) -> str:
    return site.page("problems.html").text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"done \ud83d", "done \ufffd"), (r"\ude00 done", "\ufffd done"), (r"both \ud83d\ude00", "both \U0001f600"), (r"\udfff", "\ufffd"),
        (r"turned \ude00\ud83d", "turned \ufffd\ufffd"), (r"high twice \ud83d\ud83d\ude00", "high twice \ufffd\U0001f600"),
    ],
)  # fmt: skip
def test_f001_half_an_emoji(tmp_path: Path, written: str, shown: str) -> None:
    line = json.dumps(event(2, "message.assistant", said("assistant", "HERE"))).replace("HERE", written)
    write(tmp_path / "in" / "a.jsonl", [*good(1, 1), line, *good(3, 3)])
    asked = json.dumps(row("user", "HERE", 1)).replace("HERE", written)
    write(tmp_path / "in" / "part-1.ndjson", [asked, row("assistant", "Yes", 2)])
    site = build(tmp_path / "site", tmp_path / "in")
    run, session = site.documents["run-a"], site.documents["session-a"]
    assert shown in site.page(run).text
    assert session["title"] == shown
    assert [int(number) for number in re.findall(r"event-(\d+)\.", site.page(run).text)] == [1, 3]
    for data in site.files.values():
        data.decode("utf-8")
    notices = site.problems("repaired-text")
    assert [line for _, _, line in notices] == ([] if "\U0001f600" in shown and "\ufffd" not in shown else [2, 1])


@pytest.mark.parametrize("hole", [4096, 1, 100_000])
def test_f002_zero_bytes_in_mid_file(tmp_path: Path, hole: int) -> None:
    write(tmp_path / "in" / "a.jsonl", [*good(1, 3), bytes(hole), *good(4, 6)])
    site = build(tmp_path / "site", tmp_path / "in")
    assert told(site) == [1, 2, 3, 4, 5, 6]
    assert site.only["counts"]["events"] == 6
    assert site.problems() == [("zero-bytes", "a.jsonl", 4)]
    for text in (problems_on_the_page(site), site.page().text):
        assert "a.jsonl:4" in text
        assert f"{hole} zero bytes" in text
    if hole == 4096:
        done = lakesite("build", tmp_path / "in", "-o", tmp_path / "site", "--strict")
        assert (done.returncode, b"1 problem" in done.stderr) == (1, True)


@pytest.mark.parametrize("cut", [1, 20, 60, 150, -2, -1])
def test_f003_cut_records(tmp_path: Path, cut: int) -> None:
    lines = [json.dumps(record).encode() for record in good(1, 9)]
    half = lines[3][:cut]
    write(tmp_path / "in" / "middle.jsonl", [*lines[:3], half, *lines[4:]])
    write(tmp_path / "end" / "a.jsonl", lines[:8])
    with (tmp_path / "end" / "a.jsonl").open("ab") as stream:
        stream.write(lines[8][:cut])
    middle = build(tmp_path / "site", tmp_path / "in")
    assert told(middle) == [1, 2, 3, 5, 6, 7, 8, 9]
    assert ("malformed-line", "middle.jsonl", 4) in middle.problems()
    end = build(tmp_path / "site-2", tmp_path / "end")
    assert told(end) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert end.problems() == [("torn-tail", "a.jsonl", 9)]
    assert "still being written" in problems_on_the_page(end)
    assert end.json["problems"][0]["note"] is True


def test_f003_blank_lines_and_what_is_no_object(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [*good(1, 2), "", "  ", "\r", "42", '"x"', "[]", "null", "true", *good(3, 3), ""])
    site = build(tmp_path / "site", tmp_path / "in")
    assert told(site) == [1, 2, 3]
    assert site.problems() == [("not-an-object", "a.jsonl", line) for line in range(6, 11)]


@pytest.mark.parametrize("share", [0.1, 0.6, 0.99])
def test_f006_written_in_part_then_in_full(tmp_path: Path, share: float) -> None:
    whole = json.dumps({**good(4, 4)[0], "timestamp": "2026-09-14T10:30:00Z"})
    write(tmp_path / "in" / "a.jsonl", [*good(1, 3), whole[: int(len(whole) * share)], whole, *good(5, 6)])
    site = build(tmp_path / "site", tmp_path / "in")
    assert told(site) == [1, 2, 3, 4, 5, 6]
    assert site.only["counts"]["events"] == 6
    assert site.problems() == [("malformed-line", "a.jsonl", 4)]


@pytest.mark.parametrize("garbage", ["garbage", "{", '{"seq":1,"run_id":"run-', "\x00\x00", "<html>", "{'seq':1}"])
def test_f007_a_damaged_first_line(tmp_path: Path, garbage: str) -> None:
    write(tmp_path / "in" / "a.jsonl", [garbage, *good(2, 20)])
    write(tmp_path / "in" / "part-1.ndjson", [garbage, *[row("assistant", f"row-{at}.", at) for at in range(2, 20)]])
    site = build(tmp_path / "site", tmp_path / "in")
    assert set(site.documents) == {"run-a", "session-a"}
    for name, file in (("run-a", "a.jsonl"), ("session-a", "part-1.ndjson")):
        page = site.page(site.documents[name]).text
        assert "the first record cannot be read" in page
        assert ("start-missing", file, 1) in site.problems()
        assert site.documents[name]["href"] in site.page("index.html").links


def test_f007_no_identity_at_all(tmp_path: Path) -> None:
    write(tmp_path / "in" / "stem-of-it.jsonl", ["garbage", *good(2, 4, run_id=None)])
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.only["id"] == "stem-of-it"
    assert told(site) == [2, 3, 4]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_f008_byte_order_mark_and_crlf(tmp_path: Path, end: bytes, mark: bytes) -> None:
    lines = good(1, 3)
    lines[1]["payload"]["blocks"][0]["text"] = "event-2. left\ufeffright"
    path = write(tmp_path / "in" / "a.jsonl", [json.dumps(line, ensure_ascii=False).encode() for line in lines], end)
    path.write_bytes(mark + path.read_bytes())
    site = build(tmp_path / "site", tmp_path / "in")
    assert told(site) == [1, 2, 3]
    assert site.problems() == []
    assert re.search("left.{1,40}right", site.page().text)
    assert "leftright" not in site.page().text


def test_f009_types_that_nobody_knows(tmp_path: Path) -> None:
    blocks = [{"type": "image", "source": {"word": "in-an-image"}}, {"type": "text", "fidelity": "replayed", "text": "said-again"}]
    lines = [
        event(1, "step.started", step("review")),
        event(2, "step.paused", {"name": "review", "kind": "agent", "why": "for-a-reason"}, mood="envelope-word"),
        event(3, "message.assistant", {"role": "assistant", "blocks": blocks}),
        event(4, "tool.call", call("c", given={"q": 1}, fidelity="replayed")),
        event(5, "tool.result", result("c", "came-back", fidelity="replayed")),
        event(6, "step.paused", step("review")),
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    write(
        tmp_path / "in" / "part-1.ndjson",
        [row("user", "Hi", 1), row("compact", "squeezed-text", 2, extra={"k": "in-extra"}, novel="new-field")],
    )
    done = lakesite("build", tmp_path / "in", "-o", tmp_path / "site", "--strict")
    assert done.returncode == 0
    site = build(tmp_path / "site", tmp_path / "in")
    run, session = site.documents["run-a"], site.documents["session-a"]
    text = site.page(run).text
    for word in ("step.paused", "for-a-reason", "envelope-word", "image", "in-an-image", "said-again", "came-back", "unknown type"):
        assert word in text, word
    assert text.count("replayed") >= 2
    assert (run["counts"]["router"], run["counts"]["agent"], run["counts"]["exchanges"]) == (0, 0, 1)
    assert site.problems("unknown-type") == [("unknown-type", "a.jsonl", 2), ("unknown-type", "part-1.ndjson", 2)]
    assert "2 events of a type" in problems_on_the_page(site)
    for word in ("compact", "squeezed-text", "in-extra", "new-field"):
        assert word in site.page(session).text, word


SHAPES: list[object] = [
    [{"type": "text", "text": "WORD"}],
    {"role": "assistant", "blocks": None, "aside": "WORD"},
    {"role": "assistant", "blocks": "WORD"},
    {"role": "assistant", "blocks": [{"type": "text", "fidelity": "router"}, {"type": "text", "text": "WORD"}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "Bash", "tool_input": '{"command": "WORD"}'}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "Bash", "tool_input": '{"command": "WORD'}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "WORD", "tool_input": None}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "Edit", "tool_input": {"old_string": "a", "new_string": "WORD"}}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "Edit", "tool_input": {"file_path": None, "old_string": "WORD"}}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "MultiEdit", "tool_input": {"file_path": "f", "edits": ["WORD"]}}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "Bash", "tool_input": {"command": ["bash", "-lc", "WORD"]}}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "Bash", "tool_input": {"command": {"x": "WORD"}}}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": "Write", "tool_input": {"content": "WORD"}}]},
    {"role": "assistant", "blocks": [{"type": "tool_use", "tool_name": {"deep": "WORD"}, "tool_input": 5}]},
    {"role": "assistant", "blocks": [{"type": "tool_result", "tool_id": "x", "tool_content": "WORD"}]},
    {"role": "assistant", "blocks": [{"type": "tool_result", "tool_id": "x", "tool_content": {"k": "WORD"}}]},
    {"role": "assistant", "blocks": [{"type": "tool_result", "tool_id": "x", "tool_content": [{"type": "text", "text": "WORD"}]}]},
    {"role": "assistant", "blocks": [{"type": "tool_result", "tool_id": "x", "tool_content": [{"type": "text"}, "WORD"]}]},
    {"role": "assistant", "blocks": [{"type": "tool_result", "tool_id": "x"}, {"type": "text", "text": "WORD"}]},
    {
        "role": "assistant",
        "blocks": [{"type": "tool_result", "tool_id": "x", "tool_content": None}, {"type": "thinking", "thinking": "WORD"}],
    },
    {"role": "assistant", "blocks": [None, 3, [], {"text": "WORD"}]},
    {"role": ["assistant"], "blocks": [{"type": "text", "text": "WORD"}]},
    {"role": None, "blocks": {"type": "text", "text": "WORD"}},
    {"call_id": 12, "name": "WORD"},
    {"call_id": None, "output": "WORD"},
    {"call_id": {"a": 1}, "error": {"message": "WORD"}},
    {"kind": 7, "error": ["WORD"]},
    {"kind": None, "name": None, "result": {"deep": [["WORD"]]}},
    "WORD",
    ["WORD"],
    [[["WORD"]]],
    {"WORD": None},
    {"": {"": {"": "WORD"}}},
]


@pytest.mark.parametrize("kind", ["message.assistant", "tool.call", "tool.result", "step.started", "step.completed", "run.completed", "x"])
def test_f010_every_shape_is_shown(tmp_path: Path, kind: str) -> None:
    lines = [
        json.dumps(event(seq, kind, shape, path=f"p-{seq}")).replace("WORD", f"word-{seq}-here") for seq, shape in enumerate(SHAPES, 1)
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.only["counts"]["events"] == len(SHAPES)
    text = site.text()
    assert [json.dumps(SHAPES[seq - 1]) for seq in range(1, len(SHAPES) + 1) if f"word-{seq}-here" not in text] == []


@pytest.mark.parametrize("kind", ["user", "assistant", "thinking", "tool_call", "tool_result", "meta", "hook_decision", "x"])
def test_f010_every_shape_of_a_row(tmp_path: Path, kind: str) -> None:
    shapes: list[Value] = [
        {"text": "WORD"}, {"text": {"k": "WORD"}}, {"text": ["WORD"]}, {"text": 5, "machine": "WORD"}, {"extra": {"k": "WORD"}},
        {"extra": ["WORD"]}, {"extra": "WORD"}, {"extra": None, "text": "WORD"}, {"tool_name": ["WORD"]}, {"model": {"x": "WORD"}},
        {"tokens_in": "WORD"}, {"novel": "WORD"}, {"project": 5, "text": "WORD"}, {"text": '{"command":"WORD"}'},
        {"text": '{"command":"WORD'}, {"text": '[{"type":"text","text":"WORD"}]'},
    ]  # fmt: skip
    rows = [json.dumps({**row(kind, None, at), **shape}).replace("WORD", f"word-{at}-here") for at, shape in enumerate(shapes, 1)]
    write(tmp_path / "in" / "part-1.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    text = site.text()
    assert [shapes[at - 1] for at in range(1, len(shapes) + 1) if f"word-{at}-here" not in text] == []


CONTROLS = "left\u0000\u0008\u000c\u001b[31m\u007f\u0085\ufffe\u009b1m\u202eright"


def test_f014_control_characters(tmp_path: Path) -> None:
    lines = [
        event(1, "step.started", step(f"step {CONTROLS}"), path=f"path {CONTROLS}"),
        event(2, "message.user", said("user", f"message {CONTROLS}")),
        event(3, "tool.call", call(f"id {CONTROLS}", f"tool {CONTROLS}", {f"key {CONTROLS}": f"value {CONTROLS}"})),
        event(4, "tool.result", result(f"id {CONTROLS}", f"output {CONTROLS}", error=f"error {CONTROLS}")),
        event(5, f"type {CONTROLS}", {f"field {CONTROLS}": CONTROLS}),
        event(6, "step.completed", step(f"step {CONTROLS}", error=f"failed {CONTROLS}"), path=f"path {CONTROLS}"),
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    rows = [
        row(
            "user",
            f"title {CONTROLS}",
            1,
            project=CONTROLS,
            machine=CONTROLS,
            model=CONTROLS,
            session_id=f"s {CONTROLS}",
            runtime=f"r {CONTROLS}",
        )
    ]
    write(tmp_path / "in" / "part-1.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in")
    for name, data in site.files.items():
        assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", data), name
        if name.endswith(".html"):
            text = data.decode("utf-8")
            assert not re.search("[\u0080-\u009f\ufffe\uffff\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text), name
    text = site.page(next(document for document in site.json["documents"] if document["kind"] == "run")).text
    for word in ("message", "tool", "key", "value", "output", "error", "field"):
        assert re.search(rf"{word} left.{{1,60}}?right", text), word
    assert "\u2400" in text


def test_f015_no_encoding_but_utf_8(tmp_path: Path) -> None:
    said_ = "gear ⚙ “curly” 中文 ñ"
    write(tmp_path / "in" / "a.jsonl", [event(1, "message.user", said("user", said_)), *good(2, 2)])
    raw = json.dumps(event(3, "message.user", said("user", "caf?e end")), ensure_ascii=False).encode().replace(b"?", b"\xe9")
    with (tmp_path / "in" / "a.jsonl").open("ab") as stream:
        stream.write(raw + b"\n")
    with (tmp_path / "out.txt").open("wb") as stdout:
        del stdout
        done = lakesite(
            "build", tmp_path / "in", "-o", tmp_path / "site", "--json", env={"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
        )
    assert done.returncode == 0
    site = build(tmp_path / "site", tmp_path / "in")
    assert said_ in site.page().text
    assert "caf\ufffde end" in site.page().text
    assert site.problems() == [("repaired-text", "a.jsonl", 3)]


def test_f017_what_the_writer_really_does(tmp_path: Path) -> None:
    first = [
        event(1, "step.started", step("one", "command"), run_id="A", path="one"),
        event(3, "step.started", step("two", "command"), run_id="A", path="two"),
        event(2, "step.completed", step("one", "command", result=False), run_id="A", path="one"),
        event(5, "step.completed", step("two", "command", result=True), run_id="A", path="two"),
    ]
    write(tmp_path / "in" / "A.jsonl", first)
    again = [event(1, "step.started", step("two", "command"), run_id="A", path="two", timestamp="2026-09-15T10:00:00Z")]
    again += [event(2, "step.completed", step("two", "command", result=True), run_id="A", path="two", timestamp="2026-09-15T10:00:01Z")]
    write(tmp_path / "in" / "B.jsonl", again)
    site = build(tmp_path / "site", tmp_path / "in")
    run = site.only
    assert (run["id"], run["status"], run["status_source"], run["counts"]["errors"], run["counts"]["steps"]) == (
        "A",
        "completed",
        "derived",
        0,
        3,
    )
    assert run["started"] == "2026-09-14T10:00:01Z"
    assert run["ended"] == "2026-09-15T10:00:01Z"
    assert [kind for kind, _, _ in site.problems()] == ["seq-holes"]
    page = site.page()
    assert [anchor for anchor in page.ids if anchor in ("e-1", "e-3", "e-2-1")] == ["e-1", "e-3", "e-2-1"]
    assert "resumed here" in page.text
    assert "produced output: no" in page.text
    assert "running" not in page.text
    assert {"A.jsonl:1", "B.jsonl:1"} <= set(re.findall(r"[AB]\.jsonl:\d+", page.raw))


def test_f018_paths_of_every_kind(tmp_path: Path) -> None:
    lines = [
        event(1, "step.started", step("fan", "parallel"), path="fan"),
        event(2, "step.started", step("left"), path="fan/left"),
        event(3, "step.started", step("right"), path="fan/right"),
        event(4, "message.user", said("user", "whose-is-this"), path="my-workflow"),
        event(5, "message.user", said("user", "of-the-right"), path="fan/right"),
        event(6, "tool.call", call("c", "Bash", {"command": "made-somewhere"})),
        event(7, "tool.result", result("c", "came-back")),
        event(8, "step.completed", step("left"), path="fan/left"),
        event(9, "message.assistant", said("assistant", "only-right-is-open"), path="my-workflow"),
        event(10, "step.completed", step("right"), path="fan/right"),
        event(11, "step.completed", step("fan", "parallel"), path="fan"),
        event(12, "step.started", step("review"), path="loop:1/review", iteration=1),
        event(13, "message.user", said("user", "in-the-loop"), path="my-workflow"),
        event(14, "step.completed", step("review"), path="loop:1/review", iteration=1),
        event(15, "message.user", said("user", "after-all"), path="no/such:step"),
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    text = site.page().text
    words = ("of-the-right", "only-right-is-open", "whose-is-this", "made-somewhere", "in-the-loop", "after-all")
    where = [text.index(word) for word in words]
    assert where == sorted(where), "each step by its start, and between them, by theirs, what belongs to none"
    assert "place unclear" in text
    for name in (*(name for name in site.files if not name.startswith("search/")), *site.page().ids):
        assert not re.search(r"[:\\]|loop:|/.*/", name)
