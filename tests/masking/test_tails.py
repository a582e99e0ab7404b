"""Many values are found by how they end: the same places as a search for each of them gives."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker, Tails
from lakesite.masking.anchors import anchors
from lakesite.masking.literals import LiteralFinder
from lakesite.masking.sheet import Sheet
from tests.site.planting import made

_PIECES = st.text(alphabet="ab1- ", min_size=8, max_size=24)


def by_search(text: bytes, values: set[bytes]) -> list[tuple[int, bytes]]:
    return sorted((at, value) for value in values for at in range(len(text)) if text.startswith(value, at))


@given(st.sets(_PIECES, min_size=1, max_size=12), st.lists(st.one_of(_PIECES, st.sampled_from([" ", "\n", "\t", "é", "a"])), max_size=20))
def test_the_same_places_as_one_by_one(values: set[str], pieces: list[str]) -> None:
    wanted = {value.encode() for value in values}
    for text in ("".join(pieces).encode(), " ".join(pieces).encode(), "".join([*pieces, *sorted(values)]).encode()):
        assert sorted(Tails(wanted).places(text)) == by_search(text, wanted)


def test_many_caught_values_are_masked_as_few_are() -> None:
    values = [made(20, seed) for seed in range(300)]
    kinds = dict.fromkeys(values, "token")
    text = "\n".join(f"{number}: <{value}>, x{value}y" for number, value in enumerate(values))
    masked = Masker(caught=kinds).mask(text)  # type: ignore[arg-type]
    assert not any(value in masked for value in values)
    assert masked.count("[masked:") == 2 * len(values)
    by_eight = text
    for start in range(0, len(values), 8):
        by_eight = Masker(caught=dict.fromkeys(values[start : start + 8], "token")).mask(by_eight)  # type: ignore[arg-type]
    assert by_eight == masked


def test_named_values_with_blanks_are_found_beside_many_caught_ones() -> None:
    caught = {made(16, seed): "token" for seed in range(200)}
    finder = LiteralFinder(("a b c d!", "pass phrase é"), caught)  # type: ignore[arg-type]
    assert len(finder._searches) == 2  # noqa: SLF001 -- both ways are in use
    assert Masker(caught=caught).mask(f"x {next(iter(caught))}") == Masker().mask("x ") + Masker(caught=caught).mask(next(iter(caught)))  # type: ignore[arg-type]


END = b"Kq7zRm2x"
ALIKE = {
    "of one length": lambda count: [b"%05d!%s" % (number, END * 4) for number in range(count)],
    "of many lengths": lambda count: [made(number % 1000 + 1, number).encode() + END * 2 for number in range(count)],
    "one in the other": lambda count: [END * (number % 100 + 1) for number in range(count)],
}
"""Values of one ending."""


@pytest.mark.parametrize("kind", ALIKE)
def test_values_that_end_alike_take_no_longer_for_each(kind: str) -> None:
    took = []
    for count in (500, 4_000):
        tails, text = Tails(ALIKE[kind](count)), (END * 8 + b"\n") * count
        start = time.process_time()
        for _ in tails.places(text):
            pass
        took.append(time.process_time() - start)
    assert took[1] < 3 * 8 * took[0] + 0.2


def test_values_that_read_alike_in_ascii_take_no_longer_for_each() -> None:
    took = []
    for count in (500, 4_000):
        caught = {"é" * 3 + chr(0x4E00 + number) * 9: "token" for number in range(count)}
        finder, sheet = LiteralFinder((), caught), Sheet("\n".join(caught), anchors(()))  # type: ignore[arg-type]
        start = time.process_time()
        assert sum(1 for _ in finder.hits(sheet)) == count
        took.append(time.process_time() - start)
    assert took[1] < 3 * 8 * took[0] + 0.2
