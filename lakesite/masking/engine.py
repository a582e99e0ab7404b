"""Runs all rules over a text, in every reading of it."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from lakesite.masking.anchors import anchors
from lakesite.masking.assignments import AssignmentFinder
from lakesite.masking.carriers import CarrierFinder
from lakesite.masking.commands import CommandFinder
from lakesite.masking.encoded import readable_base64
from lakesite.masking.lake import LakeRules
from lakesite.masking.marker import Hit
from lakesite.masking.packaged import CARRIERS, COMMANDS, TOKENS
from lakesite.masking.shapes import looks_random
from lakesite.masking.sheet import Sheet
from lakesite.masking.tokens import TokenFinder
from lakesite.masking.views import view_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakesite.masking.literals import LiteralFinder
    from lakesite.masking.options import MaskOptions

_DEEPEST_VIEW = 4
_SHORTEST_WRAPPED = 30
_NEXT_LINE = re.compile(r"\r?\n([A-Za-z0-9+/_.-]{4,4096}={0,2})(?=\r?\n|\Z)")


class Engine:
    """All rules, compiled once for one set of options."""

    def __init__(self, options: MaskOptions) -> None:
        self._lake = LakeRules(options.formats, precise=options.mode == "precise")
        self._tokens, self._commands = TokenFinder(TOKENS), CommandFinder(COMMANDS)
        self._anchored: dict[bytes, list[AssignmentFinder | CarrierFinder]] = defaultdict(list)
        for finder in (AssignmentFinder(), CarrierFinder(CARRIERS)):
            for literal in finder.literals:
                self._anchored[literal].append(finder)
        self._anchors = anchors(self._anchored)

    def hits(self, text: str, literals: LiteralFinder, *, generic: bool) -> list[Hit]:
        """What must be masked, united and in order; `generic` asks for the Lake's rules too."""
        sheet = Sheet(text, self._anchors)
        return united([_with_wrapped_lines(text, hit) for hit in self._in_views(sheet, literals, generic=generic, depth=0)], text, sheet.walls)

    def _in_views(self, sheet: Sheet, literals: LiteralFinder, *, generic: bool, depth: int) -> Iterator[Hit]:
        yield from self._in_sheet(sheet, literals, generic=generic)
        if depth == _DEEPEST_VIEW:
            return
        for start, end, text in readable_base64(sheet):
            if any(self._in_views(Sheet(text, self._anchors), literals, generic=False, depth=depth + 1)):
                yield Hit(start, end, "token", "base64")
        view = view_of(sheet)
        if view:
            for hit in self._in_views(Sheet(view.text, self._anchors), literals, generic=generic, depth=depth + 1):
                yield Hit(*view.origin(hit.start, hit.end), hit.kind, hit.rule, hit.secret or view.text[hit.start : hit.end])

    def _in_sheet(self, sheet: Sheet, literals: LiteralFinder, *, generic: bool) -> Iterator[Hit]:
        if generic:
            yield from self._lake.hits(sheet)
        yield from self._tokens.hits(sheet)
        yield from self._commands.hits(sheet)
        for at, literal in sheet.places:
            for finder in self._anchored[literal]:
                yield from finder.hits_at(sheet.text, at, literal)
        yield from literals.hits(sheet)


@lru_cache(maxsize=8)
def engine_for(options: MaskOptions) -> Engine:
    """Compile the rules of some options once."""
    return Engine(options)


def _with_wrapped_lines(text: str, hit: Hit) -> Hit:
    """Let a long token go on in the next lines where it was wrapped."""
    end = hit.end
    while hit.kind != "credential" and end - hit.start >= _SHORTEST_WRAPPED:
        rest = _NEXT_LINE.match(text, end)
        if not rest or not looks_random(rest[1]):
            break
        end = rest.end()
    return hit if end == hit.end else Hit(hit.start, end, hit.kind, hit.rule)


def united(hits: Iterable[Hit], text: str, walls: tuple[tuple[int, int], ...]) -> list[Hit]:
    """Sort hits, unite those that overlap, and cut them at markers that are already there."""
    out: list[Hit] = []
    for hit in sorted(_between_walls(hits, text, walls)):
        if not out or hit.start >= out[-1].end:
            out.append(hit)
        elif hit.end > out[-1].end:
            whole = hit.start == out[-1].start
            out[-1] = out[-1]._replace(end=hit.end, secret=hit.secret if whole else "")
        elif hit[:2] == out[-1][:2] and hit.secret:
            out[-1] = out[-1]._replace(secret=hit.secret)
    return out


def _between_walls(hits: Iterable[Hit], text: str, walls: tuple[tuple[int, int], ...]) -> Iterator[Hit]:
    for hit in hits:
        at = hit.start
        for start, end in (*(wall for wall in walls if wall[0] < hit.end and wall[1] > hit.start), (hit.end, hit.end)):
            if (at, start) == hit[:2]:
                yield hit
            elif any(map(str.isalnum, text[at:start])):
                yield Hit(at, start, hit.kind, hit.rule)
            at = max(at, end)
