"""Run files: one ExchangeEvent a line, as an entry for resolving and as an event for its page.

Field names and the dispatch of payloads are those of the transcript schema. Everything that leaves here is masked.
"""

from __future__ import annotations

from itertools import groupby
from typing import cast, get_args

from lakesite.masking import Door, Masker
from lakesite.model import (
    ABSENT,
    Block,
    Id,
    Json,
    Key,
    Masked,
    MessagePayload,
    Origin,
    OtherPayload,
    Part,
    Payload,
    Recorded,
    RunEntry,
    RunEvent,
    RunType,
    Shape,
    StepPayload,
    ToolPayload,
    bare_name,
    says_error,
    says_failed,
    usable,
)
from lakesite.sources.keys import as_text, canonical, id_key, input_key, is_no_id, key, spelling
from lakesite.sources.lines import exact
from lakesite.sources.numbers import hidden_numbers
from lakesite.sources.shared import Shared
from lakesite.sources.times import instant

_TYPES: frozenset[str] = frozenset(get_args(RunType)) - {"unknown"}
_ENVELOPE = frozenset({"seq", "run_id", "parent_run_id", "child_run_id", "type", "path", "iteration", "timestamp", "payload"})
_IDS = frozenset({"run_id", "parent_run_id", "child_run_id"})
_PLACES = frozenset({"seq", "iteration"})
_STEP = frozenset({"name", "kind", "error", "result"})
_MESSAGE = frozenset({"role", "blocks"})
_TOOL = frozenset({"name", "call_id", "input", "output", "error", "fidelity"})

_TEXT_OF: dict[str, tuple[str, ...]] = {
    "text": ("text",), "thinking": ("thinking", "text"), "command": ("command", "text"), "stream": ("text", "chunk"),
    "tool_use": (), "tool_result": (),
}  # fmt: skip
_PARTS_OF: dict[str, tuple[str, ...]] = {
    "text": (), "thinking": (), "command": (), "stream": (), "tool_use": ("tool_name", "tool_id", "tool_input"),
}  # fmt: skip
"""Fields that a type of block uses, where it does not use them all: what else stands in it is shown as it is."""
_OWN_WORDS = frozenset({"thinking", "command", "stream"})
"""Types of blocks whose text is neither what was asked nor what was answered."""
_PARTS = ("tool_name", "tool_id", "tool_input", "tool_content")


def is_event(value: dict[str, object]) -> bool:
    """Whether an object is an event: one with neither `type` nor `run_id` is not."""
    return "type" in value or "run_id" in value


def identity(value: object, masker: Masker) -> Id | None:
    """A recorded id: its key, and what to show of it."""
    spelled = spelling(value)
    return Id(key(spelled), masker.name(spelled)) if spelled is not None else None


def shape_of(payload: object, kind: str) -> Shape:
    """How the payload of an event of some type is read, in the order of the reference."""
    if payload is None:
        return "none"
    if isinstance(payload, list):
        return "message" if kind.startswith("message.") else "other"
    if isinstance(payload, dict):
        for field, shape in _DISPATCH:
            if field in payload:
                return shape
    return "other"


_DISPATCH: tuple[tuple[str, Shape], ...] = (("role", "message"), ("call_id", "tool"), ("kind", "step"))


def entry(value: dict[str, object], raw: bytes, origin: Origin, masker: Masker, share: Shared | None = None) -> RunEntry:
    """One event without its texts. `value` is what `raw` decodes to; `share`: where what comes again and again is kept once."""
    share = share or Shared()
    kind = value.get("type")
    run_type = cast("RunType", kind) if isinstance(kind, str) and kind in _TYPES else "unknown"
    payload = value.get("payload")
    shape = shape_of(payload, run_type)
    is_step = shape == "step" or run_type.startswith(("step.", "run."))
    step = payload if is_step and isinstance(payload, dict) else {}
    path = as_text(value.get("path")) or ""
    name = as_text(step.get("name")) or (path.rsplit("/", 1)[-1].rsplit(".", 1)[-1] if run_type.startswith("step.") else None)
    return RunEntry(
        origin=origin,
        seq=masker.whole(value.get("seq")),
        type=share(run_type),
        shape=shape,
        path=share(masker.mask(path)),
        iteration=masker.whole(value.get("iteration")) or 0,
        time=instant(value.get("timestamp")),
        parent=share(identity(value.get("parent_run_id"), masker)),
        child=identity(value.get("child_run_id"), masker),
        name=share(masker.mask(name)) if name is not None else None,
        kind=share(_masked(step.get("kind"), masker)),
        failed=says_error(step.get("error")),
        role=share(_masked(payload.get("role"), masker)) if shape == "message" and isinstance(payload, dict) else None,
        parts=_parts(run_type, shape, raw, value, masker, share),
        digest=key(raw),
    )


