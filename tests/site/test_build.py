"""Whole builds: the same bytes everywhere, nothing half-written, nothing of this machine."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lakesite.search.codec import unpacked
from lakesite.site.output import MEMORY
from lakesite.sources import shelf
from tests import EXAMPLES, ROOT
from tests.site.builds import Site, build, event, lakesite, row, said, step, write

# --- the same bytes --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The examples that come with lakesite, built in the ordinary way."""
    return build(tmp_path_factory.mktemp("plain") / "site", EXAMPLES)


@pytest.mark.parametrize(
    ("jobs", "env"),
    [
        ("1", {"TZ": "Asia/Shanghai", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "1"}),
        ("2", {"TZ": "America/St_Johns", "LANG": "C.UTF-8", "PYTHONHASHSEED": "2", "PYTHONIOENCODING": "latin-1"}),
    ],
    ids=["one process", "two processes"],
)
def test_the_same_bytes_everywhere(plain: Site, tmp_path: Path, jobs: str, env: dict[str, str]) -> None:
    """Another folder, another order of files on disk, another time zone, locale and hash seed, other workers, other times of files."""
    elsewhere = tmp_path / "another place" / EXAMPLES.name
    for path in sorted(EXAMPLES.rglob("*"), reverse=True):
        if path.is_file():
            target = elsewhere / path.relative_to(EXAMPLES)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            os.utime(target, (1, 1))
    before = os.umask(0o077)
    try:
        done = lakesite("build", elsewhere, "-o", tmp_path / "out", "--jobs", jobs, "-q", env=env)
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert Site(tmp_path / "out").files == plain.files


def test_of_many_documents_most_is_out_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = build(tmp_path / "few", EXAMPLES)
    monkeypatch.setattr(shelf, "_FEW", 1)
    many = build(tmp_path / "many", EXAMPLES)
    assert many.files == few.files
    assert build(tmp_path / "many", EXAMPLES).built.rebuilt == (), "as much is remembered of it"


def test_a_second_build_changes_nothing(plain: Site, tmp_path: Path) -> None:
    shutil.copytree(plain.folder, tmp_path / "site")
    assert build(tmp_path / "site", EXAMPLES).files == plain.files


def test_paths_in_another_order_are_the_same(tmp_path: Path) -> None:
    parts = [EXAMPLES / "storage", EXAMPLES / "events", EXAMPLES / "labels"]
    assert build(tmp_path / "a", *parts).files == build(tmp_path / "b", *reversed(parts)).files


def test_packed_input_gives_the_same_pages(tmp_path: Path) -> None:
    import gzip  # noqa: PLC0415 -- only here

    write(tmp_path / "plain" / "a.jsonl", [event(1, "step.started", step("a")), event(2, "message.user", said("user", "Hi"))])
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "a.jsonl").write_bytes(gzip.compress((tmp_path / "plain" / "a.jsonl").read_bytes()))
    assert build(tmp_path / "a", tmp_path / "plain").files == build(tmp_path / "b", tmp_path / "packed").files


# --- nothing of this machine -----------------------------------------------------------------------------------------------------


_MINUTE = "%Y-%m-%dT%H:%M"


def test_nothing_of_this_machine_is_written(tmp_path: Path) -> None:
    """No path, host, user, time of the build: not of the input, not of the output, not of lakesite itself."""
    secret_place = tmp_path / "place-of-nobody" / "in"
    shutil.copytree(EXAMPLES, secret_place)
    (secret_place / "broken.jsonl").write_bytes(b"garbage\n")
    (secret_place / "link").symlink_to("/")
    minutes = {time.strftime(_MINUTE).encode()}
    site = build(tmp_path / "place-of-nobody" / "site", secret_place)
    minutes.add(time.strftime(_MINUTE).encode())
    recorded = b"".join(path.read_bytes() for path in EXAMPLES.rglob("*") if path.is_file())
    told = [b"place-of-nobody", str(tmp_path).encode(), str(ROOT).encode(), sys.prefix.encode(), socket.gethostname().encode()]
    if getpass.getuser() != "root":
        told.append(getpass.getuser().encode())
    told += [minute for minute in minutes if minute not in recorded]  # the examples may tell of this very minute
    texts = {name: unpacked(data.decode()) if name.startswith("search/t/") else data for name, data in site.files.items()}
    read = {name: data for name, data in texts.items() if not re.fullmatch(r"search/.*/(head|\d+)\.js", name)}  # words of these texts
    assert {word: [name for name, data in read.items() if word in data] for word in told} == {word: [] for word in told}


@pytest.mark.parametrize("public", [False, True])
def test_modes_of_a_whole_site(plain: Site, tmp_path: Path, *, public: bool) -> None:
    before = os.umask(0o002)
    try:
        site = build(tmp_path / "site", EXAMPLES, public=public)
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (site.folder, *site.folder.rglob("*")) if path.name != MEMORY}
    assert modes == ({0o755, 0o644} if public else {0o700, 0o600})
    assert site.files == plain.files


def test_names_of_files(plain: Site) -> None:
    for name in plain.files:
        for part in name.split("/"):
            assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", part)
            assert len(part.partition(".")[0]) <= 72
    assert len({name.lower() for name in plain.files}) == len(plain.files)


# --- builds that die -------------------------------------------------------------------------------------------------------------


def processes_of(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(folder) in words:
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_build_that_is_killed_leaves_the_old_site(tmp_path: Path, jobs: str) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("a"))])
    site = build(tmp_path / "site", tmp_path / "in")
    before = site.files
    for number in range(40):
        lines = [event(seq, "message.user", said("user", f"**word** `{seq}` " * 300), run_id=f"r{number}") for seq in range(1, 60)]
        write(tmp_path / "in" / f"{number}.jsonl", lines)
    command = [sys.executable, "-c", "from lakesite.cli import main; main()", "build", str(tmp_path / "in"), "-o", str(tmp_path / "site")]
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen([*command, "--jobs", jobs, "-q"], cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    try:
        until(lambda: len(list((tmp_path / "site").glob(".lakesite-*/runs/*"))) >= 3)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = {name: data for name, data in Site(tmp_path / "site").files.items() if not name.startswith(".lakesite-")}
    assert left == before
    until(lambda: not processes_of(tmp_path / "site"), seconds=20)  # nor is any worker left behind
    assert any((tmp_path / "site").glob(".lakesite-*"))
    assert not any((tmp_path / "tmp").iterdir()), "nothing recorded is left anywhere else"
    again = build(tmp_path / "site", tmp_path / "in", full=True)
    assert len(again.json["documents"]) == 41
    assert not any((tmp_path / "site").glob(".lakesite-*"))
    assert again.files == build(tmp_path / "other", tmp_path / "in").files


def until(true: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_is_no_longer_in_the_input_goes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / "in" / f"{name}.jsonl", [event(1, "step.started", step("s"), run_id=name)])
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "Hi", 1)])
    first = build(tmp_path / "site", tmp_path / "in")
    leaving = {first.documents["b"]["href"], first.documents["session-a"]["href"]}
    before = first.files.keys()
    (tmp_path / "site" / "CNAME").write_text("mine", encoding="utf-8")
    (tmp_path / "in" / "b.jsonl").unlink()
    (tmp_path / "in" / "part-1.ndjson").unlink()
    second = build(tmp_path / "site", tmp_path / "in")
    gone = before - second.files.keys()
    assert {name for name in gone if not name.startswith("search/")} == leaving
    assert len(gone - leaving) == 5  # the index of three documents, and the texts of two
    assert "CNAME" in second.files
    assert not (tmp_path / "site" / "sessions").exists()
