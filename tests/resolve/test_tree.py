"""Runs made into a forest: text fixtures, properties, and scale."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.model import Claim, RunLinks
from lakesite.resolve.tree import forest, links
from tests.resolve.runs_cases import read as read_run
from tests.resolve.sessions_cases import cases
from tests.resolve.tree_cases import described, named

if TYPE_CHECKING:
    from lakesite.model import Key, Place

CASES = [pytest.param(runs, wanted, id=title) for title, runs, wanted in cases(Path(__file__).parent / "tree.txt")]


@pytest.mark.parametrize(("runs", "wanted"), CASES)
def test_case(runs: str, wanted: str) -> None:
    assert described(runs) == wanted


NAMES = st.sampled_from("abcdefgh")
CLAIMS = st.lists(st.builds(Claim, NAMES.map(named), st.sampled_from([None, True, False])), max_size=5, unique_by=lambda claim: claim.child)
RUNS = st.lists(
    st.builds(
        RunLinks,
        st.sampled_from("abcdef").map(named),
        st.sampled_from([None, 1, 2, 3]),
        st.lists(NAMES.map(named), max_size=4, unique=True).map(tuple),
        CLAIMS.map(tuple),
    ),
    max_size=6,
    unique_by=lambda run: run.id,
)


def walked(places: dict[Key, Place]) -> list[Key]:
    """Every run that is met on the way down from the roots."""
    met: list[Key] = []
    stack = [key for key, place in places.items() if place.parent is None]
    while stack:
        met.append(stack.pop())
        stack += [child.key for child in places[met[-1]].children]
    return met


@given(RUNS)
def test_every_run_stands_in_one_place(runs: list[RunLinks]) -> None:
    places = forest(runs)
    assert sorted(walked(places)) == sorted(run.id.key for run in runs)


@given(RUNS)
def test_nothing_that_a_run_says_is_lost(runs: list[RunLinks]) -> None:
    places = forest(runs)
    for run in runs:
        place = places[run.id.key]
        claimed = {claim.child for claim in run.claims}
        assert claimed == claimed & {*place.children, *place.missing, *place.links}
        about = {other for _, other in place.notes} | {place.parent}
        assert set(run.parents) <= about
        for child in place.children:
            told = places[child.key]
            assert told.parent == run.id
            agreed = child in claimed and run.id in next(other for other in runs if other.id == child).parents
            assert agreed or any(note in ("one-sided link", "names a missing parent") for note, _ in told.notes)
        for child in place.links:
            assert child == run.id or run.id in places[child.key].claimants


@given(RUNS, st.randoms())
def test_the_order_in_which_runs_are_found_does_not_matter(runs: list[RunLinks], random: object) -> None:
    mixed = list(runs)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert forest(mixed) == forest(runs)


def chain(length: int, *, ring: bool = False) -> list[RunLinks]:
    last = length - 1
    return [
        RunLinks(
            named(f"r{number}"),
            number,
            (named(f"r{number - 1 if number else last}"),) if number or ring else (),
            (Claim(named(f"r{number + 1 if number < last else 0}"), failed=False),) if number < last or ring else (),
        )
        for number in range(length)
    ]


def fan(width: int) -> list[RunLinks]:
    children = [named(f"c{number}") for number in range(width)]
    root = RunLinks(named("root"), 0, (), tuple(Claim(child, failed=False) for child in children))
    return [root, *(RunLinks(child, 1, (root.id,), ()) for child in children)]


def everyone(width: int) -> list[RunLinks]:
    """Every run claims the same child, which names all of them."""
    parents = [named(f"p{number}") for number in range(width)]
    child = RunLinks(named("child"), 0, tuple(parents), ())
    return [child, *(RunLinks(parent, number, (), (Claim(child.id, failed=None),)) for number, parent in enumerate(parents))]


LARGE = {
    "deep": chain(2_000),
    "deeper": chain(10_000),
    "ring": chain(10_000, ring=True),
    "wide": fan(10_000),
    "claimed by all": everyone(10_000),
}


@pytest.mark.parametrize("runs", LARGE.values(), ids=LARGE)
def test_large_forests_are_found_in_a_moment(runs: list[RunLinks]) -> None:
    start = time.process_time()
    places = forest(runs)
    assert time.process_time() - start < 3
    assert len(walked(places)) == len(runs)


def test_links_of_a_run_are_gathered_from_its_events() -> None:
    events, _ = read_run("workflow a child=c1\nworkflow b child=c2\nreturn b error child=c2\nreturn a child=c1\nworkflow x child=c3")
    found = links(named("r"), events)
    assert [(claim.child.shown, claim.failed) for claim in found.claims] == [("c1", False), ("c2", True), ("c3", None)]
    assert (found.parents, found.first) == ((), events[0].time)
