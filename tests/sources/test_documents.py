"""From files to documents, and from documents back to the very same records."""

from __future__ import annotations

import gzip
import json
import os
import random
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker
from lakesite.model import NOTES
from lakesite.sources.companions import read_labels
from lakesite.sources.discover import discover
from lakesite.sources.documents import Document, gather, is_event, scan
from lakesite.sources.lines import Record, read_lines
from lakesite.sources.reader import Reader
from tests.sources.fixtures import cases, content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.model import Problem
    from lakesite.sources.discover import Found

CASES = [pytest.param(*parts, id=title) for title, *parts in cases(Path(__file__).parent / "documents.txt")]


def plant(root: Path, given: str) -> None:
    """Write the files of a fixture."""
    for part in given.split("== ")[1:]:
        name, _, text = part.partition("\n")
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(text.removesuffix("\n")))


def gathered(root: Path) -> tuple[Found, list[Document], list[Problem]]:
    found = discover([root], Masker())
    scans = [scan(file, Masker()) for file in (*found.of("runs"), *found.of("events"))]
    return found, *gather(scans, read_labels(found.of("labels"), Masker()))


def describe(document: Document) -> Iterator[str]:
    identity = document.identity
    names = [identity.kind, identity.runtime, identity.id.shown if identity.id else f"part {identity.part}"]
    lines: dict[int, list[str]] = {}
    with Reader(document, Masker()) as reader:
        for entry in reader.run_entries() if identity.kind == "run" else reader.lake_entries():
            lines.setdefault(entry.origin.source, []).append(str(entry.origin.line))
    places = [
        " ".join([extent.file.name, *lines.pop(source, []), *(["torn"] if extent.torn else [])])
        for source, extent in enumerate(document.extents)
    ]
    assert not lines
    unsure = " (unsure hooks)" if document.unsure_hooks else ""
    labels = "".join(f" [{label.aspect} {label.value}]" for label in document.labels)
    yield " ".join(filter(None, names)) + ": " + "; ".join(places) + unsure + labels
    yield from (f"  ! {problem.kind} {problem.where}:{problem.line}" for problem in document.problems)


@pytest.mark.parametrize(("given", "wanted"), CASES)
def test_case(tmp_path: Path, given: str, wanted: str) -> None:
    plant(tmp_path, given)
    _, documents, homeless = gathered(tmp_path)
    blocks = sorted("\n".join(describe(document)) for document in documents)
    blocks += [f"  ! {problem.kind} {problem.where}:{problem.line}" for problem in homeless]
    assert "\n".join(blocks) == wanted.strip("\n")


@pytest.mark.parametrize(("given", "wanted"), CASES)
def test_the_order_of_scans_means_nothing(tmp_path: Path, given: str, wanted: str) -> None:
    plant(tmp_path, given)
    found = discover([tmp_path], Masker())
    scans = [scan(file, Masker()) for file in (*found.of("runs"), *found.of("events"))]
    told = repr(gather(scans, {}))
    scans = [scan(file, Masker()) for file in (*found.of("runs"), *found.of("events"))]
    assert repr(gather(reversed(scans), {})) == told
    assert wanted


# --- every record once -----------------------------------------------------------------------------------------------------------


def wanted_records(data: bytes, found: Found) -> list[tuple[int, int, bytes]]:
    kind = found.files[0]
    return [
        (item.line, item.offset, item.raw) for item in read_lines(BytesIO(data)) if isinstance(item, Record) and is_event(item.value, kind)
    ]


def read_again(data: bytes, documents: list[Document]) -> list[tuple[int, int, bytes]]:
    found = []
    for document in documents:
        with Reader(document, Masker()) as reader:
            entries = reader.run_entries() if document.identity.kind == "run" else reader.lake_entries()
            for entry in entries:
                origin = entry.origin
                found.append((origin.line, origin.offset, data[origin.offset : origin.offset + origin.length]))
                event = reader.run_event if document.identity.kind == "run" else reader.lake_event
                event(origin, Masker())
    return sorted(found)


