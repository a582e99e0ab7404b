"""What followed a prompt, in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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


SIDE = {"sidechain": True}
CHAINS = {
    "3 rows · 1 call · over 41.0 s": (5, 6, 8, (row("assistant", "Three.", 46, extra=SIDE),)),
    "2 rows · 1 call · over 5 min 1 s": (2, 3, 303, ()),  # until its last result, not until its last call
}
"""What a side chain holds: the seconds of its prompt, its call and its result, and what follows them."""


@pytest.mark.parametrize("told", CHAINS)
def test_a_side_chain_tells_how_much_it_holds(tmp_path: Path, told: str) -> None:
    prompt, call, result, more = CHAINS[told]
    text = talk(
        tmp_path,
        row("user", "First", 0),
        row("user", "Look for callers", prompt, extra=SIDE),
        row("tool_call", "{}", call, tool_name="Grep", extra={**SIDE, "tool_call_id": "b"}),
        row("tool_result", "x", result, extra={**SIDE, "tool_call_id": "b"}),
        *more,
    ).text()
    assert f"side chain{told}" in text
