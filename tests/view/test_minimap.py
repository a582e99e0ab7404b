"""The strip beside a document."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lakesite.view.minimap import HEIGHT, Mark, mark, minimap
from lakesite.view.shapes import Body, EndRow, MessageRow, NoteRow, ToolRow

FAILED: Mark = ("failed", "failed: Bash")
PROMPT: Mark = ("prompt", "prompt: Go on.")


def anchors(count: int) -> list[str]:
    return [f"e-{number}" for number in range(count)]


def test_a_short_page_needs_none() -> None:
    assert minimap(anchors(11), [(0, PROMPT)]) is None
    assert minimap([], []) is None


def test_errors_are_told_by_their_width_and_their_words() -> None:
    strip = minimap(anchors(20), [(0, PROMPT), (10, FAILED)])
    assert strip is not None
    assert [(link.kind, link.label, link.href) for link in strip.links] == [
        ("prompt", "prompt: Go on.", "#e-0"),
        ("failed", "failed: Bash", "#e-10"),
    ]
    assert [re.findall(r"h(\d+)", link.path) for link in strip.links] == [["10"], ["14"]]
    assert strip.path.count("M") == 18


def test_where_rows_share_a_tick_the_error_is_shown() -> None:
    strip = minimap(anchors(10_000), [(0, PROMPT), (3, FAILED), (4, FAILED)])
    assert strip is not None
    assert [link.href for link in strip.links] == ["#e-3"]


@given(st.integers(12, 40_000), st.data())
def test_it_stays_small_and_inside(count: int, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, count - 1), max_size=2000))
    strip = minimap(anchors(count), [(place, FAILED if place % 2 else PROMPT) for place in places])
    assert strip is not None
    assert 2 * len(strip.links) < 1000
    tops = [int(top) for top in re.findall(r"M\d+ (\d+)", strip.path + " ".join(link.path for link in strip.links))]
    assert len(tops) == len(set(tops)) == min(count, 320)
    assert all(0 <= top < HEIGHT for top in tops)


def test_what_stands_out() -> None:
    def said(who: str, *, chain: bool = False) -> MessageRow:
        return MessageRow("a", 0, who, who, (Body("markdown", "Go `on`.\nNow."),), None, (), "", chain=chain)  # type: ignore[arg-type]

    def tool(status: str) -> ToolRow:
        return ToolRow("a", 0, "Bash", "", status, "", None, "", (), (), "")  # type: ignore[arg-type]

    assert mark(said("prompt")) == ("prompt", "prompt: Go on.")
    assert mark(said("prompt", chain=True)) is mark(said("reply")) is mark(tool("ok")) is mark(tool("unknown")) is None
    assert mark(tool("failed")) == FAILED
    assert mark(EndRow("a", 0, "lint", "failed", (), None, (), "")) == ("failed", "failed: lint")
    assert mark(NoteRow("a", 0, "meta", "run.completed", "", None, (), (), "", bad=True)) == ("failed", "failed: run.completed")