EVENT = st.builds(
    lambda run, seq: json.dumps({"seq": seq, **({"run_id": run} if run else {}), "type": "x", "payload": {"n": 1.5, "t": "}{"}}).encode(),
    st.sampled_from(["A", "B", "C", "", None]),
    st.integers(1, 9),
)
ROW = st.builds(
    lambda session, runtime: json.dumps(
        {"ts": None, "runtime": runtime, "session_id": session, "event_type": "user", "text": "é"}
    ).encode(),
    st.sampled_from(["s", "t", None, 7]),
    st.sampled_from(["claude", "codex", "hooks", None]),
)
BETWEEN = st.sampled_from(
    [
        b"\n",
        b"\n",
        b"\n",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"",
        b" ",
        b",",
        b"\x00",
        b"\x00\x00\x00",
        b"\ngarbage\n",
        b'\n{"seq":1,"a":"',
        b"\n42\n",
        b"{}",
    ]
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


@pytest.mark.parametrize(
    ("record", "first"),
    [(EVENT, b'{"seq":0,"run_id":"A","type":"x"}\n'), (ROW, b'{"ts":null,"runtime":"omp","session_id":"s","event_type":"user"}\n')],
)
def test_every_event_is_in_one_document_once(scratch: Path, record: st.SearchStrategy[bytes], first: bytes) -> None:
    @given(st.lists(st.tuples(record, BETWEEN), max_size=12))
    def check(pieces: list[tuple[bytes, bytes]]) -> None:
        data = first + b"".join(text + between for text, between in pieces)
        (scratch / "a.jsonl").write_bytes(data)
        found, documents, _ = gathered(scratch)
        hooks = [
            document
            for document in documents
            if sum(other.extents.count(extent) for other in documents for extent in document.extents) > len(document.extents)
        ]
        if not hooks:
            assert read_again(data, documents) == wanted_records(data, found)
        else:
            assert sorted(set(read_again(data, documents))) == wanted_records(data, found)

    check()


def test_packed_files_give_the_same_documents(tmp_path: Path) -> None:
    lines = b"".join(
        json.dumps({"seq": seq, "run_id": "AB"[seq % 2], "type": "x", "payload": {"t": "é" * 500}}).encode() + b"\n" for seq in range(300)
    )
    (tmp_path / "plain").mkdir()
    (tmp_path / "packed").mkdir()
    (tmp_path / "plain" / "a.jsonl").write_bytes(lines)
    (tmp_path / "packed" / "a.jsonl.gz").write_bytes(gzip.compress(lines))
    plain, packed = gathered(tmp_path / "plain")[1], gathered(tmp_path / "packed")[1]
    assert [document.identity for document in plain] == [document.identity for document in packed]
    assert read_again(lines, plain) == read_again(lines, packed) == wanted_records(lines, gathered(tmp_path / "plain")[0])


def test_a_damaged_packed_file_is_told(tmp_path: Path) -> None:
    lines = b"".join(
        json.dumps({"seq": seq, "run_id": "A", "type": "x", "payload": os.urandom(60).hex()}).encode() + b"\n" for seq in range(3000)
    )
    packed = gzip.compress(lines)
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    _, (document,), homeless = gathered(tmp_path)
    assert [problem.kind for problem in document.problems if problem.kind != "torn-tail"] == ["unreadable"]
    assert "unreadable" not in NOTES
    assert homeless == []
    assert sum(len(extent.ranges) for extent in document.extents) == 1
    with Reader(document, Masker()) as reader:
        assert len(reader.run_entries()) > 1200


def test_a_partition_that_grows_while_it_is_read(tmp_path: Path) -> None:
    """What is appended after the first pass is not read in the second: it is the next build's."""
    row = b'{"ts":null,"runtime":"claude","session_id":"s","event_type":"user","text":"%d"}\n'
    path = tmp_path / "part-1.ndjson"
    path.write_bytes(row % 1 + row % 2 + (row % 3)[:40])
    _, (document,), _ = gathered(tmp_path)
    assert [problem.kind for problem in document.problems] == ["torn-tail"]
    with path.open("ab") as stream:
        stream.write((row % 3)[40:] + row % 4)
    with Reader(document, Masker()) as reader:
        assert [entry.origin.line for entry in reader.lake_entries()] == [1, 2]


def test_ranges_are_few(tmp_path: Path) -> None:
    """Lines that follow each other are one range, whatever their line ends: the first pass keeps little."""
    for end in (b"\n", b"\r\n", b"\n\n"):
        (tmp_path / "a.jsonl").write_bytes((b'{"seq":1,"run_id":"A","type":"x"}' + end) * 5000)
        _, (document,), _ = gathered(tmp_path)
        assert [len(extent.ranges) for extent in document.extents] == [1]


def test_names_and_ids_are_masked(tmp_path: Path) -> None:
    secret = "ghp_" + "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789", k=36))  # noqa: S311 -- made up
    (tmp_path / f"part-{secret}.ndjson").write_bytes(
        b'{"ts":null,"runtime":"claude","session_id":null,"event_type":"user"}\n'
        + json.dumps({"ts": None, "runtime": f"r {secret}", "session_id": secret, "event_type": "user"}).encode()
        + b"\ngarbage\n",
    )
    (tmp_path / f"{secret}.jsonl").write_bytes(b'{"seq":1,"type":"x"}\n{"a":1}\n')
    _, documents, homeless = gathered(tmp_path)
    told = [(document.identity, document.problems, [extent.file.name for extent in document.extents]) for document in documents]
    assert len(told) == 3
    assert secret not in repr((told, homeless))


