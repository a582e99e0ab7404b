"""Canonical partitions: one canonical event a line, as an entry for resolving and as an event for its page.

Field names are those of the canonical event. The writer masked `text` and the strings of `extra`; the rest it did not, so
everything is masked here.
"""

from __future__ import annotations

from typing import cast, get_args

import orjson

from lakesite.masking import Door, Masker
from lakesite.model import TOOL_IDS, Json, Key, LakeEntry, LakeEvent, LakeType, Masked, Origin, cut
from lakesite.sources.keys import canonical, id_key, is_no_id, key, spelling
from lakesite.sources.numbers import hidden_numbers
from lakesite.sources.shared import Shared
from lakesite.sources.times import instant

_TYPES: frozenset[str] = frozenset(get_args(LakeType)) - {"unknown"}
_TEXTS = ("ts", "machine", "project", "event_type", "text", "tool_name", "model")
_COUNTERS = frozenset({"tokens_in", "tokens_out"})
FIELDS = frozenset({*_TEXTS, *_COUNTERS, "runtime", "session_id", "extra"})
"""The names of the reference."""
_FIELD_OF = {
    "user": "prompt", "assistant": "reply", "thinking": "thinking", "tool_call": "tool input", "tool_result": "tool output",
    "meta": "meta", "hook_decision": "hook",
}  # fmt: skip
"""What the text of an event of some type is."""
_START = 160
"""Characters of a user's text that an entry keeps."""


def is_event(value: dict[str, object]) -> bool:
    """Whether an object is a canonical event."""
    return "event_type" in value or ("runtime" in value and "session_id" in value)


def runtime_of(value: dict[str, object]) -> str | None:
    """The runtime that a row names."""
    runtime = value.get("runtime")
    return runtime if isinstance(runtime, str) and runtime else None


def session_of(value: dict[str, object]) -> str | None:
    """The session id that a row names, as it is spelled."""
    return spelling(value.get("session_id"))


def entry(value: dict[str, object], origin: Origin, masker: Masker, share: Shared | None = None) -> LakeEntry:
    """One canonical event without its text. `share`: where what comes again and again is kept once."""
    share = share or Shared()
    recorded = value.get("event_type")
    kind = cast("LakeType", recorded) if isinstance(recorded, str) and recorded in _TYPES else "unknown"
    found = value.get("extra")
    extra: dict[str, object] = found if isinstance(found, dict) else {}
    text = value.get("text")
    receipt = kind == "meta" and "recordType" in extra
    return LakeEntry(
        origin=origin,
        time=instant(value.get("ts")),
        type=share(kind),
        known_as=share(masker.mask(recorded if isinstance(recorded, str) else "")),
        tool=share(_masked(value.get("tool_name"), masker)),
        id=next((found for name in TOOL_IDS if (found := id_key(extra.get(name)))), None),
        event=id_key(extra.get("eventId")),
        parent=id_key(extra.get("parentId")),
        request=id_key(extra.get("requestEvent")),
        sequence=masker.whole(extra.get("sequence")),
        receipt=receipt,
        receipt_status=share(_masked(extra.get("status"), masker)) if receipt else None,
        tool_receipt=receipt and extra.get("operationKind") == "tool",
        failed=failed if isinstance(failed := extra.get("is_error"), bool) else None,
        kind=share(_masked(extra.get("kind"), masker)),
        subtype=share(_masked(extra.get("subtype"), masker)),
        sidechain=extra.get("sidechain") is True,
        stem=share(id_key(extra.get("source_stem_hash"))),
        decision=share(_masked(extra.get("decision"), masker)) if kind == "hook_decision" else None,
        tokens_in=masker.whole(value.get("tokens_in")),
        tokens_out=masker.whole(value.get("tokens_out")),
        model=share(_masked(value.get("model"), masker)),
        project=share(_masked(value.get("project"), masker)),
        machine=share(_masked(value.get("machine"), masker)),
        same=key(_same(value, extra)),
        start=cut(masker.mask(text), _START) if kind == "user" and isinstance(text, str) else masker.mask(""),
    )


def veiled(value: dict[str, object], masker: Masker) -> Key | None:
    """What tells a row from others by what is shown of it; None where that is all of it."""
    others = masker.value({name: item for name, item in value.items() if name not in FIELDS})
    shown: dict[str, object] = {name: masker.value(item) for name, item in value.items() if name in FIELDS}
    if isinstance(session := value.get("session_id"), str):
        shown["session_id"] = masker.name(session)
    shown |= cast("dict[str, object]", others)
    extra = shown.get("extra")
    return None if shown == value else key(_same(shown, extra if isinstance(extra, dict) else {}))


def _same(value: dict[str, object], extra: dict[str, object]) -> bytes:
    """What two copies of one row have in common."""
    kept = {name: item for name, item in value.items() if name not in ("project", "model")}
    kept["extra"] = {name: item for name, item in extra.items() if name != "source_stem_hash"}
    try:
        return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS, default=repr)
    except (orjson.JSONEncodeError, TypeError):
        return canonical(kept).encode("utf-8", "surrogatepass")


def event(value: dict[str, object], door: Door) -> LakeEvent:
    """One canonical event in full."""
    texts = {name: value[name] for name in _TEXTS if isinstance(value.get(name), str)}
    extra = value.get("extra")
    odd = {name: item for name, item in value.items() if _is_odd(name, item)}
    kind = texts.get("event_type")
    return LakeEvent(
        ts=_masked(texts.get("ts"), door.at("envelope")),
        runtime=door.mask(runtime_of(value) or ""),
        machine=_masked(texts.get("machine"), door),
        project=_masked(texts.get("project"), door),
        type=door.mask(str(texts.get("event_type", ""))),
        text=_masked(texts.get("text"), door.at(_FIELD_OF.get(str(kind), "text"))),
        tool_name=_masked(texts.get("tool_name"), door.at("tool name")),
        model=_masked(texts.get("model"), door.at("model")),
        extra=_fields(extra if isinstance(extra, dict) else {}, door.at("extra")),
        more={**_fields(odd, door.at("other fields")), **hidden_numbers(value, _COUNTERS - odd.keys(), door)},
    )


def _is_odd(name: str, item: object) -> bool:
    """A field that the reference does not name, or one of another type than it says: shown under "more"."""
    if name not in FIELDS:
        return True
    if item is None:
        return False
    if name == "session_id":
        return is_no_id(item)
    if name == "extra":
        return not isinstance(item, dict)
    if name.startswith("tokens_"):
        return not isinstance(item, int) or isinstance(item, bool)
    return not isinstance(item, str)


def _fields(fields: dict[str, object], door: Door) -> dict[Masked, Json]:
    masked = door.value(fields) if fields else {}
    return masked if isinstance(masked, dict) else {}


def _masked(value: object, door: Door) -> Masked | None:
    return door.mask(value) if isinstance(value, str) else None
