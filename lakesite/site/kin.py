"""The runs around a run, as many as its page lists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lakesite.model import Id, Key, Place
from lakesite.view.run_page import Below, Kin, Relative

_NEAREST = 16
"""Runs above a run that its page lists beside the outermost."""
_LEVELS = 6
"""Levels below a run that its page lists."""
_LISTED_BELOW = 300
"""Runs below a run that its page lists."""


class Family:
    """All runs of an archive, by who called whom."""

    def __init__(self, places: dict[Key, Place], relatives: dict[Key, Relative]) -> None:
        self._places = places
        self._relatives = relatives
        self._roots: dict[Key, tuple[Id, int]] = {}
        """The outermost run above each run, and how many stand above it."""
        self._sizes: dict[Key, int] = {}
        """How many runs are shown below each run."""
        order = list(self._from_above())
        for key in reversed(order):
            self._sizes[key] = sum(1 + self._sizes.get(child.key, 0) for child in _children(places[key]))

    def _from_above(self) -> Iterator[Key]:
        """Every run, behind the one that called it."""
        stack = [key for key, place in self._places.items() if place.parent is None]
        while stack:
            key = stack.pop()
            yield key
            for child in self._places[key].children:
                root, above = self._roots.get(key, (None, 0))
                self._roots[child.key] = (root or self._id(child), above + 1)
                stack.append(child.key)

    def _id(self, child: Id) -> Id:
        parent = self._places[child.key].parent
        assert parent is not None  # noqa: S101 - it is the child of a run
        return parent

    def kin(self, run: Id) -> Kin:
        """The runs around a run: the nearest above it and the outermost, and some levels below it."""
        above: list[Id] = []
        here = self._places[run.key].parent
        while here is not None and len(above) < _NEAREST:
            above.append(here)
            here = self._places[here.key].parent
        root, depth = self._roots.get(run.key, (None, 0))
        if root and here is not None:
            above.append(root)
        below = list(islice(self._below(run), _LISTED_BELOW))
        place = self._places[run.key]
        named = (*place.children, *place.links, *(other for _, other in place.notes if other is not None))
        listed = (*above, *(each.run for each in below), *named)
        shown = {other.key: self._relatives[other.key] for other in listed if other.key in self._relatives}
        more = self._sizes[run.key] - sum(1 + each.more for each in below)
        return Kin(shown, tuple(reversed(above)), depth - len(above), tuple(below), more)

    def _below(self, run: Id) -> Iterator[Below]:
        stack = [(1, child) for child in reversed(_children(self._places[run.key]))]
        while stack:
            depth, child = stack.pop()
            inner = _children(self._places[child.key]) if child.key in self._places else ()
            yield Below(depth, child, self._sizes[child.key] if inner and depth == _LEVELS else 0)
            if depth < _LEVELS:
                stack += [(depth + 1, each) for each in reversed(inner)]


def _children(place: Place) -> tuple[Id, ...]:
    """What is shown under a run: its children, then those that are not here."""
    return (*place.children, *place.missing)
