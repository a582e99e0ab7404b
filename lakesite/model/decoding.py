"""JSON read so that nothing of it is lost: numbers keep their spelling, and every value of a name that stands twice stays."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from lakesite.model.values import Number


def whole_number(spelling: str) -> int | Number:
    """A whole number, as its spelling where it may be too large for 64 bits or is a negative zero."""
    return Number(spelling) if len(spelling) > 18 or spelling == "-0" else int(spelling)  # noqa: PLR2004 - digits of 64 bits


def with_repeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object from its pairs. Of a name that stands twice the last value counts; the others stand beside it."""
    table = dict(pairs)
    if len(table) == len(pairs):
        return table
    left = Counter(name for name, _ in pairs)
    for place, (name, value) in enumerate(pairs, 1):
        left[name] -= 1
        if left[name]:
            beside = f"{name} (repeated, {place})"
            table[beside if beside not in table else f"{beside} "] = value
    return table


def decoder(
    pairs: Callable[[list[tuple[str, object]]], object] = with_repeated, whole: Callable[[str], object] = whole_number
) -> json.JSONDecoder:
    """What decodes JSON as it is written, control characters and NaN included; `pairs` makes an object, `whole` a whole number."""
    return json.JSONDecoder(object_pairs_hook=pairs, parse_int=whole, parse_float=Number, parse_constant=Number, strict=False)


EXACT = decoder()


def read_json(text: str, otherwise: object) -> object:
    """The value that a text holds as JSON; `otherwise` where it holds none, or one that is nested too deeply."""
    try:
        return EXACT.decode(text)
    except (ValueError, RecursionError):
        return otherwise
