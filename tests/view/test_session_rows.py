"""The rows of a conversation's page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lakesite.site import lay
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


def with_side_chain() -> list[dict[str, object]]:
    """A conversation in which a call starts a sub-agent."""
    side = {"sidechain": True}
    return [
        row("user", "find it", 1),
        row("tool_call", '{"prompt":"look"}', 2, tool_name="Task", extra={"tool_call_id": "t"}),
        row("user", "look", 3, extra=side),
        row("assistant", "found", 4, extra=side),
        row("tool_result", "it is here", 5, extra={"tool_call_id": "t"}),
        row("tool_call", "{}", 6, tool_name="Read", extra={"tool_call_id": "r"}),
    ]


def test_a_call_leads_to_the_side_chain_that_it_started(tmp_path: Path) -> None:
    write(tmp_path / "in" / "part-0.ndjson", with_side_chain())
    page = build(tmp_path / "out", tmp_path / "in").page()
    assert page.links.count("#chain-1") == 1 + page.raw.count('<a href="#chain-1" class=')
    (call,) = re.findall(r'<details class="row tool.*?</details>', page.raw.partition("Read</b>")[0], re.DOTALL)
    assert '<a href="#chain-1">side chain</a>' in call
    assert "chain-1" in page.ids


def test_a_call_leads_to_its_side_chain_in_another_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lay, "_SECTION_ROWS", 1)
    monkeypatch.setattr(lay, "PART_BYTES", 0)
    write(tmp_path / "in" / "part-0.ndjson", with_side_chain())
    site = build(tmp_path / "out", tmp_path / "in", jobs=1)
    parts = site.only["parts"]
    (here,) = [number for number, part in enumerate(parts) if "Task</b>" in site.page(part).raw]
    (there,) = [number for number, part in enumerate(parts) if "chain-1" in site.page(part).ids]
    assert there == here + 1
    assert f"{parts[there].rpartition('/')[2]}#chain-1" in site.page(parts[here]).links
    assert "#chain-1" not in site.page(parts[here]).links


@pytest.mark.parametrize("place", ["call", "result", "extra result"])
def test_a_text_that_was_cut_is_told_wherever_it_stands_in_an_exchange(tmp_path: Path, place: str) -> None:
    texts = {"call": "{}", "result": "fine", "extra result": "late"} | {place: "x" * 65_536}
    rows = [
        row("tool_call", texts["call"], 1, tool_name="Bash", extra={"tool_call_id": "a"}),
        answered("a", 2, texts["result"]),
        answered("a", 3, texts["extra result"]),
    ]
    write(tmp_path / "in" / "part-0.ndjson", rows)
    raw = build(tmp_path / "out", tmp_path / "in").page().raw
    (line,) = re.findall(r'<details class="row tool.*?</summary>', raw, re.DOTALL)
    assert "b-cut" in line
