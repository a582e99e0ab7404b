"""What stands beside runs and partitions: damage in it is told, and so is what of it belongs to nothing that is here."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest

from lakesite.sources import companions, shelf
from lakesite.sources.files import SourceFile
from tests.site.builds import Site, Value, build, call, event, row, said, step, write
from tests.site.planting import made

START = {"event": "workflow.started", "execution_id": "run-a", "workflow_name": "nightly", "timestamp": "2026-09-14T10:00:00Z"}
END = {"event": "workflow.completed", "execution_id": "run-a", "status": "failure", "exit_code": 3, "user": "dev"}
LABEL = {"ts": None, "session_id": "session-a", "runtime": "claude", "aspect": "quality", "value": "good"}


def archive(folder: Path) -> Path:
    write(folder / "storage" / "transcripts" / "a.jsonl", [event(1, "step.started", step("a")), event(2, "step.completed", step("a"))])
    write(folder / "lake" / "part-1.ndjson", [row("user", "hello", 1)])
    return folder


def told(site: Site) -> list[tuple[str, str, int | None]]:
    """Problems that belong to no document, as `site.json` and the page of problems tell them."""
    shown = site.page("problems.html").text
    found = [problem for problem in site.json["problems"] if problem["document"] is None]
    assert all(problem["what"] in shown and problem["file"] in shown for problem in found)
    return [(problem["kind"], problem["file"], problem["line"]) for problem in found]


DAMAGE: list[tuple[bytes, str]] = [
    (b"garbage", "companion"),
    (b'{"event":"workflow.star', "companion"),
    (b"\x00" * 40, "companion"),
    (b"[1]", "companion"),
    (b"{}", "companion"),
    (b'{"a": NaN}', "odd-json"),
    (json.dumps({**START, "execution_id": None}).encode(), "companion"),
    (json.dumps({**START, "event": "workflow.paused"}).encode(), "unknown-type"),
]


@pytest.mark.parametrize(("line", "kind"), DAMAGE, ids=range(len(DAMAGE)))
def test_a_damaged_line_of_the_audit_trail(tmp_path: Path, line: bytes, kind: str) -> None:
    archive(tmp_path / "in")
    write(tmp_path / "in" / "audit.jsonl", [START, line, END])
    site = build(tmp_path / "out", tmp_path / "in")
    assert (kind, "audit.jsonl", 2) in told(site)
    assert {(file, number) for _, file, number in told(site)} == {("audit.jsonl", 2)}
    assert (site.documents["run-a"]["status"], site.documents["run-a"]["status_source"]) == ("failed", "audit"), "the rest is read"


@pytest.mark.parametrize("line", [
    b"garbage", b"[1]", b"\x00" * 9, b'{"ts":null,"session_id":null,"aspect":"a"}', b'{"session_id":"session-a","aspect":7}',
])  # fmt: skip
def test_a_damaged_line_of_the_labels(tmp_path: Path, line: bytes) -> None:
    archive(tmp_path / "in")
    write(tmp_path / "in" / "labels" / "labels.ndjson", [LABEL, line, {**LABEL, "aspect": "area", "value": "shop"}])
    site = build(tmp_path / "out", tmp_path / "in")
    assert told(site) == [("companion", "labels/labels.ndjson", 2)]
    assert all(word in site.text(site.documents["session-a"]) for word in ("good", "shop"))


def test_a_torn_tail_is_a_note(tmp_path: Path) -> None:
    archive(tmp_path / "in")
    for name, record in (("audit.jsonl", START), ("labels.ndjson", LABEL)):
        (tmp_path / "in" / name).write_bytes(json.dumps(record).encode() + b'\n{"event":"wor')
    assert told(build(tmp_path / "out", tmp_path / "in")) == [("torn-tail", "audit.jsonl", 2), ("torn-tail", "labels.ndjson", 2)]


@pytest.mark.parametrize("name", ["audit.jsonl.gz", "labels.ndjson.gz"])
def test_a_packed_one_that_is_cut_off(tmp_path: Path, name: str) -> None:
    archive(tmp_path / "in")
    noise = "".join(chr(65 + number * number % 57) for number in range(20_000))
    records = [START, {**START, "more": noise}] if name.startswith("audit") else [LABEL, {**LABEL, "aspect": "area", "note": noise}]
    packed = gzip.compress(b"".join(json.dumps(record).encode() + b"\n" for record in records))
    (tmp_path / "in" / name).write_bytes(packed[:-40])
    site = build(tmp_path / "out", tmp_path / "in")
    assert ("companion", name, None) in told(site)


def test_what_belongs_to_nothing_that_is_here_is_named(tmp_path: Path) -> None:
    folder = archive(tmp_path / "in")
    write(folder / "audit.jsonl", [{**START, "execution_id": name} for name in ("gone", "run-a", "lost")])
    write(folder / "storage" / "states" / "gone.json", [{"WorkflowID": "gone", "Status": "failed"}])
    write(folder / "labels.ndjson", [LABEL, {**LABEL, "session_id": "gone"}, {**LABEL, "runtime": "codex"}])
    site = build(tmp_path / "out", folder)
    assert told(site) == [("not-here", name, None) for name in ("audit.jsonl", "labels.ndjson", "storage/states/gone.json")]
    assert "2 runs that are not in this archive" in site.page("problems.html").text


def test_what_was_not_given_may_be_about_other_runs(tmp_path: Path) -> None:
    folder = archive(tmp_path / "in")
    write(folder / "audit.jsonl", [{**START, "execution_id": "gone"}, START])
    write(folder / "storage" / "states" / "gone.json", [{"WorkflowID": "gone", "Status": "failed"}])
    assert told(build(tmp_path / "out", folder / "storage" / "transcripts")) == []


def test_two_state_files_of_one_run(tmp_path: Path) -> None:
    folder = archive(tmp_path / "in")
    for name in ("a.json", "b.json"):
        write(folder / "storage" / "states" / name, [{"WorkflowID": "run-a", "Status": "failed"}])
    assert told(build(tmp_path / "out", folder)) == [("companion", "storage/states/b.json", None)]


def test_one_that_cannot_be_opened_costs_nothing_else(tmp_path: Path) -> None:
    from lakesite.masking import Masker  # noqa: PLC0415
    from lakesite.model import Masked, Problem  # noqa: PLC0415

    found: list[Problem] = []
    gone = [SourceFile(str(tmp_path / "gone"), Masked("gone"), "audit")]
    assert companions.read_audits(gone, Masker(), found.append) == {}
    assert companions.read_labels(gone, Masker(), found.append) == {}
    assert [(problem.kind, problem.where) for problem in found] == [("companion", "gone")] * 2


@pytest.mark.parametrize("few", [1, 4_096])
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("deep", ['["in",' * 900 + '"core"' + "]" * 900, '{"in":' * 900 + '"core"' + "}" * 900], ids=["lists", "objects"])
def test_what_is_nested_deeply_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deep: str, jobs: int, few: int) -> None:
    monkeypatch.setattr(shelf, "_FEW", few)
    folder = archive(tmp_path / "in")
    started, label = (json.dumps(record)[:-1] for record in (START, LABEL))
    (folder / "storage" / "audit.jsonl").write_text(f'{started}, "inputs": {deep}}}\n')
    (folder / "labels").mkdir()
    (folder / "labels" / "labels.ndjson").write_text(f'{label}, "odd": {deep}}}\n')
    site = build(tmp_path / "out", folder, jobs=jobs)
    shown = [site.text(document) for document in site.json["documents"]]
    assert [text.count("in") > 900 and text.count("core") == 1 for text in shown] == [True, True]


SECRET = made(9, 61) + "!7k"
WITNESSES: list[tuple[str, list[Value]]] = [
    ("storage/audit.jsonl", [{**START, "inputs": {"db_password": SECRET}}, END]),
    ("labels/labels.ndjson", [{**LABEL, "note": f"DB_PASSWORD={SECRET}"}]),
]


@pytest.mark.parametrize("across", [False, True], ids=["alone", "across"])
@pytest.mark.parametrize(("name", "records"), WITNESSES, ids=["audit", "labels"])
def test_what_is_caught_beside_a_document_is_masked_in_it(
    tmp_path: Path, name: str, records: list[Value], *, across: bool
) -> None:
    write(tmp_path / "in" / "storage" / "transcripts" / "a.jsonl", [event(1, "message.user", said("user", f"use {SECRET} for it"))])
    write(tmp_path / "in" / "part-1.ndjson", [row("user", f"use {SECRET} there", 1)])
    write(tmp_path / "in" / name, records)
    site = build(tmp_path / "out", tmp_path / "in", mask_across=across)
    readable = [document["kind"] for document in site.json["documents"] if SECRET in site.text(document)]
    assert readable == ([] if across else ["session" if "audit" in name else "run"]), "the other document"
    assert across or any(problem["kind"] == "readable-elsewhere" for problem in site.json["problems"])


@pytest.mark.parametrize(("name", "records"), WITNESSES, ids=["audit", "labels"])
def test_what_is_caught_is_never_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, records: list[Value]
) -> None:
    """Of many documents most stands in a file meanwhile."""
    set_aside: list[bytes] = []
    put = shelf.Shelf.put

    def watching(self: shelf.Shelf, item: object) -> int:
        set_aside.append(pickle.dumps(item))
        return put(self, item)

    monkeypatch.setattr(shelf, "_FEW", 0)
    monkeypatch.setattr(shelf.Shelf, "put", watching)
    if "audit" in name:
        write(tmp_path / "in" / "storage" / "transcripts" / "a.jsonl", [event(1, "message.user", said("user", f"use {SECRET} there"))])
    else:
        write(tmp_path / "in" / "part-1.ndjson", [row("user", f"use {SECRET} there", 1)])
    write(tmp_path / "in" / name, records)
    site = build(tmp_path / "out", tmp_path / "in")
    assert [SECRET in site.text(document) for document in site.json["documents"]] == [False]
    assert any(b"lakesite.site.asked" in each for each in set_aside)
    assert not any(SECRET.encode() in each for each in set_aside)


@pytest.mark.parametrize(("name", "records"), WITNESSES, ids=["audit", "labels"])
def test_a_secret_that_comes_beside_a_document_later(tmp_path: Path, name: str, records: list[Value]) -> None:
    write(tmp_path / "in" / "storage" / "transcripts" / "a.jsonl", [event(1, "message.user", said("user", f"use {SECRET} for it"))])
    write(tmp_path / "in" / "part-1.ndjson", [row("user", f"use {SECRET} there", 1)])
    other = json.loads(json.dumps(records).replace(SECRET, made(9, 62) + "!7k"))
    write(tmp_path / "in" / name, other)
    build(tmp_path / "out", tmp_path / "in")
    write(tmp_path / "in" / name, records)
    again = build(tmp_path / "out", tmp_path / "in")
    full = build(tmp_path / "full", tmp_path / "in")
    assert {name: page.raw for name, page in again.pages.items() if name != "search.html"} == {
        name: page.raw for name, page in full.pages.items() if name != "search.html"
    }


@pytest.mark.parametrize("across", [False, True], ids=["alone", "across"])
def test_what_is_caught_in_a_document_is_not_read_in_the_lists_unnoticed(tmp_path: Path, *, across: bool) -> None:
    said_in = [event(1, "tool.call", call("c", "Login", {"password": SECRET}))]
    write(tmp_path / "in" / "storage" / "transcripts" / "a.jsonl", said_in)
    (tmp_path / "in" / "storage" / f"{SECRET}.txt").write_text("nothing for lakesite")
    write(tmp_path / "in" / "storage" / "audit.jsonl", [{"event": SECRET, "execution_id": "run-a"}])
    full = build(tmp_path / "full", tmp_path / "in", mask_across=across)
    shown = full.page("problems.html").text + (full.folder / "site.json").read_text()
    told = [problem["what"] for problem in full.json["problems"] if problem["kind"] == "readable-elsewhere"]
    assert (SECRET in shown) == (not across)
    words = f" is masked in {full.json['documents'][0]['href']} and readable in problems.html"
    assert [what[what.index(" is ") :] for what in told] == ([] if across else [words])


@pytest.mark.parametrize("across", [False, True], ids=["alone", "across"])
def test_the_same_where_only_the_lists_change(tmp_path: Path, *, across: bool) -> None:
    write(tmp_path / "in" / "storage" / "transcripts" / "a.jsonl", [event(1, "tool.call", call("c", "Login", {"password": SECRET}))])
    build(tmp_path / "out", tmp_path / "in", mask_across=across)
    (tmp_path / "in" / "storage" / f"{SECRET}.txt").write_text("nothing for lakesite")
    again, full = (build(tmp_path / name, tmp_path / "in", mask_across=across) for name in ("out", "full"))
    for name in ("problems.html", "index.html", "site.json"):
        assert (again.folder / name).read_bytes() == (full.folder / name).read_bytes()
