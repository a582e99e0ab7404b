"""Records that are hostile in every field, of both inputs and of what stands beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.site.builds import event, row, write

Say = Callable[[str], str]
"""Gives the text for a field, which is named."""
Record = dict[str, Any]

EVIL = "https://evil.example/x"
PAYLOADS = {
    "script": '<script>pwn("script")</script><script src="//evil.example/x.js"></script>',
    "handler": '<img src=x onerror=pwn("handler")><svg/onload=pwn("svg")><body onload=pwn("body")><details open ontoggle=pwn("toggle")>',
    "attribute": "\"><img src=x onerror=pwn(1)>' onmouseover='pwn(2)' x='` onfocus=pwn(3) autofocus tabindex=1 style=color:red",
    "ends": '</script><script>pwn("ends")</script></style><style>body{display:none}</style></title></textarea></pre></main></html>',
    "comment": "<!-- --!> <![CDATA[ ]]> ]]> <!--<script> <? ?> <!doctype html> <plaintext> <xmp> <textarea> <template> <noscript>",
    "base": '<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example"><form action=//evil.example><input>',
    "link": "javascript:pwn(0) [x](javascript:pwn(1)) [y](JaVa\tScRiPt:pwn(2)) [z](&#106;avascript:pwn(3)) <javascript:pwn(4)>",
    "scheme": "[d](data:text/html,<script>pwn(5)</script>) [v](vbscript:pwn(6)) [f](file:///etc/passwd) [r][e]\n\n[e]: javascript:pwn(7)",
    "remote": f"![a]({EVIL}.png?leak=1) ![b](//evil.example/b) <img src={EVIL}> <link rel=prefetch href={EVIL}> <iframe src={EVIL}>",
    "style": f"}} * {{ background: url({EVIL}) }} @import '{EVIL}'; expression(pwn(1)) </style> \\3c/style> ; --paper: url({EVIL})",
    "policy": "'; script-src * 'unsafe-inline'; default-src *; \" http-equiv=refresh content=\"0;url=//evil.example\" sha256-AAAA",
    "template": "{{ 7 * 191 }} {% raw %} {%- include '/etc/passwd' -%} ${7*191} #{7*191} <%= 7*191 %> {{''.__class__.__mro__}} %s %(x)s",
    "escapes": "\\u003cscript\\u003epwn()\\u003c/script\\u003e \\x3cscript> \\074script> {0.__class__} %3Cscript%3Epwn()%3C/script%3E",
    "entities": "&lt;script&gt;pwn(1)&lt;/script&gt; &#60;img src=x onerror=pwn(2)&#62; &amp;lt; &quot;&apos; &#x22; &NewLine; &lt &copy",
    "direction": "abc\u202egpj.exe\u202c \u2066\u2067\u2068\u2069 \u200e\u200f \u061c a\u200bb \ufeff c",
    "unseen": "a\U000e0068\U000e0069\U000e007f b\U000e0101 c\u2062\u3164\u180e\ufff9d\ufffb \U0001d173",
    "controls": "a\x00b\x07c\x08d\x0be\x0cf\x7fg\x80h\x85i\r\nj\rk",
    "terminal": "a\x1b[31mb\x1b]0;title\x07c\x1b]8;;javascript:pwn(1)\x07d\x1b]8;;\x07e\x9b31mf\x1b(B\x1b[m\x1b[1A\x1b[2Kg\x1b[",
    "odd": "a\u2028b\u2029c \ufffe \uffff \ufdd0 \ud83d \udc00 \U0001f600 \U0010ffff e\u0301\u0301\u0301",
    "path": "../../../../etc/passwd\\..\\..\\C:\\con|aux.html?x=1#y%2e%2e%2f /abs .hidden _under trailing. ",
    "long": "w" * 5000 + "<b>" + "\u05d0" * 500,
    "pair": "[masked:token:12:0a1b2c3d] [masked:<b>:12:0a1b2c3d] [masked:token:12:0a1b2c3d<script>] **[a]** `</code>` | x | ~~~",
}
"""By what each tries."""


def bare(payload: str) -> Say:
    """Nothing but the payload in every field: some work only from the first character on."""
    return lambda _field: payload


def named(payload: str) -> Say:
    """The name of the field before the payload, so that each can be looked for: `(q.tool.name.q)`."""
    return lambda field: f"(q.{field}.q) {payload}"


# --- run files -------------------------------------------------------------------------------------------------------------------


def run(identity: str, say: Say, after: int = 0) -> list[Record]:
    """Events whose every field says something hostile: well-formed ones first, then one for each field that decides what it is.

    They are numbered from `after` on.
    """
    made = _run({"run_id": identity}, say)
    return [{**each, "seq": each["seq"] + after} if isinstance(each["seq"], int) else each for each in made]


def _run(base: Record, say: Say) -> list[Record]:
    records = [
        event(1, "run.started", {"name": say("run.name"), "kind": say("run.kind")}, **base, **{say("envelope.key"): say("envelope.value")}),
        event(
            2,
            "step.started",
            {"name": say("step.name"), "kind": "agent", say("step.key"): {say("step.key2"): [say("step.value")]}},
            path=say("step.path"),
            **base,
        ),
        event(3, "message.user", _said("user", say), path=say("message.path"), **base),
        event(4, "message.assistant", _reply(say), **base),
    ]
    for number, payload in enumerate(_tools(say), 10):
        more = {say(f"tool{number}.envelope"): say(f"tool{number}.more")}
        records.append(event(number, "tool.result" if "output" in payload else "tool.call", payload, **base, **more))
    records += [
        event(
            60,
            "step.completed",
            {"name": say("step.name"), "kind": "agent", "error": say("step.error"), "result": say("step.result")},
            **base,
        ),
        event(61, "step.call_workflow.started", {"name": say("child.name"), "kind": "call_workflow"}, child_run_id=say("child.id"), **base),
        event(62, "step.started", {"name": say("odd.name"), "kind": say("odd.kind")}, path=f"loop:0/{say('odd.path')}", **base),
        event(
            63,
            "step.completed",
            {"name": say("odd.name"), "kind": say("odd.kind"), "error": {say("error.key"): say("error.value")}},
            **base,
        ),
        event(64, say("event.type"), {"kind": "agent", "name": say("unknown.name")}, **base),
        event(65, "message.assistant", {"role": say("role"), "blocks": [{"type": "text", "text": say("role.text")}]}, **base),
        event(66, "message.user", [{"type": "text", "text": say("array.text")}, say("array.item")], **base),
        event(67, "step.started", say("payload.text"), **base),
        event(68, "run.completed", {"name": "x", "kind": "x", "error": say("run.error")}, **base),
        event(
            69,
            "tool.call",
            {"call_id": say("call.id"), "name": {say("name.key"): say("name.value")}, "fidelity": say("call.fidelity")},
            **base,
        ),
        {
            **event(70, "step.started", {"name": say("times.name"), "kind": "agent"}, **base),
            "timestamp": say("timestamp"),
            "iteration": say("iteration"),
        },
        {**event(71, "message.assistant", _said("assistant", say), **base), "seq": say("seq")},
        event(72, "run.started", None, **base, parent_run_id=say("parent.id")),
    ]
    return records


def _said(role: str, say: Say) -> Record:
    texts = [{"type": "text", "fidelity": "router", "text": say(f"{role}.text{number}")} for number in (1, 2, 3)]
    return {"role": role, "blocks": texts, say(f"{role}.key"): say(f"{role}.value")}


def _reply(say: Say) -> Record:
    blocks = [
        {"type": "thinking", "fidelity": "agent_emitted", "thinking": say("thinking")},
        {
            "type": "text",
            "fidelity": say("block.fidelity"),
            "text": f"# {say('heading')}\n\n| {say('cell')} |\n|---|\n\n```{say('fence')}\ncode\n```\n",
        },
        {
            "type": "tool_use",
            "fidelity": "agent_emitted",
            "tool_name": say("use.name"),
            "tool_id": say("use.id"),
            "tool_input": {say("use.key"): say("use.value")},
        },
        {
            "type": "tool_result",
            "fidelity": "agent_emitted",
            "tool_id": say("use.id"),
            "tool_content": [{"type": "text", "text": say("use.content")}],
        },
        {"type": "tool_use", "fidelity": "agent_emitted", "tool_name": "shell", "tool_input": say("use.string")},
        {"type": "command", "fidelity": "router", "command": say("block.command")},
        {"type": "stream", "fidelity": "router", "text": say("block.stream")},
        {"type": say("block.type"), "fidelity": "router", "text": say("block.text"), say("block.key"): say("block.value")},
        say("block.string"),
    ]
    return {"role": "assistant", "blocks": blocks}


def _tools(say: Say) -> list[Record]:
    """Calls of every kind that has a look of its own, and what came back from each."""
    given: dict[str, Record] = {
        "Bash": {"command": say("bash.command"), "description": say("bash.description")},
        "Read": {"file_path": say("read.path")},
        "Edit": {"file_path": f"{say('edit.path')}.py", "old_string": f"same\n{say('edit.old')}", "new_string": f"same\n{say('edit.new')}"},
        "MultiEdit": {"file_path": "a.md", "edits": [{"old_string": say("edits.old"), "new_string": say("edits.new")}]},
        "Write": {"file_path": "a.html", "content": say("write.content")},
        "apply_patch": {
            "input": f"*** Begin Patch\n*** Update File: {say('patch.path')}\n-{say('patch.old')}\n+{say('patch.new')}\n*** End Patch"
        },
        "Task": {"description": say("task.description"), "prompt": say("task.prompt")},
        say("tool.name"): {say("input.key"): say("input.value")},
    }
    outputs: list[object] = [
        f"\x1b[1m{say('output.ansi')}\x1b[0m",
        f"     1\u2192{say('output.numbered')}\n     2\u2192x\n",
        {"Content": [{"Type": "text", "Text": say("content.text")}], "IsError": True},
        [{"type": "image", "source": {"type": "base64", "media_type": say("image.type"), "data": say("image.data")}}],
        f"diff --git a/{say('diff.path')} b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@ {say('diff.hunk')}\n-{say('diff.old')}\n+{say('diff.new')}\n",
        json.dumps({say("json.key"): [say("json.value")]}),
        {say("output.key"): {say("output.key2"): say("output.value")}},
        say("output.text"),
    ]
    made: list[Record] = []
    for number, ((name, value), output) in enumerate(zip(given.items(), outputs, strict=True)):
        made.append({"name": name, "call_id": number, "input": value, "fidelity": "router", say("call.key"): say("call.value")})
        more = {"error": say("result.error")} if name == "Task" else {}
        made.append({"name": name, "call_id": number, "output": output, "fidelity": say("result.fidelity"), **more})
    made.append({"name": "x", "call_id": say("lone.id"), "output": say("lone.output"), "fidelity": "router"})
    return made


def state(identity: str, say: Say) -> Record:
    """The state file of a run."""
    inner = {"Status": say("state.step.status"), "Output": say("state.output"), "Stderr": say("state.stderr"), "Error": say("state.error")}
    return {
        "WorkflowID": identity,
        "WorkflowName": say("state.name"),
        "Status": say("state.status"),
        "CurrentStep": say("state.terminal"),
        "Inputs": {say("inputs.key"): say("inputs.value")},
        "Env": {say("env.key"): say("env.value")},
        "States": {say("step.name"): inner, say("state.lone"): inner},
    }


def audit(identity: str, say: Say) -> list[Record]:
    """The two lines of a run in the audit trail."""
    base = {"execution_id": identity, "workflow_name": say("audit.name"), "user": say("audit.user"), "timestamp": say("audit.time")}
    return [
        {"event": "workflow.started", **base, "inputs": {say("audit.key"): say("audit.value")}},
        {"event": "workflow.completed", **base, "status": say("audit.status"), "error": say("audit.error")},
    ]


# --- partitions ------------------------------------------------------------------------------------------------------------------


def session(runtime: str, identity: str, say: Say) -> list[Record]:
    """A conversation whose every field says something hostile."""
    who = {"runtime": runtime, "session_id": identity}
    seen = {**who, "machine": say("machine"), "project": say("project"), "model": say("model")}
    ids = {"tool_call_id": say("tool.id")}
    receipt = {
        "recordType": say("receipt.type"),
        "operationKind": say("receipt.kind"),
        "operation": say("receipt.name"),
        "eventId": say("receipt.id"),
    }
    hook = {"decision": say("hook.decision"), "event": say("hook.event"), "tool": say("hook.tool"), say("hook.key"): say("hook.value")}
    return [
        row("user", say("user"), 1, **seen, extra={say("extra.key"): {say("extra.key2"): say("extra.value")}}),
        row("thinking", say("thought"), 2, **who),
        row("assistant", say("assistant"), 3, **who, **{say("odd.key"): say("odd.value")}),
        row("tool_call", json.dumps({say("call.key"): say("call.value")}), 4, **who, tool_name=say("tool.name"), extra=ids),
        row("tool_result", say("result"), 5, **who, extra={**ids, "is_error": True}),
        row("tool_call", say("call.text"), 6, **who, tool_name="Bash", extra={"tool_call_id": say("lone.id")}),
        row("meta", say("meta"), 7, **who, extra={"kind": say("meta.kind"), "subtype": say("meta.subtype")}),
        row(
            "meta",
            say("receipt.text"),
            8,
            **who,
            extra={**receipt, "status": say("receipt.status"), say("receipt.key"): say("receipt.value")},
        ),
        row("hook_decision", say("hook.text"), 9, **who, tool_name=say("hook.name"), extra=hook),
        row(say("event.type"), say("event.text"), 10, **who, tool_name=say("event.tool")),
        row("user", say("injected"), 11, **who, extra={"kind": "compacted", "subtype": say("injected.subtype")}),
        row("user", say("chain.prompt"), 12, **who, extra={"sidechain": True}),
        row("assistant", say("chain.reply"), 13, **who, extra={"sidechain": True}),
        row("assistant", say("untimed"), say("ts"), **who),
        {
            **row("assistant", None, 14, **who),
            "text": {say("text.key"): say("text.value")},
            "tokens_in": say("tokens"),
            "extra": [say("extra.item")],
        },
        row("tool_result", say("orphan"), 15, **who, tool_name=say("orphan.name")),
    ]


def labels(runtime: str, identity: str, say: Say) -> list[Record]:
    """What was said of a conversation afterwards."""
    base = {"ts": "2026-09-14T10:00:00Z", "runtime": runtime, "session_id": identity}
    return [{**base, "aspect": say("label.aspect"), "value": say("label.value"), "note": say("label.note"), "source": say("label.source")}]


# --- an archive ------------------------------------------------------------------------------------------------------------------


def archive(folder: Path) -> Path:
    """Write an archive: for each payload a run and a conversation, in which each field holds it alone, and again with its name."""
    trail: list[Record] = []
    marks: list[Record] = []
    storage = folder / "storage"
    for number, (name, payload) in enumerate(PAYLOADS.items()):
        alone, told = bare(payload), named(payload)
        runtime = f"{payload}{number}"
        events = run(payload, alone) + run(payload, told, after=100)
        write(storage / "transcripts" / f"{_file_name(payload, number)}.jsonl", events)
        write(storage / "states" / f"{number}.json", [state(payload, told)])
        trail += audit(payload, told)
        place = folder / "events" / f"runtime={_file_name(payload, 0)}" / f"date={_file_name(payload, 1)}"
        write(place / f"part-{name}{_file_name(payload, 2)}.ndjson", session(runtime, payload, alone) + session(runtime, payload, told))
        marks += labels(runtime, payload, alone) + labels(runtime, payload, told)
    huge = named(PAYLOADS["ends"] * 1500)
    write(
        folder / "storage" / "transcripts" / "huge.jsonl",
        [event(1, "tool.call", {"call_id": "a"}), event(2, "tool.result", {"call_id": "a", "output": huge("huge")})],
    )
    write(folder / "audit.jsonl", trail)
    write(folder / "labels" / "labels.ndjson", marks)
    for number, payload in enumerate(PAYLOADS.values()):
        write(folder / "odd" / _file_name(payload, number), [b"neither a run nor a partition"])
    write(
        folder / "storage" / "transcripts" / f"torn{_file_name(PAYLOADS['script'], 0)}.jsonl",
        [b"<script>pwn()</script>", b'{"seq": 1, "run_id": "<b>'],
    )
    Path(os.fsdecode(os.fsencode(folder) + b"/odd/\xff\xfe<script>.jsonl")).write_bytes(b"{}\n")
    return folder


def _file_name(payload: str, number: int) -> str:
    """As much of a payload as a file may be called."""
    allowed = payload.encode("utf-8", "replace").replace(b"/", b"_").replace(b"\0", b"")
    return f"{number}{allowed[:120].decode('utf-8', 'ignore')}"
