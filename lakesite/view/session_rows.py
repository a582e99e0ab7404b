"""A conversation as rows: prompts, replies, tool exchanges, and the slim rows between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from lakesite.model import (
    ABSENT,
    MARKER,
    OPENING,
    TOOL_IDS,
    Exchange,
    Json,
    LakeEntry,
    LakeEvent,
    Masked,
    Number,
    Origin,
    Recorded,
    Session,
    SessionRow,
)
from lakesite.view.badges import badge, joining_badges, time_badges
from lakesite.view.exchanges import NO_NAME
from lakesite.view.shapes import Badge, Body, BodyKind, Link, MessageRow, NoteRow, Row, ToolRow, Who
from lakesite.view.tools import Kind, argument, exit_status, input_bodies, kind_of, more_bodies, output_bodies, parsed, path_of
from lakesite.view.turns import chain_words, turn_words
from lakesite.view.words import number, plain_line, took, when

_SHOWN: dict[str, type] = {
    "source_stem_hash": str, "sidechain": bool, "is_error": bool,
    "input_non_cached_tokens": int, "cache_read_tokens": int, "cache_creation_tokens": int,
}  # fmt: skip
"""Keys of `extra` that every row shows in its own way or has no use for, of the type that it can show; others are listed under "more"."""
_RECEIPT_KEYS = frozenset({"operationKind", "operation", "status"})
_NOTE_KEYS = frozenset({"kind", "subtype"})
_HOOK_KEYS = frozenset({"decision", "event", "tool"})
_WRITER_LIMIT = (65_535, 65_536)
NO_TEXT = Body("nothing", "no text recorded")


@dataclass(frozen=True, slots=True)
class SessionSource:
    """All that the rows of a conversation are made from."""

    session: Session
    entries: Sequence[LakeEntry]
    anchors: Sequence[str]
    """For each entry."""
    load: Callable[[int], LakeEvent]
    """An entry's event in full."""
    where: Callable[[Origin], str]
    """`file:line` of an origin."""
    speaker: str
    """Who replies: the runtime."""
    unsure_hooks: bool
    """Its hook decisions may be another runtime's."""


def was_cut(text: str) -> bool:
    """Whether a text has the length at which the Lake's writer cuts, each marker counted as what it stands for."""
    if len(text) < _WRITER_LIMIT[0] and OPENING not in text:
        return len(text) > _WRITER_LIMIT[0] // 2 and _units(text) in _WRITER_LIMIT
    if _units(text) in _WRITER_LIMIT:
        return True
    bare = MARKER.sub("", text)
    return _units(bare) + sum(int(found[2]) for found in MARKER.finditer(text)) in _WRITER_LIMIT


def _units(text: str) -> int:
    """UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def rows(source: SessionSource) -> Iterator[Row]:
    """The rows of a conversation's page, in order, made one by one."""
    started = {chain.call: Link("side chain", f"#{_chain_anchor(number)}") for number, chain in enumerate(source.session.chains)}
    begun: set[int] = set()
    for place, row in enumerate(source.session.rows):
        if row.chain is not None and row.chain not in begun:
            begun.add(row.chain)
            yield _chain_row(source, row, place)
        made = _row(source, row)
        if row.what == "prompt" and isinstance(made, MessageRow) and (turn := turn_words(source.session, source.entries, place)):
            made = replace(made, turn=turn)
        if isinstance(made, ToolRow) and (chain := started.get(row.exchange)):
            made = replace(made, child=chain)
        badges = _common_badges(source, row)
        yield replace(made, badges=(*made.badges, *badges)) if badges else made


def _common_badges(source: SessionSource, row: SessionRow) -> tuple[Badge, ...]:
    badges = [badge("repeated", f"repeated {row.repeats}×")] if row.repeats else []
    if row.exchange is None and (text := source.load(row.entry).text) is not None and was_cut(text):
        badges.append(badge("cut"))
    if source.entries[row.entry].time is None:
        badges += time_badges(None, source.load(row.entry).ts)
    return tuple(badges)


