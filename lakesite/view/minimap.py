"""The thin strip beside a document: a tick for each of its rows, errors and prompts as links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from lakesite.view.shapes import EndRow, MessageRow, Minimap, NoteRow, Row, StepRow, TickLink, ToolRow
from lakesite.view.words import first_line, plain_line

HEIGHT = 1000
"""Of the strip, in its own units: a page stretches it."""
_SLOTS = 320
"""Ticks at most: of a longer document several rows share one. Together with their links they stay under 1,000 elements."""
_FEWEST = 12
"""Rows of a page that needs a strip."""
_LABEL = 60

Mark: TypeAlias = tuple[Literal["failed", "prompt"], str]
"""What makes a row worth a link, and the words for it."""


def mark(row: Row) -> Mark | None:
    """Whether a row is an error or something that the person said."""
    match row:
        case MessageRow(bad=True, label=label) | NoteRow(bad=True, label=label):
            return "failed", f"failed: {plain_line(label, _LABEL)}"
        case MessageRow(who="prompt", chain=False, bodies=(body, *_)):
            return "prompt", f"prompt: {first_line(body.text, _LABEL)}"
        case (ToolRow(status="failed", name=name)) | (EndRow(status="failed", name=name)) | (StepRow(status="failed", name=name)):
            return "failed", f"failed: {plain_line(name, _LABEL)}"
        case _:
            return None


def minimap(anchors: Sequence[str], marks: Sequence[tuple[int, Mark]]) -> Minimap | None:
    """The strip of a page; `marks`: what stands out, each with the place of its row. None for a page that can be seen as a whole."""
    count = len(anchors)
    if count < _FEWEST:
        return None
    slots = min(count, _SLOTS)
    found: dict[int, tuple[int, Mark]] = {}
    for place, each in marks:
        slot = place * slots // count
        if slot not in found or (found[slot][1][0] == "prompt" and each[0] == "failed"):
            found[slot] = place, each
    height = max(min(HEIGHT // slots // 2, 4), 1)
    top = [slot * HEIGHT // slots for slot in range(slots)]
    plain = " ".join(f"M4 {top[slot]} h6 v{height} h-6 z" for slot in range(slots) if slot not in found)
    links = tuple(
        TickLink(kind, label, f"#{anchors[place]}", f"M0 {top[slot]} h14 v{height + 2} h-14 z" if kind == "failed" else _prompt(top[slot]))
        for slot, (place, (kind, label)) in sorted(found.items())
    )
    return Minimap(plain, links)


def _prompt(top: int) -> str:
    """Narrower than an error: the two are told apart without their colours, too."""
    return f"M2 {top} h10 v3 h-10 z"
