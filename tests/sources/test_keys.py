"""What counts as the same tool input, and as the same identity."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.model import Number
from lakesite.sources.keys import canonical, id_key, input_key, key, spelling
from lakesite.sources.lines import decode_exact
from tests.sources.fixtures import cases

CASES = [pytest.param(*given.split("\n"), wanted, id=title) for title, given, wanted in cases(Path(__file__).parent / "keys.txt")]


def recorded(text: str) -> object:
    return decode_exact(f'{{"input":{text}}}'.encode())["input"]


@pytest.mark.parametrize(("left", "right", "wanted"), CASES)
def test_case(left: str, right: str, wanted: str) -> None:
    assert (input_key(recorded(left)) == input_key(recorded(right))) == {"same": True, "different": False}[wanted]


@pytest.mark.parametrize(("left", "right", "wanted"), CASES)
def test_case_deep_inside(left: str, right: str, wanted: str) -> None:
    """The same rules hold below the depth at which the fast way gives up; there a text is not parsed."""
    deep = [input_key(recorded("[" * 300 + text + "]" * 300)) for text in (left, right)]
    if not left.strip().startswith('"') and not right.strip().startswith('"'):
        assert (deep[0] == deep[1]) == {"same": True, "different": False}[wanted]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False).map(lambda n: Number(str(n)))
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


@given(VALUES)
def test_canonical_is_json_whatever_the_order(value: object) -> None:
    json.loads(canonical(value))
    assert canonical(value) == canonical(turned(value))
    assert input_key([value]) == input_key([turned(value)])


def turned(value: object) -> object:
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6), st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_numbers_are_equal_by_value(left: Decimal, right: Decimal) -> None:
    assert (input_key([Number(f"{left:f}")]) == input_key([Number(f"{right:e}")])) == (left == right)


@given(st.integers(-(10**30), 10**30))
def test_a_whole_number_in_a_text_is_the_number(value: int) -> None:
    assert input_key(recorded(f'{{"n":{value}}}')) == input_key(recorded(json.dumps(f'{{"n":{value}}}')))


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ("toolu_1", "toolu_1"),
        ("", None),
        (None, None),
        (True, None),
        (False, None),
        (0, "0"),
        (7, "7"),
        (Number("1.50"), "1.50"),
        ([], None),
        ({}, None),
        (" ", " "),
        ("[masked:token:41:526d6232]", "[masked:token:41:526d6232]"),
    ],
)
def test_identity(value: object, spelled: str | None) -> None:
    assert spelling(value) == spelled
    assert id_key(value) == (None if spelled is None else key(spelled))


def test_a_number_is_its_spelling() -> None:
    assert id_key(7) == id_key("7")
    assert id_key(Number("1.50")) != id_key(Number("1.5"))


def test_a_key_says_nothing_of_its_text() -> None:
    assert "secret" not in key("secret")
    assert key("\ud800") != key("\ud801")


def test_huge_inputs_cost_little() -> None:
    assert input_key(recorded("9" * 100_000)) != input_key(recorded("9" * 99_999))
    assert input_key(recorded(json.dumps("9" * 100_000))) == input_key(recorded("9" * 100_000))
    assert input_key("[" * 100_000) != input_key("[" * 99_999)
