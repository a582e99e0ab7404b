"""What is caught in a document stands in none of its names: not in its title, ids, files or address, nor where others name it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.site.builds import Site, build, event, row, said, step, write
from tests.site.planting import made

NAMES = {name: f"{name}-{made(4, seed).lower()}{made(3, seed + 40, '23456789')}x" for seed, name in enumerate(
    ("title", "child", "file", "session", "part", "runtime"), 70,
)}  # fmt: skip
RUNS, STATES, LAKE = "storage/transcripts", "storage/states", "lake"


def gives_away(*names: str) -> str:
    return "\n".join(f"export DB_PASSWORD={NAMES[name]}" for name in names)


def archive(folder: Path) -> Path:
    child = event(2, "step.call_workflow.started", step("c"), path="c", child_run_id=NAMES["child"])
    write(folder / RUNS / "a.jsonl", [event(1, "message.user", said("user", gives_away("title", "child", "file"))), child])
    write(folder / RUNS / f"{NAMES['file']}.jsonl", [event(9, "message.user", said("user", "more"))])
    write(folder / RUNS / "b.jsonl", [event(1, "step.started", step("q"), run_id="run-b", parent_run_id="run-a")])
    state = {"WorkflowID": "run-a", "WorkflowName": NAMES["title"], "Status": "completed", "States": {}}
    write(folder / STATES / "a.json", [json.dumps(state)])
    write(folder / LAKE / "part-1.ndjson", [row("user", gives_away("session"), 1, session_id=NAMES["session"])])
    write(folder / LAKE / f"{NAMES['part']}.ndjson", [row("user", gives_away("part"), 1, session_id=None)])
    write(folder / LAKE / "part-2.ndjson", [row("user", gives_away("runtime"), 1, session_id="z", runtime=NAMES["runtime"])])
    return folder


def telling(site: Site) -> list[str]:
    """The files of a site, and of what the next build is to know, that hold one of the names in any case."""
    found = []
    for path in sorted(site.folder.rglob("*")):
        said_there = path.name + (path.read_bytes().decode("utf-8", "replace") if path.is_file() else "")
        found += [f"{path.name}: {name}" for name, value in NAMES.items() if value.lower() in said_there.lower()]
    return found


def test_no_name_says_what_is_caught_in_its_document(tmp_path: Path) -> None:
    site = build(tmp_path / "out", archive(tmp_path / "in"))
    assert telling(site) == []
    assert len({document["parts"][0] for document in site.json["documents"]}) == len(site.json["documents"]) == 5


def test_a_name_stays_where_its_document_says_nothing(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.ndjson", [row("user", "hello", 1, session_id=NAMES["session"])])
    site = build(tmp_path / "out", tmp_path / "in")
    assert NAMES["session"] in site.only["parts"][0]


@pytest.mark.parametrize("more", ["nothing", "another run", "more of the same"])
def test_addresses_are_the_same_when_it_is_built_again(tmp_path: Path, more: str) -> None:
    folder = archive(tmp_path / "in")
    build(tmp_path / "out", folder)
    if more == "another run":
        write(folder / RUNS / "c.jsonl", [event(1, "step.started", step("q"), run_id="run-c", parent_run_id="run-a")])
    elif more == "more of the same":
        with (folder / RUNS / "a.jsonl").open("a") as stream:
            stream.write(json.dumps(event(12, "message.user", said("user", "and more"))) + "\n")
    again, full = build(tmp_path / "out", folder), build(tmp_path / "full", folder)
    assert telling(again) == []
    shown = [{name: page.raw for name, page in site.pages.items() if name != "search.html"} for site in (again, full)]
    assert shown[0] == shown[1]
    assert bool(again.built and again.built.rebuilt) == (more != "nothing")
