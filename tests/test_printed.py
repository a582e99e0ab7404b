"""What is printed: nothing that was recorded, and progress on terminals alone."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.site.builds import WORDS, event, row, said, step, write
from tests.site.builds import lakesite as program

HOSTILE = "\x1b]0;owned\x07\x1b[31m\u202e<script>\r\x9b2J"


def test_nothing_recorded_is_printed(tmp_path: Path) -> None:
    """Whatever a transcript holds, in names, ids and texts, neither a terminal nor a log gets to see it, but for addresses of pages."""
    write(tmp_path / "in" / f"{HOSTILE}.jsonl".replace("/", "-"), [
        event(1, "step.started", step(HOSTILE), run_id=HOSTILE),
        event(2, "message.user", said("user", HOSTILE), run_id=HOSTILE, path=HOSTILE),
        "garbage " + HOSTILE.replace("\r", ""),
    ])  # fmt: skip
    write(tmp_path / "in" / "part-1.ndjson", [row("user", HOSTILE, 1, session_id=HOSTILE, runtime=HOSTILE, project=HOSTILE)])
    write(tmp_path / "in" / f"{HOSTILE}.txt", ["words"])
    for extra in (["--json", "-v"], ["--strict"]):
        done = program("build", tmp_path / "in", "-o", tmp_path / "site", *extra)
        assert done.returncode == (1 if "--strict" in extra else 0)
        told = (done.stdout + done.stderr).decode()
        addresses = re.findall(r"^(?:runs|sessions)/[a-z0-9-]+\.html(?=: )", told, re.MULTILINE)
        assert len(addresses) == (2 if "-v" in extra else 0)
        for address in addresses:
            told = told.replace(address, "")
        assert told.isascii()
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]|owned|script|garbage", told)


def test_paths_in_messages_are_made_visible(tmp_path: Path) -> None:
    done = program("build", tmp_path / HOSTILE.replace("/", "-"), "-o", tmp_path / "site")
    assert done.returncode == 2
    assert b"no such file" in done.stderr
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", done.stderr)


def on_a_terminal(*arguments: object) -> tuple[int, str]:
    """Run the command with a terminal for its output; gives the exit code and all that was printed."""
    pid, terminal = pty.fork()
    if not pid:  # pragma: no cover -- becomes another program
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-c", "from lakesite.cli import main; main()", *map(str, arguments)])  # noqa: S606 -- our own command
    out = b""
    while True:
        try:
            piece = os.read(terminal, 65_536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        out += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out.decode()


def test_progress_is_for_terminals(good: Path, tmp_path: Path) -> None:
    code, told = on_a_terminal("build", good, "-o", tmp_path / "site", "--jobs", "1")
    assert code == 0
    assert "\rwriting" in told.replace("\x1b[K", "")
    assert WORDS not in told
    code, told = on_a_terminal("build", good, "-o", tmp_path / "site", "-q")
    assert (code, told) == (0, "")


def test_no_progress_where_nobody_looks(good: Path, tmp_path: Path) -> None:
    done = program("build", good, "-o", tmp_path / "site")
    assert b"\r" not in done.stderr
    assert b"\x1b" not in done.stderr
    assert b"writing" not in done.stderr


@pytest.mark.parametrize(
    "env",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii:strict"}, {"LANG": "", "PYTHONUTF8": "0"}],
)
def test_any_locale(tmp_path: Path, env: dict[str, str]) -> None:
    write(tmp_path / "in é⚙中" / "é.jsonl", [event(1, "step.started", step("⚙ “中”"), run_id="é")])
    done = program("build", tmp_path / "in é⚙中", "-o", tmp_path / "site ⚙", "--title", "Ärchiv", "--json", env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["runs"] == 1
    assert "⚙ “中”" in next((tmp_path / "site ⚙" / "runs").iterdir()).read_text(encoding="utf-8")
    done = program("build", tmp_path / "⚙ nowhere", "-o", tmp_path / "site ⚙", env=env)
    assert done.returncode == 2


def test_a_title_of_any_bytes(good: Path, tmp_path: Path) -> None:
    done = program("build", good, "-o", tmp_path / "site", "--title", os.fsdecode(b"caf\xe9 <b>"))
    assert done.returncode == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "caf\ufffd &lt;b&gt;" in page
    assert "<b>" + "</" not in page
    assert "<b>caf" not in page
    assert "\ufffd <b>" not in page


# --- help ------------------------------------------------------------------------------------------------------------------------
