"""A text prepared for scanning: the same characters in forms that can be searched fast."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from lakesite.model import MARKER, OPENING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.masking.anchors import Anchors

SHORTEST_RUN = 16
"""Shorter runs hold no token."""
SHORTEST_ASSIGNMENT = 20
"""Shorter runs hold no name and value by the Lake's rule."""
_SHORTEST = b"a" * SHORTEST_RUN

_RUN_CHARACTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-")
_CONTROLS = frozenset(range(128)) - frozenset(range(32, 127)) - frozenset(b"\t\n\v\f\r\x1b")
_KINDS = bytes(97 if i in _RUN_CHARACTERS else 0 if i in _CONTROLS else 32 for i in range(256))
WALL = "\ue000"
"""Stands for each character of a marker."""
APART = "\n\0\n"
"""Stands between texts that are looked at together: no rule reaches from one into the next."""
_BEYOND_ASCII = re.compile(rb"\?\?*+")
_DULL = re.compile(
    r"[a-z_=/+-]*+\Z"  # most are: that is seen faster
    r"|[_=/+-]*+(?:[A-Z]{0,12}+[a-z]{2,}+[_=/+-]*+|[A-Z]{1,16}+[_=/+-]++|[a-z][_=/+-]++)*+[A-Za-z]?+[A-Z]{0,16}+[0-9]{0,2}+\Z"
    r"|[0-9_=/+-]*+\Z"
)
"""Words, in any case, joined by anything: no token is written so."""


class Sheet:
    """One text in several forms; every form has one place for each character of the text."""

    def __init__(self, text: str, anchors: Anchors) -> None:
        self.walls: tuple[tuple[int, int], ...] = ()
        if OPENING in text:
            self.walls = tuple(found.span() for found in MARKER.finditer(text))
            text = MARKER.sub(lambda found: WALL * len(found[0]), text)
        self.text = text
        """The text, with a wall in place of every marker: no rule sees into one, none reaches across."""
        self.ascii = text.encode("ascii", "replace")
        """The text as bytes, `?` for every character beyond ASCII."""
        self._anchors = anchors
        kinds = self.ascii.translate(_KINDS)
        self.holds_controls = b"\0" in kinds
        """Whether there is a control character that neither ends a line nor begins a sequence."""
        self._marks = kinds.replace(b"\0", b" ") if self.holds_controls else kinds

    @cached_property
    def beyond_ascii(self) -> frozenset[str]:
        """The characters that ASCII does not write, each once, and perhaps `?`: a few, which tell whether a search is worth while."""
        stretches = () if self.text.isascii() else _BEYOND_ASCII.finditer(self.ascii)
        return frozenset("".join([self.text[found.start() : found.end()] for found in stretches]))

    def places(self) -> list[tuple[int, bytes]]:
        """Where the literals stand that the rules look for, in order."""
        return list(self._anchors.places(self.ascii.lower()))

    def runs(self) -> Iterator[tuple[int, int]]:
        """Stretches of characters in which tokens are written, from start to end."""
        marks, find = self._marks, self._marks.find
        at = find(_SHORTEST)
        while at >= 0:
            end = find(b" ", at + SHORTEST_RUN)
            if end < 0:
                end = len(marks)
            yield at, end
            at = find(_SHORTEST, end)

    @cached_property
    def sorted_runs(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The runs that are not just words, and of the others those that may assign something."""
        telling, assigning = [], []
        text, is_dull = self.text, _DULL.match
        for run in self.runs():
            start, end = run
            if not is_dull(text, start, end):
                telling.append(run)
            elif end - start >= SHORTEST_ASSIGNMENT and text.find("=", start, end) >= 0:
                assigning.append(run)
        return telling, assigning

    @property
    def telling_runs(self) -> list[tuple[int, int]]:
        """The runs that are not just words."""
        return self.sorted_runs[0]

    def tells(self, start: int, end: int) -> bool:
        """Whether a run is more than words."""
        return not _DULL.match(self.text, start, end)
