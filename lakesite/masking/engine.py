"""Runs all rules over a text, in every reading of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from lakesite.masking.anchors import anchors
from lakesite.masking.assignments import AssignmentFinder, hits_of_foreign_names
from lakesite.masking.benign import BenignShapes
from lakesite.masking.carriers import CarrierFinder
from lakesite.masking.columns import HEADING, hits_in_columns
from lakesite.masking.commands import CommandFinder
from lakesite.masking.encoded import readable_base64
from lakesite.masking.lake import LakeRules
from lakesite.masking.marker import Hit, MarkerClass
from lakesite.masking.memory import CleanTexts
from lakesite.masking.sheet import Sheet
from lakesite.masking.tokens import TokenFinder
from lakesite.masking.views import READINGS, View, views_of
from lakesite.masking.wrapped import with_wrapped_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lakesite.masking.encoded import Encoded
    from lakesite.masking.literals import LiteralFinder
    from lakesite.masking.options import MaskOptions
    from lakesite.masking.views import Reading

_CLASSES: tuple[MarkerClass, ...] = ("assignment", "token", "credential", "entropy")
"""The order in which classes name a hit that several rules found."""
_GENERIC_RULES = frozenset({"lake-token", "unknown-maker", "base64", "caught"})
WINDOW = 1 << 22
"""Characters of a text that are looked at together: its forms take several times the memory of the text."""
REACH = 1 << 18
"""Characters before and behind that are looked at with them: no rule reaches as far."""
_DEEPEST_VIEW = 4
"""Readings of readings, such as JSON in base64 in JSON: deeper ones are rare, and a text must not be read without end."""
_TELLING = re.compile(r"[^\W\d_]|[0-9]{4}")


class Engine:
    """All rules, compiled once for one set of options."""

    def __init__(self, options: MaskOptions) -> None:
        rules = options.rules.applied()
        self._lake = LakeRules(options.formats, BenignShapes(rules.benign), precise=options.mode == "precise")
        self._tokens, self._commands = TokenFinder(rules.token, precise=options.mode == "precise"), CommandFinder(rules.command)
        self._allowed = frozenset(rule.value for rule in rules.allow)
        self._anchored: dict[bytes, list[AssignmentFinder | CarrierFinder]] = defaultdict(list)
        for finder in (AssignmentFinder(), CarrierFinder(rules.carrier)):
            for literal in finder.literals:
                self._anchored[literal].append(finder)
        self._anchors = anchors((*self._anchored, HEADING))
        self.clean, self.clean_names = CleanTexts(), CleanTexts()
        """For the maskers, each of which masks one document, to share: what is clean by all rules, and what is as a name."""

    def hits(self, text: str, literals: LiteralFinder, *, generic: bool) -> list[Hit]:
        """What must be masked, united and in order; `generic` asks for the Lake's rules too."""
        if len(text) <= WINDOW + 2 * REACH:
            return self._hits(text, literals, generic=generic)
        found: list[Hit] = []
        for start in range(0, len(text), WINDOW):
            low = max(0, start - REACH)
            seen = self._hits(text[low : start + WINDOW + REACH], literals, generic=generic)
            found += (hit._replace(start=low + hit.start, end=low + hit.end) for hit in seen)
        return merged(found)

    def _hits(self, text: str, literals: LiteralFinder, *, generic: bool) -> list[Hit]:
        sheet = Sheet(text, self._anchors)
        found = self._in_views(sheet, literals, generic=generic)
        if self._allowed:
            found = (hit for hit in found if not self._is_allowed(hit, hit.secret or text[hit.start : hit.end]))
        return united(found, sheet)

    def _is_allowed(self, hit: Hit, secret: str) -> bool:
        return secret in self._allowed or (hit.kind == "assignment" and secret.partition("=")[2] in self._allowed)

    def holds(self, text: str, literals: LiteralFinder) -> bool:
        """Whether a literal stands in a text, in any reading of it; no rule is asked."""
        return self._holds(Sheet(text, self._anchors), literals)

    def _holds(self, sheet: Sheet, literals: LiteralFinder, *, depth: int = 0, then: tuple[Reading, ...] = READINGS) -> bool:
        return any(literals.hits(sheet)) or any(
            self._holds(inner, literals, depth=depth + 1, then=after) for _, inner, after in self._readings(sheet, depth, then, alone=True)
        )

    def _in_views(
        self, sheet: Sheet, literals: LiteralFinder, *, generic: bool, depth: int = 0, then: tuple[Reading, ...] = READINGS
    ) -> Iterator[Hit]:
        harmless = set()
        for read, inner, after in self._readings(sheet, depth, then):
            found = self._in_views(inner, literals, generic=generic, depth=depth + 1, then=after)
            if isinstance(read, View):
                for hit in united(found, inner):
                    yield Hit(*read.origin(hit.start, hit.end), hit.kind, hit.rule, hit.secret or read.text[hit.start : hit.end])
            elif any(found):
                yield Hit(read.start, read.end, "token", "base64")
            else:
                harmless.add(read.end)
        yield from (hit for hit in self._in_sheet(sheet, literals, generic=generic) if hit.kind != "entropy" or hit.end not in harmless)

    def _readings(
        self, sheet: Sheet, depth: int, then: tuple[Reading, ...], *, alone: bool = False
    ) -> Iterator[tuple[Encoded | View, Sheet, tuple[Reading, ...]]]:
        """What parts of a text read as in the ways of `then`, each with how it may have to be read in its turn."""
        if depth == _DEEPEST_VIEW:
            return
        for run in readable_base64(sheet, alone=alone):
            yield run, Sheet(run.text, self._anchors), READINGS
        for view in views_of(sheet, then):
            yield view, Sheet(view.text, self._anchors), view.then

    def _in_sheet(self, sheet: Sheet, literals: LiteralFinder, *, generic: bool) -> Iterator[Hit]:
        if generic:
            yield from self._lake.hits(sheet)
        yield from self._tokens.hits(sheet)
        yield from self._commands.hits(sheet)
        places = sheet.places()
        yield from self._anchored_hits(sheet, places)
        yield from hits_of_foreign_names(sheet)
        yield from hits_in_columns(sheet.text, sheet.ascii, (at for at, literal in places if literal == HEADING))
        yield from literals.hits(sheet)

    def _anchored_hits(self, sheet: Sheet, places: Iterable[tuple[int, bytes]]) -> Iterator[Hit]:
        text, data, length = sheet.text, sheet.ascii, len(sheet.ascii)
        done = 0
        for at, literal in places:
            if at < done:  # inside of what was found: nothing more to learn, and no value is read again and again
                continue
            end = at + len(literal)
            for finder in self._anchored.get(literal, ()):
                if end == length or data[end] in finder.follows:
                    for hit in finder.hits_at(text, at, literal):
                        done = max(done, hit.end)
                        yield hit