def _chain_row(source: SessionSource, row: SessionRow, place: int) -> NoteRow:
    """The heading of a side chain, whose first row stands at a place."""
    assert row.chain is not None  # noqa: S101 - the caller has looked
    chain = source.session.chains[row.chain]
    call = source.session.exchanges[chain.call] if chain.call is not None else None
    side = (call.calls or call.results)[0] if call else None
    return NoteRow(
        anchor=_chain_anchor(row.chain),
        depth=0,
        kind="chain",
        label="side chain",
        text=chain_words(source.session, source.entries, place),
        when=when(source.entries[row.entry].time),
        badges=(),
        bodies=(),
        origin="",
        href=f"#{source.anchors[side.entry]}" if side else None,
        chain=True,
    )


def _chain_anchor(chain: int) -> str:
    return f"chain-{chain + 1}"


def _row(source: SessionSource, row: SessionRow) -> MessageRow | ToolRow | NoteRow:
    match row.what:
        case "prompt":
            return _message(source, row, "prompt", "prompt", "markdown")
        case "assistant":
            return _message(source, row, "reply", source.speaker, "markdown")
        case "thinking":
            return _message(source, row, "thinking", "thinking", "text")
        case "exchange" if row.exchange is not None:
            return _exchange(source, row, source.session.exchanges[row.exchange])
        case "hook":
            return _hook(source, row)
        case "receipt":
            return _receipt(source, row)
        case _:
            return _note(source, row)


def _message(source: SessionSource, row: SessionRow, who: Who, label: str, kind: BodyKind) -> MessageRow:
    entry, event = source.entries[row.entry], source.load(row.entry)
    body = Body(kind, event.text) if event.text else NO_TEXT
    return MessageRow(
        anchor=source.anchors[row.entry],
        depth=1 if row.chain is not None else 0,
        who=who,
        label=(label if row.chain is None or who != "prompt" else "sub-agent prompt") + (" · failed" if entry.failed else ""),
        bodies=(body, *_more(event, frozenset())),
        when=when(entry.time, event.ts),
        badges=(),
        origin=source.where(entry.origin),
        chain=row.chain is not None,
        tokens=_tokens(entry, event),
        bad=bool(entry.failed),
    )


def _tokens(entry: LakeEntry, event: LakeEvent) -> str:
    """The counters of one row, as recorded."""
    extra = cast("dict[str, Json]", event.extra)
    figures = [_way(entry.tokens_in, "in")]
    for name, words in (
        ("input_non_cached_tokens", "not cached"),
        ("cache_read_tokens", "from cache"),
        ("cache_creation_tokens", "to cache"),
    ):
        if isinstance(found := extra.get(name), int):
            figures.append(f"{number(found)} {words}")
    figures.append(_way(entry.tokens_out, "out"))
    return " · ".join(filter(None, figures))


def _tokens_of(entries: Iterable[LakeEntry]) -> str:
    """The counters of the rows of a call: what the cache did stands among what else was recorded."""
    figures = [_way(figure, way) for entry in entries for figure, way in ((entry.tokens_in, "in"), (entry.tokens_out, "out"))]
    return " · ".join(filter(None, figures))


def _way(figure: int | None, way: str) -> str:
    return "" if figure is None else f"{number(figure)} {way}"


def _more(event: LakeEvent, shown: frozenset[str], tool: str | None = None) -> tuple[Body, ...]:
    """What a row does not show in its own way; `tool`: the name of a tool that it shows."""
    extra = cast("dict[str, Json]", event.extra)
    kept = {
        name: value
        for name, value in extra.items()
        if not (name in shown and _has_place(name, value)) and not isinstance(value, _SHOWN.get(name, ()))
    }
    if event.tool_name and event.tool_name != tool:
        kept["tool_name"] = event.tool_name
    return more_bodies(cast("dict[Masked, Json]", kept), event.more)


