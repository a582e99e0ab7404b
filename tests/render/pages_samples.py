"""Sample pages around the sample rows, plain and with hostile text in every field, and a small site of them."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import TypeVar

from lakesite.render.pages import Pages
from lakesite.site.assets import load_assets
from lakesite.view.lanes import Bar, Lane, Tick, Timeline
from lakesite.view.listing import Chart, IndexPage, IndexRow, Series, ToolBar
from lakesite.view.problems import ProblemGroup, ProblemsPage
from lakesite.view.shapes import (
    Badge,
    Body,
    Chip,
    DocumentPage,
    Fact,
    Failure,
    Link,
    NavItem,
    PartLink,
    ProblemLine,
)
from tests.render.pages_rows import AGENT, BOTH, NO_RESULT, ROUTER, RUN_ROWS, SESSION_ROWS, STATE, at, text, tool

T = TypeVar("T")
CHILD = "../runs/audit-deps-1a2b3c4d5e.html"


def bar(look: str, x: str, width: str, words: str, href: str) -> Bar:
    """A bar of a timeline."""
    return Bar(x, width, "24", "12", look, words, href)


RUN = DocumentPage(
    packed=True,
    kind="run",
    title="release-gate",
    short_id="7cfd6b9f",
    full_id="7cfd6b9f-0000-4000-8000-000000000000",
    pill="failed",
    pill_status="failed",
    crumbs=(Link("Archive", "../index.html"), Link("Runs", "../index.html"), Link("release-gate", None)),
    facts=(
        Fact("30 Nov 2026 09:26:11", "UTC", when=at("09:26:11")),
        Fact("48.2 s", before="took"),
        Fact("9", "steps"),
        Fact("14", "tool calls"),
        Fact("3", "errors"),
        Fact("nightly-audit", before="called by", href="../runs/nightly-audit-1a2b3c4d5e.html"),
    ),
    chips=(
        Chip("state", "status from", "state file"),
        Chip("router", "router", "5"),
        Chip("agent", "agent", "7"),
        Chip("both", "router + agent", "2"),
        Chip("no-result", "no result recorded", "6"),
        Chip("errors", "errors", "3", bad=True),
        Chip("masked", "masked", "4", masked=True),
    ),
    failure=Failure(
        "deploy_canary failed after 4.4 s",
        Body("output", text("error: health check \x1b[31m503\x1b[0m from canary-2 (attempt 3 of 3)\nrolled back to 2026.11.2"), bad=True),
        "#e-18",
        "The migration is applied, so I will start the canary now.",
        tool("e-9", "Bash", "./deploy canary --wait 30", status="failed", outcome="exit 1"),
        said_href="#e-7",
        call_href="#e-9",
    ),
    tree=(
        NavItem("nightly-audit", "../runs/nightly-audit-1a2b3c4d5e.html", 0, "failed"),
        NavItem("release-gate", None, 1, "failed", here=True),
        NavItem("audit-deps", "../runs/audit-deps-1a2b3c4d5e.html", 2, "completed", "6 s"),
        NavItem("not in this archive", None, 2, "missing", "136d573a"),
    ),
    nav=(
        NavItem("fetch", "#e-1", 0, "completed", "0.8 s"),
        NavItem("analyze", "#e-3", 0, "completed", "21.4 s"),
        NavItem("checks", "#e-13", 0, "completed", "12.9 s", kind="parallel"),
        NavItem("lint", "#e-14", 1, "completed", "3.1 s"),
        NavItem("tests", "#e-15", 1, "cancelled", "12.9 s"),
        NavItem("shards", "#e-16", 0, "completed", "6.0 s", kind="for_each × 24"),
        NavItem("deploy_canary", "#e-18", 0, "failed", "4.4 s"),
    ),
    nav_title="Steps",
    nav_more=0,
    parts=(),
    details=(
        Body("json", value={text("release"): text("2026.11.3"), text("canary"): True}, label="inputs", folded=True, badges=(STATE,)),
        Body("nothing", "failed · exit 1 · dev", "audit trail", badges=(Badge("audit", "audit trail"),)),
    ),
    problems=(
        ProblemLine("transcripts/7cfd6b9f.jsonl:62", "the file ends mid-record (still being written?)", note=True),
        ProblemLine("transcripts/7cfd6b9f.jsonl:31", "not JSON: skipped", note=False),
    ),
    masked=(("credential", 3, 44), ("token", 1, 40)),
    legend=(
        (ROUTER, "recorded at the router seam: authoritative"),
        (AGENT, "reported by the agent"),
        (BOTH, "both recorded the same call; it is counted once"),
        (NO_RESULT, "a call of which no result was recorded"),
        (STATE, "the run's state file says so"),
    ),
    anchors="",
    root="../",
    timeline=Timeline(
        lanes=(
            Lane(
                "fetch", 0, "completed", "", "", "#e-1",
                (bar("completed", "0%", "2%", "fetch", "#e-1"),), "0 ms", "0.8 s", "completed", (),
            ),
            Lane(
                "audit-deps", 1, "completed", "call_workflow × 2", "", "#e-16",
                (bar("run", "10%", "2%", "audit-deps", CHILD), bar("around", "20%", "2%", "x", "#e-16")),
                "4.8 s", "9.6 s", "2 completed", (Link("audit-deps", CHILD),),
            ),
            Lane(
                "deploy_canary", 0, "failed", "", "failed", "#e-18",
                (bar("failed", "90%", "9%", "it", "#e-18"),), "44 s", "4.4 s", "failed", (),
            ),
            Lane("12 more steps", 0, "open", "", "", None, (), "not recorded", "not recorded", "12 end not recorded", ()),
        ),
        ticks=(Tick("0%", "0 s"), Tick("62.5%", "30 s")),
        height="100",
        failed=True,
    ),
)

SESSION = dataclasses.replace(
    RUN,
    kind="session",
    title="Refund webhook answers 500 for Dutch cards",
    short_id="claude · 197c6ed6",
    pill="cut off mid-tool",
    pill_status="warn",
    crumbs=(Link("Archive", "../index.html"), Link("Sessions", "../index.html"), Link("claude", None)),
    facts=(
        Fact("14 Sep 2026 17:59:01", "– 19:42:40 UTC", when=at("17:59:01")),
        Fact("15", "turns"),
        Fact("75", "calls"),
        Fact("5", "errors"),
        Fact("10.3 M in · 156 k out", note="sum of recorded counters, may repeat"),
        Fact("", "/home/dev/harbor-shop"),
        Fact("", "studio-1"),
    ),
    chips=(
        Chip("model", "claude-sonnet-4-5", "228"),
        Chip("tool", "Bash", "31"),
        Chip("tool", "Read", "19"),
        Chip("tool", "Edit", "12"),
        Chip("more", "8 more tools", ""),
        Chip("errors", "errors", "5", bad=True),
        Chip("hook-block", "hook block", "3"),
        Chip("chain", "side chains", "2"),
        Chip("masked", "masked", "11", masked=True),
        Chip("label", "label outcome", "fixed"),
    ),
    failure=None,
    timeline=None,
    tree=(),
    nav_title="Prompts",
    nav_more=3,
    nav=(
        NavItem("The refund webhook answers 500 for Dutch cards since this morning. Find", "#h-1", 0, "failed", "9"),
        NavItem("Now the same for partial refunds.", "#h-12", 0, "none", "14"),
        NavItem("/compact", "#h-15", 0, "none"),
    ),
    parts=(
        PartLink(1, "webhook.html", "The refund webhook answers 500", here=True),
        PartLink(2, "webhook.p2.html", "Deploy to staging", here=False),
    ),
    details=(Body("nothing", "fixed · seen in production · by dev", "label outcome"),),
    anchors="AAAA|BBBB",
)

INDEX = IndexPage(
    "harbor-shop archive",
    (
        Fact("41", "runs in 27 trees"),
        Fact("38", "sessions"),
        Fact("1 Sep – 30 Nov 2026"),
        Fact("1,218", "tool calls"),
        Fact("12", "failures"),
        Fact("3", "problems in the input", href="problems.html"),
        Fact("114", "values masked"),
    ),
    (
        Chip("all", "all", "65"),
        Chip("failed", "failed", "5", bad=True),
        Chip("unfinished", "unfinished", "4"),
        Chip("runs", "runs", "27"),
        Chip("sessions", "sessions", "38"),
        Chip("claude", "claude", "22"),
    ),
    (
        IndexRow(
            "run",
            "runs/nightly-audit-1a2b3c4d5e.html",
            "nightly-audit",
            "2 sub-workflows, 1 failed",
            "failed",
            at("09:26:11"),
            "48.2 s",
            "14",
            3,
            "–",
            0,
        ),
        IndexRow("run", "runs/audit-service-1a2b3c4d5e.html", "audit-service", "", "completed", at("09:26:12"), "6.1 s", "6", 0, "–", 1),
        IndexRow("run", "runs/audit-deps-1a2b3c4d5e.html", "audit-deps", "", "cancelled", at("09:26:13"), "0.9 s", "1", 0, "–", 2),
        IndexRow("run", "runs/stock-recount-1a2b3c4d5e.html", "stock-recount", "", "unfinished", at("09:18:00"), "–", "0", 0, "–", 0),
        IndexRow(
            "session",
            "sessions/webhook-1a2b3c4d5e.html",
            "Refund webhook answers 500 for Dutch cards",
            "claude · harbor-shop · cut off mid-tool",
            "none",
            at("17:59:01"),
            "1 h 43 min",
            "75",
            5,
            "156 k out",
            0,
            ("claude",),
        ),
        IndexRow(
            "session",
            "sessions/fees-1a2b3c4d5e.html",
            "Port the fee table to the new ledger",
            "codex · harbor-ledger",
            "none",
            None,
            "22 min",
            "35",
            0,
            "not reported",
            0,
            ("codex",),
        ),
    ),
    (),
    charts=(
        Chart(
            "Activity per day",
            "1 document without a time left out",
            "1 Sep 2026",
            "30 Nov 2026",
            (Series("went well", "one", "M0 45 h20 V90 h-20 z"), Series("failed", "bad", "M0 0 h20 V45 h-20 z")),
            ("day", "went well", "failed"),
            (("30 Nov 2026", "3", "1"), ("1 Sep 2026", "2", "0")),
        ),
    ),
    tools=(
        ToolBar("Bash", "31", "2 failed", "M0 0 h600 v10 h-600 z", "M0 0 h40 v10 h-40 z"),
        ToolBar("Read", "19", "", "M0 0 h300 v10 h-300 z", ""),
    ),
    more_chips=(Chip("project harbor-shop", "project harbor-shop", "1"),),
)

PROBLEMS = ProblemsPage(
    (
        ProblemGroup("release-gate", RUN.problems, "runs/release-gate-1a2b3c4d5e.html"),
        ProblemGroup("belongs to no document", RUN.problems, None),
    ),
    (ProblemGroup("release-gate", RUN.problems[1:], "runs/release-gate-1a2b3c4d5e.html"),),
    (ProblemGroup("neither a run file nor a partition", (ProblemLine("notes/todo.txt", "", note=True),), None),),
    (Fact("1", "problem"), Fact("1", "note"), Fact("1", "files or folders skipped")),
    (),
)

HOSTILE = (
    "</title></script><!--<svg/onload=alert(1)>\"' onmouseover=alert(1) x='\x00\x1b[31m\u202e{{ 7*7 }}[masked:token:9:0a1b2c3d]&lt;\ufffe"
)
"""Ends of elements and attributes, a handler, controls, a direction mark, a template, a marker, an entity."""


def poisoned(data: T, words: str = HOSTILE) -> T:
    """The same data with hostile words in every field that may hold recorded text."""
    if hasattr(data, "_replace"):
        return data._replace(**{name: _poison(name, getattr(data, name), words) for name in data._fields})
    if not dataclasses.is_dataclass(data) or isinstance(data, type):
        return data
    changes = {field.name: _poison(field.name, getattr(data, field.name), words) for field in dataclasses.fields(data)}
    return dataclasses.replace(data, **changes)


_OURS = {"href", "root", "anchor", "anchors", "kind", "status", "who", "pill_status", "iso", "day", "clock", "took", "calls", "tokens"}
_OURS |= {"rows_file", "style", "path", "bad"}
_OURS |= {"said_href", "call_href", "look", "x", "width", "y", "height"}
"""What lakesite makes itself, out of a fixed set of letters."""


def _poison(name: str, value: object, words: str) -> object:
    match value:
        case str() if name not in _OURS:
            return value + words
        case Badge():
            return value._replace(text=value.text + words)
        case _ if dataclasses.is_dataclass(value) or hasattr(value, "_fields"):
            return poisoned(value, words)
        case tuple():
            return tuple(_poison("", item, words) for item in value)
        case dict():
            return {key + words: _poison("", item, words) for key, item in value.items()}
        case _:
            return value


def make_pages() -> Pages:
    """What lays out pages, with the templates, the stylesheet and the script of this checkout."""
    return Pages(load_assets(), search=True)


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
