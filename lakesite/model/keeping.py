"""How long sequences are held: what every event of a document adds to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

_Item = TypeVar("_Item")


class Keep(Protocol):
    """Takes items one by one and gives them as a sequence: `tuple` does, in memory."""

    def __call__(self, items: Iterable[_Item], /) -> Sequence[_Item]:
        """All items, in order. What they are made of must be immutable: each time an item is asked for, it may be another, equal one."""
