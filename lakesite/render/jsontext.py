"""Shows JSON values so that they can be read, and writes them so that they can be copied.

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

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import TypeAlias

from markupsafe import Markup

from lakesite.model import Json, Masked, Number
from lakesite.render.escape import UNSEEN, block, shown

_Container: TypeAlias = "list[Json] | dict[Masked, Json]"

_LONG_STRING = 120
_SHORT_CONTAINER = 72
_FEW_MEMBERS = 12
_DEEPEST_INDENT = 20
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_UNSAFE = re.compile(f"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069{UNSEEN}\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Style:
    """How JSON is laid out."""

    leaf: Callable[[Json], str]
    """Writes what is no list and no object, or is an empty one."""
    key: Callable[[Masked], str]
    """Writes a key and its colon."""
    between: Callable[[_Container, int], tuple[str, str, str]]
    """Says what is written before the first member of a container so deep inside, between two, and after the last."""


def json_text(value: Json) -> Markup:
    """Show a JSON value in a block: one member a line, numbers as they were spelled, long strings as they are."""
    return block("json", _written(value, _READABLE))


def json_plain(value: Json) -> str:
    """Write a JSON value as compact, valid JSON; what JSON has no number for (NaN) becomes a string."""
    return _written(value, _COMPACT)


def _written(value: Json, style: _Style) -> str:
    """Walk a value without recursion, keeping of every container that is open what is left of it and how it ends."""
    pieces: list[str] = []
    levels: list[tuple[Iterator[tuple[str, Json]], str]] = [(iter([("", value)]), "")]
    while levels:
        members, end = levels[-1]
        for before, member in members:
            pieces.append(before)
            if isinstance(member, list | dict) and member:
                opening, closing = "[]" if isinstance(member, list) else "{}"
                first, between, last = style.between(member, len(levels))
                pieces.append(opening)
                levels.append((_members(member, style, first, between), last + closing))
                break
            pieces.append(style.leaf(member))
        else:
            pieces.append(end)
            levels.pop()
    return "".join(pieces)


def _members(container: _Container, style: _Style, first: str, between: str) -> Iterator[tuple[str, Json]]:
    """Yield each member with what is written before it."""
    before = first
    if isinstance(container, dict):
        for key, member in container.items():
            yield before + style.key(key), member
            before = between
    else:
        for member in container:
            yield before, member
            before = between


def _lines_between(container: _Container, depth: int) -> tuple[str, str, str]:
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


def _plain_leaf(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case Number(spelling):
            return spelling if _NUMBER.fullmatch(spelling) else _quoted(spelling)
        case str():
            return _quoted(value)
        case _:
            return "[]" if isinstance(value, list) else "{}"


def _shown_leaf(value: Json) -> str:
    match value:
        case None | bool():
            return f"<i class=k>{_plain_leaf(value)}</i>"
        case int():
            return f"<i class=m>{value}</i>"
        case Number(spelling):
            return f"<i class=m>{shown(spelling)}</i>"
        case str() if len(value) > _LONG_STRING or "\n" in value:
            return f'"""\n<span class="long">{shown(value)}\n</span>"""'
        case str():
            return f'<i class=s>"{shown(encode_basestring(value)[1:-1])}"</i>'
        case _:
            return _plain_leaf(value)


def _quoted(text: str) -> str:
    return _UNSAFE.sub(_code, encode_basestring(text))


def _code(match: re.Match[str]) -> str:
    """The spelling of a character by its code; half a pair has one, too."""
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


_READABLE = _Style(
    leaf=_shown_leaf,
    key=lambda key: f'<i class=nt>"{shown(encode_basestring(key)[1:-1])}"</i>: ',
    between=_lines_between,
)
_COMPACT = _Style(
    leaf=_plain_leaf,
    key=lambda key: f"{_quoted(key)}:",
    between=lambda _container, _depth: ("", ",", ""),
)
