"""Long sequences out of memory: they answer as a tuple does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lakesite.model import Origin
from lakesite.sources.shelf import Shelf, Slots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COUNTS = [0, 1, 4_095, 4_096, 4_097, 10_000]


def made(count: int) -> Iterator[tuple[Origin, str, int | None]]:
    return ((Origin(number % 3, number, number * 100, 99), f"é {number} \ud800", None if number % 5 else number) for number in range(count))


@pytest.mark.parametrize("count", COUNTS)
def test_it_is_the_same_sequence(tmp_path: Path, count: int) -> None:
    wanted = tuple(made(count))
    with Shelf(tmp_path) as shelf:
        kept = shelf.keep(made(count))
        assert len(kept) == count
        assert tuple(kept) == wanted
        assert tuple(reversed(kept)) == wanted[::-1]
        for index in {0, 1, 63, 64, 65, count // 2, count - 1, -1, -count} & set(range(-count, count)):
            assert kept[index] == wanted[index]
            assert isinstance(kept[index][0], Origin)
        assert tuple(kept[-3:]) == wanted[-3:]
        assert tuple(kept[70:10:-7]) == wanted[70:10:-7]
        for index in (count, -count - 1):
            with pytest.raises(IndexError):
                _ = kept[index]


@pytest.mark.parametrize(("count", "held"), [(4_095, True), (4_096, True), (4_097, False)])
def test_a_few_thousand_are_held_as_they_are(tmp_path: Path, count: int, *, held: bool) -> None:
    with Shelf(tmp_path) as shelf:
        assert isinstance(shelf.keep(range(count)), tuple) == held


def test_one_can_be_read_while_another_is_made(tmp_path: Path) -> None:
    with Shelf(tmp_path) as shelf:
        first = shelf.keep(range(9_000))
        second = shelf.keep(number + first[-1 - number] for number in first)
        assert set(second) == {8_999}
        pairs = [(one, other) for one in first for other in (first[8_999 - one],)]
        assert pairs == [(one, 8_999 - one) for one in range(9_000)]


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    with Shelf(tmp_path) as shelf:
        shelf.keep(range(10_000))
        assert list(tmp_path.iterdir()) == []


def test_a_short_one_needs_no_folder(tmp_path: Path) -> None:
    with Shelf(tmp_path / "missing") as shelf:
        assert shelf.keep(range(100)) == tuple(range(100))
        with pytest.raises(OSError, match="missing"):
            shelf.keep(range(10_000))


@pytest.mark.parametrize(("count", "held"), [(1, True), (4_096, True), (4_097, False)])
def test_slots_are_filled_in_any_order(tmp_path: Path, count: int, *, held: bool) -> None:
    wanted = tuple(made(count))
    with Shelf(tmp_path) as shelf:
        slots = Slots[tuple[Origin, str, int | None]](shelf, count)
        for number in reversed(range(count)):
            slots[number] = wanted[count - number - 1]
            slots[number] = wanted[number]
        assert [slots[number] for number in range(count)] == list(wanted)
        assert (slots[0] is wanted[0]) == held, "of many none is in memory"


@pytest.mark.parametrize("count", [8, 5_000])
def test_what_was_not_put_there_is_not_found(tmp_path: Path, count: int) -> None:
    with Shelf(tmp_path) as shelf:
        slots = Slots[str](shelf, count)
        slots[7] = "seventh"
        assert slots[7] == "seventh"
        with pytest.raises(KeyError):
            _ = slots[3]
