"""The output folder: whose it is, how files get into it, and what is taken away."""

from __future__ import annotations

import json
import os
import stat
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lakesite.errors import OutputError
from lakesite.site.output import MANIFEST, MEMORY, Output, read_manifest, write_file
from tests.site.dying import dies

if TYPE_CHECKING:
    from collections.abc import Iterable


def publish(folder: Path, *names: str, public: bool = False, text: str = "new") -> None:
    with Output(folder, public=public) as output:
        for name in names:
            output.write(name, [text, " ", name])
        output.publish()


def snapshot(folder: Path) -> dict[str, bytes | str]:
    """Every file below a folder with its bytes; links with their targets."""
    return {
        path.relative_to(folder).as_posix(): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def modes(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}


# --- whose it is -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", ["new", "empty", "deep"])
def test_a_new_or_an_empty_folder_is_written_to(tmp_path: Path, made: str) -> None:
    folder = tmp_path / ("a/b/c" if made == "deep" else "site")
    if made == "empty":
        folder.mkdir()
    publish(folder, "index.html", "runs/a.html")
    assert set(snapshot(folder)) == {"index.html", "runs/a.html", MANIFEST}
    assert set(read_manifest(folder) or ()) == {"index.html", "runs/a.html"}


@pytest.mark.parametrize("holds", [
    "notes.txt", ".git/config", "index.html", "runs/a.html", "manifest.json", ".lakesite.toml",
])  # fmt: skip
def test_a_folder_of_someone_else_is_refused(tmp_path: Path, holds: str) -> None:
    write_file(tmp_path, holds, ["mine"])
    before = snapshot(tmp_path)
    with pytest.raises(OutputError, match="another folder"):
        Output(tmp_path, public=False)
    assert snapshot(tmp_path) == before
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".lakesite-")] == []


@pytest.mark.parametrize("text", [
    "", "{}", "[]", "null", '"x"', '{"format":2,"files":{}}', '{"format":1}', '{"format":1,"files":[]}', '{"format":"1","files":{}}',
    '{"name":"an app","start_url":"/","icons":[]}', '{"format":1,"files":', "\ufeff{}",
])  # fmt: skip
def test_a_manifest_of_something_else_is_not_ours(tmp_path: Path, text: str) -> None:
    write_file(tmp_path, MANIFEST, [text])
    with pytest.raises(OutputError):
        Output(tmp_path, public=False)


def test_what_is_not_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "file/site", "nowhere", "loop", "pipe", "x" * 300, "a/" * 3000):
        with pytest.raises(OutputError):
            Output(tmp_path / name, public=False)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_a_symbolic_link_to_a_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "site").symlink_to("real")
    publish(tmp_path / "site", "index.html")
    publish(tmp_path / "site", "index.html", "all.html")
    assert set(snapshot(tmp_path / "real")) == {"index.html", "all.html", MANIFEST}


# --- what comes and goes ---------------------------------------------------------------------------------------------------------


