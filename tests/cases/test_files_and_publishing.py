"""Field cases: files, permissions, publishing from a CI job."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lakesite.site.output import MEMORY
from tests.site.builds import build, event, lakesite, row, said, step, write

if TYPE_CHECKING:
    from tests.site.builds import Site, Value

NAMES = [
    "../../pwned", "/abs", "a\\..\\b", "C:x", ".", "..", "x" * 400, "nul\x00inside", "con", "aux.html", "dot.", "space ",
    "\u202egnp.exe", "é中", "İ", "index", "manifest.json", "-o", "_underscore", ".hidden", "%2e%2e%2f", "a/b/../../c", "CON", "Con",
    "a?b#c&d", "<script>", "\ud800", "e-1",
]  # fmt: skip


def names_are_safe(site: Site, around: Path) -> None:
    for name in site.files:
        assert re.fullmatch(r"(?:[a-z0-9][a-z0-9.-]{0,79}/){0,4}[a-z0-9][a-z0-9.-]{0,79}", name)
        assert name.partition("/")[2].partition(".")[0] not in ("con", "aux", "nul", "prn")
    assert len({name.lower() for name in site.files}) == len(site.files)
    assert {path.name for path in around.iterdir()} == {"in", "site"}


def test_f085_ids_are_no_file_names(tmp_path: Path) -> None:
    rows: list[Value] = []
    for at, name in enumerate(NAMES):
        rows += [row("assistant", f"session-{at}.", at, session_id=name, runtime=name), row("user", "Hi", at, session_id=name)]
    write(tmp_path / "work" / "in" / "part-1.ndjson", rows)
    for at, name in enumerate(NAMES):
        write(
            tmp_path / "work" / "in" / f"{at}.jsonl",
            [event(1, "run.started", step(name), run_id=name), event(2, "message.user", said("user", f"run-{at}."), run_id=name)],
        )
    site = build(tmp_path / "work" / "site", tmp_path / "work" / "in")
    runs = [document for document in site.json["documents"] if document["kind"] == "run"]
    assert len(runs) == len(NAMES)
    assert len(site.json["documents"]) == 3 * len(NAMES)
    names_are_safe(site, tmp_path / "work")
    for at in range(len(NAMES)):
        assert sum(f"run-{at}." in site.page(document).text for document in runs) == 1


@pytest.mark.parametrize("missing", ["", None, [], {}, True])
def test_f085_no_id_is_no_file_name_either(tmp_path: Path, missing: object) -> None:
    write(tmp_path / "work" / "in" / "..part 1.ndjson", [row("assistant", "of-the-session", 1, session_id=missing)])
    write(tmp_path / "work" / "in" / "..run 1.jsonl", [event(1, "message.user", said("user", "of-the-run"), run_id=missing)])
    site = build(tmp_path / "work" / "site", tmp_path / "work" / "in")
    assert len(site.json["documents"]) == 2
    names_are_safe(site, tmp_path / "work")


def test_f085_ids_that_differ_only_in_case_or_beyond_the_cut(tmp_path: Path) -> None:
    ids = ["Same", "same", "SAME", "x" * 100 + "a", "x" * 100 + "b", "a b", "a-b", "a_b"]
    for at, name in enumerate(ids):
        write(tmp_path / "work" / "in" / f"{at}.jsonl", [event(1, "step.started", step("s"), run_id=name)])
    site = build(tmp_path / "work" / "site", tmp_path / "work" / "in")
    assert len({document["href"].lower() for document in site.json["documents"]}) == len(ids)
    names_are_safe(site, tmp_path / "work")


@pytest.mark.parametrize("umask", [0o002, 0o022, 0o077])
@pytest.mark.parametrize("public", [False, True], ids=["private", "public"])
def test_f088_who_may_read_a_site(tmp_path: Path, umask: int, *, public: bool) -> None:
    source = write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("s"))])
    source.chmod(0o600)
    before = os.umask(umask)
    try:
        site = build(tmp_path / "site", tmp_path / "in", public=public)
    finally:
        os.umask(before)
    paths = [path for path in (site.folder, *site.folder.rglob("*")) if path.name != MEMORY]
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in paths}
    assert modes == ({True: 0o755, False: 0o644} if public else {True: 0o700, False: 0o600})
    assert stat.S_IMODE(source.stat().st_mode) == 0o600


def test_f091_links_pipes_and_loops(tmp_path: Path) -> None:
    write(tmp_path / "outside" / "b.jsonl", [event(1, "message.user", said("user", "from-outside"), run_id="b")])
    inside = tmp_path / "in" / "transcripts"
    write(inside / "a.jsonl", [event(1, "message.user", said("user", "from-inside"))])
    (inside / "x.jsonl").symlink_to("/etc/passwd")
    (inside / "b.jsonl").symlink_to(tmp_path / "outside" / "b.jsonl")
    (inside / "loop").symlink_to("..")
    os.mkfifo(inside / "pipe.jsonl")
    (inside / "folder.jsonl").mkdir()
    done = lakesite("build", tmp_path / "in", "-o", tmp_path / "site")
    assert done.returncode == 0
    site = build(tmp_path / "site", tmp_path / "in")
    assert list(site.documents) == ["run-a"]
    assert not any(b"from-outside" in data or b"root:" in data for data in site.files.values())
    reasons = {item["file"]: item["reason"] for item in site.json["skipped"]}
    assert set(reasons) == {"transcripts/x.jsonl", "transcripts/b.jsonl", "transcripts/loop", "transcripts/pipe.jsonl"}
    text = site.page("problems.html").text
    assert all(name in text for name in reasons)


# --- publishing ------------------------------------------------------------------------------------------------------------------


def test_f092_all_is_readable_without_script_and_inline_style(tmp_path: Path) -> None:
    """Under a server's policy that stops both: the content is in the HTML, the stylesheet is a file of the site."""
    lines = [event(1, "step.started", step("review")), event(2, "message.user", said("user", "read-me-without-script"))]
    write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    for name, page in site.pages.items():
        (link,) = re.findall(r'<link rel="stylesheet" href="([^"]+)">', page.raw)
        assert os.path.normpath(os.path.join(os.path.dirname(name), link)) in site.files  # noqa: PTH118, PTH120
        assert not re.search(r"<[a-z][^>]*\s(?:style|on[a-z]+)=", page.raw)
        assert not re.search(r"<(?:iframe|object|embed|form|base|img[^>]*https?:|link[^>]*https?:)", page.raw)
        assert name == "search.html" or "<script src" not in page.raw
    assert "read-me-without-script" in site.page().text


