"""What one reading of a document found holds for another, as long as its records are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest

from lakesite.masking import Masker, MaskOptions
from lakesite.model import MARKER, Masked, MessagePayload, RunEntry
from lakesite.sources.documents import Beginning, Document, gather, scan
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import ChangedError, Reader, Survey
from tests.site.builds import Value, event, said, step, write
from tests.site.planting import PASSWORD, TOKEN, made

CLEAN = "x" * len(TOKEN)
SECRET = made(20, 3)


def document(path: Path, *texts: str) -> Document:
    return written(path, [event(number, "message.user", said("user", text)) for number, text in enumerate(texts, 1)])


def written(path: Path, events: list[Value]) -> Document:
    write(path, events)
    (found,), _ = gather([scan(SourceFile(str(path), Masked(path.name), "runs"), Masker())], {})
    return found


def surveyed(run: Document) -> Survey:
    with Reader(run, Masker(), survey=True) as reader:
        reader.run_entries()
        assert reader.survey
        return reader.survey


def test_another_reading_masks_the_same(tmp_path: Path) -> None:
    run = document(tmp_path / "a.jsonl", "hello", f"it is {TOKEN}", f"again {made(9)}")
    found = surveyed(run)
    assert [line for _, line, _, _ in found.spots] == [2]
    with Reader(run, Masker(caught=dict(found.caught)), found=found) as reader:
        entries = reader.run_entries()
        assert reader.spots == found.spots
        assert not reader.masker.has_learnt
        payload = reader.run_event(entries[1].origin, reader.masker).payload
    assert isinstance(payload, MessagePayload)
    assert MARKER.search(payload.blocks[0].text or "")


def text_of(reader: Reader, entry: RunEntry, masker: Masker) -> str:
    payload = reader.run_event(entry.origin, masker).payload
    assert isinstance(payload, MessagePayload)
    return payload.blocks[0].text or ""


def read_twice(run: Document) -> tuple[Reader, tuple[RunEntry, ...], tuple[RunEntry, ...]]:
    """A reader of a run that knows all that was caught in it, and the entries of both readings."""
    reader = Reader(run, Masker(), survey=True)
    first = reader.run_entries()
    reader.masker = reader.masker.second_pass()
    return reader, first, reader.run_entries(first)


def test_entries_are_made_again_where_something_was_caught(tmp_path: Path) -> None:
    steps = [event(number, "step.started", step(name)) for number, name in enumerate(("plain", SECRET, "other"), 1)]
    run = written(tmp_path / "a.jsonl", [*steps, event(4, "message.user", said("user", f"password: {SECRET}"))])
    reader, first, second = read_twice(run)
    with reader:
        assert first[1].name == SECRET
        assert MARKER.search(second[1].name or "")
        assert [one is other for one, other in zip(first, second, strict=True)] == [True, False, True, False]


def test_what_is_looked_for_in_a_record_is_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quoted = "".join(f"%{ord(char):02x}" for char in SECRET)
    run = document(tmp_path / "a.jsonl", "hello", f"password: {SECRET}", f"again {SECRET}", f"in a link {quoted}")
    reader, _, entries = read_twice(run)
    with reader:
        masker = reader.masker.second_pass()
        looked: list[object] = []
        vouch = Masker.vouch

        def counted(self: Masker, record: object, names: frozenset[str], *, rules: bool) -> bool:
            looked.append(record)
            return vouch(self, record, names, rules=rules)

        monkeypatch.setattr(Masker, "vouch", counted)
        assert [reader.veiled(entry.origin, masker) is None for entry in entries] == [True, False, False, False]
        assert len(looked) == 3
        shown = [text_of(reader, entry, masker) for entry in entries]
        assert len(looked) == 6
    assert shown[0] == "hello"
    assert all(MARKER.search(text) for text in shown[1:])


def test_a_masker_that_knows_more_looks_through_every_record(tmp_path: Path) -> None:
    reader, _, entries = read_twice(document(tmp_path / "a.jsonl", "hello there", f"password: {SECRET}"))
    with reader:
        more = Masker(caught={**reader.masker.caught, "hello there": "token"})
        assert text_of(reader, entries[0], reader.masker) == "hello there"
        assert reader.veiled(entries[0].origin, more)
        assert MARKER.search(text_of(reader, entries[0], more))


def test_a_record_that_changed_before_it_was_looked_through_again_is_noticed(tmp_path: Path) -> None:
    run = document(tmp_path / "a.jsonl", f"password: {SECRET}", CLEAN)
    with Reader(run, Masker(), survey=True) as reader:
        entries = reader.run_entries()
        document(tmp_path / "a.jsonl", f"password: {SECRET}", TOKEN)
        reader.masker = reader.masker.second_pass()
        with pytest.raises(ChangedError):
            reader.run_entries(entries)


def test_records_that_became_others_meanwhile_are_not_taken_for_clean(tmp_path: Path) -> None:
    run = document(tmp_path / "a.jsonl", "hello", CLEAN)
    found = surveyed(run)
    document(tmp_path / "a.jsonl", "hello", TOKEN)
    with Reader(run, Masker(caught=dict(found.caught)), found=found) as reader, pytest.raises(ChangedError):
        reader.run_entries()


def beginning(run: Document, count: int, *dirty: int) -> Document:
    """A run of which so many records are known, and in which of them something was caught."""
    with Reader(run, Masker(), survey=True) as reader:
        origins = [entry.origin for entry in reader.run_entries()]
    checksum = 0
    for origin in origins[:count]:
        checksum = crc32(origin.checksum.to_bytes(4), checksum)
    end = origins[count - 1].offset + origins[count - 1].length
    return replace(run, known={0: Beginning(end, checksum, frozenset(origins[number].offset for number in dirty))})


def test_what_is_known_of_a_beginning_is_not_looked_for_again(tmp_path: Path) -> None:
    run = beginning(document(tmp_path / "a.jsonl", f"it is {TOKEN}", f"password: {SECRET}", f"password: {PASSWORD}"), 2, 1)
    with Reader(run, Masker(), survey=True) as reader:
        reader.run_entries()
        assert {SECRET, PASSWORD} == set(reader.masker.caught), "what the first record holds was said to be nothing"
        assert [line for _, line, _, _ in reader.spots] == [2, 3]


def test_what_is_caught_behind_a_known_beginning_is_masked_in_it(tmp_path: Path) -> None:
    run = beginning(document(tmp_path / "a.jsonl", f"I see {SECRET} here", "hello", f"password: {SECRET}"), 2)
    reader, _, entries = read_twice(run)
    with reader:
        shown = [text_of(reader, entry, reader.masker) for entry in entries]
    assert [bool(MARKER.search(text)) for text in shown] == [True, False, True]


def test_a_named_secret_is_looked_for_in_a_known_beginning(tmp_path: Path) -> None:
    run = beginning(document(tmp_path / "a.jsonl", "the bluebird sings", "hello"), 2)
    with Reader(run, Masker(MaskOptions(literals=("bluebird",))), survey=True) as reader:
        entries = reader.run_entries()
        assert MARKER.search(text_of(reader, entries[0], reader.masker))
        assert [line for _, line, _, _ in reader.spots] == [1]


def test_a_known_beginning_that_became_another_is_noticed(tmp_path: Path) -> None:
    run = beginning(document(tmp_path / "a.jsonl", "hello", CLEAN, "end"), 2)
    document(tmp_path / "a.jsonl", "hello", TOKEN, "end")
    with Reader(run, Masker(), survey=True) as reader, pytest.raises(ChangedError):
        reader.run_entries()
    with Reader(run, Masker(), survey=True, restless=True) as reader:
        entries = reader.run_entries()
        assert MARKER.search(text_of(reader, entries[1], reader.masker))
