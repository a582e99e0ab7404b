"""The rows of a conversation's page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.site.builds import build, row, write

if TYPE_CHECKING:
    from pathlib import Path


def asked(identity: str, at: int, **extra: object) -> dict[str, object]:
    return row("tool_call", "{}", at, tool_name="Bash", extra={"tool_call_id": identity, **extra})


def answered(identity: str, at: int, text: str = "no", **extra: object) -> dict[str, object]:
    return row("tool_result", text, at, extra={"tool_call_id": identity, **extra})


def test_errors_are_the_rows_that_are_marked(tmp_path: Path) -> None:
    rows = [
        row("user", "go", 1),
        asked("a", 2, is_error=True), answered("a", 3, is_error=True), answered("a", 4, "extra", is_error=True),
        asked("b", 5, is_error=True),
        asked("c", 6), answered("c", 7, "fine"), answered("c", 8, "late", is_error=True),
        row("assistant", "overloaded", 9, extra={"is_error": True}),
        row("meta", "gone", 10, extra={"kind": "note", "is_error": True}),
        row("hook_decision", "no", 11, tool_name="guard", extra={"decision": "block"}),
    ]  # fmt: skip
    write(tmp_path / "in" / "part-0.ndjson", rows)
    site = build(tmp_path / "out", tmp_path / "in")
    page = site.page()
    marked = [found for found in re.findall(r'class="row ([^"]*)\bfail\b', page.raw) if "hook" not in found]
    assert [found.split()[0] for found in marked] == ["tool", "tool", "say", "note"]
    assert site.only["counts"]["errors"] == len(marked)
    assert "4 errors" in page.text
    assert "errors 4" in page.text
    assert "claude · failed" in page.text