def veiled(value: dict[str, object], masker: Masker) -> Key | None:
    """What tells an event from others by what is shown of it; None where that is all of it."""
    others = masker.value({name: item for name, item in value.items() if name not in _IDS})
    ids = {name: masker.name(item) if isinstance(item, str) else masker.value(item) for name, item in value.items() if name in _IDS}
    shown = {**cast("dict[str, object]", others), **ids}
    return None if shown == value else key(canonical(shown))


def _parts(run_type: RunType, shape: Shape, raw: bytes, value: dict[str, object], masker: Masker, share: Shared) -> tuple[Part, ...]:
    payload = value.get("payload")
    if run_type in ("tool.call", "tool.result") and shape == "tool":
        result = run_type == "tool.result"
        fields = exact(value, raw).get("payload") if not result or _is_inexact(payload, "call_id") else payload
        return (_tool_part(fields if isinstance(fields, dict) else {}, masker, share, result=result),)
    if run_type in ("message.user", "message.assistant") and shape == "message":
        blocks = _blocks(payload)
        if any(isinstance(block, dict) and (block.get("type") == "tool_use" or _is_inexact(block, "tool_id")) for block in blocks):
            blocks = _blocks(exact(value, raw).get("payload"))
        parts = (_block_part(number, block, masker, share) for number, block in enumerate(blocks) if isinstance(block, dict))
        return tuple(part for part in parts if part)
    return ()


def _is_inexact(fields: object, name: str) -> bool:
    """Whether an id is a number that was not decoded as it is spelled."""
    return isinstance(fields, dict) and isinstance(fields.get(name), float)


def _tool_part(payload: dict[str, object], masker: Masker, share: Shared, *, result: bool) -> Part:
    name = as_text(payload.get("name"))
    return Part(
        block=-1,
        result=result,
        id=id_key(payload.get("call_id")),
        name=share(masker.mask(name)) if name else None,
        bare_name=share(key(bare_name(name))) if name else None,
        input=None if result or "input" not in payload else input_key(payload["input"]),
        fidelity=share(_masked(payload.get("fidelity"), masker) or masker.mask("")),
        failed=says_error(payload.get("error")) or says_failed(payload.get("output")),
    )


def _block_part(number: int, block: dict[str, object], masker: Masker, share: Shared) -> Part | None:
    if block.get("type") not in ("tool_use", "tool_result"):
        return None
    result = block["type"] == "tool_result"
    name = as_text(block.get("tool_name"))
    return Part(
        block=number,
        result=result,
        id=id_key(block.get("tool_id")),
        name=share(masker.mask(name)) if name else None,
        bare_name=share(key(bare_name(name))) if name else None,
        input=None if result or "tool_input" not in block else input_key(block["tool_input"]),
        fidelity=share(_masked(block.get("fidelity"), masker) or masker.mask("")),
        failed=says_failed(block) or says_failed(block.get("tool_content")),
    )


def has_chunks(value: dict[str, object]) -> bool:
    """Whether an event holds a text that was cut into chunks."""
    chunks = [block for block in _blocks(value.get("payload")) if isinstance(block, dict) and block.get("type") == "stream"]
    return len(chunks) > 1


def event(value: dict[str, object], door: Door) -> RunEvent:
    """One event in full."""
    kind = as_text(value.get("type")) or ""
    payload = value.get("payload")
    shape = shape_of(payload, kind)
    time = value.get("timestamp")
    odd = {name: item for name, item in value.items() if _is_odd(name, item)}
    return RunEvent(
        type=_shown(value.get("type"), door.at("envelope")),
        path=_shown(value.get("path"), door),
        time=_masked(time, door),
        payload=_payload(kind, shape, payload, door),
        more={**_more(odd, frozenset(), door.at("other fields")), **hidden_numbers(value, _PLACES - odd.keys(), door)},
    )


def _is_odd(name: str, item: object) -> bool:
    """A field that the reference does not name, or one of another type than it says: shown under "more"."""
    match name:
        case "seq" | "iteration":
            return item is not None and (not isinstance(item, int) or isinstance(item, bool) or usable(item) is None)
        case "run_id" | "parent_run_id" | "child_run_id":
            return is_no_id(item)
        case _:
            return name not in _ENVELOPE


