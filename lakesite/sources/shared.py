"""Values that come again and again in one document, each kept once: names, types, models, fidelities."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

_MOST = 4096
"""How many different ones are remembered: where all differ, remembering them is the larger cost."""
_T = TypeVar("_T", bound=Hashable)


class Shared:
    """Gives the value that came first for every equal one."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Hashable] = {}

    def __call__(self, value: _T) -> _T:
        """The same value, as it is kept."""
        known = self._known.get(value)
        if known is not None:
            return known  # type: ignore[return-value]  # it is equal to the value, and of its type
        if len(self._known) < _MOST:
            self._known[value] = value
        return value
