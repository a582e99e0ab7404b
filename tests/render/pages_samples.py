"""Sample page data: a run, a conversation and an index as a reader might meet them, and the same with hostile text in every field."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import FileSystemLoader

from lakesite.model import Masked
from lakesite.render.pages import Assets, Pages
from lakesite.view.shapes import (
    Badge,
    Body,
    Chip,
    DocumentPage,
    EndRow,
    Fact,
    Failure,
    IndexPage,
    IndexRow,
    Link,
    MessageRow,
    NavItem,
    NoteRow,
    PartLink,
    ProblemGroup,
    ProblemLine,
    ProblemsPage,
    Row,
    StepRow,
    ToolRow,
    When,
)
from tests import ROOT

ROUTER, AGENT, BOTH = Badge("router", "router"), Badge("agent", "agent"), Badge("both", "router + agent")
NO_RESULT = Badge("no-result", "no result recorded")
STATE = Badge("state", "state file")

T = TypeVar("T")


def at(clock: str) -> When:
    return When(f"2026-11-30T{clock}Z", "30 Nov 2026", clock, None)


def text(words: str) -> Masked:
    return Masked(words)


def tool(anchor: str, name: str, argument: str, *bodies: Body, **more: Any) -> ToolRow:
    given: dict[str, Any] = {
        "anchor": anchor, "depth": 1, "name": name, "argument": argument, "status": "ok", "outcome": "", "when": at("09:26:14"),
        "took": "0.1 s", "badges": (ROUTER,), "bodies": bodies, "origin": "transcripts/7cfd6b9f.jsonl:14",
    }  # fmt: skip
    return ToolRow(**{**given, **more})


def said(anchor: str, who: str, label: str, *bodies: Body, **more: Any) -> MessageRow:
    given: dict[str, Any] = {
        "anchor": anchor, "depth": 1, "who": who, "label": label, "bodies": bodies, "when": at("09:26:12"), "badges": (),
        "origin": "transcripts/7cfd6b9f.jsonl:9",
    }  # fmt: skip
    return MessageRow(**{**given, **more})


def note(anchor: str, kind: str, label: str, words: str, *bodies: Body, **more: Any) -> NoteRow:
    given: dict[str, Any] = {
        "anchor": anchor, "depth": 0, "kind": kind, "label": label, "text": words, "when": at("09:27:02"), "badges": (),
        "bodies": bodies, "origin": "transcripts/7cfd6b9f.jsonl:40",
    }  # fmt: skip
    return NoteRow(**{**given, **more})


def step(anchor: str, name: str, kind: str, **more: Any) -> StepRow:
    given: dict[str, Any] = {
        "anchor": anchor, "depth": 0, "name": name, "kind": kind, "status": "completed", "when": at("09:26:12"), "took": "21.4 s",
        "badges": (), "child": None, "note": "", "origin": "transcripts/7cfd6b9f.jsonl:8",
    }  # fmt: skip
    return StepRow(**{**given, **more})


EDIT = Body(
    "edit", text("BEGIN;\nCREATE INDEX ledger_by_day\n  ON ledger (booked_at);\nCOMMIT;\n"), language="migrations/0047_ledger_index.sql",
    new=text("BEGIN;\nCREATE INDEX CONCURRENTLY ledger_by_day\n  ON ledger (booked_at);\nCOMMIT;\n"),
)  # fmt: skip
PSQL = (
    "connecting to postgres://ledger:[masked:credential:11:1a2b3c4d]@db-3/ledger\n"
    "\x1b[31mERROR:\x1b[0m  CREATE INDEX CONCURRENTLY cannot run inside a transaction block\n\x1b[33mHINT:\x1b[0m   drop BEGIN / COMMIT\n"
)
THOUGHT = "The ledger migration adds a column with a default; on Postgres 15 that is safe, but the index is not concurrent.\n\n" + "\n".join(
    f"{number}. Then look at what takes a lock in step {number}." for number in range(1, 15)
)
REPLY = """The webhook read the country of the *card*, which Dutch debit cards leave out since the scheme change. It now falls back to the country of the account:

```python
def rate_of(event: Event) -> Decimal:
    # Debit cards carry no country.
    return RATES.get((event.country or event.account.country).lower(), DEFAULT)
```

| file | change | why |
|---|---|---|
| `refunds.py` | 4 lines | falls back |
| `test_refunds.py` | 21 lines | covers `None` |

