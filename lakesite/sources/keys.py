"""Digests of what was recorded, so that it can be compared without being kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from hashlib import blake2b

import orjson

from lakesite.model import Key, Number, read_json

_DIGITS = 20
"""Of the largest whole number that orjson keeps."""
_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS


def key(text: str | bytes) -> Key:
    """The digest of a spelling."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return Key(blake2b(data, digest_size=12).hexdigest())


def spelling(value: object) -> str | None:
    """An identity as it was spelled. A number is its spelling; None and an empty string are no identity."""
    match value:
        case str():
            return value or None
        case bool() | None:
            return None
        case int() | float():
            return repr(value)
        case Number(spelling=spelled):
            return spelled
        case _:
            return None


def is_no_id(value: object) -> bool:
    """Whether a field that should be an identity holds something else, which is to be shown as it is."""
    return value is not None and value != "" and spelling(value) is None


def id_key(value: object) -> Key | None:
    """The digest of an identity, if there is one."""
    spelled = spelling(value)
    return key(spelled) if spelled is not None else None


def input_key(value: object) -> Key:
    """The digest of a tool's input as a JSON value.

    Objects have no order, numbers count by exact value, and a string that parses as JSON is what it parses to.
    """
    if isinstance(value, str):
        value = _parsed(value)
    try:
        return key(orjson.dumps(value, default=_number, option=_OPTIONS))
    except (orjson.JSONEncodeError, TypeError):
        return key(canonical(value))


def _parsed(text: str) -> object:
    if text.lstrip()[:1] not in '{["-0123456789tfn' or not text.strip():
        return text
    return read_json(text, text)


def _number(value: object) -> object:
    """A number that orjson does not know: as a whole number where it is one, so that 1.0 equals 1."""
    if not isinstance(value, Number):
        raise TypeError
    exact = _exact(value.spelling)
    return exact if isinstance(exact, int) else {"\x00number": exact}


def _exact(spelled: str) -> int | str:
    try:
        number = Decimal(spelled)
    except InvalidOperation:
        return spelled
    if not number.is_finite():
        return spelled
    sign, digits, exponent = number.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    kept = text.rstrip("0")
    power = int(exponent) + len(text) - len(kept)
    if not kept:
        return 0
    if power >= 0 and len(kept) + power <= _DIGITS:
        whole = (-1 if sign else 1) * int(kept + "0" * power)
        if -(2**63) <= whole < 2**64:
            return whole
    return f"{'-' if sign else ''}{kept}e{power}"


def canonical(value: object) -> str:
    """A JSON value as one text, its objects without order and its numbers by value. It may be as deep and as large as it likes."""
    return _as_json(value, sorted, _exact)


def as_text(value: object) -> str | None:
    """A field that should be a string; what is none is spelled as JSON, as it was recorded, so that it is not lost."""
    return value if isinstance(value, str) or value is None else _as_json(value, list, str)


def _as_json(value: object, names: Callable[[Iterable[str]], list[str]], number: Callable[[str], int | str]) -> str:
    """A JSON value as one text: `names` puts those of an object in order, `number` writes what is spelled so."""
    out: list[str] = []
    stack: list[tuple[bool, object]] = [(False, value)]
    while stack:
        literal, item = stack.pop()
        if literal:
            out.append(str(item))
        elif isinstance(item, dict):
            out.append("{")
            stack.append((True, "}"))
            for place, name in reversed(list(enumerate(names(item)))):
                stack += [(False, item[name]), (True, ("," if place else "") + json.dumps(name, ensure_ascii=False) + ":")]
        elif isinstance(item, list):
            out.append("[")
            stack.append((True, "]"))
            for place, inner in reversed(list(enumerate(item))):
                stack += [(False, inner), (True, "," if place else "")]
        elif isinstance(item, Number) or (isinstance(item, int) and not isinstance(item, bool)):
            out.append(str(number(item.spelling if isinstance(item, Number) else str(item))))
        else:
            out.append(json.dumps(item, ensure_ascii=False))
    return "".join(out)
