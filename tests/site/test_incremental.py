"""Building again gives what building anew gives, whatever happened in between; and it does no more than it has to."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakesite.options import MaskSettings, Options
from lakesite.search.codec import unpacked
from lakesite.search.library import read_library
from lakesite.search.merge import read_shard
from lakesite.site import standing
from lakesite.site.output import MANIFEST, MEMORY
from lakesite.sources import again, walk
from lakesite.sources.documents import scan
from tests import ROOT
from tests.site.builds import Site, build, call, event, lakesite, result, row, said, step, write
from tests.site.planting import made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakesite.masking import Masker
    from lakesite.sources.documents import Before, Scan
    from lakesite.sources.files import SourceFile

PASSWORD = f"{made(5, 31)}!{made(5, 32)}7"
OTHER = f"{made(5, 33)}!{made(5, 34)}8"
LOGINS = [f"psql postgres://app:{secret}@db.internal/x" for secret in (PASSWORD, OTHER)]
LONG = "overlong" * 12


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times tell of a change at once: the file systems of these tests count in milliseconds."""
    monkeypatch.setattr(walk, "SETTLED", 0)


# --- what two sites have in common -----------------------------------------------------------------------------------------------


def shown(site: Site) -> dict[str, bytes]:
    """All that a reader or another program is given, but for how the index of the search is laid."""
    return {name: data for name, data in site.files.items() if name != MANIFEST and not re.match(r"search/(?!t/|search\.js)", name)}


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
    if standing.unchanged(Options(paths=(source,), out=site, **options)) is None:
        return build(site, source, **options)
    return Site(site)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**9), doings=st.lists(st.lists(st.sampled_from(DOINGS), min_size=1, max_size=3), min_size=2, max_size=5))
def test_any_history_ends_in_the_same_site(seed: int, doings: list[list[str]]) -> None:
    draw = random.Random(seed)  # noqa: S311 -- the same every time
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = Archive(folder / "in")
        options: dict[str, Any] = {}
        for chosen in draw.sample(NAMES, 3):
            archive.add(chosen, *records(draw, chosen))
        for number, each in enumerate([[], *doings]):
            for doing in each:
                do(doing, draw, archive, options, folder / "site")
            anew = build(folder / f"anew-{number}", folder / "in", **options)
            assert_alike(rebuilt(folder / "site", folder / "in", options), anew)
            shutil.rmtree(folder / f"anew-{number}")


# --- what is done again ------------------------------------------------------------------------------------------------------------


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


