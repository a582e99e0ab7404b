"""From the paths that were given to the files that hold something."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import time
from pathlib import Path

import pytest

from lakesite.errors import OutputError, UsageError
from lakesite.masking import Masker
from lakesite.sources.discover import Found, discover
from lakesite.sources.files import NotOurs, open_source, recognise
from tests.sources.fixtures import cases

CASES = [pytest.param(*parts, id=title) for title, *parts in cases(Path(__file__).parent / "discover.txt", 3)]

RUN = b'{"seq":1,"run_id":"r","type":"step.started","path":"a","iteration":0,"timestamp":"2026-01-01T00:00:00Z","payload":null}\n'
ROW = b'{"ts":"2026-01-01T00:00:00Z","runtime":"claude","session_id":"s","project":null,"event_type":"user","text":"hi","extra":{}}\n'
STATE = b'{\n  "WorkflowID": "r",\n  "Status": "completed"\n}\n'
HOLDS = {
    "run": RUN,
    "row": ROW,
    "label": b'{"ts":null,"session_id":"s","runtime":"claude","aspect":"quality","value":"good","note":null,"source":"me"}\n',
    "trail": b'{"event":"workflow.started","execution_id":"r","timestamp":"2026-01-01T00:00:00Z"}\n',
    "state": STATE,
    "words": b"# Read me\n\nWords.\n",
    "nothing": b"",
    "zero bytes": bytes(200_000),
    "other JSON": b'{"name": "x", "version": 1}\n',
    "other records": b'{"type":"user","sessionId":"x","uuid":"y"}\n' * 3,
    "half a state": STATE[:-20],
    "half a record": RUN[:60],
    "run with a late beginning": b"garbage\n" * 20_000 + RUN,
    "run with a large first record": RUN.replace(b"null", b'"' + b"x" * 200_000 + b'"'),
    "packed run": gzip.compress(RUN),
    "packed row": gzip.compress(ROW),
    "packed label": gzip.compress(b'{"ts":null,"session_id":"s","aspect":"a","value":"b"}\n'),
    "packed words": gzip.compress(b"words\n"),
    "half a packed run": gzip.compress(RUN + os.urandom(40).hex().encode() * 50)[:-20],
    "gzip's first bytes": b"\x1f\x8b\x08\x00",
}


def plant(root: Path, tree: str) -> None:
    """Make the files that a fixture lists; hard links last."""
    lines = [line for line in tree.split("\n") if line]
    for line in sorted(lines, key=lambda line: " == " in line):
        if " = " in line:
            name, what = line.split(" = ")
            place(root / name).write_bytes(HOLDS[what])
        elif " -> " in line:
            name, target = line.split(" -> ")
            place(root / name).symlink_to(target)
        elif " == " in line:
            name, target = line.split(" == ")
            place(root / name).hardlink_to(root / target)
        elif line.endswith(" |"):
            os.mkfifo(place(root / line.removesuffix(" |")))
        else:
            (root / line).mkdir(parents=True)


def place(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def find(root: Path, given: str) -> Found:
    lines = [line for line in given.split("\n") if line]
    out = next((root / line.removeprefix("-o ") for line in lines if line.startswith("-o ")), None)
    paths = [root / line.replace("*", "") for line in lines if not line.startswith("-o ")]
    return discover(paths, Masker(), leave_out=out)


@pytest.mark.parametrize(("tree", "given", "wanted"), CASES)
def test_case(tmp_path: Path, tree: str, given: str, wanted: str) -> None:
    plant(tmp_path, tree)
    found = find(tmp_path, given)
    told = [f"{file.kind} {file.name}" for file in found.files] + [f"skipped {item.name}: {item.reason}" for item in found.skipped]
    assert told == [line for line in wanted.split("\n") if line]
    assert str(tmp_path) not in "".join(told)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("gone", "nowhere", "loop", "x\x00y"):
        with pytest.raises(UsageError):
            discover([tmp_path / name], Masker())


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl")).write_bytes(RUN)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")).write_bytes(b"x")
    found = discover([tmp_path], Masker())
    assert [file.name for file in found.files] == ["caf\ufffd.jsonl"]
    assert [item.name for item in found.skipped] == ["\ufffd.txt"]
    with open_source(found.files[0].path) as stream:
        assert stream.read() == RUN


def test_a_folder_that_cannot_be_read_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root reads everything, so that the refusal is played."""
    plant(tmp_path, "in/a.jsonl = run\nin/closed/b.jsonl = run")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if os.fspath(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover([tmp_path / "in"], Masker())
    assert [file.name for file in found.files] == ["a.jsonl"]
    assert [(item.name, item.reason) for item in found.skipped] == [("closed", "a folder that cannot be read (Permission denied)")]


def test_names_are_masked(tmp_path: Path) -> None:
    secret = "ghp_" + "".join(f"{number:x}A" for number in range(18))
    plant(tmp_path, f"{secret}.jsonl = run\n{secret}.txt = words")
    found = discover([tmp_path], Masker())
    assert secret not in repr([file.name for file in found.files] + [item.name for item in found.skipped])


def test_looking_at_a_large_file_of_something_else_costs_little(tmp_path: Path) -> None:
    """Neither is a file without a line end read as one line, nor is a large archive unpacked to look at its beginning."""
    with (tmp_path / "disk.img").open("wb") as stream:
        stream.truncate(3_000_000_000)
    packed = tmp_path / "logs.gz"
    packed.write_bytes(gzip.compress(bytes(300_000_000), 1))
    start = time.process_time()
    assert isinstance(recognise(tmp_path / "disk.img"), NotOurs)
    assert isinstance(recognise(packed), NotOurs)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_a_packed_file_that_ends_early_gives_what_is_there(tmp_path: Path, cut: float) -> None:
    lines = [json.dumps({"seq": number, "run_id": "r", "type": "x", "payload": os.urandom(90).hex()}).encode() for number in range(2000)]
    packed = gzip.compress(b"\n".join(lines))
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: int(len(packed) * cut)])
    told = []
    with open_source(str(tmp_path / "a.jsonl.gz"), lambda: told.append("damaged")) as stream:
        found = stream.read().split(b"\n")
    assert told == ["damaged"]
    assert len(found) > 2000 * cut * 0.8
    assert found[:-1] == lines[: len(found) - 1]


