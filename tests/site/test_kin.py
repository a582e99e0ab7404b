"""The runs around a run: what a page lists, and that the rest is counted."""

from __future__ import annotations

import pytest

from lakesite.model import Claim, Id, Key, Masked, RunLinks
from lakesite.resolve.tree import forest
from lakesite.site.kin import Family

SHAPES: dict[str, dict[int, list[int]]] = {
    "one": {0: []},
    "a chain": {number: [number + 1] for number in range(60)},
    "a fan": {0: list(range(1, 700))},
    "two at a time": {number: [2 * number + 1, 2 * number + 2] for number in range(600)},
    "a chain of fans": {number: [number + 1000, *range(20_000 + 40 * number, 20_030 + 40 * number)] for number in range(0, 30_000, 1000)},
    "a ring": {0: [1], 1: [2], 2: [0]},
    "called twice": {0: [1, 2], 1: [3], 2: [3], 3: [4]},
}


def run(number: int) -> Id:
    return Id(Key(f"{number:05}"), Masked(f"r{number}"))


@pytest.mark.parametrize("calls", SHAPES.values(), ids=SHAPES)
def test_every_run_above_and_below_is_listed_or_counted(calls: dict[int, list[int]]) -> None:
    parents = {child: caller for caller, called in reversed(calls.items()) for child in called}
    claims = {number: tuple(Claim(run(child), None) for child in called) for number, called in calls.items()}
    named = {number: (run(parents[number]),) if number in parents else () for number in calls}
    places = forest([RunLinks(run(number), None, named[number], claims[number]) for number in calls])
    family = Family(places, {})
    for number in calls:
        above, below = [], []
        here = places[run(number).key].parent
        while here:
            above.append(here)
            here = places[here.key].parent
        stack = [run(number)]
        while stack:
            place = places.get(stack.pop().key)
            inner = (*place.children, *place.missing) if place else ()
            below += inner
            stack += inner
        kin = family.kin(run(number))
        assert len(kin.above) + kin.between == len(above)
        assert kin.above[:1] == tuple(above[-1:])
        assert kin.above[-16:] == tuple(reversed(above[:16]))
        assert len(kin.below) + sum(each.more for each in kin.below) + kin.more_below == len(below)
        assert {each.run for each in kin.below} <= set(below)
        assert len(kin.above) <= 17
        assert len(kin.below) <= 300
        assert all(each.depth <= 6 for each in kin.below)
