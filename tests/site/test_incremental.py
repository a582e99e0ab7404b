"""Building again gives what building anew gives, whatever happened in between; and it does no more than it has to."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakesite.masking.engine import Engine, engine_for
from lakesite.options import MaskSettings, Options
from lakesite.render.code import Budget
from lakesite.render.pages import Pages
from lakesite.site import lay, unchanged
from lakesite.site.output import MANIFEST
from lakesite.sources import rescan, shelf, walk
from lakesite.sources.documents import scan
from tests.site.builds import build, call, event, result, row, said, step, write
from tests.site.histories import DOINGS, NAMES, Archive, assert_alike, do, family, rebuilt, records, untouched, written
from tests.site.planting import made

if TYPE_CHECKING:
    from lakesite.masking import Masker
    from lakesite.sources.documents import Before, Scan
    from lakesite.sources.files import SourceFile
    from lakesite.view.shapes import Row


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times tell of a change at once: the file systems of these tests count in milliseconds."""
    monkeypatch.setattr(walk, "SETTLED", 0)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**9), doings=st.lists(st.lists(st.sampled_from(DOINGS), min_size=1, max_size=3), min_size=2, max_size=5))
def test_any_history_ends_in_the_same_site(seed: int, doings: list[list[str]]) -> None:
    draw = random.Random(seed)  # noqa: S311 -- the same every time
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(lay, "_SECTION_ROWS", draw.choice([1, 2, 50]))
        patch.setattr(lay, "PART_ELEMENTS", draw.choice([40, 12_000]))
        patch.setattr(shelf, "_FEW", draw.choice([1, 4_096]))
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

    monkeypatch.setattr(rescan, "scan", noted)
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


@pytest.mark.parametrize("name", ["storage/transcripts/lone.jsonl", "lake/p.ndjson"])
def test_what_was_looked_through_by_the_rules_is_not_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Only where something was caught, and what is new. What is caught there is masked in all of the document."""
    secret = made(20, 5)
    archive = Archive(tmp_path / "in")

    def one(number: int, text: str) -> object:
        event_of = event(number, "message.user", said("user", text), run_id="lone")
        return event_of if name.endswith(".jsonl") else row("user", text, number, session_id="s1")

    def looked_through(text: str) -> bool:
        return any(text in found for found in seen)

    texts = ["first", f"I see {secret}", f"token: {made(30, 6)}", "last"]
    archive.add(name, *(one(number, text) for number, text in enumerate(texts, 1)))
    build(tmp_path / "site", archive.folder)
    seen: list[str] = []
    hits = Engine.hits

    def noted(self: Engine, text: str, *arguments: object, **options: object) -> object:
        seen.append(text)
        return hits(self, text, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "hits", noted)
    engine_for.cache_clear()
    archive.add(name, one(5, "one more"))
    build(tmp_path / "site", archive.folder)
    assert [looked_through(text) for text in (*texts, "one more")] == [False, False, True, False, True]
    archive.add(name, one(6, f"password: {secret}"))
    again = build(tmp_path / "site", archive.folder)
    assert secret not in again.text()
    assert not looked_through("first")
    archive.lines[name][0] = archive.lines[name][0].replace(b"first", b"other")
    archive.write(name)
    engine_for.cache_clear()  # it remembers in what it found nothing
    again = build(tmp_path / "site", archive.folder)
    assert looked_through("other")
    assert looked_through("last"), "its beginning changed"
    assert_alike(again, build(tmp_path / "anew", archive.folder))


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each section had that was rendered."""
    seen: list[int] = []
    render = Pages.rows

    def noted(self: Pages, rows: Sequence[Row], *arguments: Any, **options: Any) -> str:  # noqa: ANN401 -- of the other
        seen.append(len(rows))
        return render(self, rows, *arguments, **options)

    monkeypatch.setattr(Pages, "rows", noted)
    monkeypatch.setattr(lay, "_SECTION_ROWS", 5)
    return seen


def code(number: int) -> str:
    return f"Here:\n```python\nvalue = {number}  # of all\nprint(value)\n```\n"


