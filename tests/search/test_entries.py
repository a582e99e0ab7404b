"""What of a page can be searched: every word that is seen and was recorded, and nothing that is not text."""

from __future__ import annotations

from typing import Any

import pytest

from lakesite.model import Number
from lakesite.search.entries import Entry, Fields, body_text, entries, json_text, page_entries
from lakesite.view.shapes import (
    Badge,
    Body,
    Chip,
    DocumentPage,
    EndRow,
    Fact,
    Link,
    MessageRow,
    NoteRow,
    ProblemLine,
    Row,
    StepRow,
    ToolRow,
    When,
)

LINKED = "\x1b]8;;javascript:x\x07link\x1b]8;;\x07"
WHEN = When("2026-11-30T09:26:11Z", "30 Nov 2026", "09:26:11", None)
STEP = StepRow("e-4", 0, "deploy", "agent", "failed", WHEN, "", (), Link("sub-run", None), "attempt 2", "")


def message(who: Any, *bodies: Body, label: str = "", badges: tuple[Badge, ...] = ()) -> MessageRow:  # noqa: ANN401
    return MessageRow("e-1", 0, who, label, bodies, WHEN, badges, "run.jsonl:1")


def tool(*bodies: Body, argument: str = "", status: Any = "ok", badges: tuple[Badge, ...] = (), child: Link | None = None) -> ToolRow:  # noqa: ANN401
    return ToolRow("e-2", 1, "Bash", argument, status, "exit 2" if status == "failed" else "", WHEN, "1 s", badges, bodies, "x:1", child)


def note(kind: str, *, bad: bool = False) -> NoteRow:
    return NoteRow("e-3", 0, kind, "Bash", "block · rm", WHEN, (), (Body("text", "why"),), "x:1", bad)


def only(row: Row) -> Entry:
    (entry,) = entries(row)
    return entry


@pytest.mark.parametrize(
    ("row", "fields", "text"),
    [
        (message("prompt", Body("markdown", "do it")), Fields("user"), "do it"),
        (message("reply", Body("markdown", "done"), Body("json", label="more", value={"a": 1})), Fields("assistant"), "done\na: 1"),
        (message("thinking", Body("text", "hm")), Fields("thinking"), "hm"),
        (message("input", Body("markdown", "rules", label="system prompt")), Fields("system"), "rules"),
        (message("said", Body("text", "x"), label="developer"), Fields("other"), "developer\nx"),
        (message("reply", Body("text", "x"), badges=(Badge("other", "guessed"),)), Fields("assistant", fidelity="guessed"), "x"),
        (tool(Body("command", "ls"), Body("output", "a b"), argument="ls"), Fields("tool", "Bash"), "Bash\nls\na b"),
        (tool(Body("output", "b"), argument="only here…"), Fields("tool", "Bash"), "Bash\nonly here…\nb"),
        (tool(status="failed", badges=(Badge("router", "r"),)), Fields("tool", "Bash", "router", error=True), "Bash\nexit 2\n"),
        (tool(badges=(Badge("both", "r + a"), Badge("extra", "e"))), Fields("tool", "Bash", "both"), "Bash\n"),
        (tool(child=Link("release-gate", "x.html")), Fields("tool", "Bash"), "Bash\nrelease-gate\n"),
        (STEP, Fields("step", error=True), "deploy\nagent\nattempt 2\nfailed\nsub-run"),
        (EndRow("e-5", 0, "deploy", "failed", (Body("text", "boom"),), WHEN, (), ""), Fields("step", error=True), "deploy\nboom"),
        (note("hook"), Fields("hook"), "Bash\nblock · rm\nwhy"),
        (note("receipt"), Fields("receipt"), "Bash\nblock · rm\nwhy"),
        (note("meta", bad=True), Fields("note", error=True), "Bash\nblock · rm\nwhy"),
        (note("notice"), Fields("note"), "Bash\nblock · rm\nwhy"),
    ],
)  # fmt: skip
def test_rows(row: Row, fields: Fields, text: str) -> None:
    entry = only(row)
    assert (entry.anchor, entry.fields) == (row.anchor, fields)
    assert entry.text.strip() == text.strip()


def test_a_row_without_words_is_no_entry() -> None:
    assert list(entries(message("reply", Body("image", "AAAA", language="image/png")))) == []


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (Body("output", f"\x1b[1A\x1b[2K[web] \x1b[31mred\x1b[0m{LINKED} \u009b1mb \x1b(B"), "[web] redlink b "),
        (Body("output", "cut \x1b[3"), "cut "),
        (Body("text", "start\x1b]0;t\nquokka line"), "start\nquokka line"),  # a title without an end ends with its line
        (Body("text", "He said â\x80\x9dhello then zanzibar"), "He said â\x80\x9dhello then zanzibar"),  # UTF-8 read as Latin-1
        (Body("output", "10 %\r100 %\ndone"), "100 %\ndone"),  # overwritten: on no page either
        (Body("text", "10 %\r100 %"), "10 %\r100 %"),
        (Body("numbered", "     1\tfrom a import b\n    12→c = 2"), "from a import b\nc = 2"),
        (Body("edit", "old", new="new"), "old\nnew"),
        (Body("image", "iVBORw0KGgo=", language="image/png"), ""),
        (Body("text", "data:image/png;base64," + "Ab0/" * 100 + "=="), "data:image/png;base64,[base64, 402 characters]"),
        (Body("text", "a/b/c " * 100), "a/b/c " * 100),
        (Body("nothing", "no output recorded"), "no output recorded"),
    ],
)
def test_bodies(body: Body, text: str) -> None:
    assert body_text(body) == text


def test_json() -> None:
    value: Any = {"path": "/a", "n": [1, Number("1.50"), None, True, {"deep": "x"}], "empty": {}, "text": "two\nlines"}
    assert json_text(value) == "path: /a\nn:\n1\n1.50\nnull\ntrue\ndeep: x\nempty:\ntext: two\nlines"
    assert json_text("plain") == "plain"  # type: ignore[arg-type] # masked


def test_depth_is_no_limit() -> None:
    value: Any = "bottom"
    for level in range(5000):
        value = {f"k{level}": value} if level % 2 else [value]
    assert json_text(value).endswith("bottom")


@pytest.mark.parametrize("text", ["a", "/", "a b", "\x1b", "\x1b[", "1\t", " ", "A+/=", "\n"])
def test_a_long_text_of_one_sort_takes_no_time(text: str) -> None:
    body_text(Body("numbered", text * 1_000_000))
    body_text(Body("output", text * 1_000_000))


def test_the_page_itself() -> None:
    facts, details = (
        (Fact("4.4 s", before="took"), Fact("", "/home/dev/shop")),
        (Body("nothing", "good · by a person", label="label quality"),),
    )
    chips, problem = (Chip("label", "label topic", "docs"),), ProblemLine("run.jsonl:7", "a torn line", note=False)
    page = DocumentPage(
        "run", "release-gate", "3376f52d", "3376f52d-c8b8-4edd", "failed", "failed", (), facts, chips, None,
        (), (), "Steps", 0, (), details, (problem,), (), (), "", "../",
    )  # fmt: skip
    head, problems = page_entries(page)
    assert head.fields == problems.fields == Fields("page")
    seen = (
        "release-gate",
        "3376f52d-c8b8-4edd",
        "failed",
        "took 4.4 s",
        "/home/dev/shop",
        "label topic docs",
        "label quality",
        "by a person",
    )
    assert [word for word in seen if word not in head.text] == []
    assert (problems.anchor, problems.text) == ("problems", "run.jsonl:7 a torn line")