def test_a_packed_file_needs_a_folder_to_unpack_it_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(RUN))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(OutputError, match=r"no folder to unpack a packed file in \(No such file or directory\); set TMPDIR"):
        open_source(str(tmp_path / "a.jsonl.gz"))


def test_a_packed_file_of_several_members_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(RUN) + gzip.compress(RUN) + bytes(100))
    told: list[str] = []
    with open_source(str(tmp_path / "a.jsonl.gz"), lambda: told.append("damaged")) as stream:
        assert stream.read() == RUN + RUN
    assert told == []


def test_a_packed_file_with_something_behind(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(RUN) + b"garbage")
    told: list[str] = []
    with open_source(str(tmp_path / "a.jsonl.gz"), lambda: told.append("damaged")) as stream:
        assert stream.read() == RUN
    assert told == ["damaged"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.txt", "a"])
@pytest.mark.parametrize("spelled", ["utf-16", "utf-16-be"])
def test_text_in_another_spelling_says_so(tmp_path: Path, name: str, spelled: str) -> None:
    text = '{"seq":1,"run_id":"a","type":"x"}\n'
    (tmp_path / name).write_bytes((text if spelled == "utf-16" else "\ufeff" + text).encode(spelled))
    assert recognise(tmp_path / name) == NotOurs("UTF-16 text; write it as UTF-8")


def test_a_file_that_goes_while_files_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"seq":1,"run_id":"a","type":"x"}\n', encoding="utf-8")

    def recognising(path: Path) -> object:
        found = recognise(path)
        (tmp_path / "a.jsonl").unlink(missing_ok=True)
        return found

    monkeypatch.setattr("lakesite.sources.discover.recognise", recognising)
    found = discover([tmp_path], Masker())
    assert [file.name for file in found.files] == ["b.jsonl"]
    assert [item.name for item in found.skipped] == ["a.jsonl"]
