"""Archives that change, and what two sites of them have in common."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakesite.options import MaskSettings, Options
from lakesite.search.codec import unpacked
from lakesite.search.library import read_library
from lakesite.search.merge import read_shard
from lakesite.site import unchanged
from lakesite.site.output import MANIFEST, MEMORY
from tests.site.builds import Site, build, call, event, result, row, said, step, write
from tests.site.planting import made

PASSWORD = f"{made(5, 31)}!{made(5, 32)}7"
OTHER = f"{made(5, 33)}!{made(5, 34)}8"
LOGINS = [f"psql postgres://app:{secret}@db.internal/x" for secret in (PASSWORD, OTHER)]
LONG = "overlong" * 12


# --- what two sites have in common -----------------------------------------------------------------------------------------------


def shown(site: Site) -> dict[str, bytes]:
    """All that a reader or another program is given, but for how the index of the search is laid, which its page tells, too."""
    laid = re.compile(rb'<(?:script src|link rel="preload" as="script" href)="search/[0-9a-f]+/head\.js">(?:</script>)?\n')
    kept = {name: data for name, data in site.files.items() if name != MANIFEST and not re.match(r"search/(?!t/|search\.js)", name)}
    return {name: laid.sub(b"", data) if name == "search.html" else data for name, data in kept.items()}


def answers(site: Path) -> dict[str, Any]:
    """All that search knows: of each document its facts and its texts, and in which of its blocks each term stands."""
    library = read_library(site)
    found: dict[str, Any] = {}
    for stored in library.segments if library else ():
        owners: list[tuple[str, int]] = []
        for number, document in enumerate(stored.head.documents):
            owners += [("" if number in stored.gone else document.facts.href, block) for block in range(document.blocks)]
            if number not in stored.gone:
                assert document.facts.href not in found
                found[document.facts.href] = (document, {})
        for path in (site / "search" / stored.id / "i").rglob("*.js"):
            for term, blocks in read_shard(unpacked(path.read_text())):
                for owner, block in (owners[place] for place in blocks):
                    if owner:
                        found[owner][1].setdefault(term, []).append(block)
    return found


def assert_alike(again: Site, anew: Site) -> None:
    """Assert that two sites cannot be told apart by what they show and find."""
    one, two = shown(again), shown(anew)
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []
    assert answers(again.folder) == answers(anew.folder)


def written(site: Site) -> dict[str, str]:
    """Which documents a build wrote, and why."""
    assert site.built
    return {href.rsplit("/", 1)[-1].rsplit("-", 1)[0]: why for href, why in site.built.rebuilt}


def untouched(site: Path) -> tuple[int, ...]:
    """What changes when a file is written."""
    return tuple(path.stat().st_mtime_ns for path in sorted(site.rglob("*")) if path.is_file() and path.name not in (MANIFEST, MEMORY))


# --- an archive that changes -------------------------------------------------------------------------------------------------------


@dataclass
class Archive:
    """Files that are written down at each step."""

    folder: Path
    lines: dict[str, list[bytes]] = field(default_factory=dict)

    def write(self, name: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines[name]))

    def add(self, name: str, *records: object) -> None:
        """Append records to a file, which may not be there yet."""
        lines = [json.dumps(record).encode() + b"\n" for record in records]
        self.lines.setdefault(name, []).extend(lines)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:
            stream.write(b"".join(lines))


def texts(draw: random.Random) -> str:
    words = ["hello there", "**bold** and `code`", f"I typed {PASSWORD}", f"try {OTHER} now", LONG, "x" * 9_000, "検索 test"]
    return draw.choice([*words, *LOGINS])


def records(draw: random.Random, name: str) -> Iterator[object]:
    """Records for a file of an archive."""
    for _ in range(draw.randrange(1, 4)):
        number = draw.randrange(2, 90)
        if name.endswith(".ndjson"):
            yield row(draw.choice(["user", "assistant"]), texts(draw), number, session_id=draw.choice(["s1", "s2", None]))
        else:
            run = Path(name).stem
            other = draw.choice(["a", "b", "c", "gone"])
            yield draw.choice(
                [
                    event(number, "message.user", said("user", texts(draw)), run_id=run),
                    event(number, "tool.call", call(f"c{number}", given={"command": texts(draw)}), run_id=run),
                    event(number, "tool.result", result(f"c{number}", texts(draw)), run_id=run),
                    event(number, "step.call_workflow.started", step("c", "call_workflow"), run_id=run, child_run_id=other),
                    event(number, "step.completed", step("s", error="it failed"), run_id=run, parent_run_id=other),
                ]
            )


NAMES = ("storage/transcripts/a.jsonl", "storage/transcripts/b.jsonl", "storage/transcripts/c.jsonl", "lake/p1.ndjson", "lake/p2.ndjson")
BESIDE = ("storage/states/a.json", "storage/audit.jsonl", "lake/labels.ndjson")
DOINGS = ("append", "append", "append", "remove", "cut", "tear", "edit", "touch", "beside", "options", "page", "memory", "nothing")


def do(doing: str, draw: random.Random, archive: Archive, options: dict[str, Any], site: Path) -> None:
    """Let something happen to an archive, to what is asked for, or to the site that stands."""
    name = draw.choice(sorted(archive.lines)) if archive.lines else None
    match doing:
        case "append":
            chosen = draw.choice(NAMES)
            archive.add(chosen, *records(draw, chosen))
        case "remove" if name and len(archive.lines) > 1:
            del archive.lines[name]
            (archive.folder / name).unlink()
        case "cut" if name and len(archive.lines[name]) > 1:
            del archive.lines[name][draw.randrange(1, len(archive.lines[name])) :]
            archive.write(name)
        case "tear" if name:
            archive.lines[name].append(json.dumps(next(records(draw, name))).encode()[: draw.randrange(1, 200)])
            archive.write(name)
        case "edit" if name:
            place = draw.randrange(len(archive.lines[name]))
            archive.lines[name][place] = archive.lines[name][place].replace(b"hello", b"jolly").replace(b"typed", b"wrote")
            archive.write(name)
        case "touch" if name:
            os.utime(archive.folder / name)
        case _:
            do_around(doing, draw, archive, options, site)


def do_around(doing: str, draw: random.Random, archive: Archive, options: dict[str, Any], site: Path) -> None:
    """Let something happen around what was recorded."""
    match doing:
        case "beside":
            beside(draw, archive)
        case "options":
            change(draw, options)
        case "page" if site.exists():
            damage(draw.choice(sorted(path for path in site.rglob("*") if path.is_file() and path.name != MANIFEST)), draw)
        case "memory" if (site / MEMORY).exists():
            damage(site / MEMORY, draw)


def beside(draw: random.Random, archive: Archive) -> None:
    """Write what stands beside runs and conversations."""
    path = archive.folder / draw.choice(BESIDE)
    state: dict[str, Any] = {"WorkflowID": "a", "WorkflowName": draw.choice(["one", "two"]), "States": {}}
    state["Status"] = draw.choice(["failed", "completed"])
    trail = {"event": "workflow.completed", "execution_id": draw.choice(["b", "gone"]), "status": draw.choice(["success", "failure"])}
    label = {"ts": None, "session_id": "s1", "runtime": "claude", "aspect": draw.choice(["a", "b"]), "value": texts(draw)}
    state["Inputs"] = {"x": texts(draw)}
    said_beside: dict[str, dict[str, Any]] = {"a.json": state, "audit.jsonl": trail, "labels.ndjson": label}
    write(path, [said_beside[path.name]])


def change(draw: random.Random, options: dict[str, Any]) -> None:
    """Ask for something else."""
    match draw.randrange(6):
        case 0:
            options["title"] = draw.choice(["One", "Two"])
        case 1:
            options["search"] = draw.choice(["full", "no-snippets", "off"])
        case 2:
            options["mask_across"] = not options.get("mask_across", False)
        case 3:
            options["mask"] = MaskSettings(masking=draw.choice(["precise", "strict"]), publish=draw.random() < 0.5)
        case 4:
            options["public"] = not options.get("public", False)
        case _:
            options["jobs"] = draw.choice([1, 1, 2])


def damage(path: Path, draw: random.Random) -> None:
    """Take a file of a site away, or change a byte of it."""
    data = bytearray(path.read_bytes())
    if draw.random() < 0.3 or not data:
        path.unlink()
    else:
        data[draw.randrange(len(data))] ^= 1
        path.write_bytes(data)


def rebuilt(site: Path, source: Path, options: dict[str, Any]) -> Site:
    """Do what the command does: nothing where there is nothing to do."""
    if unchanged.unchanged(Options(paths=(source,), out=site, **options)) is None:
        return build(site, source, **options)
    return Site(site)


def family(folder: Path) -> Archive:
    """A run that calls another, a lone run, and two conversations in one partition."""
    archive = Archive(folder / "in")
    runs = "storage/transcripts"
    archive.add(
        f"{runs}/a.jsonl", event(1, "run.started", {"name": "upper"}, run_id="a"),
        event(2, "step.call_workflow.started", step("c", "call_workflow"), run_id="a", child_run_id="b"),
    )  # fmt: skip
    archive.add(f"{runs}/b.jsonl", event(1, "run.started", {"name": "lower"}, run_id="b"), event(2, "step.started", step("s"), run_id="b"))
    archive.add(f"{runs}/lone.jsonl", event(1, "run.started", {"name": "lone"}, run_id="lone"))
    archive.add("lake/p.ndjson", row("user", "one", 1, session_id="s1"), row("user", "two", 2, session_id="s2"))
    return archive
