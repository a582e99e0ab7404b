"""Problems on the page of all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.site.builds import build, event, step, write

if TYPE_CHECKING:
    from pathlib import Path


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
