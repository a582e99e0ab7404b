"""A site that stands: where it is not as it was left, what is remembered of it, and what the command says of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from lakesite.site import output, unchanged
from lakesite.site.output import MEMORY
from lakesite.sources import walk
from tests import ROOT
from tests.site.builds import build, lakesite, row
from tests.site.histories import LOGINS, OTHER, PASSWORD, assert_alike, family, written
from tests.site.planting import made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times tell of a change at once: the file systems of these tests count in milliseconds."""
    monkeypatch.setattr(walk, "SETTLED", 0)


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


def test_files_whose_times_tell_that_they_stand_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    site = build(tmp_path / "site", archive.folder)
    read: list[str] = []
    digest = output._digest  # noqa: SLF001 -- what reads them

    def noted(path: Path) -> str:
        read.append(path.name)
        return digest(path)

    monkeypatch.setattr(output, "_digest", noted)
    archive.add("lake/p.ndjson", row("user", "three", 3, session_id="s2"))
    page = site.documents["lone"]["href"].rsplit("/", 1)[-1]
    again = build(site.folder, archive.folder)
    assert page not in read
    os.utime(site.folder / again.documents["lone"]["href"])
    archive.add("lake/p.ndjson", row("user", "four", 4, session_id="s2"))
    again = build(site.folder, archive.folder)
    assert page in read
    assert "lone" not in written(again), "it is as it was all the same"


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


def test_no_piece_of_what_is_remembered_is_longer_than_one_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = family(tmp_path)
    pieces: list[str] = []

    def write(folder: Path, name: str, text: Iterable[str]) -> int:
        told = list(text)
        pieces.extend(told if name == MEMORY else ())
        return output_write(folder, name, told)

    output_write = output.write_file
    monkeypatch.setattr(output, "write_file", write)
    site = build(tmp_path / "site", archive.folder)
    files, documents, values = json.loads("".join(pieces).split("\n")[1])
    assert len(documents) > 1
    assert max(map(len, pieces[2:-1])) <= max(len(json.dumps(each, separators=(",", ":"))) + 1 for each in (*files, *documents, *values))
    assert "".join(pieces) == (site.folder / MEMORY).read_text()


def forged(site: Path, change: Callable[[list[Any]], object]) -> None:
    """Change what a site remembers as somebody would who knows how it is written."""
    head, body, _, _ = (site / MEMORY).read_text().split("\n")
    value = json.loads(body)
    change(value)
    body = json.dumps(value, separators=(",", ":"))
    (site / MEMORY).write_text(f"{head}\n{body}\n{unchanged.digest_of(head, body)}\n")


FORGERIES: dict[str, Any] = {
    "no documents": lambda value: value.__setitem__(1, None),
    "too few fields": lambda value: value[1][0].pop(),
    "another type": lambda value: value[1][0].__setitem__(9, "many"),
    "a number of nothing": lambda value: value[1][0].__setitem__(3, [99]),
    "a place before the file": lambda value: [each[3][0][0][1].__setitem__(2, [[-1, -5, -2]]) for each in value[0]],
    "a section before the page": lambda value: [each.__setitem__(6, [["0" * 32, 0, 1, -5, -2]]) for each in value[1]],
    "a page outside": lambda value: [each[2].__setitem__(6, ["../../../etc/passwd"]) for each in value[1]],
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_memory_does_no_harm(tmp_path: Path, name: str) -> None:
    archive = family(tmp_path)
    site = build(tmp_path / "site", archive.folder)
    forged(site.folder, FORGERIES[name])
    os.utime(archive.folder / "lake/p.ndjson")
    assert_alike(build(site.folder, archive.folder), build(tmp_path / "anew", archive.folder))


def test_a_forged_beginning_hides_nothing(tmp_path: Path) -> None:
    """What is said to have been looked through must be what was: else all of it is."""
    archive = family(tmp_path)
    secret = made(20, 5)
    archive.add("lake/p.ndjson", row("user", f"password: {secret}", 3, session_id="s2"))
    site = build(tmp_path / "site", archive.folder)

    def change(value: list[Any]) -> None:
        for each in value[1]:
            each[4] = []
            each[5] = [[*seen[:3], seen[3] ^ 1] for seen in each[5]]

    forged(site.folder, change)
    archive.add("lake/p.ndjson", row("user", "four", 4, session_id="s2"))
    again = build(site.folder, archive.folder)
    assert "four" in again.text(again.documents["s2"])
    assert not any(secret.encode() in data for data in again.files.values())


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


def test_a_folder_without_memory_can_be_given_away(tmp_path: Path) -> None:
    archive = family(tmp_path)
    site = build(tmp_path / "site", archive.folder)
    for _ in range(2):
        done = lakesite("build", archive.folder, "-o", site.folder, "--no-memory")
        assert done.returncode == 0
        assert MEMORY.encode() not in done.stderr
        assert not (site.folder / MEMORY).exists()
    assert {path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*") if path.is_file()} == set(site.files)
    assert build(site.folder, archive.folder).files == site.files
    assert (site.folder / MEMORY).is_file()


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
    (told_of,) = re.findall(r"^(sessions/claude-s2-\w+\.html): its records changed$", told.stderr.decode(), re.MULTILINE)
    assert (tmp_path / "site" / told_of).is_file()
    assert told.stderr.decode().count(".html: ") == 1
    again = lakesite(*command, "--full", "-v").stderr.decode()
    assert again.count("--full was asked for") == 5
    assert "any more" not in again
    (archive.folder / "lake/p.ndjson").unlink()
    gone = re.findall(r"^(.+): nothing that was given makes it any more$", lakesite(*command, "-v").stderr.decode(), re.MULTILINE)
    assert told_of in gone
    assert not any((tmp_path / "site" / name).exists() for name in gone)
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
