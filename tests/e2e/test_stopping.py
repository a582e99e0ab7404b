"""Builds that are stopped: by a person, by a full disk, by another build. Each says so, and the old site stands."""

from __future__ import annotations

import errno
import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lakesite.cli import main
from lakesite.site import writing
from lakesite.site.output import Output
from tests import ROOT
from tests.site.builds import Site, build, event, lakesite, said, step, write

JOBS = pytest.mark.parametrize("jobs", ["1", "2"])


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Runs that take a while to write."""
    for number in range(40):
        lines = [event(seq, "message.user", said("user", f"**word** `{seq}` " * 300), run_id=f"r{number}") for seq in range(1, 60)]
        write(tmp_path / "in" / f"{number}.jsonl", lines)
    return tmp_path / "in"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    write(tmp_path / "small" / "a.jsonl", [event(1, "step.started", step("a"))])
    return tmp_path / "small"


def leftovers(folder: Path) -> list[Path]:
    return list(folder.glob(".*")) if folder.exists() else []


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(map(str, arguments)), prog_name="lakesite")
    return done.exit_code, done.stderr


# --- interrupted -----------------------------------------------------------------------------------------------------------------


def interrupted(given: Path, out: Path, jobs: str, temporary: Path) -> tuple[int, bytes]:
    """Build, and press Ctrl-C as a terminal does, for all processes at once, when the first pages are written."""
    temporary.mkdir()
    command = [sys.executable, "-c", "from lakesite.cli import main; main()", "build", str(given), "-o", str(out), "--jobs", jobs]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    while len(list(out.glob(".lakesite-*/runs/*"))) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # no worker is left
    return process.returncode, told


@JOBS
def test_ctrl_c_leaves_the_old_site_and_nothing_else(large: Path, small: Path, tmp_path: Path, jobs: str) -> None:
    site = build(tmp_path / "site", small)
    before = site.files
    assert interrupted(large, site.folder, jobs, tmp_path / "tmp") == (130, b"lakesite: interrupted\n")
    assert Site(site.folder).files == before
    assert leftovers(site.folder) == []
    assert list((tmp_path / "tmp").iterdir()) == []


@JOBS
def test_ctrl_c_in_a_first_build_leaves_no_folder(large: Path, tmp_path: Path, jobs: str) -> None:
    assert interrupted(large, tmp_path / "a" / "site", jobs, tmp_path / "tmp") == (130, b"lakesite: interrupted\n")
    assert not (tmp_path / "a").exists()


def test_ctrl_c_waits_until_the_new_site_stands(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once files are put in place, all of them are."""
    site = build(tmp_path / "site", small)
    write(small / "b.jsonl", [event(1, "step.started", step("b"), run_id="b")])
    replace = Path.replace

    def interrupting(path: Path, target: Path) -> Path:
        if not any(part.startswith(".lakesite") for part in target.parts):  # it leaves the staging folder
            os.kill(os.getpid(), signal.SIGINT)
        return replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupting)
        assert run("build", small, "-o", site.folder, "--jobs", "1", "--full") == (130, "lakesite: interrupted\n")
    assert Site(site.folder).files == build(tmp_path / "other", small).files
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("command", ["verify", "mask", "config"])
def test_ctrl_c_in_other_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lakesite.cli._mask_settings" if command != "config" else "lakesite.cli.settable", interrupted)
    assert run(command, *([tmp_path] if command == "verify" else [])) == (130, "lakesite: interrupted\n")


# --- memory ----------------------------------------------------------------------------------------------------------------------


