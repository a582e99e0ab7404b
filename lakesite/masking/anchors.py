"""Finds in one sweep all places where one of many literals stands, which is where the rules then look."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

try:
    import ahocorasick_rs as fast_library  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # the extra `fast` is not installed
    fast_library = None  # type: ignore[assignment,unused-ignore]

_BY_RARITY = b"$<qjzx:kvwbyfghpmudclnrosaite,;()[]{}=\"'_./- 0123456789*"
"""The rarest first: a search is the faster the rarer the character is that it looks for."""

_OTHERS = _BY_RARITY.find(b":")
"""Where all other characters rank."""


class Anchors(Protocol):
    """Tells where literals stand."""

    def places(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every literal in a text, in order."""
        ...


def anchors(literals: Iterable[bytes], *, fast: bool = True) -> Anchors:
    """Prepare the search for some literals, with the fast library where it is installed."""
    wanted = sorted(set(literals))
    return _Automaton(wanted) if fast and fast_library else _Searches(wanted)


class _Searches:
    """A search for each rare character: literals that share one share its search."""

    def __init__(self, literals: list[bytes]) -> None:
        groups: dict[int, list[tuple[bytes, int]]] = defaultdict(list)
        for literal in literals:
            offset = min(range(len(literal)), key=lambda at: _rank(literal[at]))
            groups[literal[offset]].append((literal, offset))
        self._groups = [(_search(rare, members), members) for rare, members in groups.items()]

    def places(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every literal in a text, in order."""
        out = []
        for search, members in self._groups:
            for found in search(text):
                start = found.start()
                for literal, offset in members:
                    if start >= offset and text.startswith(literal, start - offset):
                        out.append((start - offset, literal))
        out.sort()
        return iter(out)


def _rank(character: int) -> int:
    rank = _BY_RARITY.find(character)
    return rank if rank >= 0 else _OTHERS


def _search(rare: int, members: list[tuple[bytes, int]]) -> Callable[[bytes], Iterator[re.Match[bytes]]]:
    """A search for one character with one of the literals around it; a single literal is searched for as far as it goes."""
    if len(members) == 1 and not _overlaps_itself(members[0][0]):
        literal, offset = members[0]
        return re.compile(re.escape(literal[offset:]) + (b"(?<=" + re.escape(literal) + b")" if offset else b"")).finditer
    around = (b"(?<=" + re.escape(literal[: at + 1]) + b")(?=" + re.escape(literal[at + 1 :]) + b")" for literal, at in members)
    return re.compile(re.escape(bytes([rare])) + b"(?:" + b"|".join(around) + b")").finditer


def _overlaps_itself(literal: bytes) -> bool:
    return any(literal.startswith(literal[at:]) for at in range(1, len(literal)))


class _Automaton:
    """All literals at once."""

    def __init__(self, literals: list[bytes]) -> None:
        self._literals = literals
        self._automaton = fast_library.BytesAhoCorasick(literals)

    def places(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every literal in a text, in order."""
        found = self._automaton.find_matches_as_indexes(text, overlapping=True)
        return iter(sorted((start, self._literals[index]) for index, start, _ in found))
