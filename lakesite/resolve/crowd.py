"""Sets of open steps: found again by what was recorded of them, and the innermost step that holds them all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Protocol


class Nested(Protocol):
    """A step as far as its place matters."""

    @property
    def parent(self) -> int | None:
        """The step around it."""


class Register:
    """Open steps under several keys each; those under one key stand in order of their start."""

    def __init__(self) -> None:
        self._steps: dict[Hashable, OrderedDict[int, None]] = {}

    def add(self, step: int, keys: Iterable[Hashable]) -> None:
        """Put a step under each of its keys."""
        for key in keys:
            self._steps.setdefault(key, OrderedDict())[step] = None

    def drop(self, step: int, keys: Iterable[Hashable]) -> None:
        """Take a step out again."""
        for key in keys:
            group = self._steps[key]
            del group[step]
            if not group:
                del self._steps[key]

    def oldest(self, keys: Iterable[Hashable]) -> int | None:
        """The step that was started first under the first key that has any."""
        return next((next(iter(self._steps[key])) for key in keys if key in self._steps), None)

    def sole(self, keys: Iterable[Hashable]) -> int | None:
        """The step that stands alone under a key; the first such key counts."""
        groups = (self._steps.get(key, ()) for key in keys)
        return next((next(iter(group)) for group in groups if len(group) == 1), None)


class Crowd:
    """Open steps of one sort, with the innermost step that holds them all.

    While there are two or more, every step around a member counts the members below it; so no question has to look at all.
    """

    def __init__(self, steps: Sequence[Nested]) -> None:
        self._steps = steps
        self._members: OrderedDict[int, None] = OrderedDict()
        self._below: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._members)

    def add(self, step: int) -> None:
        """Take a step in."""
        if len(self._members) == 1:
            self._count(next(iter(self._members)), 1)
        self._members[step] = None
        if len(self._members) > 1:
            self._count(step, 1)

    def drop(self, step: int) -> None:
        """Let a step go."""
        del self._members[step]
        if len(self._members) > 1:
            self._count(step, -1)
        else:
            self._below.clear()

    def common(self) -> int | None:
        """The member if there is one only, else the innermost step that holds all of them; None: no step does."""
        if not self._members:
            return None
        member = next(iter(self._members))
        if len(self._members) == 1:
            return member
        return next((step for step in self._up(member) if self._below[step] == len(self._members)), None)

    def _count(self, member: int, change: int) -> None:
        for step in self._up(member):
            self._below[step] = self._below.get(step, 0) + change
            if not self._below[step]:
                del self._below[step]

    def _up(self, member: int) -> Iterator[int]:
        step: int | None = member
        while step is not None:
            yield step
            step = self._steps[step].parent