def killed(*_: object, **__: object) -> None:
    """Stand in for a task, in a worker."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("task", ["build._scan", "documents._brief", "documents._write"])
def test_a_worker_that_is_killed(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    """As the system does where memory runs out."""
    site = build(tmp_path / "site", small)
    before = site.files

    monkeypatch.setattr(f"lakesite.site.{task}", killed)
    code, told = run("build", small, "-o", site.folder, "--jobs", "2", "--full")
    assert (code, "fewer --jobs" in told) == (2, True)
    assert Site(site.folder).files == before
    assert leftovers(site.folder) == []


# --- the disk --------------------------------------------------------------------------------------------------------------------


@JOBS
def test_a_file_that_cannot_grow(large: Path, small: Path, tmp_path: Path, jobs: str) -> None:
    """As on a disk that is full: a write fails half-way, in whatever process it is."""
    site = build(tmp_path / "site", small)
    before = site.files
    limit = 100_000
    done = lakesite(
        "build", large, "-o", site.folder, "--jobs", jobs, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"lakesite: {site.folder}: cannot be written to (File too large)\n"
    assert Site(site.folder).files == before
    assert leftovers(site.folder) == []


@JOBS
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_a_disk_that_is_full(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str, code: int) -> None:
    site = build(tmp_path / "site", small)
    before = site.files

    def full(*_: object, **__: object) -> Any:  # noqa: ANN401 -- stands in for anything
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(writing, "write_file", full)
    told = f"lakesite: {site.folder}: cannot be written to ({os.strerror(code)})\n"
    assert run("build", small, "-o", site.folder, "--jobs", jobs, "--full") == (2, told)
    assert Site(site.folder).files == before
    assert leftovers(site.folder) == []


def test_no_room_to_unpack_in(small: Path, tmp_path: Path) -> None:
    """A full folder for temporary files is no damage of the file that was to be unpacked there."""
    (small / "b.jsonl.gz").write_bytes(gzip.compress(b'{"seq":1,"run_id":"b","type":"x"}\n' * 9_000))
    limit = (200_000, 200_000)
    done = lakesite("build", small, "-o", tmp_path / "site", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert done.returncode == 2
    assert b"to unpack" in done.stderr
    assert b"File too large" in done.stderr


@pytest.mark.parametrize("at", range(4))
def test_a_disk_that_fails_while_the_site_is_put_in_place(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """The next build knows what is in place already, and is not refused."""
    write(small / "b.jsonl", [event(1, "step.started", step("b"), run_id="b")])
    calls = iter(range(1000))
    replace = Path.replace

    def failing(path: Path, target: Path) -> Path:
        if next(calls) == at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", failing)
        assert run("build", small, "-o", tmp_path / "site")[0] == 2
    (small / "b.jsonl").unlink()
    again = build(tmp_path / "site", small)
    assert again.files == build(tmp_path / "other", small).files
    assert leftovers(again.folder) == []


def test_a_folder_that_cannot_be_made(small: Path) -> None:
    code, told = run("build", small, "-o", "/proc/nowhere/site")
    assert (code, told.startswith("lakesite: /proc/nowhere/site: cannot be written to (")) == (2, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_folder_that_may_not_be_written_to(small: Path, tmp_path: Path, mode: int) -> None:
    (tmp_path / "closed").mkdir(mode=mode)
    code, told = run("build", small, "-o", tmp_path / "closed" / "site")
    assert (code, "cannot be written to" in told) == (2, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", ["build", "mask", "config", "verify"])
def test_an_output_that_is_full(small: Path, tmp_path: Path, command: str) -> None:
    site = build(tmp_path / "site", small)
    told = write(site.folder / "runs" / "planted.txt", ["password=" + "Xk3" * 4])
    given = {"build": [small, "-o", site.folder, "--json", "-q"], "verify": [told.parent.parent]}.get(command, [])
    code = "from lakesite.cli import main; main()"
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        words = [sys.executable, "-c", code, command, *map(str, given)]
        done = subprocess.run(words, cwd=ROOT, input=b"words\n", stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"No space left on device" in done.stderr


@pytest.mark.parametrize("command", ["mask", "verify"])
def test_a_fault_of_any_command_tells_nothing_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    def broken(*_: object) -> None:
        words = "quiet words"
        raise ValueError(words)

    monkeypatch.setattr("lakesite.cli._mask_settings", broken)
    code, told = run(command, *([tmp_path] if command == "verify" else []))
    assert (code, "ValueError" in told, "quiet" in told) == (70, True, False)


# --- two at once -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [True, False], ids=["first build", "later build"])
def test_two_builds_into_one_folder(small: Path, tmp_path: Path, *, first: bool) -> None:
    if not first:
        build(tmp_path / "site", small)
    with Output(tmp_path / "site", public=False) as at_work:
        at_work.write("index.html", ["of the first build"])
        code, told = run("build", small, "-o", tmp_path / "site")
        assert (code, "another build is writing to it" in told) == (2, True)
        at_work.publish()
    assert (tmp_path / "site" / "index.html").read_text(encoding="utf-8") == "of the first build"
    assert run("build", small, "-o", tmp_path / "site")[0] == 0
    assert leftovers(tmp_path / "site") == []


def test_a_build_that_was_refused_lets_others_in(small: Path, tmp_path: Path) -> None:
    at_work = Output(tmp_path / "site", public=False)
    assert run("build", small, "-o", tmp_path / "site")[0] == 2
    at_work.discard()
    assert run("build", small, "-o", tmp_path / "site")[0] == 0
