"""State files, audit trails and labels: what is taken from them, and that damage in one costs nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakesite.masking import Masker
from lakesite.model import Masked, Number
from lakesite.sources.companions import read_audits, read_labels, read_state, state_runs
from lakesite.sources.files import NotOurs, SourceFile, recognise
from lakesite.sources.keys import key

STATE = {
    "WorkflowID": "r", "WorkflowName": "nightly", "Status": "failed", "CurrentStep": "give-up", "ExitCode": 3,
    "Inputs": {"depth": 12233344445555567, "ratio": 1.10}, "Env": {"HOME": "/home/dev"},
    "StartedAt": "2026-01-01T00:00:00+01:00", "CompletedAt": "0001-01-01T00:00:00Z",
    "States": {
        "build": {
            "Status": "completed", "Output": "out\x1b[0m", "Stderr": "", "ExitCode": 0, "Attempt": 2, "Error": "",
            "TokensUsed": 0, "TokensInput": 0, "TokensOutput": 0, "Truncated": True,
        },
        "ask": {"Status": "completed", "TokensUsed": 12, "TokensInput": 0, "TokensOutput": 12, "TokensEstimated": True, "Attempt": "1"},
        "odd": "not an object",
    },
}  # fmt: skip


def source(path: Path, kind: str) -> SourceFile:
    return SourceFile(str(path), Masked(path.name), kind)  # type: ignore[arg-type]


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_state_file(tmp_path: Path) -> None:
    path = written(tmp_path, "r.json", json.dumps(STATE, indent=2))
    found = read_state(source(path, "state"), Masker())
    assert found is not None
    assert (found.name, found.status, found.terminal, found.exit_code) == ("nightly", "failed", "give-up", 3)
    assert found.inputs == {"depth": 12233344445555567, "ratio": Number("1.1")}
    assert (found.started, found.completed) == (1_767_222_000 * 10**9, None)
    assert set(found.steps) == {"build", "ask", "odd"}
    assert found.steps[Masked("odd")].more == {"step": "not an object"}
    assert found.more == {"StartedAt": "2026-01-01T00:00:00+01:00"}
    build, ask = found.steps[Masked("build")], found.steps[Masked("ask")]
    assert (build.output, build.stderr, build.error, build.exit_code, build.attempt) == ("out\x1b[0m", None, None, 0, 2)
    assert (build.tokens_in, build.tokens_out, build.truncated) == (None, None, True), "three zeros: nothing was reported"
    assert (ask.tokens_in, ask.tokens_out, ask.estimated, ask.attempt) == (0, 12, True, None)
    assert (build.more, ask.more) == ({}, {"Attempt": "1"}), "an attempt that is no number is shown as it was recorded"


@pytest.mark.parametrize(
    "change",
    [
        {"States": None},
        {"States": []},
        {"States": {"a": {}}},
        {"Status": 7},
        {"WorkflowName": None},
        {"ExitCode": "0"},
        {"ExitCode": True},
        {"Inputs": []},
        {"Inputs": "x"},
        {"Env": None},
        {"StartedAt": 0},
        {"CurrentStep": ["a"]},
        {"States": {"a": {"Output": {"x": 1}, "Attempt": 1.5}}},
    ],
)
def test_a_state_file_of_another_shape(tmp_path: Path, change: dict[str, object]) -> None:
    path = written(tmp_path, "r.json", json.dumps(STATE | change))
    assert recognise(path) == "state"
    assert read_state(source(path, "state"), Masker()) is not None


def test_what_is_only_half_a_state_file(tmp_path: Path) -> None:
    text = json.dumps(STATE)
    for cut in range(0, len(text), 23):
        path = written(tmp_path, "r.json", text[:cut])
        assert isinstance(recognise(path), NotOurs)
        assert read_state(source(path, "state"), Masker()) is None


@pytest.mark.parametrize("text", [b"\xef\xbb\xbf%s", b"\r\n  %s\r\n\r\n", b"%s\n"], ids=["mark", "space", "end"])
def test_white_space_around_a_state_file(tmp_path: Path, text: bytes) -> None:
    path = written(tmp_path, "r.json", text % json.dumps(STATE).encode())
    assert recognise(path) == "state"
    assert read_state(source(path, "state"), Masker()) is not None


def test_what_should_be_a_text_is_spelled_as_it_was_recorded(tmp_path: Path) -> None:
    raw = '{"WorkflowID":"r","Status":true,"States":{"a":{"Error":{"message":"boom \\u00e9","b":[null],"ratio":1.50},"Output":-0}}}'
    found = read_state(source(written(tmp_path, "r.json", raw), "state"), Masker())
    assert found is not None
    step = found.steps[Masked("a")]
    assert (found.status, step.error, step.output) == ("true", '{"message":"boom é","b":[null],"ratio":1.50}', "-0")
    end = '{"event":"workflow.completed","execution_id":"r","status":false,"error":{"code":1e3,"why":["late"]}}'
    audit = read_audits([source(written(tmp_path, "audit.jsonl", end), "audit")], Masker())[key("r")]
    assert (audit.status, audit.error) == ("false", '{"code":1e3,"why":["late"]}')


def test_an_error_that_is_false_is_none(tmp_path: Path) -> None:
    raw = '{"WorkflowID":"r","States":{"a":{"Error":false,"Status":"completed"}}}'
    found = read_state(source(written(tmp_path, "r.json", raw), "state"), Masker())
    assert found is not None
    assert found.steps[Masked("a")].error is None
    end = '{"event":"workflow.completed","execution_id":"r","error":false}'
    assert read_audits([source(written(tmp_path, "audit.jsonl", end), "audit")], Masker())[key("r")].error is None


def test_two_state_files_of_one_run(tmp_path: Path) -> None:
    files = [source(written(tmp_path, name, json.dumps(STATE | {"WorkflowName": name})), "state") for name in ("a.json", "b.json")]
    files.append(source(written(tmp_path, "c.json", json.dumps(STATE | {"WorkflowID": ""})), "state"))
    files.append(source(tmp_path / "gone.json", "state"))
    assert state_runs(files) == {key("r"): files[0]}


def line(**fields: object) -> str:
    return json.dumps(fields) + "\n"


def test_an_audit_trail(tmp_path: Path) -> None:
    trail = "".join(
        [
            line(
                event="workflow.started",
                execution_id="a",
                timestamp="2026-01-01T00:00:00Z",
                workflow_name="nightly",
                user="dev",
                inputs={"n": 1.10},
            ),
            line(
                event="workflow.completed",
                execution_id="a",
                timestamp="2026-01-01T00:00:01Z",
                status="failure",
                exit_code=1,
                error="first",
                duration_ms=1000,
            ),
            "garbage\n",
            line(
                event="workflow.started",
                execution_id="a",
                timestamp="2026-01-02T00:00:00Z",
                workflow_name="nightly",
                user="other",
                inputs={},
            ),
            line(
                event="workflow.completed",
                execution_id="a",
                timestamp="2026-01-02T00:00:05Z",
                workflow_name="nightly",
                status="success",
                exit_code=0,
            ),
            line(event="workflow.started", execution_id="b", timestamp="2026-01-02T00:00:00Z"),
            line(event="workflow.completed", execution_id="c", status=None, exit_code="0", duration_ms=1.5),
            line(event="step.started", execution_id="d"),
            line(event="workflow.started", execution_id=None),
            '{"event":"workflow.comp',
        ]
    )
    found = read_audits([source(written(tmp_path, "audit.jsonl", trail), "audit")], Masker())
    assert set(found) == {key("a"), key("b"), key("c")}
    resumed = found[key("a")]
    assert (resumed.name, resumed.status, resumed.exit_code, resumed.error) == ("nightly", "success", 0, None), "the last end counts"
    assert resumed.inputs == {"n": Number("1.1")}
    assert (resumed.started, resumed.completed) == (1_767_225_600 * 10**9, 1_767_312_005 * 10**9)
    assert (found[key("b")].status, found[key("b")].completed) == (None, None)
    assert (found[key("c")].status, found[key("c")].exit_code, found[key("c")].duration_ms) == (None, None, None)


def test_labels_the_latest_of_an_aspect_wins(tmp_path: Path) -> None:
    first = "".join(
        [
            line(ts="2026-01-02T00:00:00Z", session_id="s", runtime="claude", aspect="quality", value="good", note="n", source="me"),
            line(
                ts="2026-01-01T00:00:00Z",
                session_id="s",
                runtime="claude",
                aspect="quality",
                value="older, though written later",
                note=None,
                source=None,
            ),
            line(ts="2026-01-02T00:00:00Z", session_id="s", runtime="claude", aspect="area", value="first", note="", source=None),
            line(
                ts="2026-01-02T00:00:00Z",
                session_id="s",
                runtime="claude",
                aspect="area",
                value="same time, later line",
                note=None,
                source=None,
            ),
            line(ts=None, session_id="s", runtime="claude", aspect="kind", value="untimed", note=None, source=None),
            line(
                ts="2026-01-01T00:00:00Z",
                session_id="s",
                runtime="codex",
                aspect="quality",
                value="another runtime",
                note=None,
                source=None,
            ),
            line(ts="2026-01-01T00:00:00Z", session_id=42, runtime="codex", aspect="quality", value=1.5, note=7, source=None),
            line(ts="2026-01-01T00:00:00Z", session_id=None, runtime="codex", aspect="quality", value="x"),
            line(ts="2026-01-01T00:00:00Z", session_id="s", runtime="claude", aspect=None, value="x"),
            '{"ts":"2026',
        ]
    )
    found = read_labels([source(written(tmp_path, "labels.ndjson", first), "labels")], Masker())
    assert {who: [(label.aspect, label.value, label.note) for label in labels] for who, labels in found.items()} == {
        ("claude", "s"): [("area", "same time, later line", None), ("kind", "untimed", None), ("quality", "good", "n")],
        ("codex", "s"): [("quality", "another runtime", None)],
        ("codex", "42"): [("quality", "1.5", "7")],
    }


def test_all_of_it_is_masked(tmp_path: Path) -> None:
    secret = "ghp_" + key("made up")[:20].replace("0", "Q") + key("more")[:16].upper()
    state = {
        **STATE, "WorkflowName": f"n {secret}", "Status": f"s {secret}", "CurrentStep": f"c {secret}", "Inputs": {f"k {secret}": [secret]},
        "Env": {"TOKEN": secret}, "States": {f"step {secret}": {"Status": secret, "Output": secret, "Stderr": secret, "Error": secret}},
    }  # fmt: skip
    trail = line(event="workflow.started", execution_id="a", workflow_name=secret, user=secret, inputs={secret: secret})
    trail += line(event="workflow.completed", execution_id="a", status=secret, error=secret)
    label = line(ts=None, session_id="s", runtime="claude", aspect=f"a {secret}", value=secret, note=secret, source=secret)
    told = repr((
        read_state(source(written(tmp_path, "r.json", json.dumps(state)), "state"), Masker()),
        read_audits([source(written(tmp_path, "audit.jsonl", trail), "audit")], Masker()),
        read_labels([source(written(tmp_path, "labels.ndjson", label), "labels")], Masker()),
    ))  # fmt: skip
    assert secret not in told
    assert told.count("[masked:") >= 16


def test_genuine_companions_are_all_read(shared: Path) -> None:
    folder = shared / "data" / "awf"
    states = sorted((folder / "storage" / "states").glob("*.json"))
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))["awf_truth"]
    found = state_runs([source(path, "state") for path in states])
    assert len(found) == len(states)
    read = {run: read_state(file, Masker()) for run, file in found.items()}
    for run, truth in facts.items():
        if key(run) in read:
            state = read[key(run)]
            assert state is not None
            assert (state.name, state.status) == (truth["workflow"], truth["awf_status"])
    audits = read_audits([source(folder / "audit.jsonl", "audit")], Masker())
    assert len(audits) >= len(states) - 3
