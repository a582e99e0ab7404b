"""What one reading of a document found holds for another, as long as its records are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakesite.masking import Masker
from lakesite.model import MARKER, Masked, MessagePayload
from lakesite.sources.documents import Document, gather, scan
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import ChangedError, Reader, Survey
from tests.site.builds import event, said, write
from tests.site.planting import TOKEN, made

CLEAN = "x" * len(TOKEN)


def document(path: Path, *texts: str) -> Document:
    write(path, [event(number, "message.user", said("user", text)) for number, text in enumerate(texts, 1)])
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


def test_records_that_became_others_meanwhile_are_not_taken_for_clean(tmp_path: Path) -> None:
    run = document(tmp_path / "a.jsonl", "hello", CLEAN)
    found = surveyed(run)
    document(tmp_path / "a.jsonl", "hello", TOKEN)
    with Reader(run, Masker(caught=dict(found.caught)), found=found) as reader, pytest.raises(ChangedError):
        reader.run_entries()
