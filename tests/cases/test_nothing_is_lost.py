"""Whatever stands in an event can be read on its page: a word of its own in every field of every type, looked for afterwards.

Of paths only what says something new is shown.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from random import Random

from tests.cases.test_scale import unfolded
from tests.site.builds import Value, build, event, row, stamp, step, write


class Words:
    """Hands out words, and remembers where each was put."""

    def __init__(self) -> None:
        self._numbers = count()
        self.put: dict[str, str] = {}

    def __call__(self, where: str) -> str:
        word = f"mark{next(self._numbers)}x"
        self.put[word] = where
        return word

    def lost(self, text: str) -> list[str]:
        return [where for word, where in self.put.items() if word not in text]


def tool(word: Words, kind: str, identity: object, **more: object) -> Value:
    fields = {name: word(f"{kind} {name}") for name in ("name", "output", "error", "fidelity", "novel")}
    return {**fields, "call_id": identity, "input": {word(f"{kind} key"): word(f"{kind} value")}, **more}


def block(word: Words, kind: str, **more: object) -> Value:
    names = ("text", "thinking", "command", "chunk", "tool_name", "tool_input", "tool_content", "fidelity", "novel")
    return {"type": kind, "tool_id": None, **{name: word(f"{kind} {name}") for name in names}, **more}


def steps(word: Words, what: str, **more: object) -> Value:
    return {name: word(f"{what} {name}") for name in ("name", "kind", "error", "result", "novel") if name not in more} | more


def events(word: Words) -> list[Value]:
    blocks = [block(word, kind) for kind in ("text", "text", "thinking", "command", "stream", "citation")]
    agent = [
        block(word, "tool_use", tool_id="t"),
        block(word, "tool_result", tool_id="t"),
        block(word, "tool_result", tool_id="t"),
        block(word, "tool_result", tool_id="no such"),
    ]
    merged = {"type": "tool_use", "tool_name": "mcp__s__Read", "tool_input": {"p": 1}, "tool_id": "m", "novel": word("merged use")}
    merged |= {"fidelity": "agent_emitted"}
    answered = {"type": "tool_result", "tool_id": "m", "tool_content": word("merged agent output"), "fidelity": "agent_emitted"}
    router = {"name": "Read", "call_id": "M", "fidelity": "router"}
    called = {"kind": "call_workflow", "name": "c"}
    made = [
        ("run.started", steps(word, "run.started"), {}),
        ("step.started", steps(word, "step.started", name="s", kind="agent"), {"path": "s"}),
        ("message.user", {"role": "user", "novel": word("message"), "blocks": blocks}, {}),
        ("message.assistant", {"role": "assistant", "novel": word("reply"), "blocks": agent}, {}),
        ("message.system", {"role": word("role"), "novel": word("system"), "blocks": [block(word, "text")]}, {}),
        ("tool.call", tool(word, "tool.call", "c"), {}),
        ("tool.result", tool(word, "tool.result", "c"), {}),
        ("tool.result", tool(word, "further tool.result", "c"), {}),
        ("tool.result", tool(word, "tool.result without a call", "d"), {}),
        ("tool.call", tool(word, "tool.call without a result", "e"), {}),
        ("tool.call", {**router, "input": {"p": 1}, "novel": word("merged call")}, {}),
        ("tool.result", {**router, "output": word("merged router output"), "novel": word("merged result")}, {}),
        ("message.assistant", {"role": "assistant", "novel": word("merged reply"), "blocks": [merged]}, {}),
        ("message.user", {"role": "user", "novel": word("only results"), "blocks": [{**answered, "novel": word("merged answer")}]}, {}),
        ("step.call_workflow.started", steps(word, "call_workflow", **called), {"child_run_id": word("child"), "path": "c"}),
        ("step.call_workflow.completed", steps(word, "call_workflow.completed", **called), {"path": "c"}),
        ("step.completed", steps(word, "step.completed", name="s", kind="agent"), {"path": "s"}),
        ("step.completed", steps(word, "step.completed without a start"), {"path": "n"}),
        ("step.paused", steps(word, "step.paused"), {"path": word("path of an unknown type")}),
        ("tool.call", {"kind": word("odd kind"), "name": word("odd name"), "novel": word("odd field")}, {}),
        ("message.user", {word("odd key"): [{"deep": word("odd value")}]}, {}),
        ("run.completed", steps(word, "run.completed"), {}),
    ]  # fmt: skip
    return [event(seq, kind, payload, novel=word(f"envelope {seq} of {kind}"), **more) for seq, (kind, payload, more) in enumerate(made, 1)]


def test_runs(tmp_path: Path) -> None:
    word = Words()
    write(tmp_path / "in" / "a.jsonl", events(word))
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.only["counts"]["merged"] == 1
    lost = word.lost(unfolded(site, site.only))
    assert [where for where in lost if where != "path of an unknown type"] == []


def test_runs_in_any_order(tmp_path: Path) -> None:
    """An agent may report a call before its router records it, and a result may come before its call."""
    merged = 0
    for seed in range(8):
        word = Words()
        made = events(word)
        begins, ends = (next(at for at, each in enumerate(made) if each["type"] == f"step.{kind}") for kind in ("started", "completed"))
        inside = made[begins + 1 : ends]
        Random(seed).shuffle(inside)  # noqa: S311 -- not for secrets
        made[begins + 1 : ends] = inside
        for seq, each in enumerate(made, 1):
            each["seq"], each["timestamp"] = seq, stamp(seq)
        write(tmp_path / str(seed) / "a.jsonl", made)
        site = build(tmp_path / f"site-{seed}", tmp_path / str(seed))
        merged += site.only["counts"]["merged"]
        lost = word.lost(unfolded(site, site.only))
        assert [where for where in lost if where != "path of an unknown type"] == []
    assert merged == 8


EXTRA = (
    "kind", "subtype", "role", "decision", "event", "tool", "result_file", "status", "operation", "operationKind", "is_error", "sidechain",
    "input_non_cached_tokens", "novel",
)  # fmt: skip
FIELDS = ("text", "machine", "project", "tool_name", "model", "novel")


def rows(word: Words) -> list[Value]:
    made: list[Value] = []
    for at, kind in enumerate(["user", "assistant", "thinking", "tool_call", "tool_result", "meta", "hook_decision", "compact"]):
        extra = {name: word(f"{kind} extra.{name}") for name in EXTRA}
        made.append(row(kind, None, at) | {name: word(f"{kind} {name}") for name in FIELDS} | {"extra": extra})
    names = ("operationKind", "operation", "status", "kind", "subtype", "novel")
    receipt = {"recordType": "execution", "requestEvent": "q"} | {name: word(f"receipt extra.{name}") for name in names}
    made.append(row("meta", word("receipt text"), 20, tool_name=word("receipt tool_name"), extra=receipt))
    for at, kind in ((30, "tool_call"), (31, "tool_result"), (32, "tool_result"), (33, "tool_result")):
        extra = {"tool_call_id": "c" if at < 33 else "d", "kind": word(f"{kind} {at} kind"), "novel": word(f"{kind} {at} novel")}
        made.append(row(kind, word(f"{kind} {at} text"), at, tool_name=word(f"{kind} {at} tool_name"), extra=extra))
    made.append(row("user", word("a sub-agent's prompt"), 40, extra={"sidechain": True, "kind": word("kind of it")}))
    made.append(row("user", f"[Request interrupted by user] {word('an interruption')}", 41))
    made.append(row("user", f"<command-name>/compact</command-name> {word('a command')}", 42))
    made.append(row("assistant", None, 43) | {"text": {"deep": word("a text that is none")}, "extra": [word("an extra that is none")]})
    return made


def test_conversations(tmp_path: Path) -> None:
    word = Words()
    write(tmp_path / "in" / "part-1.ndjson", rows(word))
    site = build(tmp_path / "site", tmp_path / "in")
    assert word.lost(unfolded(site, site.only)) == []


def test_companions(tmp_path: Path) -> None:
    """What only the state file, the audit trail and the labels hold."""
    word = Words()
    write(tmp_path / "in" / "storage" / "transcripts" / "a.jsonl", [
        event(1, "step.started", step("build", "command"), path="build"),
        event(2, "step.completed", step("build", "command"), path="build"),
    ])  # fmt: skip
    build_step = {name: word(f"step {name}") for name in ("Output", "Stderr", "Error")}
    state = {
        "WorkflowID": "run-a", "Status": "failed", "WorkflowName": word("WorkflowName"), "CurrentStep": word("CurrentStep"), "ExitCode": 3,
        "Inputs": {word("input"): word("value")}, "Env": {word("variable"): word("its value")}, "States": {"build": build_step},
    }  # fmt: skip
    write(tmp_path / "in" / "storage" / "states" / "a.json", [state])
    trail = {"execution_id": "run-a", "user": word("user")}
    ends = [
        {"event": "workflow.started", **trail},
        {"event": "workflow.completed", "status": "failure", "error": word("error of the trail"), **trail},
    ]
    write(tmp_path / "in" / "audit.jsonl", ends)
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "Hi", 1)])
    label = {name: word(f"label {name}") for name in ("aspect", "value", "note", "source")}
    write(tmp_path / "in" / "labels.ndjson", [{"ts": "2026-01-01T00:00:00Z", "session_id": "session-a", "runtime": "claude", **label}])
    site = build(tmp_path / "site", tmp_path / "in")
    assert word.lost("".join(unfolded(site, document) for document in site.json["documents"])) == []
