"""The command line: exit codes, what is printed where, and what never is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import lakesite
import lakesite.site.build
from lakesite.cli import main
from lakesite.site.verify import Leak
from tests import ROOT
from tests.site.builds import WORDS, Site, event, run, step, write
from tests.site.builds import lakesite as program


@pytest.fixture
def damaged(good: Path) -> Path:
    with (good / "a.jsonl").open("ab") as stream:
        stream.write(b"garbage\n" + json.dumps(event(4, "run.completed")).encode() + b"\n")
    return good


def test_a_build(good: Path, tmp_path: Path) -> None:
    done = program("build", good, "-o", tmp_path / "site")
    assert (done.returncode, done.stdout) == (0, b"")
    told = done.stderr.decode()
    assert "1 run (1 failed) and 1 session" in told
    assert told.rstrip().endswith(f"open {tmp_path / 'site' / 'index.html'}")
    assert "best effort" in told
    assert (tmp_path / "site" / "index.html").is_file()
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", told)


def test_the_summary_as_json(good: Path, tmp_path: Path) -> None:
    done = run("build", good, "-o", tmp_path / "site", "--json", "-q")
    assert (done.exit_code, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    site = Site(tmp_path / "site").json
    assert found["runs"] + found["sessions"] == len(site["documents"]) == 2
    assert found["failed"] == 1
    assert found["problems"] + found["notes"] == len(site["problems"]) == 0
    assert found["masked"] == sum(document["counts"]["masked"] for document in site["documents"])
    assert found["index"] == str(tmp_path / "site" / "index.html")
    pages = [(tmp_path / "site" / part).stat().st_size for document in site["documents"] for part in document["parts"]]
    assert (found["pages"], found["bytes"], found["largest_page_bytes"]) == (2, sum(pages), max(pages))
    assert set(found) == {
        "runs", "sessions", "failed", "problems", "notes", "skipped", "readable_elsewhere", "masked", "pages", "bytes",
        "largest_page_bytes", "largest_page_elements", "index",
    }  # fmt: skip


def test_the_summary_in_words_and_as_json_together(good: Path, tmp_path: Path) -> None:
    done = run("build", good, "-o", tmp_path / "site", "--json")
    assert json.loads(done.stdout)["runs"] == 1
    assert "1 run" in done.stderr


def test_the_summary_says_nothing_of_what_there_is_nothing_of(good: Path, tmp_path: Path) -> None:
    assert "problems.html" not in run("build", good, "-o", tmp_path / "clean").stderr
    for name in ("a.txt", "b.txt"):
        write(good / name, ["words"])
    told = run("build", good, "-o", tmp_path / "site").stderr.splitlines()
    assert "2 files or folders skipped: see problems.html" in told
    assert "2 files or folders skipped" in Site(tmp_path / "site").page("problems.html").text


def test_quiet_says_nothing(good: Path, tmp_path: Path) -> None:
    done = program("build", good, "-o", tmp_path / "site", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_strict(damaged: Path, tmp_path: Path) -> None:
    done = run("build", damaged, "-o", tmp_path / "site")
    assert done.exit_code == 0
    assert "1 problem" in done.stderr
    done = run("build", damaged, "-o", tmp_path / "strict", "--strict", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["problems"] == 1
    assert done.stderr.endswith("\nexit 1: 1 problem and --strict\n")
    for full in ([], ["--full"]):
        done = run("build", damaged, "-o", tmp_path / "strict", "--strict", "-q", *full)
        assert (done.exit_code, done.stdout, done.stderr) == (1, "", "exit 1: 1 problem and --strict\n")
    assert (tmp_path / "strict" / "index.html").is_file(), "built all the same"


def test_notes_are_no_problems(good: Path, tmp_path: Path) -> None:
    """A torn tail, a repeated line, a number left out, an unknown type: worth a note, no reason to fail."""
    lines = [event(1, "step.started", step("a")), event(1, "step.started", step("a")), event(3, "step.paused", step("a"))]
    write(good / "b.jsonl", [{**line, "run_id": "b"} for line in lines])
    with (good / "b.jsonl").open("ab") as stream:
        stream.write(b'{"seq":4,"run')
    done = run("build", good, "-o", tmp_path / "site", "--strict", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert (found["problems"], found["notes"]) == (0, 4)
    assert "exit" not in done.stderr


# --- what stops it ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [
    [], ["build"], ["build", "-o", "site"], ["build", "{in}"], ["build", "{in}", "-o"], ["build", "{in}", "-o", "{out}", "--nonsense"],
    ["build", "{in}", "-o", "{out}", "--jobs", "0"], ["build", "{in}", "-o", "{out}", "--jobs", "many"], ["bild", "{in}", "-o", "{out}"],
    ["build", "{in}/nowhere", "-o", "{out}"], ["build", "{in}", "{in}/nowhere", "-o", "{out}"], ["build", "{in}", "-o", "{in}"],
    ["build", "{in}", "-o", "{in}/a.jsonl"], ["build", "{in}", "-o", "{in}/a.jsonl/site"], ["build", "x" * 5000, "-o", "{out}"],
    ["build", "{in}", "-o", "{out}/" + "x" * 5000],
])  # fmt: skip
def test_what_cannot_be_done(good: Path, tmp_path: Path, arguments: list[str]) -> None:
    before = {path: path.read_bytes() for path in good.iterdir()}
    done = run(*(word.format(**{"in": good, "out": tmp_path / "site"}) for word in arguments))
    assert (done.exit_code, done.stdout) == (2 if arguments else done.exit_code, "" if arguments else done.stdout)
    assert "Traceback" not in done.stderr
    assert "fault of lakesite" not in done.stderr
    assert done.stderr or not arguments
    assert not (tmp_path / "site").exists()
    assert {path: path.read_bytes() for path in good.iterdir()} == before


@pytest.mark.parametrize("arguments", [
    ["build", "", "-o", "{out}"], ["build", "{in}", "", "-o", "{out}"], ["build", "{in}", "-o", ""], ["verify", ""],
    *(["build", "{in}", "-o", "{out}", option, ""] for option in ("--config", "--templates", "--rules", "--mask-file", "--secret-formats")),
])  # fmt: skip
def test_an_empty_path_is_not_the_current_folder(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.chdir(good)
    done = run(*(word.format(**{"in": good, "out": tmp_path / "site"}) for word in arguments))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "an empty path" in done.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--jobs", "many", "must be a whole number from 1 to 256"),
        ("--jobs", "0", "must be a whole number from 1 to 256"),
        ("--jobs", "", "must be a whole number from 1 to 256"),
        ("--title", "", "empty; give one, or leave it out"),
        ("--title", " ", "empty; give one, or leave it out"),
    ],
)
def test_a_value_that_is_none(good: Path, tmp_path: Path, option: str, value: str, says: str) -> None:
    done = run("build", good, "-o", tmp_path / "site", option, value)
    assert done.exit_code == 2
    assert done.stderr.endswith(f"{says}\n")
    assert not (tmp_path / "site").exists()


def test_the_filter_takes_no_file(good: Path) -> None:
    done = run("mask", good / "a.jsonl")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith(f"it reads standard input: lakesite mask < {good}/a.jsonl\n")


def test_a_folder_of_someone_else_is_not_touched(good: Path, tmp_path: Path) -> None:
    write(tmp_path / "mine" / "notes.txt", ["mine"])
    done = run("build", good, "-o", tmp_path / "mine")
    assert done.exit_code == 2
    assert done.stderr == f"lakesite: {tmp_path}/mine: holds files that are not a site of lakesite; give another folder with -o\n"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("out", "says"),
    [(".", "is the input {in}"), ("..", "holds the input {in}"), ("../link", "is the input {in}"), ("a.jsonl", "not a folder")],
)
def test_the_output_does_not_hold_the_input(good: Path, tmp_path: Path, out: str, says: str) -> None:
    before = {path: path.read_bytes() for path in good.iterdir()}
    (tmp_path / "link").symlink_to(good)
    done = run("build", good, "-o", good / out)
    assert done.exit_code == 2
    says = says.replace("{in}", str(good))
    assert done.stderr.startswith(f"lakesite: {good / out}: {says}; give another")
    assert {path: path.read_bytes() for path in good.iterdir()} == before


def test_the_output_is_no_loop_of_links(good: Path, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    done = run("build", good, "-o", tmp_path / "loop")
    assert done.exit_code == 2
    assert "a symbolic link" in done.stderr


NO_RECORD = "no record of a run file, a partition, labels or an audit trail in it"


@pytest.mark.parametrize(
    ("holds", "says"),
    [
        ({}, "there is no file"),
        ({"a.txt": b"words"}, f"a.txt: {NO_RECORD}"),
        ({"a.jsonl": b"garbage\n"}, "a.jsonl: no whole line of JSON in it"),
        ({"a.jsonl": b'{"a":'}, "a.jsonl: no whole line of JSON in it"),
        ({"a.jsonl": b'{"a":1}\n'}, f"a.jsonl: {NO_RECORD}"),
        ({"a.jsonl": b""}, "a.jsonl: empty"),
        ({"labels.ndjson": b'{"session_id":"s","aspect":"a"}\n'}, "labels.ndjson: only labels"),
        ({f"{name}.jsonl": b"" for name in "abcd"}, "a.jsonl: empty; b.jsonl: empty; c.jsonl: empty; and 1 more"),
    ],
)
def test_nothing_to_read_leaves_the_old_site_alone(good: Path, tmp_path: Path, holds: dict[str, bytes], says: str) -> None:
    assert run("build", good, "-o", tmp_path / "site").exit_code == 0
    before = Site(tmp_path / "site").files
    (tmp_path / "empty").mkdir()
    for name, data in holds.items():
        (tmp_path / "empty" / name).write_bytes(data)
    for out in ("site", "new"):
        done = run("build", tmp_path / "empty", "-o", tmp_path / out)
        assert (done.exit_code, done.stdout) == (3, "")
        assert done.stderr == f"lakesite: nothing to read: no run file and no partition in what was given ({says})\n"
    assert Site(tmp_path / "site").files == before
    assert not (tmp_path / "new").exists()


# --- faults ----------------------------------------------------------------------------------------------------------------------


def broken(*_: object, **__: object) -> object:
    """Stand in for any part of lakesite that fails on recorded text."""
    secret_of_the_transcript = WORDS
    raise ValueError(secret_of_the_transcript)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("flag", [[], ["-v"]], ids=["plain", "verbose"])
@pytest.mark.parametrize(
    "part", ["build._scan", "documents.brief_run", "documents.write_run", "documents.write_session", "build.index_lists", "build.site_json"]
)
def test_a_fault_of_lakesite_tells_nothing_recorded(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, flag: list[str], jobs: str
) -> None:
    assert run("build", good, "-o", tmp_path / "site").exit_code == 0
    before = Site(tmp_path / "site").files
    monkeypatch.setattr(f"lakesite.site.{part}", broken)
    done = CliRunner().invoke(main, ["build", str(good), "-o", str(tmp_path / "site"), "--full", "--jobs", jobs, *flag])
    assert done.exit_code == 70
    assert "ValueError" in done.output
    assert "fault of lakesite" in done.output
    assert WORDS not in done.output
    assert ("in broken" in done.output) == bool(flag), "with -v the place of the fault is told, in whatever process it was"
    assert Site(tmp_path / "site").files == before
    assert list((tmp_path / "site").glob(".lakesite-*")) == []


def test_what_a_verified_build_finds_stands_in_lines(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leaks = tuple(Leak(f"runs/{name}.html", "text", "e-1", "[masked:token:40:0a1b2c3d]", "npm") for name in "ab")
    monkeypatch.setattr("lakesite.site.verify_site.verify", lambda *_, **__: leaks)
    done = run("build", good, "-o", tmp_path / "site", "--verify")
    assert done.exit_code == 1
    first, *others = done.stderr.splitlines()
    assert first.startswith("lakesite: 2 places where something is readable")
    assert others == [str(leak) for leak in leaks]
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["build", "--help"], ["build", "-h"]])
def test_help_has_examples(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.exit_code, done.stderr) == (0, "")
    examples = re.findall(r"^\s+lakesite build \S+.* -o \S+", done.stdout, re.MULTILINE)
    assert len(examples) >= 2


def test_help_says_all_of_each_command() -> None:
    commands = run("--help").stdout.partition("Commands:\n")[2].split("\n\n")[0].splitlines()
    assert len(commands) == 4
    assert all(line.endswith(".") and not line.endswith("..") for line in commands)


def test_what_would_be_said_and_unsaid_is_refused(good: Path, tmp_path: Path) -> None:
    done = run("build", good, "-o", tmp_path / "site", "-q", "-v")
    assert done.exit_code == 2
    assert done.stderr.endswith("--quiet and --verbose exclude each other\n")
    assert not (tmp_path / "site").exists()


def test_version() -> None:
    for flag in ("--version", "-V"):
        done = program(flag)
        assert (done.returncode, done.stdout.decode()) == (0, f"lakesite {lakesite.__version__}\n")


def test_the_module_is_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "lakesite", "--version"], cwd=ROOT, capture_output=True, check=True, text=True)
    assert done.stdout == f"lakesite {lakesite.__version__}\n"


def test_help_starts_at_once() -> None:
    """Nothing heavy is imported before it is known what is asked for."""
    code = "import sys; import lakesite.cli; print(sorted({'jinja2', 'pygments', 'markdown_it', 'orjson'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"