def test_a_file_of_ours_goes_and_a_file_of_someone_else_stays(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    publish(folder, "index.html", "runs/a.html", "runs/b.html", "sessions/c.html", "all.html")
    write_file(folder, "runs/notes.txt", ["mine"])
    write_file(folder, "CNAME", ["mine"])
    (folder / "sessions" / "d").mkdir()
    publish(folder, "index.html", "runs/a.html")
    assert set(snapshot(folder)) == {"index.html", "runs/a.html", "runs/notes.txt", "CNAME", MANIFEST}
    assert (folder / "sessions" / "d").is_dir()
    publish(folder, "index.html")
    assert set(snapshot(folder)) == {"index.html", "runs/notes.txt", "CNAME", MANIFEST}
    publish(folder, "index.html", "sessions/e.html")
    (folder / "sessions" / "d").rmdir()
    publish(folder, "index.html")
    assert not (folder / "sessions").exists()


FORGED = [
    "../outside.txt", "runs/../../outside.txt", "runs/../../../x", "./index.html", "a/./b", "..\\outside.txt", "runs\\..\\x", "", "/", ".",
    "..",
    "linked/outside.txt", "linked/deep/outside.txt", "link.txt", "\x00", "runs", "a" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("leftover", [False, True], ids=["manifest", "leftover"])
def test_a_forged_manifest_removes_nothing_outside(tmp_path: Path, *, leftover: bool) -> None:
    folder = tmp_path / "site"
    publish(folder, "index.html", "runs/a.html")
    outside = {tmp_path / "outside.txt", tmp_path / "elsewhere" / "outside.txt", tmp_path / "elsewhere" / "deep" / "outside.txt"}
    for path in outside:
        write_file(path.parent, path.name, ["mine"])
    (folder / "linked").symlink_to("../elsewhere")
    (folder / "link.txt").symlink_to("../outside.txt")
    names = [*FORGED, *map(str, outside)]
    where = folder / ".lakesite-forged" if leftover else folder
    write_file(where, MANIFEST, [json.dumps({"format": 1, "files": {"index.html": "", **dict.fromkeys(names, "0"), "x": 7}})])
    publish(folder, "index.html")
    assert all(path.read_text(encoding="utf-8") == "mine" for path in outside)
    assert (folder / "linked").is_symlink()
    assert (folder / "link.txt").is_symlink()
    assert (folder / "index.html").exists()


@pytest.mark.parametrize("replaced", ["runs", "search/i"])
def test_nothing_is_written_through_a_link(tmp_path: Path, replaced: str) -> None:
    """A folder of the site that was replaced by a link to another place."""
    folder = tmp_path / "site"
    publish(folder, "index.html", "runs/a.html", "search/i/a.html")
    (folder / replaced / "a.html").unlink()
    (folder / replaced).rmdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / replaced).symlink_to(tmp_path / "elsewhere")
    before = snapshot(folder)
    output = Output(folder, public=False)
    output.write("index.html", ["newer"])
    output.write(f"{replaced}/a.html", ["newer"])
    with pytest.raises(OutputError, match="symbolic link"):
        output.publish()
    output.discard()
    assert snapshot(folder) == before
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_that_is_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    publish(folder, "index.html")
    (tmp_path / "outside.txt").write_text("mine", encoding="utf-8")
    (folder / "index.html").unlink()
    (folder / "index.html").symlink_to("../outside.txt")
    publish(folder, "index.html")
    assert (tmp_path / "outside.txt").read_text(encoding="utf-8") == "mine"
    assert not (folder / "index.html").is_symlink()


# --- builds that die -------------------------------------------------------------------------------------------------------------


OLD = ("index.html", "runs/a.html", "runs/b.html", "runs/same.html", "sessions/x/y.html", "search/0a/0/t.js")
NEW = ("index.html", "runs/a.html", "runs/c.html", "runs/same.html", "all/d.html", "search/0b/0/t.js")
NEWER = ("index.html", "runs/f.html")
LAST = ("index.html", "runs/a.html", "runs/same.html", "notes/e.html")
MINE = ("CNAME", "runs/notes.txt", "search/0a/notes.txt")
"""Files of someone else."""


def write_site(folder: Path, names: Iterable[str], text: str) -> None:
    """One whole build: it keeps what is to stay, writes the rest, and remembers."""
    output = Output(folder, public=False)
    kept = {name for name in names if name.endswith("same.html") and output.stands(name)}
    output.keep(kept)
    for name in set(names) - kept:
        output.write(name, ["same" if name.endswith("same.html") else text])
    output.publish(lambda: text)
    output.discard()


def interrupted(folder: Path) -> None:
    """A build that is stopped before it puts anything in place."""
    output = Output(folder, public=False)
    output.write("runs/z.html", ["half"])
    output.discard()


@pytest.mark.parametrize("then", ["", "interrupted", "dies", "dies and interrupted"])
@pytest.mark.parametrize("first", [True, False], ids=["first build", "later build"])
def test_whatever_step_a_build_dies_at_the_next_one_finishes_it(tmp_path: Path, then: str, *, first: bool) -> None:
    """The old site works until then; then exactly the new one stands there, and what is not ours."""
    for step in count():
        folder = tmp_path / str(step)
        mine = () if first else MINE
        if not first:
            write_site(folder, OLD, "old")
        for name in mine:
            write_file(folder, name, ["mine"])
        came_through = not dies(step, lambda folder=folder: write_site(folder, NEW, "newer"))  # type: ignore[misc]
        if not first:
            assert (read_manifest(folder) or {}).keys() in (set(OLD), set(NEW))
        assert all((folder / name).is_file() for name in read_manifest(folder) or ()), "no page is missing"
        if then.startswith("dies"):
            dies(step * 7 % 50, lambda folder=folder: write_site(folder, NEWER, "newest"))  # type: ignore[misc]
        if then.endswith("interrupted"):
            interrupted(folder)
        write_site(folder, LAST, "last")
        texts = {**dict.fromkeys(LAST, b"last"), "runs/same.html": b"same", **dict.fromkeys(mine, b"mine"), MEMORY: b"last"}
        assert {name: data for name, data in snapshot(folder).items() if name != MANIFEST} == texts, step
        assert (read_manifest(folder) or {}).keys() == set(LAST)
        assert all(any(path.iterdir()) for path in folder.rglob("*") if path.is_dir()), "no folder is left empty"
        if came_through:
            assert step > 30
            return


def test_what_a_build_could_not_take_away_is_taken_by_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    write_site(folder, OLD, "old")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "unlink", lambda path, **_: (_ for _ in ()).throw(PermissionError(13, str(path))))
        output = Output(folder, public=False)
        output.write("index.html", ["new"])
        with pytest.raises(PermissionError):
            output.publish()
        output.discard()
    assert (read_manifest(folder) or {}).keys() == {"index.html"}
    write_site(folder, ("index.html",), "last")
    assert set(snapshot(folder)) == {"index.html", MANIFEST, MEMORY}