1. Read the [release notes](https://example.org/notes).
2. Run `pytest -q`.

> Nothing else lower-cases a country.
"""
LONG = "".join(f"{number:5}  \x1b[32mok\x1b[0m  tests/payments/test_refunds.py::test_case_{number}\n" for number in range(1, 431))
HUGE = "".join(f"{number:6} shard {number % 24} wrote block {number * 7919 % 100003} of [masked:token:40:9f8e7d6c] in time\n" for number in range(1, 4001))

RUN_ROWS: tuple[Row, ...] = (
    step("e-1", "fetch", "command", took="0.8 s"),
    EndRow("e-2", 0, "fetch", "completed", (Body("output", text("From github.example:harbor/shop\n * branch main -> FETCH_HEAD"), "standard output · state file"),), at("09:26:12"), (STATE,), "transcripts/7cfd6b9f.jsonl:2"),
    step("e-3", "analyze", "agent"),
    said("e-4", "prompt", "prompt", Body("markdown", text("Check release `2026.11.3` for migrations that lock tables for longer than a second, and fix the checklist."))),
    said("e-4-b1", "input", "system prompt", Body("markdown", text("You are careful.\n" * 38), label="system prompt · 38 lines", folded=True)),
    said("e-5", "thinking", "thinking", Body("text", text(THOUGHT))),
    tool("e-6", "Grep", "CREATE INDEX migrations/", Body("json", value={text("pattern"): text("CREATE INDEX"), text("path"): text("migrations/")}, label="input"), Body("output", text("migrations/0047_ledger_index.sql:4:CREATE INDEX ledger_by_day"), "output")),
    tool("e-7", "Edit", "migrations/0047_ledger_index.sql", EDIT, took="0.2 s", badges=(BOTH,)),
    tool("e-8", "Bash", 'psql "$DATABASE_URL" -f migrations/0047_ledger_index.sql', Body("command", text('psql "$DATABASE_URL" -f migrations/0047_ledger_index.sql'), "command"), Body("output", text(PSQL), "output", bad=True), status="failed", outcome="exit 1", took="1.9 s", badges=(AGENT,)),
    tool("e-9", "Bash", "pytest -q tests/payments", Body("command", text("pytest -q tests/payments"), "command"), Body("output", text(LONG), "output"), outcome="", took="12.4 s"),
    tool("e-10", "Bash", "./shards --all", Body("output", text(HUGE), "output"), status="unknown", outcome="no result recorded", took="", badges=(AGENT, NO_RESULT)),
    tool("e-11", "mcp__harbor__search_everything_there_is_about", "x" * 300, Body("nothing", "null", "input"), Body("nothing", "an empty text", "output"), badges=(AGENT, Badge("other", "replayed"), NO_RESULT)),
    said("e-12", "reply", "reply", Body("markdown", text(REPLY)), badges=(Badge("unclear", "place unclear"),)),
    step("e-13", "checks", "parallel", took="12.9 s"),
    step("e-14", "lint", "command", depth=1, took="3.1 s"),
    step("e-15", "tests", "command", depth=1, status="cancelled", badges=(Badge("cancelled", "cancelled, end not recorded"),), took=""),
    step("e-16", "audit-deps", "call_workflow", child=Link("audit-deps", "../runs/audit-deps-1a2b3c4d5e.html"), note="turn 3 of 24"),
    note("segment-2", "resumed", "resumed here", "segment 2 begins; its numbers start again at 1", badges=(Badge("resumed", "resumed here"),)),
    note("e-17", "unknown", "step.paused", "deploy_canary", Body("json", value={text("why"): text("approval"), text("n"): 3}, label="payload"), badges=(Badge("unknown", "unknown type"),)),
    step("e-18", "deploy_canary", "command", status="failed", took="4.4 s", when=at("09:26:55")),
    EndRow("e-19", 0, "deploy_canary", "failed", (Body("output", text("error: health check \x1b[31m503\x1b[0m from canary-2 (attempt 3 of 3)\nrolled back to 2026.11.2"), "error", bad=True),), at("09:26:59"), (), "transcripts/7cfd6b9f.jsonl:61"),
)  # fmt: skip

RUN = DocumentPage(
    kind="run", title="release-gate", short_id="7cfd6b9f", full_id="7cfd6b9f-0000-4000-8000-000000000000", pill="failed", pill_status="failed",
    crumbs=(Link("Archive", "../index.html"), Link("Runs", "../index.html"), Link("release-gate", None)),
    facts=(
        Fact("30 Nov 2026 09:26:11", "UTC", when=at("09:26:11")), Fact("48.2 s", before="took"), Fact("9", "steps"), Fact("14", "tool calls"),
        Fact("3", "errors"), Fact("nightly-audit", before="called by", href="../runs/nightly-audit-1a2b3c4d5e.html"),
    ),
    chips=(
        Chip("state", "status from", "state file"), Chip("router", "router", "5"), Chip("agent", "agent", "7"), Chip("both", "router + agent", "2"),
        Chip("no-result", "no result recorded", "6"), Chip("errors", "errors", "3", bad=True), Chip("masked", "masked", "4", masked=True),
    ),
    failure=Failure(
        "deploy_canary failed after 4.4 s",
        Body("output", text("error: health check \x1b[31m503\x1b[0m from canary-2 (attempt 3 of 3)\nrolled back to 2026.11.2"), bad=True),
        "#e-18", "The migration is applied, so I will start the canary now.",
        tool("e-9", "Bash", "./deploy canary --wait 30", status="failed", outcome="exit 1"),
    ),
    tree=(
        NavItem("nightly-audit", "../runs/nightly-audit-1a2b3c4d5e.html", 0, "failed"), NavItem("release-gate", None, 1, "failed", here=True),
        NavItem("audit-deps", "../runs/audit-deps-1a2b3c4d5e.html", 2, "completed", "6 s"), NavItem("not in this archive", None, 2, "missing", "136d573a"),
    ),
    nav=(
        NavItem("fetch", "#e-1", 0, "completed", "0.8 s"), NavItem("analyze", "#e-3", 0, "completed", "21.4 s"),
        NavItem("checks", "#e-13", 0, "completed", "12.9 s", kind="parallel"), NavItem("lint", "#e-14", 1, "completed", "3.1 s"),
        NavItem("tests", "#e-15", 1, "cancelled", "12.9 s"), NavItem("shards", "#e-16", 0, "completed", "6.0 s", kind="for_each × 24"),
        NavItem("deploy_canary", "#e-18", 0, "failed", "4.4 s"),
    ),
    nav_title="Steps", nav_more=0, parts=(),
    details=(Body("json", value={text("release"): text("2026.11.3"), text("canary"): True}, label="inputs", folded=True, badges=(STATE,)), Body("nothing", "failed · exit 1 · dev", "audit trail", badges=(Badge("audit", "audit trail"),))),
    problems=(ProblemLine("transcripts/7cfd6b9f.jsonl:62", "the file ends mid-record (still being written?)", note=True), ProblemLine("transcripts/7cfd6b9f.jsonl:31", "not JSON: skipped", note=False)),
    masked=(("credential", 3, 44), ("token", 1, 40)),
    legend=((ROUTER, "recorded at the router seam: authoritative"), (AGENT, "reported by the agent"), (BOTH, "both recorded the same call; it is counted once"), (NO_RESULT, "a call of which no result was recorded"), (STATE, "the run's state file says so")),
    anchors="", root="../",
)  # fmt: skip

SESSION_ROWS: tuple[Row, ...] = (
    said("h-1", "prompt", "prompt", Body("markdown", text("The refund webhook answers 500 for Dutch cards since this morning. Find out why, fix it, and add a test.")), depth=0, when=at("17:59:01")),
    tool("h-2", "Grep", "refund_webhook services/payments", Body("output", text("services/payments/refunds.py:40"), "output"), depth=0, badges=()),
    tool("h-3", "Read", "services/payments/refunds.py", Body("numbered", text("40\tdef on_refund(event: Event) -> Receipt:\n41\t    rate = RATES[event.country.lower()]\n42\t    if event.scheme == \"maestro\":\n43\t        return settle(event, rate, days=3)\n"), "output", language="services/payments/refunds.py"), depth=0, badges=()),
    note("h-4", "hook", "no-prod-writes", "block · Bash · PreToolUse · writes to a production host", Body("text", text("The command names a production host.\nUse the replica.")), bad=True),
    tool("h-5", "Task", "find every caller that lower-cases a country", Body("markdown", text("List callers of `RATES[…]` and say which can see `None`."), "prompt"), Body("output", text("Three callers; only `on_refund` can see a missing country."), "output"), depth=0, badges=(), took="41 s"),
    note("chain-1", "chain", "side chain", "12 rows", href="#h-5", chain=True),
    said("h-6", "prompt", "sub-agent prompt", Body("markdown", text("List callers of `RATES[…]` and say which can see `None`.")), chain=True),
    tool("h-7", "Grep", "lower() services", Body("output", text("3 matches"), "output"), chain=True, badges=()),
    said("h-8", "reply", "claude", Body("markdown", text("Three callers; only `on_refund` can see a missing country.")), chain=True),
    note("h-9", "receipt", "deploy.canary", "operation · succeeded", href="#h-10"),
    tool("h-10", "Bash", "pytest tests/payments -q", Body("command", text("pytest tests/payments -q"), "command"), Body("output", text("1 failed, 41 passed"), "output", bad=True), depth=0, status="failed", outcome="exit 1", took="12.4 s", badges=()),
    said("h-11", "reply", "claude", Body("markdown", text(REPLY)), depth=0, tokens="115,918 in · 2,495 out", when=at("18:04:40")),
    said("h-12", "prompt", "prompt", Body("markdown", text("Now the same for partial refunds.")), depth=0, when=at("18:06:00")),
    said("h-13", "thinking", "thinking", Body("text", text("Short.")), depth=0),
    said("h-14", "reply", "claude", Body("nothing", "no text recorded"), depth=0),
    said("h-15", "prompt", "prompt", Body("markdown", text("افتح الملف src/auth.ts وعدّل السطر.")), depth=0),
)  # fmt: skip

SESSION = dataclasses.replace(
    RUN, kind="session", title="Refund webhook answers 500 for Dutch cards", short_id="claude · 197c6ed6", pill="cut off mid-tool", pill_status="warn",
    crumbs=(Link("Archive", "../index.html"), Link("Sessions", "../index.html"), Link("claude", None)),
    facts=(
        Fact("14 Sep 2026 17:59:01", "– 19:42:40 UTC", when=at("17:59:01")), Fact("15", "turns"), Fact("75", "calls"), Fact("5", "errors"),
        Fact("10.3 M in · 156 k out", note="sum of recorded counters, may repeat"), Fact("", "/home/dev/harbor-shop"), Fact("", "studio-1"),
    ),
    chips=(
        Chip("model", "claude-sonnet-4-5", "228"), Chip("tool", "Bash", "31"), Chip("tool", "Read", "19"), Chip("tool", "Edit", "12"), Chip("more", "8 more tools", ""),
        Chip("errors", "errors", "5", bad=True), Chip("hook-blocks", "hook blocks", "3", bad=True), Chip("chain", "side chains", "2"),
        Chip("masked", "masked", "11", masked=True), Chip("label", "label outcome", "fixed"),
    ),
    failure=None, tree=(), nav_title="Prompts", nav_more=3,
    nav=(
        NavItem("The refund webhook answers 500 for Dutch cards since this morning. Find", "#h-1", 0, "failed", "9"), NavItem("Now the same for partial refunds.", "#h-12", 0, "none", "14"),
        NavItem("/compact", "#h-15", 0, "none"),
    ),
    parts=(PartLink(1, "webhook.html", "The refund webhook answers 500", here=True), PartLink(2, "webhook.p2.html", "Deploy to staging", here=False)),
    details=(Body("nothing", "fixed · seen in production · by dev", "label outcome"),),
    anchors="AAAA|BBBB",
)  # fmt: skip

INDEX = IndexPage(
    "harbor-shop archive",
    (Fact("41", "runs in 27 trees"), Fact("38", "sessions"), Fact("1 Sep – 30 Nov 2026"), Fact("1,218", "tool calls"), Fact("12", "failures"), Fact("3", "problems in the input", href="problems.html"), Fact("114", "values masked")),
    (Chip("all", "all", "65"), Chip("failed", "failed", "5", bad=True), Chip("unfinished", "unfinished", "4"), Chip("runs", "runs", "27"), Chip("sessions", "sessions", "38"), Chip("claude", "claude", "22")),
    (
        IndexRow("run", "runs/nightly-audit-1a2b3c4d5e.html", "nightly-audit", "2 sub-workflows, 1 failed", "failed", at("09:26:11"), "48.2 s", "14", 3, "–", 0),
        IndexRow("run", "runs/audit-service-1a2b3c4d5e.html", "audit-service", "", "completed", at("09:26:12"), "6.1 s", "6", 0, "–", 1),
        IndexRow("run", "runs/audit-deps-1a2b3c4d5e.html", "audit-deps", "", "cancelled", at("09:26:13"), "0.9 s", "1", 0, "–", 2),
        IndexRow("run", "runs/stock-recount-1a2b3c4d5e.html", "stock-recount", "", "unfinished", at("09:18:00"), "–", "0", 0, "–", 0),
        IndexRow("session", "sessions/webhook-1a2b3c4d5e.html", "Refund webhook answers 500 for Dutch cards", "claude · harbor-shop · cut off mid-tool", "none", at("17:59:01"), "1 h 43 min", "75", 5, "156 k out", 0, ("claude",)),
        IndexRow("session", "sessions/fees-1a2b3c4d5e.html", "Port the fee table to the new ledger", "codex · harbor-ledger", "none", None, "22 min", "35", 0, "not reported", 0, ("codex",)),
    ),
    (),
)  # fmt: skip

PROBLEMS = ProblemsPage(
    (ProblemGroup("release-gate", RUN.problems, "runs/release-gate-1a2b3c4d5e.html"), ProblemGroup("files without a readable record", RUN.problems, None)),
    (ProblemGroup("neither a run file nor a partition", (ProblemLine("notes/todo.txt", "", note=True),), None),),
    (Fact("1", "problem"), Fact("1", "note"), Fact("1", "files or folders skipped")),
    (),
)  # fmt: skip

HOSTILE = "</title></script><!--<svg/onload=alert(1)>\"' onmouseover=alert(1) x='\x00\x1b[31m\u202e{{ 7*7 }}[masked:token:9:0a1b2c3d]&lt;\ufffe"
"""Ends of elements and attributes, a handler, controls, a direction mark, a template, a marker, an entity."""


def poisoned(data: T, words: str = HOSTILE) -> T:
    """The same data with hostile words in every field that may hold recorded text."""
    if not dataclasses.is_dataclass(data) or isinstance(data, type):
        return data
    changes = {field.name: _poison(field.name, getattr(data, field.name), words) for field in dataclasses.fields(data)}
    return dataclasses.replace(data, **changes)


_OURS = {"href", "root", "anchor", "anchors", "kind", "status", "who", "pill_status", "iso", "day", "clock"}
"""What lakesite makes itself, out of a fixed set of letters."""


def _poison(name: str, value: Any, words: str) -> Any:
    match value:
        case str() if name not in _OURS:
            return value + words
        case tuple():
            return tuple(_poison("", item, words) for item in value)
        case dict():
            return {key + words: _poison("", item, words) for key, item in value.items()}
        case Badge():
            return dataclasses.replace(value, text=value.text + words)
        case _ if dataclasses.is_dataclass(value):
            return poisoned(value, words)
        case _:
            return value


def make_pages() -> Pages:
    """What lays out pages, with the templates, the stylesheet and the script of this checkout."""
    css, js = ((ROOT / "static" / name).read_text(encoding="utf-8") for name in ("lakesite.css", "lakesite.js"))
    return Pages(Assets(css, js, FileSystemLoader(ROOT / "templates")))


def all_pages(pages: Pages, words: str = "") -> dict[str, str]:
    """Every kind of page by its place in a site; with `words` in every field that may hold recorded text."""
    change = partial(poisoned, words=words) if words else lambda data: data
    documents = {"runs/release-gate.html": (RUN, RUN_ROWS), "sessions/webhook.html": (SESSION, SESSION_ROWS)}
    made = {
        name: "".join(pages.document(change(page), [pages.rows([change(row) for row in rows])])) for name, (page, rows) in documents.items()
    }
    return {**made, "index.html": pages.index(change(INDEX)), "problems.html": pages.problems(change(PROBLEMS))}


def write_site(pages: Pages, folder: Path, words: str = "") -> Path:
    """Write every kind of page, with the stylesheet beside them, as a site does."""
    for name, html in all_pages(pages, words).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(html, encoding="utf-8")
    (folder / pages.shell.style_name).write_text(pages.shell.style, encoding="utf-8")
    return folder
