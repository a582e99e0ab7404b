"""The Lake's own three rules: assignment, token, entropy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakesite.masking.benign import is_benign
from lakesite.masking.marker import Hit
from lakesite.masking.options import LakeFormats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakesite.masking.sheet import Sheet

_SHORTEST_HIT = 20
_SHORTEST_ENTROPY = 40


class LakeRules:
    """The three rules, ready to be used on texts."""

    def __init__(self, formats: LakeFormats, *, precise: bool) -> None:
        self._precise = precise
        self._assignment = re.compile(formats.assignment) if formats.assignment else None
        self._token = re.compile(formats.token) if formats.token else None
        self._entropy = re.compile(formats.entropy) if formats.entropy else None
        self._min_distinct = formats.min_distinct
        self._min_groups = formats.min_groups
        self._are_usual = formats == LakeFormats()

    def hits(self, sheet: Sheet) -> Iterator[Hit]:
        """What the rules find; harmless shapes are spared by the precise mode."""
        for start, end in self._stretches(sheet):
            for hit in self._between(sheet.text, start, end):
                if not (self._precise and hit.kind != "assignment" and is_benign(sheet.text, hit)):
                    yield hit

    def _stretches(self, sheet: Sheet) -> Iterable[tuple[int, int]]:
        """Where hits can be: those of the usual rules lie within one run, and most of a text is in none."""
        if self._are_usual:
            return ((start, end) for start, end in sheet.runs if end - start >= _SHORTEST_HIT)
        return ((0, len(sheet.text)),)

    def _between(self, text: str, start: int, end: int) -> Iterator[Hit]:
        if self._assignment and (not self._are_usual or text.find("=", start, end) > 0):
            yield from (Hit(*m.span(), "assignment", "lake-assignment") for m in self._assignment.finditer(text, start, end))
        if self._token and (not self._are_usual or text.find("-", start, end) > 0):
            yield from (Hit(*m.span(), "token", "lake-token") for m in self._token.finditer(text, start, end))
        if self._entropy and (not self._are_usual or end - start >= _SHORTEST_ENTROPY):
            found = self._entropy.finditer(text, start, end)
            yield from (Hit(*m.span(), "entropy", "lake-entropy") for m in found if self._is_dense(m[0]))

    def _is_dense(self, run: str) -> bool:
        distinct = set(run)
        if len(distinct) < self._min_distinct:
            return False
        groups = {"lower" if c.islower() else "upper" if c.isupper() else "digit" if c.isdigit() else "other" for c in distinct}
        return len(groups) >= self._min_groups