RUNS = "storage/transcripts"
AROUND = "its title, its status or the runs around it changed"
FAILED = {"WorkflowID": "lone", "WorkflowName": "lone", "Status": "failed", "States": {}}
TRAIL = {"event": "workflow.completed", "execution_id": "lone", "status": "failure"}
LABEL = {"ts": None, "session_id": "s1", "runtime": "claude", "aspect": "a", "value": "b"}
CALLER = (
    event(1, "run.started", {"name": "top"}, run_id="p"),
    event(2, "step.call_workflow.completed", step("c", "call_workflow", error="no"), run_id="p", child_run_id="lone"),
)
CHANGES: dict[str, tuple[Callable[[Archive], object], dict[str, str]]] = {
    "a line is appended": (
        lambda at: at.add(f"{RUNS}/lone.jsonl", event(2, "step.started", step("s"), run_id="lone")),
        {"lone": "its records changed"},
    ),
    "a row is appended": (
        lambda at: at.add("lake/p.ndjson", row("assistant", "x", 3, session_id="s2")),
        {"claude-s2": "its records changed"},
    ),
    "a file is touched": (lambda at: os.utime(at.folder / "lake/p.ndjson"), {}),
    "a run is added": (lambda at: at.add(f"{RUNS}/d.jsonl", event(1, "run.started", {"name": "d"}, run_id="d")), {"d": "it is new"}),
    "a run is removed": (lambda at: (at.folder / RUNS / "lone.jsonl").unlink(), {}),
    "the called run ends": (
        lambda at: at.add(f"{RUNS}/b.jsonl", event(3, "step.completed", step("s", error="no"), run_id="b")),
        {"lower": "its records changed", "upper": AROUND},
    ),
    "a parent appears": (lambda at: at.add(f"{RUNS}/p.jsonl", *CALLER), {"top": "it is new", "lone": AROUND}),
    "a state file appears": (lambda at: write(at.folder / "storage/states/lone.json", [FAILED]), {"lone": "its state file changed"}),
    "an audit trail appears": (
        lambda at: write(at.folder / "storage/audit.jsonl", [TRAIL]),
        {"lone": "what the audit trail says of it changed"},
    ),
    "a label appears": (lambda at: write(at.folder / "lake/labels.ndjson", [LABEL]), {"claude-s1": "its labels changed"}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_only_what_changed_is_written(tmp_path: Path, name: str) -> None:
    archive = family(tmp_path)
    build(tmp_path / "site", archive.folder)
    change, expected = CHANGES[name]
    change(archive)
    again = build(tmp_path / "site", archive.folder)
    assert written(again) == expected
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def test_a_file_that_has_grown_is_read_from_where_the_last_scan_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    build(tmp_path / "site", archive.folder)
    begun: list[int] = []

    def noted(file: SourceFile, masker: Masker, before: Before | None = None) -> Scan:
        begun.append(before.offset if before else 0)
        return scan(file, masker, before)

    monkeypatch.setattr(again, "scan", noted)
    size = (archive.folder / "lake/p.ndjson").stat().st_size
    archive.add("lake/p.ndjson", row("user", "three", 3, session_id="s2"))
    build(tmp_path / "site", archive.folder)
    assert begun == [size]
    archive.lines["lake/p.ndjson"][0] = archive.lines["lake/p.ndjson"][0].replace(b"one", b"uno")
    archive.write("lake/p.ndjson")
    archive.add("lake/p.ndjson", row("user", "four", 4, session_id="s2"))
    site = build(tmp_path / "site", archive.folder)
    assert begun == [size, 0], "its beginning changed"
    assert_alike(site, build(tmp_path / "anew", archive.folder))


@pytest.mark.parametrize("name", ["storage/transcripts/x.jsonl", "storage/transcripts/x.jsonl.gz", "lake/x.ndjson"])
@pytest.mark.parametrize("also", [False, True], ids=["nowhere", "later"])
def test_a_changed_record_that_names_no_document_is_noticed(tmp_path: Path, name: str, *, also: bool) -> None:
    def put(word: str) -> None:
        if name.startswith("lake"):
            lines: list[Any] = [row("user", word, 1, session_id=None), *([row("user", "x", 2, session_id="s3")] if also else [])]
        else:
            lines = [event(1, "message.user", said("user", word)), event(2, "message.user", said("user", "x"))]
            del lines[0]["run_id"]
            if not also:
                del lines[1]["run_id"]
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        (archive.folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)

    archive = family(tmp_path)
    put("hello")
    build(tmp_path / "site", archive.folder)
    put("jolly")
    again = build(tmp_path / "site", archive.folder)
    assert list(written(again).values()) == ["its records changed"]
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def test_nothing_is_written_where_nothing_changed(tmp_path: Path) -> None:
    archive = family(tmp_path)
    options = Options(paths=(archive.folder,), out=tmp_path / "site")
    assert standing.unchanged(options) is None
    site = build(options.out, archive.folder)
    assert site.built
    before = (untouched(options.out), (options.out / MANIFEST).stat().st_mtime_ns)
    assert standing.unchanged(options) == site.built.figures
    assert (untouched(options.out), (options.out / MANIFEST).stat().st_mtime_ns) == before
    os.utime(archive.folder / "lake/p.ndjson")
    assert standing.unchanged(options) is None
    build(options.out, archive.folder)
    assert untouched(options.out) == before[0], "what is the same is not written"


def test_what_was_changed_too_lately_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    monkeypatch.setattr(walk, "SETTLED", 60 * 10**9)
    build(tmp_path / "site", archive.folder)
    assert standing.unchanged(Options(paths=(archive.folder,), out=tmp_path / "site")) is None


OTHERS: list[dict[str, Any]] = [
    {"title": "B"}, {"public": True}, {"search": "off"}, {"mask_across": True}, {"mask": MaskSettings(publish=True)}, {"full": True},
    {"verify": True},
]  # fmt: skip


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: next(iter(other)))
def test_other_options_are_noticed(tmp_path: Path, other: dict[str, Any]) -> None:
    archive = family(tmp_path)
    build(tmp_path / "site", archive.folder)
    assert standing.unchanged(Options(paths=(archive.folder,), out=tmp_path / "site", **other)) is None
    again = build(tmp_path / "site", archive.folder, **other)
    everything = set() if other.keys() <= {"title", "public", "verify"} else {"upper", "lower", "lone", "claude-s1", "claude-s2"}
    assert written(again).keys() == everything
    assert_alike(again, build(tmp_path / "anew", archive.folder, **other))


def test_a_named_secret_that_changes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    mask = MaskSettings(mask_env=("LAKESITE_TEST_VALUE",))
    monkeypatch.setenv("LAKESITE_TEST_VALUE", made(12, 41))
    build(tmp_path / "site", archive.folder, mask=mask)
    assert standing.unchanged(Options(paths=(archive.folder,), out=tmp_path / "site", mask=mask)) is not None
    monkeypatch.setenv("LAKESITE_TEST_VALUE", made(12, 42))
    assert standing.unchanged(Options(paths=(archive.folder,), out=tmp_path / "site", mask=mask)) is None


def test_another_program_writes_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    build(tmp_path / "site", archive.folder)
    program = list(standing.program())
    monkeypatch.setattr(standing, "program", lambda: iter([*program, "one more file"]))
    assert set(written(build(tmp_path / "site", archive.folder)).values()) == {"lakesite changed"}


def test_templates_and_scripts_are_part_of_the_program() -> None:
    told = " ".join(standing.program())
    assert all(f"{name} " in told for name in ("rows.html", "lakesite.css", "search.js", "benign.toml", "build.py"))


# --- a site that is not as it was left ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("remove", [False, True], ids=["changed", "missing"])
def test_a_page_that_is_not_as_it_was_is_written_anew(tmp_path: Path, *, remove: bool) -> None:
    archive = family(tmp_path)
    site = build(tmp_path / "site", archive.folder)
    page = site.folder / site.documents["lone"]["href"]
    data = page.read_bytes()
    page.unlink() if remove else page.write_bytes(data.replace(b"lone", b"LONE"))
    again = build(site.folder, archive.folder)
    assert page.read_bytes() == data
    assert written(again) == {"lone": "a file of it is missing or was changed"}


def test_a_link_in_the_place_of_a_page_is_not_followed(tmp_path: Path) -> None:
    archive = family(tmp_path)
    site = build(tmp_path / "site", archive.folder)
    page = site.folder / site.documents["lone"]["href"]
    shutil.move(page, tmp_path / "outside.html")
    page.symlink_to(tmp_path / "outside.html")
    again = build(site.folder, archive.folder)
    assert "lone" in written(again)
    assert not page.is_symlink()


def test_a_search_that_is_not_as_it_was_is_made_anew(tmp_path: Path) -> None:
    archive = family(tmp_path)
    site = build(tmp_path / "site", archive.folder)
    next((site.folder / "search").rglob("head.js")).write_text("x")
    again = build(site.folder, archive.folder)
    assert set(written(again).values()) == {"the search of the old site is missing or was changed"}
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def forged(site: Path, change: Callable[[list[Any]], object]) -> None:
    """Change what a site remembers as somebody would who knows how it is written."""
    _, head, body, _ = (site / MEMORY).read_text().split("\n")
    value = json.loads(body)
    change(value)
    body = json.dumps(value, separators=(",", ":"))
    (site / MEMORY).write_text(f"{standing.digest_of(head, body)}\n{head}\n{body}\n")


FORGERIES: dict[str, Any] = {
    "no documents": lambda value: value.__setitem__(1, None),
    "too few fields": lambda value: value[1][0].pop(),
    "another type": lambda value: value[1][0].__setitem__(7, "many"),
    "a number of nothing": lambda value: value[1][0].__setitem__(3, [99]),
    "a place before the file": lambda value: [each[3][0][0][1].__setitem__(2, [[-1, -5, -2]]) for each in value[0]],
    "a page outside": lambda value: [each[2].__setitem__(6, ["../../../etc/passwd"]) for each in value[1]],
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_memory_does_no_harm(tmp_path: Path, name: str) -> None:
    archive = family(tmp_path)
    site = build(tmp_path / "site", archive.folder)
    forged(site.folder, FORGERIES[name])
    os.utime(archive.folder / "lake/p.ndjson")
    assert_alike(build(site.folder, archive.folder), build(tmp_path / "anew", archive.folder))


@pytest.mark.parametrize("text", [None, "", "{}", "a\nb\nc\n", "\xff\n" * 4, "[" * 100_000])
def test_a_memory_that_cannot_be_used_is_told(tmp_path: Path, text: str | None) -> None:
    archive = family(tmp_path)
    site = build(tmp_path / "site", archive.folder)
    memory = site.folder / MEMORY
    memory.unlink() if text is None else memory.write_text(text, encoding="latin-1")
    again = build(site.folder, archive.folder)
    assert again.built
    assert again.built.note
    assert MEMORY in again.built.note
    assert len(again.built.rebuilt) == 5
    assert again.files == site.files
    assert build(site.folder, archive.folder).built.note is None  # type: ignore[union-attr]


def test_the_memory_of_another_site_is_not_used(tmp_path: Path) -> None:
    one, two = family(tmp_path / "1"), family(tmp_path / "2")
    two.add("lake/p.ndjson", row("user", "three", 3))
    first, second = build(tmp_path / "site1", one.folder), build(tmp_path / "site2", two.folder)
    shutil.copyfile(first.folder / MEMORY, second.folder / MEMORY)
    again = build(second.folder, two.folder)
    assert again.built
    assert again.built.note


def test_the_memory_holds_no_secret_and_stays_private(tmp_path: Path) -> None:
    archive = family(tmp_path)
    archive.add("lake/p.ndjson", row("user", LOGINS[0], 5, session_id="s1"), row("user", f"it was {PASSWORD}", 6, session_id="s2"))
    site = build(tmp_path / "site", archive.folder, public=True)
    text = (site.folder / MEMORY).read_text()
    assert PASSWORD not in text
    assert str(tmp_path) not in text
    assert all(PASSWORD[at : at + 6] not in text for at in range(len(PASSWORD) - 5))
    assert stat.S_IMODE((site.folder / MEMORY).stat().st_mode) == 0o600


# --- what was caught in one document and stands in another -------------------------------------------------------------------------


def test_what_was_caught_in_a_document_that_stays_is_looked_for_in_a_new_one(tmp_path: Path) -> None:
    archive = family(tmp_path)
    archive.add("lake/q.ndjson", row("user", LOGINS[0], 1, session_id="q"), row("user", "nothing", 2, session_id="r"))
    build(tmp_path / "site", archive.folder)
    archive.add("lake/p.ndjson", row("user", f"it was {PASSWORD}", 6, session_id="s2"))
    again = build(tmp_path / "site", archive.folder)
    assert written(again) == {"claude-s2": "its records changed"}
    assert len(again.problems("readable-elsewhere")) == 1
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def test_what_is_caught_in_a_new_document_is_looked_for_in_those_that_stay(tmp_path: Path) -> None:
    archive = family(tmp_path)
    archive.add("lake/q.ndjson", row("user", f"it was {PASSWORD}", 1, session_id="q"), row("user", f"and {OTHER}", 2, session_id="r"))
    archive.add("lake/r.ndjson", row("user", LOGINS[1], 1, session_id="t"))
    build(tmp_path / "site", archive.folder)
    archive.add("lake/p.ndjson", row("user", LOGINS[0], 6, session_id="s2"))
    again = build(tmp_path / "site", archive.folder)
    assert written(again) == {"claude-s2": "its records changed"}
    assert len(again.problems("readable-elsewhere")) == 2
    assert_alike(again, build(tmp_path / "anew", archive.folder))
    (archive.folder / "lake/r.ndjson").unlink()
    again = build(tmp_path / "site", archive.folder)
    assert written(again) == {}
    assert len(again.problems("readable-elsewhere")) == 1


def test_masked_across_all_is_written_as_a_whole(tmp_path: Path) -> None:
    archive = family(tmp_path)
    archive.add("lake/q.ndjson", row("user", f"it was {PASSWORD}", 1, session_id="q"))
    build(tmp_path / "site", archive.folder, mask_across=True)
    os.utime(archive.folder / "lake/q.ndjson")
    assert written(build(tmp_path / "site", archive.folder, mask_across=True)) == {}
    archive.add("lake/p.ndjson", row("user", LOGINS[0], 6, session_id="s2"))
    again = build(tmp_path / "site", archive.folder, mask_across=True)
    assert len(written(again)) == 6
    assert_alike(again, build(tmp_path / "anew", archive.folder, mask_across=True))


# --- the command -------------------------------------------------------------------------------------------------------------------


def test_the_command_says_why(tmp_path: Path) -> None:
    archive = family(tmp_path)
    command = ("build", archive.folder, "-o", tmp_path / "site", "--jobs", 1)
    lakesite(*command)
    archive.add("lake/p.ndjson", row("assistant", "x", 3, session_id="s2"))
    told = lakesite(*command, "-v")
    assert told.returncode == 0
    assert re.search(r"^sessions/claude-s2-\w+\.html: its records changed$", told.stderr.decode(), re.MULTILINE)
    assert "claude-s1" not in told.stderr.decode()
    again = lakesite(*command, "--full", "-v").stderr.decode()
    assert again.count("--full was asked for") == 5
    (tmp_path / "site" / MEMORY).write_text("damaged")
    assert MEMORY in lakesite(*command).stderr.decode()


def test_the_command_does_not_load_what_it_does_not_need(tmp_path: Path) -> None:
    archive = family(tmp_path)
    past = 10**18
    for path in archive.folder.rglob("*"):
        os.utime(path, ns=(past, past))
    build(tmp_path / "site", archive.folder)
    command = (
        "import sys\nfrom lakesite.sources import walk\nwalk.SETTLED = 0\nfrom lakesite.cli import main\n"
        f"try: main(['build', {str(archive.folder)!r}, '-o', {str(tmp_path / 'site')!r}])\n"
        "except SystemExit: print([name for name in ('pygments', 'markdown_it', 'jinja2', 'lakesite.masking') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
