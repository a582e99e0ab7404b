"""What is masked in a reading of a text is found there, too, when only values are looked for."""

from __future__ import annotations

import base64
import json
from itertools import product
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import MaskOptions
from lakesite.masking.engine import engine_for
from lakesite.masking.literals import LiteralFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ENGINE = engine_for(MaskOptions())
CAUGHT, NAMED = 'lantern"4711\\x', "harbor-9-meadow"
LITERALS = LiteralFinder([NAMED], {CAUGHT: "token"})
WRITTEN: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": json.dumps,
    "URL": quote,
    "base64": lambda text: base64.b64encode(f"say: {text}".encode("ascii", "replace")).decode(),
    "beneath colours": lambda text: f"{text[:5]}\x1b[1m{text[5:]}",
    "in bold": lambda text: f"{text[:5]}**{text[5:]}",
}
OTHERS = (" and ", "\n", "aB3dE5gH7jK9mN1pQ3rS5t", "[masked:token:40:0a1b2c3d]")
PIECES = st.sampled_from([CAUGHT, NAMED, CAUGHT[:9], *OTHERS]) | st.text(max_size=6)


@given(st.lists(st.tuples(PIECES, st.lists(st.sampled_from(list(WRITTEN)), max_size=6)), max_size=5), st.sampled_from(list(WRITTEN)))
def test_a_value_is_held_where_it_is_masked(pieces: list[tuple[str, list[str]]], way: str) -> None:
    text = WRITTEN[way]("".join(written(piece, ways) for piece, ways in pieces))
    hits = ENGINE.hits(text, LITERALS, generic=False)
    if ENGINE.holds(text, LITERALS):
        assert hits
    else:
        assert [hit for hit in hits if hit.rule in ("caught", "named")] == []


@pytest.mark.parametrize("ways", [*product(("JSON", "URL", "base64"), repeat=3)], ids="-".join)
def test_a_value_is_held_and_masked_where_it_is_written_in_several_ways(ways: tuple[str, ...]) -> None:
    for count in range(len(ways) + 1):
        text = f"so <{written(CAUGHT, ways[:count])}> it is"
        assert ENGINE.holds(text, LITERALS)
        assert ENGINE.hits(text, LITERALS, generic=False)


def written(text: str, ways: Iterable[str]) -> str:
    """A text that is written in several ways, one after the other."""
    for way in ways:
        text = WRITTEN[way](text)
    return text
