"""What followed a prompt, in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.builds import Site, build, row, write

if TYPE_CHECKING:
    from pathlib import Path


def talk(tmp_path: Path, *rows: object) -> Site:
    write(tmp_path / "in" / "a.ndjson", rows)  # type: ignore[arg-type]
    return build(tmp_path / "site", tmp_path / "in")


def test_each_prompt_tells_what_followed(tmp_path: Path) -> None:
    text = talk(
        tmp_path,
        row("user", "First", 0),
        row("assistant", "I look.", 2, tokens_in=1200, tokens_out=31),
        row("tool_call", "ls", 3, tool_name="Bash", extra={"tool_call_id": "a"}),
        row("tool_result", "no", 64, extra={"tool_call_id": "a", "is_error": True}),
        row("user", "Second", 100),
        row("assistant", "Done.", 100),
    ).text()
    assert "this turn: 1 call, 1 failed · tokens 1,200 in, 31 out (sum, may repeat) · over 1 min 4 s" in text
    assert text.count("this turn") == 1


def test_what_nobody_reported_is_not_told(tmp_path: Path) -> None:
    text = talk(tmp_path, row("user", "First"), row("assistant", "Yes.")).text()
    assert "this turn" not in text


def test_a_conversation_in_which_nobody_asks_anything(tmp_path: Path) -> None:
    assert "this turn" not in talk(tmp_path, row("assistant", "Hello.", 1), row("assistant", "Bye.", 2)).text()


def test_a_side_chain_tells_how_much_it_holds(tmp_path: Path) -> None:
    side = {"sidechain": True}
    text = talk(
        tmp_path,
        row("user", "First", 0),
        row("user", "Look for callers", 5, extra=side),
        row("tool_call", "{}", 6, tool_name="Grep", extra={**side, "tool_call_id": "b"}),
        row("tool_result", "x", 8, extra={**side, "tool_call_id": "b"}),
        row("assistant", "Three.", 46, extra=side),
    ).text()
    assert "side chain3 rows · 1 call · over 41.0 s" in text


def test_a_side_chain_lasts_until_its_last_result(tmp_path: Path) -> None:
    side = {"sidechain": True}
    text = talk(
        tmp_path,
        row("user", "First", 0),
        row("user", "Look for callers", 2, extra=side),
        row("tool_call", "{}", 3, tool_name="Grep", extra={**side, "tool_call_id": "b"}),
        row("tool_result", "x", 303, extra={**side, "tool_call_id": "b"}),
    ).text()
    assert "side chain2 rows · 1 call · over 5 min 1 s" in text
