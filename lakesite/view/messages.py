"""A message of a run as rows: one for each of its blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from lakesite.model import ABSENT, Block, MessagePayload, RunEvent, Side
from lakesite.view.badges import KNOWN_FIDELITIES, badge
from lakesite.view.exchanges import NO_NAME, run_exchange
from lakesite.view.run_source import RunSource
from lakesite.view.shapes import Badge, Body, MessageRow, NoteRow, Row, When
from lakesite.view.tools import more_bodies
from lakesite.view.words import plural, when

_EMPTY = Body("nothing", "no text recorded")
_USER_LABELS = ("prompt", "system prompt", "further input")
"""By place among the text blocks of a user's message: nothing else marks a system prompt."""

Who = Literal["prompt", "reply", "thinking", "input", "said"]


class Message(NamedTuple):
    """A message and where it stands."""

    source: RunSource
    entry: int
    """Index of its entry."""
    event: RunEvent
    payload: MessagePayload
    depth: int
    badges: tuple[Badge, ...]
    """For all of its rows."""

    @property
    def when(self) -> When | None:
        """When it was recorded."""
        return when(self.source.entries[self.entry].time, self.event.time)

    @property
    def origin(self) -> str:
        """`file:line`."""
        return self.source.where(self.source.entries[self.entry].origin)


def message_rows(message: Message) -> Iterator[Row]:
    """The blocks of a message, each in its own row; the first has the event's own anchor."""
    anchor = message.source.anchors[message.entry]
    made = texts = 0
    for place, block in enumerate(message.payload.blocks):
        row = _block_row(message, place, block, texts)
        texts += block.type == "text"
        if row is None:
            continue
        made += 1
        yield replace(row, anchor=anchor if made == 1 else f"{anchor}-b{place}", badges=(*row.badges, *message.badges))
    leftover = more_bodies(message.event.more, message.payload.more)
    if made and not leftover:
        return
    text = "more fields" if made else "its results stand with their calls" if message.payload.blocks else "no blocks recorded"
    yield NoteRow(
        anchor=f"{anchor}-more" if made else anchor,
        depth=message.depth,
        kind="meta",
        label=message.payload.role or "message",
        text=text,
        when=message.when,
        badges=message.badges,
        bodies=leftover,
        origin=message.origin,
    )


def _block_row(message: Message, place: int, block: Block, texts: int) -> Row | None:
    """The row of one block, its anchor still open; None where it is shown elsewhere. `texts`: text blocks before it."""
    exchange = message.source.exchange_at(Side(message.entry, place))
    if exchange is not None:
        return _exchange_row(message, place, exchange)
    match block.type:
        case "text" if message.payload.role == "user":
            label = _USER_LABELS[min(texts, 2)]
            text = Body("markdown", block.text) if block.text else _EMPTY
            if texts and block.text:
                text = text._replace(label=f"{label} · {plural(block.text.count(chr(10)) + 1, 'line')}", folded=True)
            return _said(message, block, "input" if texts else "prompt", label, text)
        case "text":
            who: Who = "reply" if message.payload.role == "assistant" else "said"
            label = "reply" if who == "reply" else message.payload.role or "role not recorded"
            return _said(message, block, who, label, Body("markdown", block.text) if block.text else _EMPTY)
        case "thinking":
            return _said(message, block, "thinking", "thinking", Body("text", block.text) if block.text else _EMPTY)
        case "command":
            return _said(message, block, "said", "command", Body("command", block.text) if block.text else _EMPTY)
        case "stream":
            return _said(message, block, "said", "stream", Body("text", block.text) if block.text else _EMPTY)
        case _:
            return _unknown_row(message, block)


def _fidelity(block: Block) -> tuple[Badge, ...]:
    return (badge("other", block.fidelity),) if block.fidelity not in KNOWN_FIDELITIES else ()


def _said(message: Message, block: Block, who: Who, label: str, text: Body) -> MessageRow:
    return MessageRow(
        anchor="",
        depth=message.depth,
        who=who,
        label=label,
        bodies=(text, *more_bodies(block.more)),
        when=message.when,
        badges=_fidelity(block),
        origin=message.origin,
    )


def _unknown_row(message: Message, block: Block) -> NoteRow:
    """A block of a type that lakesite does not know, with everything in it."""
    fields = (("input", block.input), ("content", block.content))
    shown = [Body("json", label=name, value=value) for name, value in fields if value is not ABSENT]
    if block.text:
        shown.insert(0, Body("text", block.text))
    if block.more:
        shown.append(Body("json", label="more", value=block.more))
    return NoteRow(
        anchor="",
        depth=message.depth,
        kind="unknown",
        label=block.type or "block",
        text=" · ".join(word for word in (block.name, f"id {block.id}" if block.id else "") if word) or "block of an unknown type",
        when=message.when,
        badges=(badge("unknown"), *_fidelity(block)),
        bodies=tuple(shown),
        origin=message.origin,
    )


def _exchange_row(message: Message, place: int, index: int) -> Row | None:
    """The exchange of a block: shown where its call was first recorded; elsewhere a reference to that place."""
    source = message.source
    exchange = source.run.exchanges[index]
    first = (exchange.calls or exchange.results)[0]
    if first == Side(message.entry, place):
        return run_exchange(exchange, source.entries, source.load, anchor="", depth=message.depth, origin=message.origin)
    if Side(message.entry, place) not in exchange.calls:
        return None
    return NoteRow(
        anchor="",
        depth=message.depth,
        kind="reference",
        label=message.payload.blocks[place].name or exchange.name or NO_NAME,
        text="the agent's report of a call that the router recorded",
        when=None,
        badges=(badge("both"),),
        bodies=(),
        origin=message.origin,
        href=f"#{source.anchors[first.entry]}",
    )