def test_sections_that_stay_the_same_are_not_rendered(tmp_path: Path, rendered: list[int]) -> None:
    archive = Archive(tmp_path / "in")
    archive.add("lake/p.ndjson", *(row("user", code(number), number, session_id="s1") for number in range(22)))
    build(tmp_path / "site", archive.folder)
    assert rendered == [5, 5, 5, 5, 2]
    rendered.clear()
    archive.add("lake/p.ndjson", row("user", "one more", 23, session_id="s1"))
    again = build(tmp_path / "site", archive.folder)
    assert rendered == [3]
    assert_alike(again, build(tmp_path / "anew", archive.folder))
    rendered.clear()
    archive.lines["lake/p.ndjson"][7] = archive.lines["lake/p.ndjson"][7].replace(b"value", b"other")
    archive.write("lake/p.ndjson")
    again = build(tmp_path / "site", archive.folder)
    assert rendered == [5, 3], "the one that changed, and the last one"
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def test_sections_stay_whether_their_document_is_held_in_memory_or_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rendered: list[int]
) -> None:
    """What a row says tells it, not which of its texts are one object: that differs where entries were set aside."""
    archive = Archive(tmp_path / "in")
    for number in range(20):
        known = {"tool_call_id": f"c{number}"}
        archive.add(
            "lake/p.ndjson",
            row("tool_call", '{"command":"ls"}', 2 * number, session_id="s1", tool_name="Bash", extra=known),
            row("tool_result", "a", 2 * number + 1, session_id="s1", extra=known),
        )
    build(tmp_path / "site", archive.folder)
    assert rendered == [5, 5, 5, 5]
    rendered.clear()
    monkeypatch.setattr(shelf, "_FEW", 8)
    monkeypatch.setattr(shelf, "_TOGETHER", 2)
    archive.add("lake/p.ndjson", row("user", "one more", 50, session_id="s1"))
    again = build(tmp_path / "site", archive.folder)
    assert rendered == [1]
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def test_a_section_is_rendered_where_less_may_be_coloured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rendered: list[int]) -> None:
    """What comes first in a document is coloured: a longer text before others leaves less for them, or more."""
    monkeypatch.setattr(Budget, "__init__", lambda self: setattr(self, "characters", 10 * len("cd a\necho 10")))
    archive = Archive(tmp_path / "in")
    name = "storage/transcripts/a.jsonl"
    commands = [(number, {"command": f"cd a\necho {number}"}) for number in range(10, 30)]
    archive.add(name, *(event(number, "tool.call", call(f"c{number}", given=command), run_id="a") for number, command in commands))
    build(tmp_path / "site", archive.folder)
    rendered.clear()
    archive.lines[name][2] = archive.lines[name][2].replace(b"echo 12", b"echo 1212")
    archive.write(name)
    again = build(tmp_path / "site", archive.folder)
    assert rendered == [5, 5, 5, 5], "one less is coloured in the second, and more is left for the others"
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def test_texts_in_files_of_their_own_are_written_again(tmp_path: Path, rendered: list[int]) -> None:
    archive = Archive(tmp_path / "in")
    long = "\n".join(f"line {number}" for number in range(60_000))
    texts = [long if number in (3, 8) else f"text {number}" for number in range(15)]
    archive.add("lake/p.ndjson", *(row("assistant", text, number, session_id="s1") for number, text in enumerate(texts)))
    build(tmp_path / "site", archive.folder)
    rendered.clear()
    archive.add("lake/p.ndjson", row("assistant", long, 23, session_id="s1"))
    again = build(tmp_path / "site", archive.folder)
    assert rendered == [4, 5, 2], "a long text ends a section"
    assert len(list(again.folder.rglob("*.txt"))) == 3
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def test_sections_of_several_parts_stay_where_they_lead_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rendered: list[int]
) -> None:
    monkeypatch.setattr(lay, "PART_ELEMENTS", 30)
    archive = Archive(tmp_path / "in")
    calls = [event(number, "tool.call", call(f"c{number}", given={"command": "ls"}), run_id="a") for number in range(1, 20)]
    results = [event(number + 20, "tool.result", result(f"c{number}", "x"), run_id="a") for number in range(1, 20)]
    archive.add("storage/transcripts/a.jsonl", event(0, "run.started", {"name": "a"}, run_id="a"), *calls, *results)
    site = build(tmp_path / "site", archive.folder)
    assert len(site.documents["a"]["parts"]) > 2
    rendered.clear()
    archive.add("storage/transcripts/a.jsonl", event(50, "message.assistant", said("assistant", "over"), run_id="a"))
    again = build(tmp_path / "site", archive.folder)
    assert rendered == [1]
    assert_alike(again, build(tmp_path / "anew", archive.folder))


