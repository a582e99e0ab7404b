"""Sample rows: of a run and of a conversation, every kind of them, as a reader might meet them."""

from __future__ import annotations

from lakesite.model import Masked
from lakesite.view.shapes import (
    Badge,
    Body,
    EndRow,
    Link,
    MessageRow,
    NoteRow,
    Row,
    StepRow,
    ToolRow,
    When,
)

ROUTER, AGENT, BOTH = Badge("router", "router"), Badge("agent", "agent"), Badge("both", "router + agent")
NO_RESULT = Badge("no-result", "no result recorded")
STATE = Badge("state", "state file")


def at(clock: str) -> When:
    return When(f"2026-11-30T{clock}Z", "30 Nov 2026", clock, None)


def text(words: str) -> Masked:
    return Masked(words)


def tool(anchor: str, name: str, argument: str, *bodies: Body, **more: object) -> ToolRow:
    given: dict[str, object] = {
        "anchor": anchor,
        "depth": 1,
        "name": name,
        "argument": argument,
        "status": "ok",
        "outcome": "",
        "when": at("09:26:14"),
        "took": "0.1 s",
        "badges": (ROUTER,),
        "bodies": bodies,
        "origin": "transcripts/7cfd6b9f.jsonl:14",
    }
    return ToolRow(**{**given, **more})


def said(anchor: str, who: str, label: str, *bodies: Body, **more: object) -> MessageRow:
    given: dict[str, object] = {
        "anchor": anchor,
        "depth": 1,
        "who": who,
        "label": label,
        "bodies": bodies,
        "when": at("09:26:12"),
        "badges": (),
        "origin": "transcripts/7cfd6b9f.jsonl:9",
    }
    return MessageRow(**{**given, **more})


def note(anchor: str, kind: str, label: str, words: str, *bodies: Body, **more: object) -> NoteRow:
    given: dict[str, object] = {
        "anchor": anchor,
        "depth": 0,
        "kind": kind,
        "label": label,
        "text": words,
        "when": at("09:27:02"),
        "badges": (),
        "bodies": bodies,
        "origin": "transcripts/7cfd6b9f.jsonl:40",
    }
    return NoteRow(**{**given, **more})


def step(anchor: str, name: str, kind: str, **more: object) -> StepRow:
    given: dict[str, object] = {
        "anchor": anchor,
        "depth": 0,
        "name": name,
        "kind": kind,
        "status": "completed",
        "when": at("09:26:12"),
        "took": "21.4 s",
        "badges": (),
        "child": None,
        "note": "",
        "origin": "transcripts/7cfd6b9f.jsonl:8",
    }
    return StepRow(**{**given, **more})


