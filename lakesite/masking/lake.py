"""The generic rules: the Lake's own three (assignment, token, entropy), and tokens of unknown makers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakesite.masking.marker import Hit
from lakesite.masking.options import LakeFormats
from lakesite.masking.shapes import wordiness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakesite.masking.benign import BenignShapes
    from lakesite.masking.sheet import Sheet

_UNKNOWN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[A-Za-z0-9]{0,10}(?:_[a-z0-9]{1,8}){0,2}_(?P<body>[A-Za-z0-9]{20,4096}+)(?![_-])")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[nrtbf])|%[0-9A-Fa-f]{2}|(?:\x1b|\\u001b|\\x1b|\\e|\\033)\[[0-9;]{0,16}m")
_LONGEST_ESCAPE = 24
_FEWEST_DIGITS = 2
_RANDOM_BELOW = 0.35
_SHORTEST_HIT = 20
_SHORTEST_NAME, _SHORTEST_VALUE = 3, 16
"""Characters of an assignment before and behind its sign."""
_SHORTEST_MAKER = 2
_SHORTEST_BODY = 20
"""Characters of a token before and behind the sign that divides it."""
_SHORTEST_ENTROPY = 40


class LakeRules:
    """The three rules, ready to be used on texts."""

    def __init__(self, formats: LakeFormats, benign: BenignShapes, *, precise: bool) -> None:
        self._precise = precise
        self._benign = benign
        self._assignment = re.compile(formats.assignment) if formats.assignment else None
        self._token = re.compile(formats.token) if formats.token else None
        self._entropy = re.compile(formats.entropy) if formats.entropy else None
        self._min_distinct = formats.min_distinct
        self._min_groups = formats.min_groups
        self._are_usual = formats == LakeFormats()

    def hits(self, sheet: Sheet) -> Iterator[Hit]:
        """What the rules find; harmless shapes are spared by the precise mode."""
        text = sheet.text
        for start, end in self._stretches(sheet):
            for hit in self._between(text, start, end):
                if not (self._precise and hit.kind != "assignment" and self._benign.hold(text, hit)):
                    yield hit
        for start, end in sheet.telling_runs:
            if text.find("_", start + _SHORTEST_MAKER, end - _SHORTEST_BODY) >= 0:
                yield from self._of_unknown_makers(text, start, end)

    def _stretches(self, sheet: Sheet) -> Iterable[tuple[int, int]]:
        """Where hits can be: those of the usual rules lie within one run, and most of a text is in none."""
        if not self._are_usual:
            return ((0, len(sheet.text)),)
        if not self._precise:
            return sheet.runs()
        # A run of nothing but words is harmless, unless it assigns them.
        telling, assigning = sheet.sorted_runs
        return [(self._begin(sheet.text, start), end) for start, end in (*telling, *assigning) if end - start >= _SHORTEST_HIT]

    def _begin(self, text: str, start: int) -> int:
        """Where a run begins behind an escape that only looks like a part of it: the `n` of a line end, the `m` of a colour."""
        if not start or text[start - 1] not in "\\%[;":
            return start
        lead = _ESCAPE.search(text, max(0, start - _LONGEST_ESCAPE))
        while lead and lead.end() <= start:
            lead = _ESCAPE.search(text, lead.end())
        return lead.end() if lead and lead.start() < start else start

    def _between(self, text: str, start: int, end: int) -> list[Hit]:
        hits: list[Hit] = []
        if self._assignment and (not self._are_usual or text.find("=", start + _SHORTEST_NAME, end - _SHORTEST_VALUE) >= 0):
            hits += (Hit(*m.span(), "assignment", "lake-assignment") for m in self._assignment.finditer(text, start, end))
        if self._token and (not self._are_usual or text.find("-", start + _SHORTEST_MAKER, end - _SHORTEST_BODY) >= 0):
            hits += (Hit(*m.span(), "token", "lake-token") for m in self._token.finditer(text, start, end))
        if self._entropy and (not self._are_usual or end - start >= _SHORTEST_ENTROPY):
            found = self._entropy.finditer(text, start, end)
            hits += (Hit(*m.span(), "entropy", "lake-entropy") for m in found if self._is_dense(m[0]))
        return hits

    def _is_dense(self, run: str) -> bool:
        distinct = set(run)
        if len(distinct) < self._min_distinct:
            return False
        groups = {"lower" if c.islower() else "upper" if c.isupper() else "digit" if c.isdigit() else "other" for c in distinct}
        return len(groups) >= self._min_groups

    def _of_unknown_makers(self, text: str, start: int, end: int) -> Iterator[Hit]:
        """Tokens in the form that most makers chose since 2021: `name_` and a long random rest."""
        for found in _UNKNOWN.finditer(text, start, end):
            body = found["body"]
            if sum(map(str.isdigit, body)) >= _FEWEST_DIGITS and wordiness(body) < _RANDOM_BELOW:
                hit = Hit(*found.span(), "token", "unknown-maker")
                if not self._benign.hold(text, hit):
                    yield hit