@lru_cache(maxsize=8)
def engine_for(options: MaskOptions) -> Engine:
    """Compile the rules of some options once."""
    return Engine(options)


def united(hits: Iterable[Hit], sheet: Sheet) -> list[Hit]:
    """Sort hits, unite those that overlap, cut them at markers that are already there, and follow tokens that were wrapped."""
    found = list(_between_walls(hits, sheet))
    if not found:
        return []
    whole = {hit.start for hit in found if hit.kind == "token" and hit.rule not in _GENERIC_RULES}
    return merged(found, lambda hit: with_wrapped_lines(sheet.text, hit, whole))


def merged(hits: Iterable[Hit], grown: Callable[[Hit], Hit] = lambda hit: hit) -> list[Hit]:
    """Sort hits and unite those that overlap; `grown` gives a hit, or a united one, its true end."""
    out: list[Hit] = []
    for hit in sorted(hits):
        if out and hit.start < out[-1].end:
            out[-1] = grown(_both(out[-1], hit))
        else:
            out.append(grown(hit))
    return out


def _both(one: Hit, other: Hit) -> Hit:
    """Unite two hits that overlap: the more telling rule names the whole, the longer one says what it reads as."""
    _, _, kind, rule, _ = min(one, other, key=_rank)
    if one[:2] == other[:2]:
        secret = one.secret or other.secret
    else:
        secret = one.secret if other.end <= one.end else other.secret if other.start == one.start else ""
    return Hit(one.start, max(one.end, other.end), kind, rule, secret)


def _rank(hit: Hit) -> tuple[int, bool, str]:
    return _CLASSES.index(hit.kind), hit.rule in _GENERIC_RULES, hit.rule


def _between_walls(hits: Iterable[Hit], sheet: Sheet) -> Iterator[Hit]:
    """Cut hits at markers; what is left of one must hold more than line numbers."""
    ends = [end for _, end in sheet.walls]
    for hit in hits:
        first = bisect_right(ends, hit.start)
        if first == len(ends) or sheet.walls[first][0] >= hit.end:
            yield hit
            continue
        at = hit.start
        while at < hit.end:
            start, end = sheet.walls[first] if first < len(ends) else (hit.end, hit.end)
            if _TELLING.search(sheet.text, at, min(start, hit.end)):
                yield Hit(at, min(start, hit.end), hit.kind, hit.rule)
            at = max(end, at + 1)
            first += 1
