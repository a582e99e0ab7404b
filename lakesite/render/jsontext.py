"""Shows JSON values so that they can be read.

The block is `<pre class="json">`; in it:

| element | class | means |
|---|---|---|
| i | `nt` | key |
| i | `s` | string, as JSON spells it |
| i | `m` | number, exactly as it was spelled |
| i | `k` | true, false, null |
| span | `long` | a string of several lines or many characters, unquoted and as it is, between two triple quotes |
"""

from __future__ import annotations

from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import TypeAlias

from markupsafe import Markup

from lakesite.model import Json, Masked, Number
from lakesite.render.escape import block, shown

_Container: TypeAlias = "list[Json] | dict[Masked, Json]"

_LONG_STRING = 120
_SHORT_CONTAINER = 72
_FEW_MEMBERS = 12
_DEEPEST_INDENT = 20


def json_text(value: Json) -> Markup:
    """Show a JSON value in a block: one member a line, numbers as they were spelled, long strings as they are."""
    return block("json", _written(value))


def _written(value: Json) -> str:
    """Walk a value without recursion, keeping of every container that is open what is left of it and how it ends."""
    pieces: list[str] = []
    levels: list[tuple[Iterator[tuple[str, Json]], str]] = [(iter([("", value)]), "")]
    while levels:
        members, end = levels[-1]
        for before, member in members:
            pieces.append(before)
            if isinstance(member, list | dict) and member:
                opening, closing = "[]" if isinstance(member, list) else "{}"
                first, between, last = _between(member, len(levels))
                pieces.append(opening)
                levels.append((_members(member, first, between), last + closing))
                break
            pieces.append(_leaf(member))
        else:
            pieces.append(end)
            levels.pop()
    return "".join(pieces)


def _members(container: _Container, first: str, between: str) -> Iterator[tuple[str, Json]]:
    """Yield each member with what is written before it."""
    before = first
    if isinstance(container, dict):
        for key, member in container.items():
            yield f'{before}<i class=nt>"{shown(encode_basestring(key)[1:-1])}"</i>: ', member
            before = between
    else:
        for member in container:
            yield before, member
            before = between


def _between(container: _Container, depth: int) -> tuple[str, str, str]:
    """What is written before the first member of a container so deep inside, between two, and after the last."""
    if _is_short(container):
        return "", ", ", ""
    inner, outer = ("\n" + "  " * min(level, _DEEPEST_INDENT) for level in (depth, depth - 1))
    return inner, f",{inner}", outer


def _is_short(container: _Container) -> bool:
    if len(container) > _FEW_MEMBERS:
        return False
    members = list(container.values()) if isinstance(container, dict) else container
    texts = [member for member in members if isinstance(member, str)] + (list(container) if isinstance(container, dict) else [])
    return (
        not any(isinstance(member, list | dict) and member for member in members)
        and sum(map(len, texts)) <= _SHORT_CONTAINER
        and not any("\n" in text for text in texts)
    )


def _leaf(value: Json) -> str:
    """What is no list and no object, or is an empty one."""
    match value:
        case None:
            return "<i class=k>null</i>"
        case bool():
            return f"<i class=k>{'true' if value else 'false'}</i>"
        case int():
            return f"<i class=m>{value}</i>"
        case Number(spelling):
            return f"<i class=m>{shown(spelling)}</i>"
        case str() if len(value) > _LONG_STRING or "\n" in value:
            return f'"""\n<span class="long">{shown(value)}\n</span>"""'
        case str():
            return f'<i class=s>"{shown(encode_basestring(value)[1:-1])}"</i>'
        case _:
            return "[]" if isinstance(value, list) else "{}"
