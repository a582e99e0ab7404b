"""Problems on the page of all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.site.builds import build, event, step, write

if TYPE_CHECKING:
    from pathlib import Path


def test_problems_stand_before_notes_and_neither_word_at_what_was_skipped(tmp_path: Path) -> None:
    first, last = (json.dumps(event(seq, "run.started", step("flow"))) for seq in (1, 5))
    write(tmp_path / "in" / "run.jsonl", [first, "garbage", last])
    (tmp_path / "in" / "notes.txt").write_text("no records", encoding="utf-8")
    page = build(tmp_path / "out", tmp_path / "in").page("problems.html").raw
    main = page[page.index("<main") :]
    wanted = ("<h2>Problems</h2>", "not JSON", "<h2>Notes</h2>", "numbers 2–4", "<h2>Skipped</h2>", "notes.txt")
    places = [main.index(words) for words in wanted]
    assert places == sorted(places)
    assert "<small>note</small>" not in main
    assert '<b class="err">problem</b>' not in main


def test_what_is_whole_and_belongs_to_no_document_is_not_called_unreadable(tmp_path: Path) -> None:
    write(tmp_path / "in" / "run.jsonl", [event(1, "run.started", step("flow"))])
    label = {"ts": None, "session_id": "gone", "runtime": "claude", "aspect": "quality", "value": "good"}
    write(tmp_path / "in" / "labels.ndjson", [label])
    write(tmp_path / "in" / "gone.json", [json.dumps({"WorkflowID": "gone", "States": {}})])
    page = build(tmp_path / "out", tmp_path / "in").page("problems.html")
    assert "belongs to no document" in page.text
    assert "labels of conversations that are not in this archive: 1" in page.text
    assert "the state file of a run that is not in this archive" in page.text
    assert "readable record" not in page.text
