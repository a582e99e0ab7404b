"""Conversations resolved: text fixtures, properties, scale, and the counted truth of genuine and hand-made partitions."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker
from lakesite.model import Key, LakeEntry, Masked, Origin
from lakesite.resolve.sessions import counts, resolve_session
from lakesite.resolve.sessions_order import fold
from lakesite.sources.lake import entry
from tests import SHARED
from tests.resolve.sessions_cases import cases, describe, read

if TYPE_CHECKING:
    from collections.abc import Sequence

FILES = sorted(Path(__file__).parent.glob("sessions_*.txt"))
CASES = [pytest.param(rows, wanted, id=f"{path.stem}: {title}") for path in FILES for title, rows, wanted in cases(path)]


@pytest.mark.parametrize(("rows", "wanted"), CASES)
def test_case(rows: str, wanted: str) -> None:
    assert describe(read(rows)) == wanted


# --- properties ------------------------------------------------------------------------------------------------------------------

BASE = read("1 user | hello")[0]
KEYS = st.sampled_from([None, None, Key("a"), Key("b")])
WORDS = st.sampled_from([None, Masked("x"), Masked("y"), Masked("Task")])


ROWS = st.builds(
    BASE._replace,
    time=st.sampled_from([None, 1, 2, 3, 5, 8]),
    type=st.sampled_from(["user", "assistant", "thinking", *["tool_call", "tool_result"] * 2, "meta", "hook_decision", "unknown"]),
    tool=WORDS,
    project=WORDS,
    model=WORDS,
    id=KEYS,
    event=KEYS,
    parent=KEYS,
    request=KEYS,
    stem=KEYS,
    sequence=st.sampled_from([None, -1, 0, 7]),
    tool_receipt=st.booleans(),
    receipt_status=st.sampled_from([None, Masked("requested"), Masked("completed"), Masked("odd")]),
    subtype=st.sampled_from([None, Masked("compact_boundary")]),
    sidechain=st.booleans(),
    failed=st.sampled_from([None, True, False]),
    start=st.sampled_from([Masked("hello"), Masked("/compact"), Masked("")]),
    tokens_in=st.sampled_from([None, 0, 5]),
)


@st.composite
def conversations(draw: st.DrawFn) -> list[LakeEntry]:
    """Conversations of any rows, copies of some of them with something lost, in up to three files."""
    rows = [
        row._replace(receipt=row.type == "meta" and row.tool_receipt, same=Key(repr(row._replace(project=None, model=None, stem=None))))
        for row in draw(st.lists(ROWS, max_size=16))
    ]
    if rows:
        copies = st.builds(LakeEntry._replace, st.sampled_from(rows), project=WORDS, model=WORDS, stem=KEYS)
        rows = draw(st.permutations(rows + draw(st.lists(copies, max_size=6))))
    sources = sorted(draw(st.integers(0, 2)) for _ in rows)
    return [row._replace(origin=Origin(source, line, line, 1)) for line, (row, source) in enumerate(zip(rows, sources, strict=True), 1)]


@given(conversations())
def test_every_entry_stands_in_one_place(entries: list[LakeEntry]) -> None:
    session = resolve_session(entries)
    sides = [side.entry for made in session.exchanges for side in (*made.calls, *made.results, *made.extra)]
    rows = [row.entry for row in session.rows if row.what != "exchange"]
    leaders = [row for row in session.rows if row.what == "exchange"]
    assert sorted(sides + rows) == sorted(set(sides + rows))
    assert len(sides + rows) + sum(row.repeats for row in session.rows) == len(entries)
    assert sorted(row.exchange for row in leaders if row.exchange is not None) == list(range(len(session.exchanges)))
    for row in leaders:
        assert row.exchange is not None
        made = session.exchanges[row.exchange]
        assert row.entry in [side.entry for side in (*made.calls, *made.results)]


@given(conversations())
def test_numbers_agree_with_each_other(entries: list[LakeEntry]) -> None:
    session = resolve_session(entries)
    found = counts(session, entries)
    own = [item for item in entries if item.type != "hook_decision"]
    if own:
        assert found.events + found.repeated == len(own)
    assert found.paired + found.positional + found.no_call == found.results - found.extra_result
    assert found.paired + found.positional + found.no_result == found.calls
    assert found.exchanges == found.paired + found.positional + found.no_result + found.no_call
    assert all(session.rows[index].what == "prompt" for index in session.prompts)
    assert 0 <= session.tokens.reported <= session.tokens.of == session.events


@given(conversations())
def test_exactly_the_copies_are_folded(entries: list[LakeEntry]) -> None:
    def are_copies(one: LakeEntry, other: LakeEntry) -> bool:
        lossy = ((one.project, other.project), (one.model, other.model))
        equal = one.time is not None and (one.time, one.same) == (other.time, other.same)
        return equal and all(None in pair or pair[0] == pair[1] for pair in lossy)

    kept: list[int] = []
    for index in sorted(range(len(entries)), key=lambda index: (entries[index].project, entries[index].model).count(None)):
        if not any(are_copies(entries[index], entries[shown]) for shown in kept):
            kept.append(index)
    copies = fold(entries)
    assert sorted(copies) == sorted(set(range(len(entries))).difference(kept))
    assert all(are_copies(entries[copy], entries[shown]) for copy, shown in copies.items())


@given(conversations())
def test_rows_of_a_chain_stand_together(entries: list[LakeEntry]) -> None:
    chains = [row.chain for row in resolve_session(entries).rows]
    runs = [chain for chain, before in zip(chains, [object(), *chains], strict=False) if chain != before and chain is not None]
    assert len(runs) == len(set(runs))


@given(conversations())
def test_the_same_rows_give_the_same_session(entries: list[LakeEntry]) -> None:
    assert resolve_session(entries) == resolve_session(tuple(entries))


# --- scale -----------------------------------------------------------------------------------------------------------------------


def large(number: int) -> list[LakeEntry]:
    """Make a conversation that is hard on every part: open calls, one id for all, sub-agents, receipts, repeats, missing times."""
    kinds = read("""
        1 user | go
        1 call Task
        1 user sidechain=true | look
        1 result
        1 call Bash tool_call_id=one
        1 result tool_call_id=one
        1 call Task eventId=e tool_call_id=two
        1 meta recordType=execution operationKind=tool requestEvent=e status=requested sequence=1
        1 assistant sidechain=true
        - thinking
    """)
    found = []
    for index in range(number):
        kind = kinds[index % len(kinds)]
        time = None if kind.time is None else kind.time + index // 20 * 10
        found.append(kind._replace(origin=Origin(index % 7, index, index, 1), time=time, project=Masked(str(index)) if index % 3 else None))
    return found


def test_twenty_times_the_rows_take_about_twenty_times_as_long() -> None:
    def seconds(entries: Sequence[LakeEntry]) -> float:
        started = time.process_time()
        counts(resolve_session(entries), entries)
        return time.process_time() - started

    small, huge = large(10_000), large(200_000)
    once = min(seconds(small) for _ in range(3))
    assert seconds(huge) < 20 * once * 3 + 0.5  # quadratic would be 400 times as long


# --- counted truth ---------------------------------------------------------------------------------------------------------------

NAMES = {
    "events": "events", "repeated": "repeated", "calls": "tool_calls", "results": "tool_results", "paired": "paired_by_id",
    "extra_result": "extra_results", "errors": "errors", "hook_decisions": "hook_decisions", "hook_blocks": "hook_blocks",
    "receipts": "receipts", "unfinished": "unfinished_executions",
}  # fmt: skip
TRUTHS = [path.relative_to(SHARED).parent for path in sorted(SHARED.glob("data/lake/**/facts.json"))]


def conversations_of(lake: Path) -> dict[tuple[str, str | None], list[LakeEntry]]:
    """All conversations of a Lake folder, hook decisions joined to those that they belong to."""
    masker = Masker()
    found: dict[tuple[str, str | None], list[LakeEntry]] = {}
    for source, path in enumerate(sorted(lake.glob("events/runtime=*/date=*/*.ndjson"))):
        for line, text in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
            row = json.loads(text)
            found.setdefault((row["runtime"], row["session_id"]), []).append(entry(row, Origin(source, line, 0, len(text)), masker))
    for (runtime, session_id), entries in found.items():
        if runtime != "hooks" and session_id is not None:
            entries.extend(found.get(("hooks", session_id), ()))
            entries.sort(key=lambda item: (item.origin.source, item.origin.line))
    return found


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
def test_counts_agree_with_the_counted_truth(shared: Path, truth: Path) -> None:
    found = conversations_of(shared / truth)
    facts = json.loads((shared / truth / "facts.json").read_text(encoding="utf-8"))["sessions"]
    assert facts
    for fact in facts:
        entries = found[fact["runtime"], fact["session_id"]]
        session = resolve_session(entries)
        counted = counts(session, entries)
        got = {wanted: getattr(counted, name) for name, wanted in NAMES.items()} | {
            "interruption": session.interruption,
            "tokens_in": session.tokens.tokens_in,
            "tokens_out": session.tokens.tokens_out,
            "tokens_reported": session.tokens.reported > 0,
            "projects": sorted(session.projects),
            "models": sorted(session.models),
        }
        assert got == {name: fact[name] for name in got}, (fact["runtime"], fact["session_id"])


def test_hook_decisions_without_a_conversation_are_a_document_of_their_own() -> None:
    entries = read("1 hook guard decision=block\n2 hook guard decision=allow")
    found = counts(resolve_session(entries), entries)
    assert (found.events, found.hook_decisions, found.hook_blocks) == (2, 2, 1)