def _has_place(name: str, value: Json) -> bool:
    """Whether a value is of a sort that can stand in the place that its key has in a row."""
    return value is None or isinstance(value, str) or (name in TOOL_IDS and bool(_spelled(value)))


def _exchange(source: SessionSource, row: SessionRow, exchange: Exchange) -> ToolRow:
    calls, results, extra = ([source.load(side.entry) for side in sides] for sides in (exchange.calls, exchange.results, exchange.extra))
    events = (*calls, *results, *extra)
    first = (exchange.calls or exchange.results)[0].entry
    name = exchange.name or next((event.tool_name for event in (*calls, *results) if event.tool_name), None)
    given = parsed(calls[0].text) if calls and calls[0].text else None
    badges = joining_badges(exchange)
    if any(event.text and was_cut(event.text) for event in events):
        badges = (*badges, badge("cut"))
    ends = [source.entries[side.entry].time for side in exchange.results]
    return ToolRow(
        anchor=source.anchors[row.entry],
        depth=1 if row.chain is not None else 0,
        name=name or NO_NAME,
        argument=argument(given if given is not None else ABSENT),
        status="unknown" if exchange.failed is None else "failed" if exchange.failed else "ok",
        outcome=_outcome(exchange, results),
        when=when(source.entries[first].time, source.load(first).ts),
        took=took(source.entries[first].time, ends[0]) if exchange.calls and ends else "",
        badges=badges,
        bodies=tuple(_exchange_bodies(source, exchange, name, given)),
        origin=source.where(source.entries[first].origin),
        chain=row.chain is not None,
        ids=_ids(events),
        tokens=_tokens_of([source.entries[side.entry] for side in (*exchange.calls, *exchange.results, *exchange.extra)]),
    )


def _exchange_bodies(source: SessionSource, exchange: Exchange, name: str | None, given: Recorded | None) -> Iterator[Body]:
    """What went in and what came out; `given`: the input, None where none is recorded."""
    kind = kind_of(name)
    path = path_of(given)
    if given is not None:
        yield from input_bodies(kind, given)
    elif exchange.calls:
        yield Body("nothing", "no input recorded", label="input")
    for side in exchange.results:
        yield from _result_bodies(source, side.entry, kind, path, "output")
    for side in exchange.extra:
        yield from _result_bodies(source, side.entry, kind, path, "extra result")
        yield from _more(source.load(side.entry), frozenset(TOOL_IDS), name)
    if exchange.calls and not exchange.results:
        yield Body("nothing", "no result recorded", label="output")
    for side in (*exchange.calls, *exchange.results):
        yield from _more(source.load(side.entry), frozenset(TOOL_IDS), name)


def _result_bodies(source: SessionSource, index: int, kind: Kind, path: str | None, label: str) -> tuple[Body, ...]:
    text = source.load(index).text
    return output_bodies(kind, text, path, label, bad=bool(source.entries[index].failed)) if text else (NO_TEXT._replace(label=label),)


def _ids(events: Iterable[LakeEvent]) -> str:
    """The ids that rows record of their call."""
    found = (cast("dict[str, Json]", event.extra).get(name) for event in events for name in TOOL_IDS)
    return " · ".join(dict.fromkeys(spelled for each in found if (spelled := _spelled(each))))


def _spelled(value: Json) -> str:
    """An id as it is spelled; empty where it is none."""
    match value:
        case str():
            return value
        case int() if not isinstance(value, bool):
            return str(value)
        case Number(spelling=spelling):
            return spelling
        case _:
            return ""


def _outcome(exchange: Exchange, results: Sequence[LakeEvent]) -> str:
    status = next((found for event in results if event.text and (found := exit_status(event.text))), "")
    if exchange.failed:
        return status if status not in ("", "exit 0") else "failed"
    return status


