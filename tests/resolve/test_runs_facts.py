"""Every run of the genuine and of the hand-made data says what was counted independently of lakesite."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from lakesite.masking import Masker
from lakesite.resolve import outcome, tree
from lakesite.resolve.segments import segments
from lakesite.resolve.stage import Sure
from lakesite.resolve.steps import counts, resolve_run
from lakesite.resolve.walk import Places, Walk
from lakesite.sources.discover import discover
from lakesite.sources.documents import gather, scan
from lakesite.sources.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from lakesite.model import Key, Place, Run, RunEntry, RunLinks

WORDS = {"did not finish": "unfinished"}
OWNERS = {Sure.NONE: "none", Sure.OWNER: "one", Sure.UNCLEAR: "ambiguous"}
COMPARED = ("exchanges", "router", "agent", "merged", "no_result", "no_call", "extra_result")


@dataclass(frozen=True, slots=True)
class Resolved:
    """One run of an archive, read and resolved."""

    run: Run
    entries: tuple[RunEntry, ...]
    links: RunLinks
    places: dict[Key, Place]
    """The forest that it stands in."""

    @property
    def place(self) -> Place:
        return self.places[self.links.id.key]


def resolved(folder: Path) -> Iterator[tuple[str, Resolved]]:
    """Yield every run below a folder of run files by its id."""
    masker = Masker()
    files = discover([folder], masker).of("runs")
    documents, _ = gather([scan(file, masker) for file in files], {})
    places: dict[Key, Place] = {}
    made = []
    for document in documents:
        with Reader(document, masker) as reader:
            entries = reader.run_entries()
        assert document.identity.id
        links = tree.links(document.identity.id, entries)
        made.append(Resolved(resolve_run(entries, torn=document.torn), entries, links, places))
    places |= tree.forest([item.links for item in made])
    return ((item.links.id.shown, item) for item in made)


@pytest.fixture(scope="module")
def genuine(shared: Path) -> tuple[dict[str, Resolved], dict[str, Any]]:
    facts = json.loads((shared / "data/awf/facts.json").read_text(encoding="utf-8"))
    return dict(resolved(shared / "data/awf/storage/transcripts")), facts["facts"]["runs"]


@pytest.fixture(scope="module")
def made(shared: Path) -> tuple[dict[str, Resolved], dict[str, Any]]:
    facts = json.loads((shared / "data/awf/spec-samples/facts.json").read_text(encoding="utf-8"))
    return dict(resolved(shared / "data/awf/spec-samples/storage/transcripts")), facts["runs"]


def structure(item: Resolved) -> dict[str, object]:
    """What both fact files say of the steps of a run, and of the forest."""
    last = len(item.run.segments) - 1
    said = {row.entry for row in item.run.rows if hasattr(row, "entry")}
    return {
        "events": counts(item.run, item.entries).events,
        "segments": len(item.run.segments),
        "steps": len(item.run.steps),
        "steps_by_kind": Counter(str(step.kind) for step in item.run.steps),
        "steps_with_error": sum(step.status == "failed" for step in item.run.steps),
        "open_at_end": sum(step.segment == last and _is_open(item.run, number) for number, step in enumerate(item.run.steps)),
        "completed_without_start": sum(item.entries[entry].type == "step.completed" for entry in said),
        "parent": item.place.parent and item.place.parent.shown,
        "children": sorted(child.shown for child in item.place.children),
        "missing": sorted(child.shown for child in item.place.missing),
        "status": outcome.status(item.run, item.place, None, None)[0],
        "without its parent": item.run.recorded or item.run.derived,
    }


def owners(entries: tuple[RunEntry, ...]) -> dict[str, int]:
    """How the messages and tool events of a run came to their places."""
    places = Places.for_entries(len(entries))
    walk = Walk(0, [], places, {})
    found: Counter[str] = Counter()
    for number, order in enumerate(segments(entries).orders):
        walk = Walk(number, walk.steps, places, walk.latest)
        for index in order:
            walk.take(index, entries[index])
            if entries[index].type.startswith(("message.", "tool.")):
                found[OWNERS[Sure(places.sure[index])]] += 1
    return dict(found)


def nonzero(counted: dict[str, int]) -> dict[str, int]:
    return {name: number for name, number in counted.items() if number}


def _is_open(run: Run, number: int) -> bool:
    step = run.steps[number]
    return step.status == "open" or (step.kind == "terminal" and step.completed is None)


def tools(item: Resolved) -> dict[str, object]:
    counted = counts(item.run, item.entries)
    return {name: getattr(counted, name) for name in COMPARED}


def test_genuine_runs(genuine: tuple[dict[str, Resolved], dict[str, Any]]) -> None:
    runs, facts = genuine
    assert runs.keys() == facts.keys()
    for name, fact in facts.items():
        exchanges = fact["exchanges"]
        assert (name, structure(runs[name])) == (
            name,
            {
                **{key: fact[key] for key in structure(runs[name]) if key in fact},
                "parent": fact["parent_run_id"] if fact["parent_in_archive"] else None,
                "children": sorted(set(fact["children"]) - set(fact["children_missing"])),
                "missing": sorted(fact["children_missing"]),
                "status": WORDS.get(fact["status_with_parent"], fact["status_with_parent"]),
                "without its parent": WORDS.get(fact["status_by_rule"], fact["status_by_rule"]),
            },
        )
        assert (name, tools(runs[name])) == (
            name,
            {
                "exchanges": exchanges["total_after_merge"],
                "router": exchanges["router_only"] + exchanges["merged"],
                "agent": exchanges["agent_only"] + exchanges["merged"],
                "merged": exchanges["merged"],
                "no_result": exchanges["router_without_result"] + exchanges["agent_without_result"],
                "no_call": 0,
                "extra_result": 0,
            },
        )
        assert (name, owners(runs[name].entries)) == (name, nonzero(fact["owner_of_messages_and_router_events"]))


def test_made_runs(made: tuple[dict[str, Resolved], dict[str, Any]]) -> None:
    runs, facts = made
    assert runs.keys() == facts.keys()
    for name, fact in facts.items():
        exchanges = fact["exchanges"]
        assert (fact["run"], structure(runs[name])) == (
            fact["run"],
            {
                **{key: fact[key] for key in structure(runs[name]) if key in fact},
                "parent": fact["parent_shown"],
                "children": sorted(fact["children_shown"]),
                "missing": sorted(fact["children_missing"]),
                "status": WORDS.get(fact["status_with_parent"], fact["status_with_parent"]),
                "without its parent": WORDS.get(fact["status"], fact["status"]),
            },
        )
        assert (fact["run"], tools(runs[name])) == (
            fact["run"],
            {
                "exchanges": exchanges["total"],
                "router": exchanges["router_only"] + exchanges["merged"],
                "agent": exchanges["agent_only"] + exchanges["merged"],
                **{key: exchanges[key] for key in ("merged", "no_result", "no_call", "extra_result")},
            },
        )
        failed = sum(exchange.failed is True for exchange in runs[name].run.exchanges)
        assert (fact["run"], failed) == (fact["run"], exchanges["failed"])
        assert (fact["run"], owners(runs[name].entries)) == (fact["run"], nonzero(fact["owner_of_messages_and_tool_events"]))
        assert (fact["run"], numbering(runs[name])) == (
            fact["run"],
            {(found["kind"], found["line"]) for found in fact["problems"] if found["kind"] in ("seq-holes", "seq-conflict")},
        )
        assert (fact["run"], runs[name].run.repeated) == (fact["run"], sum(note["kind"] == "repeated-line" for note in fact["notes"]))


def numbering(item: Resolved) -> set[tuple[str, int]]:
    """Kind and line of what is wrong with the numbers of a run."""
    found = ((kind, item.entries[index].origin.line) for kind, index, _ in item.run.problems)
    return {(kind, line) for kind, line in found if kind != "repeated-line"}