EDIT = Body(
    "edit",
    text("BEGIN;\nCREATE INDEX ledger_by_day\n  ON ledger (booked_at);\nCOMMIT;\n"),
    language="migrations/0047_ledger_index.sql",
    new=text("BEGIN;\nCREATE INDEX CONCURRENTLY ledger_by_day\n  ON ledger (booked_at);\nCOMMIT;\n"),
)
PSQL = (
    "connecting to postgres://ledger:[masked:credential:11:1a2b3c4d]@db-3/ledger\n"
    "\x1b[31mERROR:\x1b[0m  CREATE INDEX CONCURRENTLY cannot run inside a transaction block\n\x1b[33mHINT:\x1b[0m   drop BEGIN / COMMIT\n"
)
THOUGHT = (
    "The ledger migration adds a column with a default; on Postgres 15 that is safe, but the index is not concurrent.\n\n"
    + "\n".join(f"{number}. Then look at what takes a lock in step {number}." for number in range(1, 15))
)
REPLY = """The webhook read the country of the *card*, which Dutch debit cards leave out since the scheme change.
It now falls back to the country of the account:

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
READ = (
    "40\tdef on_refund(event: Event) -> Receipt:\n41\t    rate = RATES[event.country.lower()]\n"
    '42\t    if event.scheme == "maestro":\n43\t        return settle(event, rate, days=3)\n'
)
LONG = "".join(f"{number:5}  \x1b[32mok\x1b[0m  tests/payments/test_refunds.py::test_case_{number}\n" for number in range(1, 431))
HUGE = "".join(
    f"{number:6} shard {number % 24} wrote block {number * 7919 % 100003} of [masked:token:40:9f8e7d6c] in time\n"
    for number in range(1, 4001)
)

RUN_ROWS: tuple[Row, ...] = (
    step("e-1", "fetch", "command", took="0.8 s"),
    EndRow(
        "e-2",
        0,
        "fetch",
        "completed",
        (Body("output", text("From github.example:harbor/shop\n * branch main -> FETCH_HEAD"), "standard output · state file"),),
        at("09:26:12"),
        (STATE,),
        "transcripts/7cfd6b9f.jsonl:2",
    ),
    step("e-3", "analyze", "agent"),
    said(
        "e-4",
        "prompt",
        "prompt",
        Body(
            "markdown", text("Check release `2026.11.3` for migrations that lock tables for longer than a second, and fix the checklist.")
        ),
    ),
    said(
        "e-4-b1", "input", "system prompt", Body("markdown", text("You are careful.\n" * 38), label="system prompt · 38 lines", folded=True)
    ),
    said("e-5", "thinking", "thinking", Body("text", text(THOUGHT))),
    tool(
        "e-6",
        "Grep",
        "CREATE INDEX migrations/",
        Body("json", value={text("pattern"): text("CREATE INDEX"), text("path"): text("migrations/")}, label="input"),
        Body("output", text("migrations/0047_ledger_index.sql:4:CREATE INDEX ledger_by_day"), "output"),
    ),
    tool("e-7", "Edit", "migrations/0047_ledger_index.sql", EDIT, took="0.2 s", badges=(BOTH,)),
    tool(
        "e-8",
        "Bash",
        'psql "$DATABASE_URL" -f migrations/0047_ledger_index.sql',
        Body("command", text('psql "$DATABASE_URL" -f migrations/0047_ledger_index.sql'), "command"),
        Body("output", text(PSQL), "output", bad=True),
        status="failed",
        outcome="exit 1",
        took="1.9 s",
        badges=(AGENT,),
    ),
    tool(
        "e-9",
        "Bash",
        "pytest -q tests/payments",
        Body("command", text("pytest -q tests/payments"), "command"),
        Body("output", text(LONG), "output"),
        outcome="",
        took="12.4 s",
    ),
    tool(
        "e-10",
        "Bash",
        "./shards --all",
        Body("output", text(HUGE), "output"),
        status="unknown",
        outcome="no result recorded",
        took="",
        badges=(AGENT, NO_RESULT),
    ),
    tool(
        "e-11",
        "mcp__harbor__search_everything_there_is_about",
        "x" * 300,
        Body("nothing", "null", "input"),
        Body("nothing", "an empty text", "output"),
        badges=(AGENT, Badge("other", "replayed"), NO_RESULT),
    ),
    said("e-12", "reply", "reply", Body("markdown", text(REPLY)), badges=(Badge("unclear", "place unclear"),)),
    step("e-13", "checks", "parallel", took="12.9 s"),
    step("e-14", "lint", "command", depth=1, took="3.1 s"),
    step("e-15", "tests", "command", depth=1, status="cancelled", badges=(Badge("cancelled", "cancelled, end not recorded"),), took=""),
    step("e-16", "audit-deps", "call_workflow", child=Link("audit-deps", "../runs/audit-deps-1a2b3c4d5e.html"), note="turn 3 of 24"),
    note(
        "segment-2", "resumed", "resumed here", "segment 2 begins; its numbers start again at 1", badges=(Badge("resumed", "resumed here"),)
    ),
    note(
        "e-17",
        "unknown",
        "step.paused",
        "deploy_canary",
        Body("json", value={text("why"): text("approval"), text("n"): 3}, label="payload"),
        badges=(Badge("unknown", "unknown type"),),
    ),
    step("e-18", "deploy_canary", "command", status="failed", took="4.4 s", when=at("09:26:55")),
    EndRow(
        "e-19",
        0,
        "deploy_canary",
        "failed",
        (
            Body(
                "output",
                text("error: health check \x1b[31m503\x1b[0m from canary-2 (attempt 3 of 3)\nrolled back to 2026.11.2"),
                "error",
                bad=True,
            ),
        ),
        at("09:26:59"),
        (),
        "transcripts/7cfd6b9f.jsonl:61",
    ),
)

SESSION_ROWS: tuple[Row, ...] = (
    said(
        "h-1",
        "prompt",
        "prompt",
        Body("markdown", text("The refund webhook answers 500 for Dutch cards since this morning. Find out why, fix it, and add a test.")),
        depth=0,
        when=at("17:59:01"),
    ),
    tool(
        "h-2",
        "Grep",
        "refund_webhook services/payments",
        Body("output", text("services/payments/refunds.py:40"), "output"),
        depth=0,
        badges=(),
    ),
    tool(
        "h-3",
        "Read",
        "services/payments/refunds.py",
        Body(
            "numbered",
            text(READ),
            "output",
            language="services/payments/refunds.py",
        ),
        depth=0,
        badges=(),
    ),
    note(
        "h-4",
        "hook",
        "no-prod-writes",
        "block · Bash · PreToolUse · writes to a production host",
        Body("text", text("The command names a production host.\nUse the replica.")),
        badges=(Badge("hook-block", "hook block"),),
    ),
    tool(
        "h-5",
        "Task",
        "find every caller that lower-cases a country",
        Body("markdown", text("List callers of `RATES[…]` and say which can see `None`."), "prompt"),
        Body("output", text("Three callers; only `on_refund` can see a missing country."), "output"),
        depth=0,
        badges=(),
        took="41 s",
    ),
    note("chain-1", "chain", "side chain", "12 rows", href="#h-5", chain=True),
    said(
        "h-6", "prompt", "sub-agent prompt", Body("markdown", text("List callers of `RATES[…]` and say which can see `None`.")), chain=True
    ),
    tool("h-7", "Grep", "lower() services", Body("output", text("3 matches"), "output"), chain=True, badges=()),
    said("h-8", "reply", "claude", Body("markdown", text("Three callers; only `on_refund` can see a missing country.")), chain=True),
    note("h-9", "receipt", "deploy.canary", "operation · succeeded", href="#h-10"),
    tool(
        "h-10",
        "Bash",
        "pytest tests/payments -q",
        Body("command", text("pytest tests/payments -q"), "command"),
        Body("output", text("1 failed, 41 passed"), "output", bad=True),
        depth=0,
        status="failed",
        outcome="exit 1",
        took="12.4 s",
        badges=(),
    ),
    said("h-11", "reply", "claude", Body("markdown", text(REPLY)), depth=0, tokens="115,918 in · 2,495 out", when=at("18:04:40")),
    said("h-12", "prompt", "prompt", Body("markdown", text("Now the same for partial refunds.")), depth=0, when=at("18:06:00")),
    said("h-13", "thinking", "thinking", Body("text", text("Short.")), depth=0),
    said("h-14", "reply", "claude", Body("nothing", "no text recorded"), depth=0),
    said("h-15", "prompt", "prompt", Body("markdown", text("افتح الملف src/auth.ts وعدّل السطر.")), depth=0),
)
