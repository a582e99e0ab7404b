"""Canonical events: what an entry keeps, what counts as the same row, and that nothing is lost on the way to the page."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker
from lakesite.model import Origin
from lakesite.sources.lake import entry, event, is_event
from lakesite.sources.lines import Record, decode_exact, read_lines
from tests.sources.fixtures import cases, spelled
from tests.sources.test_awf import texts, words_of

if TYPE_CHECKING:
    from lakesite.model import LakeEntry, LakeEvent

CASES = [pytest.param(*parts, id=title) for title, *parts in cases(Path(__file__).parent / "lake.txt")]
ORIGIN = Origin(0, 1, 0, 1)


def record_of(line: str | bytes) -> Record:
    raw = line.encode() if isinstance(line, str) else line
    return next(item for item in read_lines(BytesIO(raw + b"\n")) if isinstance(item, Record))


def describe_entry(found: LakeEntry, value: dict[str, object]) -> str:
    from lakesite.sources.keys import key  # noqa: PLC0415 -- only here

    keys = {key(text): text for text in texts(value)}
    words = [found.type, "time" if found.time is not None else ""]
    words += [f"{name}={keys[got]}" for name in ("id", "event", "parent", "request") if (got := getattr(found, name))]
    words += [f"sequence={found.sequence}" if found.sequence is not None else "", f"tool={found.tool}" if found.tool else ""]
    words += [f"receipt={found.receipt_status}" if found.receipt else "", "tool" if found.tool_receipt else ""]
    words += [f"failed={found.failed}" if found.failed is not None else "", f"kind={found.kind}" if found.kind else ""]
    words += [f"subtype={found.subtype}" if found.subtype else "", "sidechain" if found.sidechain else ""]
    words += [f"stem={keys[found.stem]}" if found.stem else "", f"decision={found.decision}" if found.decision else ""]
    words += [f"{name}={got}" for name, got in (("in", found.tokens_in), ("out", found.tokens_out)) if got is not None]
    words += [f"{name}={got}" for name in ("model", "project", "machine") if (got := getattr(found, name))]
    words += [
        f"known-as={found.known_as}" if found.known_as and found.type == "unknown" else "",
        f"start={spelled(found.start)}" if found.start else "",
    ]
    return " ".join(filter(None, words))


def describe_event(found: LakeEvent) -> str:
    names = ("ts", "runtime", "machine", "project", "type", "text", "tool_name", "model")
    words = [
        f"{name}={spelled(got)}"
        for name in names
        if (got := getattr(found, name)) is not None and (got or name not in ("runtime", "machine"))
    ]
    words += [f"{name}={spelled(got)}" for name in ("extra", "more") if (got := getattr(found, name))]
    return " ".join(["event", *words])


@pytest.mark.parametrize(("given", "wanted"), CASES)
def test_case(given: str, wanted: str) -> None:
    told: list[str] = []
    for line in given.split("\n"):
        record = record_of(line)
        assert is_event(record.value)
        told += [
            describe_entry(entry(record.value, ORIGIN, Masker()), decode_exact(record.raw)),
            describe_event(event(decode_exact(record.raw), Masker())),
        ]
    assert told == wanted.split("\n")


# --- the same row ----------------------------------------------------------------------------------------------------------------

ROW = {
    "ts": "2026-01-01T00:00:00Z", "runtime": "codex", "machine": "m", "session_id": "s", "project": "/p", "event_type": "tool_call",
    "text": "é", "tool_name": "shell", "model": "gpt", "tokens_in": 1, "tokens_out": 2,
    "extra": {"call_id": "c", "source_stem_hash": "h", "deep": {"a": [1, 2.5, None]}},
}  # fmt: skip


def same(*rows: dict[str, object], escape: bool = True) -> bool:
    found = [entry(record_of(json.dumps(row, ensure_ascii=escape)).value, ORIGIN, Masker()).same for row in rows]
    return len(set(found)) == 1


def without(name: str) -> dict[str, object]:
    return {field: value for field, value in ROW.items() if field != name}


def test_a_row_written_again_is_the_same() -> None:
    assert same(ROW, dict(reversed(ROW.items())))
    assert same(ROW, ROW | {"project": None}, ROW | {"model": None}, without("project"), without("model"))
    assert same(
        ROW, ROW | {"extra": {"deep": {"a": [1, 2.5, None]}, "call_id": "c"}}, ROW | {"extra": ROW["extra"] | {"source_stem_hash": "other"}}
    )  # type: ignore[operator]


@pytest.mark.parametrize("name", [name for name in ROW if name not in ("project", "model")])
def test_a_row_that_differs_is_another(name: str) -> None:
    assert not same(ROW, ROW | {name: None})
    assert not same(ROW, without(name)) or name == "extra"


def test_rows_of_any_depth_and_size_can_be_compared() -> None:
    for levels in (10, 300, 1000, 5000):
        line = json.dumps(ROW)[:-1] + ',"z":' + "[" * levels + "]" * levels + "}"
        assert entry(record_of(line).value, ORIGIN, Masker()).same == entry(record_of(line).value, ORIGIN, Masker()).same
        assert entry(record_of(line).value, ORIGIN, Masker()).same != entry(record_of(json.dumps(ROW)).value, ORIGIN, Masker()).same
    huge = json.dumps(ROW)[:-1] + ',"z":' + "9" * 5000 + "}"
    assert entry(record_of(huge).value, ORIGIN, Masker()).same


def test_a_marker_in_the_first_words_is_kept_whole() -> None:
    marker = "[masked:token:41:526d6232]"
    for length in range(130, 165):
        start = entry({"event_type": "user", "text": "x" * length + marker + "y" * 50}, ORIGIN, Masker()).start
        assert marker in start or "[" not in start
        assert len(start) <= 161


# --- any JSON at all -------------------------------------------------------------------------------------------------------------

FIELDS = st.sampled_from([*ROW, "new", ""])
KEYS = st.sampled_from([
    "tool_call_id", "tool_use_id", "call_id", "eventId", "parentId", "requestEvent", "recordType", "operationKind", "operation",
    "status", "sequence", "kind", "subtype", "sidechain", "source_stem_hash", "is_error", "decision", "x", "",
])  # fmt: skip
TYPES = st.sampled_from(["user", "assistant", "thinking", "tool_call", "tool_result", "meta", "hook_decision", "odd", ""])
SCALARS = st.none() | st.booleans() | st.integers(-(10**25), 10**25) | st.floats() | TYPES | st.text(max_size=5)
ANY = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12)
ROWS = st.fixed_dictionaries({"event_type": TYPES | ANY}, optional={**{name: ANY for name in ROW if name != "event_type"}, "new": ANY})


@given(ROWS)
def test_any_row_is_read_and_nothing_is_lost(value: dict[str, object]) -> None:
    record = record_of(json.dumps(value))
    entry(record.value, ORIGIN, Masker())
    shown = set(words_of(event(decode_exact(record.raw), Masker())))
    repaired = decode_exact(record.raw)
    missing = [word for name, item in repaired.items() if name != "session_id" for word in texts_only(item) if word and word not in shown]
    assert not missing


def texts_only(value: object) -> list[str]:
    stack, found = [value], []
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict):
            stack += [*item, *item.values()]
        elif isinstance(item, list):
            stack += item
    return found