def test_many_hooked_conversations_take_linear_time(tmp_path: Path) -> None:
    def seconds(count: int) -> float:
        rows = [
            json.dumps({"ts": None, "runtime": runtime, "session_id": f"s-{number}", "event_type": "user"}) + "\n"
            for runtime in ("claude", "hooks")
            for number in range(count)
        ]
        (tmp_path / "a.ndjson").write_text("".join(rows), encoding="utf-8")
        found = discover([tmp_path], Masker())
        scans = [scan(file, Masker()) for file in found.of("events")]
        best = float("inf")
        for _ in range(3):  # the fastest: a collection of garbage in between is not its own
            start = time.process_time()
            documents, _ = gather(scans, {})
            best = min(best, time.process_time() - start)
            assert len(documents) == count
        return best

    small, large = seconds(500), seconds(4000)
    assert large < max(20 * small, 0.2)


# --- counted by others -----------------------------------------------------------------------------------------------------------

ELSEWHERE = {"unknown-event-type", "unknown-block-type", "unknown-fidelity", "seq-holes", "seq-conflict", "repeated-line"}
"""Kinds that are found when a run is resolved, not when its lines are read."""
SAME = {"not-strict-json": "odd-json", "crlf": None, "bom": None}
"""What the facts call otherwise, or what is no damage and therefore not told."""


def test_damage_of_the_made_runs_is_told_by_kind_file_and_line(shared: Path) -> None:
    folder = shared / "data" / "awf" / "spec-samples"
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    wanted = {
        (name, problem["line"], SAME.get(problem["kind"], problem["kind"]))
        for name, file in facts["files"].items()
        for problem in (*file["problems"], *file["notes"])
    }
    _, documents, homeless = gathered(folder)
    problems = [problem for document in documents for problem in document.problems] + homeless
    told = {(problem.where.rsplit("/", 1)[-1], problem.line, problem.kind) for problem in problems if problem.kind != "start-missing"}
    repaired = {item for item in told if item[2] == "repaired-text"}
    assert told - repaired == {item for item in wanted if item[2]}
    assert {name for name, _, _ in repaired} == {"6451d400-881c-4402-b21e-f3a920ca4c78.jsonl"}
    assert len(problems) - len(repaired) == len(wanted) - sum(item[2] is None for item in wanted) + sum(
        p.kind == "start-missing" for p in problems
    )


