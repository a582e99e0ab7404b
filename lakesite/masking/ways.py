"""How many steps a pattern can take in the worst text: counted from how it is written."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

_parser: Any = importlib.import_module("re._parser")
"""Reads patterns as `re` itself does; there is no public way to what it read."""

_ASCII = frozenset(map(chr, range(128)))
_SAMPLE = _ASCII | frozenset("\xa0éÉ密\u2028\U0001f511")
"""Characters of every kind that patterns tell apart."""
_KINDS = tuple(map(re.compile, (r"\d", r"\s", r"[^\W\d]", r"[^\w\s]")))
"""The kinds themselves."""
_NO_CHARACTER: frozenset[str] = frozenset()
_WHATEVER_FOLLOWS = ""
"""Stands for the characters that can follow a branch that can be empty."""
_MOST = 10**12
"""Counts go no further."""
TOO_MANY_STEPS = (
    "would be tried in too many ways on some texts: repeats whose characters overlap follow or hold one another;"
    " make one of them possessive, as in {1,30}+, or let each end at a character that the next cannot begin with"
)
"""What is wrong with a pattern of too many steps."""

_Nodes: TypeAlias = Iterable[tuple[Any, Any]]
_Sequence: TypeAlias = "Sequence[_Part]"


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a pattern."""

    what: Literal["character", "repeat", "branches", "look", "end", "reference", "place"]
    """`look`: ahead or behind; `place`: a border of words or lines."""
    inside: tuple[_Sequence, ...] = ()
    """What is repeated, or may stand here."""
    characters: frozenset[str] = _NO_CHARACTER
    """What it can begin with by itself: one character in either case; all, where it is tried whatever stands there."""
    low: int = 1
    high: int = 1
    once: bool = False
    """Whether it is not tried again in another way, once it matched."""

    @property
    def can_be_empty(self) -> bool:
        """Whether what follows it may stand in its place."""
        if self.what in ("character", "end"):
            return False
        empty = self.low == 0 or not self.inside or self.what == "look"
        return empty or any(all(part.can_be_empty for part in each) for each in self.inside)

    @property
    def shortest(self) -> int:
        """How many characters it takes at least, or fewer: a look takes none of those that it sees."""
        if self.what == "look":
            return 0
        return 1 if self.what == "character" else self.low * min((_shortest(each) for each in self.inside), default=0)


def _shortest(sequence: _Sequence) -> int:
    return sum(part.shortest for part in sequence)


@dataclass(frozen=True, slots=True)
class _Cost:
    """Of a part of a pattern, in the worst text."""

    steps: int
    """What it takes to try all the ways in which it can match."""
    ways: int
    """How many there are: what follows is tried after each."""


def boundless(pattern: str, most: int) -> str:
    """The first repeat without an upper bound, or with one that is higher than `most`."""
    for part in _all_parts(_read(pattern)):
        if part.high == _parser.MAXREPEAT:
            return {0: "*", 1: "+"}.get(part.low, f"{{{part.low},}}")
        if part.high > most:
            return f"{{{part.low},{part.high}}}"
    return ""


def steps(pattern: str, length: int) -> int:
    """How many steps it can take to match at one place of a text of some length."""
    try:
        return _cost(_read(pattern), _NO_CHARACTER, length).steps
    except RecursionError:
        return _MOST


def ends_the_text(pattern: str) -> bool:
    r"""Whether a match of a pattern always ends where the text does: at a `\Z`."""
    return _ends_the_text(_read(pattern))


def _ends_the_text(sequence: _Sequence) -> bool:
    last = sequence[-1] if sequence else _Part("place")
    return last.what == "end" or (last.what == "branches" and all(map(_ends_the_text, last.inside)))


def _all_parts(sequence: _Sequence) -> Iterator[_Part]:
    for part in sequence:
        yield part
        for each in part.inside:
            yield from _all_parts(each)


def _read(pattern: str) -> _Sequence:
    return _Reader(pattern).sequence


class _Reader:
    """Reads a pattern, with a few characters for all: those that it tells apart."""

    def __init__(self, pattern: str) -> None:
        nodes = _parser.parse(pattern)
        sample = {*_SAMPLE, *_named(nodes)}
        self._sample = frozenset(sample | {char.swapcase() for char in sample if len(char.swapcase()) == 1})
        over_lines = re.search(r"\(\?[a-zA-Z]*s", pattern)
        self._dot = self._sample if over_lines else self._sample - {"\n"}
        self.sequence = self._parts(nodes)

    def _parts(self, nodes: _Nodes) -> _Sequence:
        return tuple(self._part(str(name), value) for name, value in nodes)

    def _part(self, name: str, value: object) -> _Part:
        item: Any = value
        match name:
            case "ANY":
                return _Part("character", characters=self._dot)
            case "IN" | "LITERAL" | "NOT_LITERAL":
                return _Part("character", characters=self._characters(item if name == "IN" else [(name, item)]))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, body = item
                return _Part("repeat", (self._parts(body),), low=int(low), high=int(high), once=name == "POSSESSIVE_REPEAT")
            case "SUBPATTERN":
                return _Part("branches", (self._parts(item[3]),))
            case "ATOMIC_GROUP":
                return _Part("branches", (self._parts(item),), once=True)
            case "BRANCH":
                return _Part("branches", tuple(map(self._parts, item[1])))
            case "GROUPREF_EXISTS":
                return _Part("branches", (self._parts(item[1]), self._parts(item[2] or ())))
            case "ASSERT" | "ASSERT_NOT":
                return self._look(self._parts(item[1]))
            case "AT":
                return _Part("end" if str(item) == "AT_END_STRING" else "place")
        return _Part("reference", characters=self._sample)

    def _look(self, inside: _Sequence) -> _Part:
        # It is tried after every way in which what stands before it can match. That counts where it takes more than a few steps.
        is_long = any(part.what == "repeat" for part in _all_parts(inside))
        return _Part("look", (inside,), self._sample if is_long else _NO_CHARACTER, once=True)

    def _characters(self, given: _Nodes) -> frozenset[str]:
        kinds = [(str(kind), value) for kind, value in given]
        negated = any(kind in ("NEGATE", "NOT_LITERAL") for kind, _ in kinds)
        found = {char for char in self._sample if any(_is_in(char, kind, value) for kind, value in kinds) != negated}
        return self._sample & found.union(*map(_in_either_case, found))