def test_f093_the_same_archive_in_several_pieces(tmp_path: Path) -> None:
    """Disjoint runs are joined; equal copies count once; of a shorter copy nothing is lost; what differs is shown side by side."""

    def lines(run: str, last: int, word: str = "word") -> list[Value]:
        return [event(seq, "message.assistant", said("assistant", f"{word}-{run}-{seq}."), run_id=run) for seq in range(1, last + 1)]

    write(tmp_path / "one" / "a.jsonl", lines("a", 3))
    write(tmp_path / "two" / "b.jsonl", lines("b", 2))
    write(tmp_path / "one" / "same.jsonl", lines("same", 4))
    write(tmp_path / "two" / "same.jsonl", lines("same", 4))
    write(tmp_path / "one" / "longer.jsonl", lines("longer", 2))
    write(tmp_path / "two" / "longer.jsonl", lines("longer", 5))
    write(tmp_path / "two" / "torn.jsonl", lines("torn", 3))
    write(tmp_path / "three" / "torn.jsonl", lines("torn", 5))
    write(tmp_path / "one" / "differ.jsonl", lines("differ", 2))
    write(tmp_path / "two" / "differ.jsonl", [*lines("differ", 1), *lines("differ", 2, "other")[1:]])
    site = build(tmp_path / "site", tmp_path / "one", tmp_path / "two", tmp_path / "three")
    again = build(tmp_path / "again", tmp_path / "three", tmp_path / "two", tmp_path / "one")
    assert site.files == again.files
    counts = {name: (document["counts"]["events"], document["counts"]["repeated"]) for name, document in site.documents.items()}
    assert counts == {"a": (3, 0), "b": (2, 0), "same": (4, 4), "longer": (5, 2), "torn": (5, 3), "differ": (3, 1)}
    assert re.findall(r"word-longer-(\d)\.", site.page(site.documents["longer"]).text) == list("12345")
    differ = site.page(site.documents["differ"]).text
    assert "word-differ-2." in differ
    assert "other-differ-2." in differ
    assert [kind for kind, _, _ in site.problems() if kind == "seq-conflict"] == ["seq-conflict"]
    for name in ("same", "longer", "torn"):
        assert "resumed here" not in site.page(site.documents[name]).text


def test_f096_no_name_that_a_publisher_drops(tmp_path: Path) -> None:
    write(tmp_path / "in" / "_a.jsonl", [event(1, "step.started", step("_s"), run_id="_run")])
    write(tmp_path / "in" / ".b.jsonl", [event(1, "step.started", step(".s"), run_id=".run")])
    write(tmp_path / "in" / "_part.ndjson", [row("user", "_x", 1, session_id="_s", runtime="_r")])
    site = build(tmp_path / "site", tmp_path / "in")
    assert len(site.json["documents"]) == 3
    assert not [name for name in site.files if re.search(r"(?:^|/)[._]", name)]