def test_a_build_that_dies_before_it_publishes(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    publish(folder, "index.html", text="old")
    before = snapshot(folder)
    output = Output(folder, public=False)
    output.write("index.html", ["half"])
    assert {name: data for name, data in snapshot(folder).items() if not name.startswith(".lakesite-")} == before
    assert stat.S_IMODE(output.staging.stat().st_mode) == 0o700
    del output  # the lock goes with the process
    publish(folder, "index.html")
    assert set(snapshot(folder)) == {"index.html", MANIFEST}


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    publish(folder, "index.html", text="old")
    before = snapshot(folder)
    output = Output(folder, public=False)
    output.write("index.html", ["half"])
    output.discard()
    assert snapshot(folder) == before
    assert list(folder.iterdir()) != []


def test_a_link_named_like_a_leftover_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    publish(folder, "index.html")
    write_file(tmp_path / "elsewhere", "mine.txt", ["mine"])
    (folder / ".lakesite-x").symlink_to("../elsewhere")
    publish(folder, "index.html")
    assert (tmp_path / "elsewhere" / "mine.txt").exists()


# --- who may read it -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
@pytest.mark.parametrize("public", [False, True], ids=["private", "public"])
def test_modes_do_not_depend_on_the_umask(tmp_path: Path, umask: int, *, public: bool) -> None:
    folder = tmp_path / "site"
    before = os.umask(umask)
    try:
        publish(folder, "index.html", "runs/a.html", "search/0a/i/0/1.js", public=public)
    finally:
        os.umask(before)
    directory, file = (0o755, 0o644) if public else (0o700, 0o600)
    folders = dict.fromkeys((".", "runs", "search", "search/0a", "search/0a/i", "search/0a/i/0"), directory)
    assert modes(folder) == folders | dict.fromkeys(("index.html", "runs/a.html", "search/0a/i/0/1.js", MANIFEST), file)


def test_a_site_that_was_public_becomes_private_and_back(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    for public in (True, False, True):
        publish(folder, "index.html", "runs/a.html", public=public)
        assert set(modes(folder).values()) == ({0o755, 0o644} if public else {0o700, 0o600})


def test_files_are_private_from_their_first_byte(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        output = Output(tmp_path / "site", public=True)

        def pieces() -> object:
            yield "x"
            assert stat.S_IMODE((output.staging / "runs" / "a.html").stat().st_mode) == 0o600
            yield "y"

        output.write("runs/a.html", pieces())  # type: ignore[arg-type]
        assert stat.S_IMODE((output.staging / "runs").stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_what_lists_others_comes_after_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks while a site takes its place finds lists of what is there: the deepest files come first."""
    placed: list[str] = []
    replace = Path.replace

    def watching(path: Path, target: Path) -> Path:
        placed.append(target.name)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", watching)
    publish(tmp_path / "site", "index.html", "search/segments.js", "search/t/0a/text.js", "search/0a/i/0/terms.js", "search/0a/head.js")
    assert placed == ["terms.js", "text.js", "head.js", "segments.js", "index.html", MANIFEST]