def _named(node: object) -> Iterator[str]:
    """The characters that are named in what was read of a pattern: of a range its ends and one of each kind."""
    match node:
        case (name, int(code)) if str(name) in ("LITERAL", "NOT_LITERAL"):
            yield chr(code)
        case (name, (int(low), int(high))) if str(name) == "RANGE":
            yield from _of_range(low, high)
        case list() | tuple() | _parser.SubPattern():
            for each in node:
                yield from _named(each)


@lru_cache(maxsize=64)
def _of_range(low: int, high: int) -> tuple[str, ...]:
    if chr(high) in _ASCII:
        return ()  # all of it stands in every sample
    inside = "".join(map(chr, range(low, high + 1)))
    return (inside[0], inside[-1], *(found[0] for kind in _KINDS if (found := kind.search(inside))))


@lru_cache(maxsize=1024)
def _in_either_case(char: str) -> frozenset[str]:
    """A character, and those of ASCII and of its other case that `re` takes for it where case does not count."""
    return frozenset(re.findall(re.escape(char), "".join([*_ASCII, char.swapcase()]), re.IGNORECASE))


def _is_in(char: str, kind: str, value: object) -> bool:
    item: Any = value
    match kind:
        case "LITERAL" | "NOT_LITERAL":
            return bool(ord(char) == item)
        case "RANGE":
            return bool(item[0] <= ord(char) <= item[1])
        case "CATEGORY":
            word = str(item).removeprefix("CATEGORY_")
            found = re.match({"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[word.removeprefix("NOT_")], char)
            return (found is None) == word.startswith("NOT_")
    return False


def _cost(sequence: _Sequence, follow: frozenset[str], length: int) -> _Cost:
    """Of a sequence that goes on with one of some characters."""
    steps, ways = 0, 1
    for at, part in enumerate(sequence):
        each = _cost_of_part(part, _first(sequence[at + 1 :], follow), length)
        steps, ways = min(_MOST, steps + ways * each.steps), min(_MOST, ways * (1 if part.once else each.ways))
    return _Cost(steps, ways)


def _cost_of_part(part: _Part, follow: frozenset[str], length: int) -> _Cost:
    if not part.inside:
        return _Cost(1, 1)
    if part.what == "repeat":
        return _cost_of_repeat(part, follow, length)
    costs = [_cost(each, follow, length) for each in part.inside]
    firsts = [_first(each, frozenset({_WHATEVER_FOLLOWS})) for each in part.inside]
    at_once = (
        sum(cost.ways for cost, first in zip(costs, firsts, strict=True) if first & {char, _WHATEVER_FOLLOWS})
        for char in {_WHATEVER_FOLLOWS}.union(*firsts)
    )
    return _Cost(max(1, sum(cost.steps for cost in costs)), max(at_once))


def _cost_of_repeat(part: _Part, follow: frozenset[str], length: int) -> _Cost:
    (body,) = part.inside
    first = _first(body, _NO_CHARACTER)
    each = _cost(body, first | follow, length)
    times = min(part.high, length // max(1, _shortest(body)))
    if each.ways == 1 or part.once:
        # Where what follows cannot begin with one more of them, only the longest way leads on.
        return _Cost(times * each.steps, max(1, times - part.low + 1) if first & follow else 1)
    steps, ways, power = 0, int(part.low == 0), 1
    for time in range(1, times + 1):
        steps += power * each.steps
        power *= each.ways
        ways += power if time >= part.low else 0
        if steps > _MOST:
            return _Cost(_MOST, _MOST)
    return _Cost(steps, max(1, ways))


def _first(sequence: _Sequence, follow: frozenset[str]) -> frozenset[str]:
    """The characters with which a sequence can begin, or what follows it where it can be empty."""
    found = _NO_CHARACTER
    for part in sequence:
        inside = () if part.what == "look" else part.inside
        found = found.union(part.characters, *(_first(each, _NO_CHARACTER) for each in inside))
        if not part.can_be_empty:
            return found
    return found | follow
