"""Remembers texts in which nothing was found: roles, types, ids and paths come again and again, and results are quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 4096
"""Characters of a text that is remembered: longer ones hardly come again."""
_MOST = 4_000_000
"""Characters that one set remembers at most: memory must not grow with the archive."""
_OVERHEAD = 100
"""Characters that the object and its place in the set count for: most texts are shorter than that."""


class CleanTexts:
    """Texts that no rule finds anything in."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        """What is remembered; when it is too much, all of it is forgotten."""
        self._size = 0

    def add(self, texts: Iterable[str]) -> None:
        """Remember those that are not too long."""
        short = [text for text in texts if len(text) <= _LONGEST]
        self._size += sum(map(len, short)) + _OVERHEAD * len(short)
        if self._size > _MOST:
            self.known.clear()
            self._size = 0
        self.known.update(short)
