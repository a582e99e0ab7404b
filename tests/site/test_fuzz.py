"""Each byte of a small file removed, changed, and the file cut there: nothing fails, and no other line is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lakesite.masking import Masker
from lakesite.model import Masked
from lakesite.resolve.sessions import resolve_session
from lakesite.resolve.steps import resolve_run
from lakesite.sources.documents import gather, scan
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import Reader
from tests.site.builds import build, call, event, result, row, said, step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.sources.files import FileKind

USE = {"type": "tool_use", "fidelity": "agent_emitted", "tool_name": "Read", "tool_id": "t", "tool_input": {"n": 1.50}}
RUN = [
    event(1, "step.started", step("review"), path="review"),
    event(2, "message.user", said("user", "Look at “x” 中 \U0001f600 {}"), path="flow"),
    event(3, "tool.call", call("c", "Read", {"n": 1.50, "t": '{"seq":9,"type":"x"}'})),
    event(4, "tool.result", result("c", {"Content": [{"Type": "text", "Text": "[1]\n"}], "IsError": False})),
    event(5, "message.assistant", said("assistant", "Done", blocks=[USE]), path="flow"),
    event(6, "step.completed", step("review", error="exit 1"), path="review"),
]
ROWS = [
    row("user", "Look at “x” 中 \U0001f600 {}", 1),
    row("tool_call", '{"ts":"x"}', 2, tool_name="Read", extra={"tool_call_id": "c", "n": 1.50}),
    row("tool_result", "a\nb", 3, extra={"tool_call_id": "c", "is_error": True}),
    row("meta", None, None, extra={"kind": "usage"}, tokens_in=5),
    row("hook_decision", "no", 4, runtime="hooks", extra={"decision": "block"}),
    row("assistant", "Done", 5, model="m"),
]
FILES: dict[FileKind, bytes] = {
    "runs": b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in RUN),
    "events": b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in ROWS),
}


def mutants(data: bytes, at: int) -> Iterator[bytes]:
    """The file without its byte at a place, with another one there, with one more there, and cut there."""
    yield data[:at] + data[at + 1 :]
    for other in (data[at] ^ 1, data[at] ^ 0x80, 0x00, 0x0A, 0x22, 0x7B):
        yield data[:at] + bytes([other]) + data[at + 1 :]
    yield data[:at] + b"\xff" + data[at:]
    yield data[:at]


def untouched(data: bytes, mutant: bytes) -> set[bytes]:
    """The lines that stand in both."""
    return set(data.splitlines()) & set(mutant.split(b"\n"))


def read(path: Path, kind: FileKind, masker: Masker) -> set[bytes]:
    """The bytes of every record in every document, which is resolved and read in full."""
    data = path.read_bytes()
    documents, _ = gather([scan(SourceFile(str(path), Masked(path.name), kind), masker)], {})
    found = set()
    for document in documents:
        with Reader(document, masker) as reader:
            entries = reader.run_entries() if kind == "runs" else reader.lake_entries()
            if kind == "runs":
                resolve_run(entries, torn=document.torn)  # type: ignore[arg-type]
            else:
                resolve_session(entries)  # type: ignore[arg-type]
            for entry in entries:
                (reader.run_event if kind == "runs" else reader.lake_event)(entry.origin, masker)
                found.add(data[entry.origin.offset : entry.origin.offset + entry.origin.length])
    return found


@pytest.mark.parametrize("kind", FILES)
def test_no_byte_costs_another_line(tmp_path: Path, kind: FileKind) -> None:
    data = FILES[kind]
    path = tmp_path / "a.jsonl"
    masker = Masker()
    for at in range(0, len(data), 7):
        for number, mutant in enumerate(mutants(data, at)):
            path.write_bytes(mutant)
            assert untouched(data, mutant) <= read(path, kind, masker), (at, number)


@pytest.mark.parametrize("kind", FILES)
def test_no_byte_breaks_a_build(tmp_path: Path, kind: FileKind) -> None:
    """As many damaged files as there are places, each a document of its own: one build reads them all."""
    data = FILES[kind]
    name = ".jsonl" if kind == "runs" else ".ndjson"
    (tmp_path / "in").mkdir()
    wanted = 0
    for at in range(0, len(data), 29):
        for number, mutant in enumerate(mutants(data, at)):
            if (at // 29 + number) % 4 == 0:
                own = mutant.replace(b"run-a", b"run-%d-%d" % (at, number)).replace(b"session-a", b"session-%d-%d" % (at, number))
                (tmp_path / "in" / f"{at}-{number}{name}").write_bytes(own)
                wanted += 1
    site = build(tmp_path / "site", tmp_path / "in")
    assert len(site.json["documents"]) >= wanted - 3
    for page in site.pages.values():
        assert page.raw.rstrip().endswith("</html>")
