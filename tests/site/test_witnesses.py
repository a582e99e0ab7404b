"""What state files and audit trails tell, on the page of their run: all of it, each under its badge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.golden.outline import outline
from tests.site.builds import Site, build, event, step, write

STATE: dict[str, Any] = {
    "WorkflowID": "run-a", "WorkflowName": "nightly", "Status": "failed", "CurrentStep": "give-up",
    "States": {
        "build": {"Name": "build", "Status": "completed", "Output": "built it"},
        "deploy": {
            "Name": "deploy", "Status": "failed", "Output": "sent 3 files", "Stderr": "no such host", "ExitCode": 7, "Attempt": 2,
            "Error": "step deploy: exit code 7", "StartedAt": "2026-09-14T10:00:05Z", "CompletedAt": "2026-09-14T10:00:09Z",
            "TokensInput": 12, "Response": {"code": 503},
        },
        "": {"Status": "paused"},
    },
}  # fmt: skip


def made(folder: Path, state: dict[str, Any] | None = None, trail: list[dict[str, Any]] | None = None) -> Site:
    write(folder / "storage" / "transcripts" / "a.jsonl", [
        event(1, "step.started", step("build", "command")), event(2, "step.completed", step("build", "command")),
    ])  # fmt: skip
    if state:
        write(folder / "storage" / "states" / "a.json", [state])
    if trail:
        write(folder / "audit.jsonl", trail)
    return build(folder / "out", folder / "storage", *([folder / "audit.jsonl"] if trail else []))


def test_steps_that_only_the_state_file_knows(tmp_path: Path) -> None:
    site = made(tmp_path, STATE)
    text = outline(site.page().raw)
    for words in ("sent 3 files", "no such host", "exit 7 · attempt 2 · 12 tokens in", '"code": 503', "not in the transcript", "4.0 s"):
        assert words in text, words
    deploy = text[text.index("## (failed) deploy") :]
    assert "[state file]" in deploy.split("##")[1]
    assert "## (unknown) name not recorded" in text
    assert "status paused" in text
    assert site.only["counts"]["steps"] == 1, "the counts are those of the transcript"
    anchors = [anchor for anchor in site.page().ids if anchor.startswith("s-")]
    assert len(set(anchors)) == len(anchors) == 4
    assert {f"#{anchor}" for anchor in anchors if not anchor.endswith("-end")} <= set(site.page().links), "the list at the left names them"


def test_many_steps_that_only_the_state_file_knows(tmp_path: Path) -> None:
    site = made(tmp_path, {**STATE, "States": {f"step-{number}": {"Output": f"out {number}"} for number in range(900)}})
    assert all(f"out {number}" in site.text() for number in range(900))
    assert "501 more" in site.page().text


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("Status", "half-done", "half-done"), ("ExitCode", "seven", '"ExitCode": "seven"'), ("UpdatedAt", "yesterday", "yesterday"),
        ("CallStack", ["outer", "inner"], "inner"), ("StartedAt", "noon", "noon"), ("New", {"deep": [1.50]}, "1.5"),
    ],
)  # fmt: skip
def test_every_field_of_a_state_file_is_shown(tmp_path: Path, field: str, value: object, shown: str) -> None:
    assert shown in made(tmp_path, {**STATE, field: value}).text()


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("Status", "half-done", "half-done"), ("ExitCode", "seven", "seven"), ("Attempt", "third", "third"), ("Output", 17.5, "17.5"),
        ("Data", {"deep": "inside"}, "inside"), ("StartedAt", "noon", "noon"), ("TokensUsed", 99, "99"), ("OutputPath", "/a/b", "/a/b"),
        ("Conversation", {"Turns": ["hello"]}, "hello"),
    ],
)  # fmt: skip
def test_every_field_of_a_step_is_shown(tmp_path: Path, field: str, value: object, shown: str) -> None:
    for name in ("build", "deploy"):
        steps = {**STATE["States"], name: {**STATE["States"][name], field: value}}
        assert shown in made(tmp_path, {**STATE, "States": steps}).text()


def test_every_field_of_the_audit_trail_is_shown(tmp_path: Path) -> None:
    start = {"event": "workflow.started", "execution_id": "run-a", "workflow_name": "by another name", "timestamp": "noon", "host": "ci-7"}
    end = {
        "event": "workflow.completed", "execution_id": "run-a", "status": "odd", "exit_code": "x9", "duration_ms": 1500, "user": "dev",
        "timestamp": "2026-09-14T10:00:09Z", "why": {"code": 12},
    }  # fmt: skip
    text = made(tmp_path, None, [start, end]).text()
    for words in ("by another name", "noon", "ci-7", "odd", "x9", "took 1.5 s", "run by dev", "14 Sep 2026 10:00:09 UTC", "12"):
        assert words in text, words


# --- a failure that the transcript does not tell ---------------------------------------------------------------------------------


def panel(site: Site, document: dict[str, Any] | None = None) -> str:
    raw = site.page(document).raw
    assert raw.count('<div class="failure">') == 1
    return outline(raw[raw.index('<div class="failure">') :].split('<div class="details">')[0].split("<section")[0])


def test_what_failed_before_the_step_that_ended_the_run_is_named_too(tmp_path: Path) -> None:
    """The last step may only report what went wrong."""
    lines, seq = [], 0
    for name in ("unit", "more", "again", "last", "report"):
        error = {"error": f"\x1b[31m{name} broke\x1b[0m\nbadly"}
        lines += [event(seq + 1, "step.started", step(name)), event(seq + 2, "step.completed", {**step(name), **error})]
        seq += 2
    write(tmp_path / "in" / "a.jsonl", lines)
    told = panel(build(tmp_path / "site", tmp_path / "in"))
    assert told.index("report failed") < told.index("unit <#e-1> “unit broke”") < told.index("again <#e-5> “again broke”, and 1 more")
    write(tmp_path / "in" / "a.jsonl", lines[-2:])
    assert "before it" not in panel(build(tmp_path / "site", tmp_path / "in"))


def test_a_failure_that_only_the_state_file_tells(tmp_path: Path) -> None:
    told = panel(made(tmp_path, STATE))
    assert "the run failed: its state file says so" in told
    assert "step deploy: exit code 7" in told
    assert "go to step <#s-" in told


def test_a_failure_that_only_the_audit_trail_tells(tmp_path: Path) -> None:
    end = {"event": "workflow.completed", "execution_id": "run-a", "status": "failure", "error": "no space left"}
    told = panel(made(tmp_path, None, [end]))
    assert "the run failed: its audit trail says so" in told
    assert "no space left" in told
    assert "go to" not in told


def test_a_failure_that_only_the_caller_tells(tmp_path: Path) -> None:
    call = step("child", "call_workflow")
    write(tmp_path / "in" / "p.jsonl", [
        event(1, "step.call_workflow.started", call, run_id="parent", child_run_id="run-a"),
        event(2, "step.call_workflow.completed", {**call, "error": "it broke"}, run_id="parent", child_run_id="run-a"),
    ])  # fmt: skip
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("a"), parent_run_id="parent")])
    site = build(tmp_path / "out", tmp_path / "in")
    told = panel(site, site.documents["run-a"])
    assert "the run failed: its calling run says so" in told
    assert f"go to the calling run <../{site.documents['parent']['href']}>" in told


def test_a_failed_run_never_lacks_its_panel(tmp_path: Path) -> None:
    for state in (STATE, {**STATE, "States": {}}, {**STATE, "States": None}, {**STATE, "States": {"build": {"Status": "failed"}}}):
        assert "the run failed: its state file says so" in panel(made(tmp_path, state))