def test_a_page_that_was_changed_gives_no_section(tmp_path: Path, rendered: list[int]) -> None:
    archive = Archive(tmp_path / "in")
    archive.add("lake/p.ndjson", *(row("user", f"text {number}", number, session_id="s1") for number in range(10)))
    page = next((build(tmp_path / "site", archive.folder).folder / "sessions").glob("*.html"))
    page.write_bytes(page.read_bytes().replace(b"text 3", b"evil 3"))
    rendered.clear()
    archive.add("lake/p.ndjson", row("user", "one more", 23, session_id="s1"))
    again = build(tmp_path / "site", archive.folder)
    assert rendered == [5, 5, 1]
    assert_alike(again, build(tmp_path / "anew", archive.folder))


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
    assert unchanged.unchanged(options) is None
    site = build(options.out, archive.folder)
    assert site.built
    before = (untouched(options.out), (options.out / MANIFEST).stat().st_mtime_ns)
    assert unchanged.unchanged(options) == site.built.figures
    assert (untouched(options.out), (options.out / MANIFEST).stat().st_mtime_ns) == before
    os.utime(archive.folder / "lake/p.ndjson")
    assert unchanged.unchanged(options) is None
    build(options.out, archive.folder)
    assert untouched(options.out) == before[0], "what is the same is not written"


def test_what_was_changed_too_lately_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    monkeypatch.setattr(walk, "SETTLED", 60 * 10**9)
    build(tmp_path / "site", archive.folder)
    assert unchanged.unchanged(Options(paths=(archive.folder,), out=tmp_path / "site")) is None


OTHERS: list[dict[str, Any]] = [
    {"title": "B"}, {"public": True}, {"search": "off"}, {"mask_across": True}, {"mask": MaskSettings(publish=True)}, {"full": True},
    {"verify": True},
]  # fmt: skip


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: next(iter(other)))
def test_other_options_are_noticed(tmp_path: Path, other: dict[str, Any]) -> None:
    archive = family(tmp_path)
    build(tmp_path / "site", archive.folder)
    assert unchanged.unchanged(Options(paths=(archive.folder,), out=tmp_path / "site", **other)) is None
    again = build(tmp_path / "site", archive.folder, **other)
    everything = set() if other.keys() <= {"title", "public", "verify"} else {"upper", "lower", "lone", "claude-s1", "claude-s2"}
    assert written(again).keys() == everything
    assert_alike(again, build(tmp_path / "anew", archive.folder, **other))


def test_a_named_secret_that_changes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    mask = MaskSettings(mask_env=("LAKESITE_TEST_VALUE",))
    monkeypatch.setenv("LAKESITE_TEST_VALUE", made(12, 41))
    build(tmp_path / "site", archive.folder, mask=mask)
    assert unchanged.unchanged(Options(paths=(archive.folder,), out=tmp_path / "site", mask=mask)) is not None
    monkeypatch.setenv("LAKESITE_TEST_VALUE", made(12, 42))
    assert unchanged.unchanged(Options(paths=(archive.folder,), out=tmp_path / "site", mask=mask)) is None


def test_another_program_writes_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    build(tmp_path / "site", archive.folder)
    program = list(unchanged.program())
    monkeypatch.setattr(unchanged, "program", lambda: iter([*program, "one more file"]))
    assert set(written(build(tmp_path / "site", archive.folder)).values()) == {"lakesite changed"}


def test_templates_and_scripts_are_part_of_the_program() -> None:
    told = " ".join(unchanged.program())
    assert all(f"{name} " in told for name in ("rows.html", "lakesite.css", "search.js", "benign.toml", "build.py"))
