"""Finds in one sweep all places where one of many literals stands, which is where the rules then look."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

try:
    from ahocorasick_rs import BytesAhoCorasick  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # the extra `fast` is not installed
    BytesAhoCorasick = None

_RARE = b"$<:qjzxkvwb"
"""Characters that are seldom in text and code: literals that hold the same one are found by one search for it."""
_BY_RARITY = _RARE + b"yfghpmudclnrosaite,;()[]{}=\"'_./- "
"""The rarest first: a search is the faster the rarer the character is that it begins with."""


class Anchors(Protocol):
    """Tells where literals stand."""

    def places(self, low: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every literal in a text in lower case, in order."""
        ...


def anchors(literals: Iterable[bytes], *, fast: bool = True) -> Anchors:
    """Prepare the search for some literals, with the fast library where it is installed."""
    wanted = sorted(set(literals))
    return _Automaton(wanted) if fast and BytesAhoCorasick else _Searches(wanted)


class _Searches:
    """One search for each literal; those that share a rare character share one search for it."""

    def __init__(self, literals: list[bytes]) -> None:
        groups: dict[bytes, list[tuple[bytes, int]]] = defaultdict(list)
        for literal in literals:
            offset = min(range(len(literal)), key=lambda at: _rank(literal[at]))
            core = literal[offset : offset + 1] if literal[offset] in _RARE else literal[offset:]
            groups[core].append((literal, offset))
        self._groups = [(_search(core, members), members) for core, members in groups.items()]

    def places(self, low: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every literal in a text in lower case, in order."""
        out = []
        for search, members in self._groups:
            for found in search.finditer(low):
                for literal, offset in members:
                    at = found.start() - offset
                    if at >= 0 and low.startswith(literal, at):
                        out.append((at, literal))
        out.sort()
        return iter(out)


def _rank(character: int) -> int:
    rank = _BY_RARITY.find(character)
    return rank if rank >= 0 else len(_RARE)


def _search(core: bytes, members: list[tuple[bytes, int]]) -> re.Pattern[bytes]:
    if members == [(core, 0)]:
        return re.compile(re.escape(core))
    around = (
        b"(?<=" + re.escape(literal[: at + len(core)]) + b")(?=" + re.escape(literal[at + len(core) :]) + b")" for literal, at in members
    )
    return re.compile(re.escape(core) + b"(?:" + b"|".join(around) + b")")


class _Automaton:
    """All literals at once."""

    def __init__(self, literals: list[bytes]) -> None:
        self._literals = literals
        self._automaton = BytesAhoCorasick(literals)

    def places(self, low: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place of every literal in a text in lower case, in order."""
        found = self._automaton.find_matches_as_indexes(low, overlapping=True)
        return iter(sorted((start, self._literals[index]) for index, start, _ in found))
