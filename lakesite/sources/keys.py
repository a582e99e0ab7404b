"""Digests of what was recorded, so that it can be compared without being kept."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from hashlib import blake2b

import orjson

from lakesite.model import Key, Number

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
        return key(_canonical(value))


def _parsed(text: str) -> object:
    if text.lstrip()[:1] not in '{["-0123456789tfn' or not text.strip():
        return text
    try:
        return json.loads(text, parse_float=Number, parse_constant=Number)
    except (ValueError, RecursionError):
        return text


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
    if 0 <= power < 18 and len(kept) + power <= 18:  # noqa: PLR2004 - digits that 64 bits hold
        return (-1 if sign else 1) * int(kept + "0" * power)
    return f"{'-' if sign else ''}{kept}e{power}"


def _canonical(value: object) -> str:
    """The same for values that orjson refuses: too deep, or with whole numbers beyond 64 bits. Iterative."""
    out: list[str] = []
    stack: list[tuple[bool, object]] = [(False, value)]
    while stack:
        literal, item = stack.pop()
        if literal:
            out.append(str(item))
        elif isinstance(item, dict):
            stack.append((True, "}"))
            for name in sorted(item, key=str, reverse=True):
                stack += [(True, ","), (False, item[name]), (True, json.dumps(str(name)) + ":")]
            stack.append((True, "{"))
        elif isinstance(item, list):
            stack.append((True, "]"))
            for inner in reversed(item):
                stack += [(True, ","), (False, inner)]
            stack.append((True, "["))
        elif isinstance(item, Number) or (isinstance(item, int) and not isinstance(item, bool)):
            out.append(str(_exact(item.spelling if isinstance(item, Number) else str(item))))
        else:
            out.append(json.dumps(item))
    return "".join(out)