def _payload(kind: str, shape: Shape, payload: object, door: Door) -> Payload:
    if shape == "none":
        return None
    if shape == "message":
        role = payload.get("role") if isinstance(payload, dict) else kind.partition(".")[2]
        said = "prompt" if role == "user" else "reply"
        return MessagePayload(
            role=_shown(role, door.at("role")),
            blocks=_masked_blocks(_blocks(payload), door, said),
            more=_more(payload, _MESSAGE, door.at("other fields")) if isinstance(payload, dict) else {},
        )
    if shape == "other" or not isinstance(payload, dict):
        return OtherPayload(door.at("other fields").value(payload))
    if shape == "tool":
        return ToolPayload(
            name=_masked(payload.get("name"), door.at("tool name")),
            call_id=_name(payload.get("call_id"), door.at("id")),
            input=_recorded(payload, "input", door.at("tool input")),
            output=_recorded(payload, "output", door.at("tool output")),
            error=_recorded(payload, "error", door.at("error")),
            fidelity=_shown(payload.get("fidelity"), door.at("fidelity")),
            more=_more(payload, _TOOL - {"call_id"} if is_no_id(payload.get("call_id")) else _TOOL, door.at("other fields")),
        )
    return StepPayload(
        name=_masked(payload.get("name"), door.at("step")),
        kind=_masked(payload.get("kind"), door),
        error=_recorded(payload, "error", door.at("error")),
        result=_recorded(payload, "result", door.at("result")),
        more=_more(payload, _STEP, door.at("other fields")),
    )


def _blocks(payload: object) -> list[object]:
    blocks = payload.get("blocks") if isinstance(payload, dict) else payload
    if isinstance(blocks, list):
        return blocks
    return [] if blocks is None else [blocks]


def _masked_blocks(blocks: list[object], door: Door, said: str) -> tuple[Block, ...]:
    """Blocks one by one; the chunks of a stream that stand beside each other are one text, which was cut anywhere."""
    chunks: dict[int, Masked] = {}
    for is_stream, run in groupby(enumerate(blocks), lambda item: isinstance(item[1], dict) and item[1].get("type") == "stream"):
        texts = {place: str(block[source]) for place, block in run if isinstance(block, dict) and (source := _source(block))}
        if is_stream and len(texts) > 1:
            chunks.update(zip(texts, door.at("stream").joined(list(texts.values())), strict=True))
    return tuple(_block(block, door, said, chunks.get(place)) for place, block in enumerate(blocks))


def _source(fields: dict[str, object]) -> str | None:
    """The field that holds the text of a block."""
    names = _TEXT_OF.get(as_text(fields.get("type")) or "", ("text",))
    return next((name for name in names if isinstance(fields.get(name), str)), None)


def _block(block: object, door: Door, said: str, text: Masked | None) -> Block:
    fields = block if isinstance(block, dict) else {"content": block}
    kind = as_text(fields.get("type")) or ""
    source = _source(fields)
    parts = {name: fields[name] for name in _PARTS_OF.get(kind, _PARTS) if name in fields}
    if is_no_id(parts.get("tool_id")):
        del parts["tool_id"]
    known = {"type", "fidelity", *parts, source}
    return Block(
        type=_shown(fields.get("type"), door.at("envelope")),
        fidelity=_shown(fields.get("fidelity"), door),
        text=door.at(kind if kind in _OWN_WORDS else said).mask(str(fields[source])) if source and text is None else text,
        name=_masked(parts.get("tool_name"), door.at("tool name")),
        id=_name(parts.get("tool_id"), door.at("id")),
        input=_recorded(parts, "tool_input", door.at("tool input")),
        content=_recorded(parts, "tool_content", door.at("tool output")),
        more=_more({name: value for name, value in fields.items() if name not in known}, frozenset(), door.at("other fields")),
    )


def _recorded(fields: dict[str, object], name: str, door: Door) -> Recorded:
    return door.value(fields[name]) if name in fields else ABSENT


def _more(fields: dict[str, object], known: frozenset[str], door: Door) -> dict[Masked, Json]:
    more = {name: value for name, value in fields.items() if name not in known}
    masked = door.value(more) if more else {}
    return masked if isinstance(masked, dict) else {}


def _masked(value: object, door: Door) -> Masked | None:
    text = as_text(value)
    if text is None:
        return None
    return door.mask(text) if isinstance(value, str) else door.made(text)


def _shown(value: object, door: Door) -> Masked:
    return _masked(value, door) or door.mask("")


def _name(value: object, door: Door) -> Masked | None:
    spelled = spelling(value)
    if spelled is None:
        return None
    return door.name(spelled) if isinstance(value, str) else door.made(spelled)