def _hook(source: SessionSource, row: SessionRow) -> NoteRow:
    entry, event = source.entries[row.entry], source.load(row.entry)
    extra = cast("dict[str, Json]", event.extra)
    decision = entry.decision or "no decision recorded"
    about = " ".join(word for word in (extra.get("tool"), extra.get("event")) if isinstance(word, str))
    reason = plain_line(event.text or "")
    session = source.session
    named = {
        "machine": (event.machine, session.machines),
        "project": (event.project, session.projects),
        "model": (event.model, session.models),
    }
    elsewhere = cast("dict[Masked, Json]", {name: value for name, (value, known) in named.items() if value and value not in known})
    return NoteRow(
        anchor=source.anchors[row.entry],
        depth=1 if row.chain is not None else 0,
        kind="hook",
        label=entry.tool or NO_NAME,
        text=" · ".join(word for word in (decision, about, reason) if word),
        when=when(entry.time, event.ts),
        badges=(*((badge("hook-block"),) if entry.decision == "block" else ()), *((badge("unsure"),) if source.unsure_hooks else ())),
        bodies=(*_long_text(event, reason), *_more(event, _HOOK_KEYS, event.tool_name), *more_bodies(elsewhere)),
        origin=source.where(entry.origin),
    )


def _receipt(source: SessionSource, row: SessionRow) -> NoteRow:
    entry, event = source.entries[row.entry], source.load(row.entry)
    extra = cast("dict[str, Json]", event.extra)
    words = [extra.get("operationKind"), entry.receipt_status or "status not recorded"]
    call = source.session.exchanges[row.exchange] if row.exchange is not None else None
    side = (call.calls or call.results)[0] if call else None
    operation = extra.get("operation")
    return NoteRow(
        anchor=source.anchors[row.entry],
        depth=1 if row.chain is not None else 0,
        kind="receipt",
        label=operation if isinstance(operation, str) else "operation not recorded",
        text=" · ".join(word for word in words if isinstance(word, str)),
        when=when(entry.time, event.ts),
        badges=(badge("unfinished"),) if call and not call.results else (),
        bodies=(*((Body("output", event.text),) if event.text else ()), *_more(event, _RECEIPT_KEYS)),
        origin=source.where(entry.origin),
        href=f"#{source.anchors[side.entry]}" if side else None,
        chain=row.chain is not None,
    )


def _note(source: SessionSource, row: SessionRow) -> NoteRow:
    """Meta data, notices, and types that lakesite does not know."""
    entry, event = source.entries[row.entry], source.load(row.entry)
    unknown = entry.type == "unknown"
    label = entry.known_as if unknown else " · ".join(word for word in (entry.kind, entry.subtype) if word)
    said = plain_line(event.text or "")
    tokens = _tokens(entry, event)
    if not label and row.what == "notice":
        label = said if row.chain is None else "sub-agent prompt"
    label = label or entry.known_as
    words = "" if said == label else said or ("" if tokens else "no text recorded")
    return NoteRow(
        anchor=source.anchors[row.entry],
        depth=1 if row.chain is not None else 0,
        kind="unknown" if unknown else "notice" if row.what == "notice" else "meta",
        label=label or "type not recorded",
        text=" · ".join(word for word in (event.tool_name or "", words, tokens) if word),
        when=when(entry.time, event.ts),
        badges=(badge("unknown"),) if unknown else (),
        bodies=(*_long_text(event, said), *_more(event, frozenset() if unknown else _NOTE_KEYS, event.tool_name)),
        origin=source.where(entry.origin),
        bad=bool(entry.failed),
        chain=row.chain is not None,
    )


def _long_text(event: LakeEvent, said: str) -> tuple[Body, ...]:
    """The whole text, where its first line does not say all of it."""
    return (Body("text", event.text),) if event.text and event.text.strip() != said else ()