def test_records_of_the_made_runs_are_all_read(shared: Path) -> None:
    folder = shared / "data" / "awf" / "spec-samples"
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    found, documents, _ = gathered(folder)
    counted: dict[str, int] = {}
    for document in documents:
        with Reader(document, Masker()) as reader:
            for entry in reader.run_entries():
                name = reader.source(entry.origin).rsplit("/", 1)[-1]
                counted[name] = counted.get(name, 0) + 1
    assert counted == {name: file["records"] for name, file in facts["files"].items() if file["records"]}
    runs: dict[str, set[str]] = {}
    for document in documents:
        for extent in document.extents:
            runs.setdefault(extent.file.name.rsplit("/", 1)[-1], set()).add(document.identity.id.shown if document.identity.id else "")
    assert runs == {name: set(file["runs"]) for name, file in facts["files"].items() if file["runs"]}
    assert len(found.of("runs")) == len(facts["files"])


@pytest.mark.parametrize("folder", ["awf", "lake"])
def test_genuine_data_is_read_without_loss(shared: Path, folder: str) -> None:
    """Each line of the genuine data that is JSON is read once, as part of one document (hook rows: of each that they join)."""
    root = shared / "data" / folder
    found, documents, _ = gathered(root)
    read: dict[str, set[tuple[int, int]]] = {}
    for document in documents:
        with Reader(document, Masker()) as reader:
            for entry in reader.run_entries() if document.identity.kind == "run" else reader.lake_entries():
                place = (entry.origin.line, entry.origin.offset)
                path = document.extents[entry.origin.source].file.path
                assert place not in read.get(path, set()) or document.identity.runtime
                read.setdefault(path, set()).add(place)
    for file in (*found.of("runs"), *found.of("events")):
        with Path(file.path).open("rb") as stream:
            wanted = {(item.line, item.offset) for item in read_lines(stream) if isinstance(item, Record) and is_event(item.value, file)}
        assert read.get(file.path, set()) == wanted, file.name


def test_what_comes_again_and_again_is_kept_once(tmp_path: Path) -> None:
    """So that the memory of a document is that of its events, not of their words."""
    row = {"runtime": "claude", "machine": "m-one", "session_id": "s", "project": "/a/b", "model": "m-two", "tool_name": "Bash"}
    rows = [row | {"ts": None, "event_type": "tool_call", "extra": {"kind": "k-one", "source_stem_hash": "h"}} for _ in range(3)]
    call = {"name": "Bash", "call_id": "c", "input": {}, "fidelity": "router"}
    event = {"run_id": "r", "parent_run_id": "p-one", "type": "tool.call", "path": "one/two", "payload": call}
    (tmp_path / "part-1.ndjson").write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(event | {"seq": seq}) + "\n" for seq in range(3)), encoding="utf-8")
    for document in gathered(tmp_path)[1]:
        with Reader(document, Masker()) as reader:
            entries: tuple[Any, ...] = reader.run_entries() if document.identity.kind == "run" else reader.lake_entries()
        names = ("type", "path", "parent", "name", "known_as", "tool", "kind", "stem", "model", "project", "machine")
        kept = [[getattr(entry, name, None) for name in names] for entry in entries]
        kept = [[*known, *(value for part in getattr(entry, "parts", ()) for value in (part.name, part.bare_name, part.fidelity))]
                for known, entry in zip(kept, entries, strict=True)]  # fmt: skip
        assert len(entries) == 3
        assert [list(map(id, each)) for each in kept[1:]] == [list(map(id, kept[0]))] * 2
