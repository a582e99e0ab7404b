"""Reads a text as it looks after decoding, and maps what is found there back to where it stands."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.masking.sheet import Sheet

# Lines are decoded only where one of these says that it is worth it: a character that is found fast, and what follows it.
_TRIGGERS = tuple(
    (start, re.compile(re.escape(start) + follows))
    for start, follows in (
        (b"%", rb"[2-7][0-9a-fA-F]"),  # URL encoding
        (b"&", rb"(?:quot|amp|lt|gt|apos|#[0-9xX])"),  # HTML
        (b"\x1b", rb"[\[(\]]"),  # terminal colours
        (b"+", rb"""(?<=["'] \+) ["']"""),  # joined strings
        (b"data:", rb" ?\{"),  # a streamed answer, piece by piece
    )
)
_ESCAPE = re.compile(rb'\\(?:["/]|u00[0-7]|\\[nrtu"/]|\r?\n)')
"""The same for JSON in a string, and a shell line that goes on: backslashes are too many to look at each."""
_LINE_END, _JSON = b"\\n", b'":'
"""A line end in a string is worth it only in a line of JSON: source code is full of them."""
_ENCODED = re.compile(
    r"""\\(?:u(?P<unicode>[0-9a-fA-F]{4})|(?P<letter>["\\/bfnrt])|\r?\n[ \t]*)"""
    r"""|%(?P<hex>[2-7][0-9a-fA-F])|(?P<entity>&(?:quot|amp|lt|gt|apos|\#[0-9]{1,5}|\#[xX][0-9a-fA-F]{1,4});)"""
    r"""|\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])|"[ ]\+[ ]"|'[ ]\+[ ]'""",
)
_SAID = r'"(?:delta|text|content|partial_json|thinking|chunk)":[ ]?'
_PIECED = re.compile(
    rf"""{_ENCODED.pattern}|"(?=[}}\],])[^\n":]{{0,8}}+(?:(?!{_SAID})"[^"\n]{{0,60}}"[^"\n]{{0,60}}+){{0,12}}+"""
    rf"""(?<=\}})\r?\n{{1,2}}(?:event:[^\n]{{0,60}}\n)?data:[ ]?\{{[^\n]{{0,400}}?{_SAID}["]"""
)
"""The same, and what stands between two pieces of a streamed answer."""
_BETWEEN_EVENTS = re.compile(rb"\r?\n\r?\n(?:event:[^\n]{0,60}\n)?")
_LETTERS = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_BETWEEN = "\n-----\n"  # stands in no secret


class View:
    """A decoded reading of parts of a text."""

    def __init__(self, text: str, regions: list[tuple[int, int]]) -> None:
        self._at: list[int] = []  # where each piece begins in the view
        self._from: list[int] = []  # where it begins in the text
        self._wide: list[int] = []  # how long its source is, -1: as long as the piece
        self._length = 0
        pieces: list[str] = []
        for start, end in regions:
            for piece, origin, width in _decoded(text, start, end):
                self._add(pieces, piece, origin, width)
            self._add(pieces, _BETWEEN, end, 0)
        self.text = "".join(pieces)

    def _add(self, pieces: list[str], piece: str, origin: int, width: int) -> None:
        pieces.append(piece)
        self._at.append(self._length)
        self._from.append(origin)
        self._wide.append(width)
        self._length += len(piece)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the view stands in the text."""
        first, last = bisect_right(self._at, start) - 1, bisect_right(self._at, end - 1) - 1
        begin = self._from[first] + (start - self._at[first] if self._wide[first] < 0 else 0)
        stop = self._from[last] + (end - self._at[last] if self._wide[last] < 0 else self._wide[last])
        return begin, stop


def view_of(sheet: Sheet) -> View | None:
    """Decode the lines that need it, all encodings at once; None where no line does."""
    regions = _regions(sheet.ascii)
    return View(sheet.text, regions) if regions else None


def _decoded(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    at = start
    encoded = _PIECED if text.find("\ndata:", start, end) >= 0 else _ENCODED
    for found in encoded.finditer(text, start, end):
        if found.start() > at:
            yield text[at : found.start()], at, -1
        yield _meaning(found), found.start(), found.end() - found.start()
        at = found.end()
    if at < end:
        yield text[at:end], at, -1


def _meaning(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "unicode":
            return chr(int(found["unicode"], 16))
        case "letter":
            return _LETTERS[found["letter"]]
        case "hex":
            return chr(int(found["hex"], 16))
        case "entity":
            return html.unescape(found["entity"])
        case _:
            return ""


def _regions(data: bytes) -> list[tuple[int, int]]:
    """The lines to decode, neighbours united."""
    lines = {span for first, trigger in _TRIGGERS for span in _lines_with(first, trigger, data)}
    if b"\\" in data:
        lines.update(_escaped_lines(data))
    out: list[tuple[int, int]] = []
    for start, end in sorted(lines):
        if out and (start <= out[-1][1] + 1 or _BETWEEN_EVENTS.fullmatch(data, out[-1][1], start)):
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _lines_with(first: bytes, trigger: re.Pattern[bytes], data: bytes) -> Iterator[tuple[int, int]]:
    """The lines in which a trigger matches that begins with `first`."""
    at = data.find(first)
    while at >= 0:
        found = trigger.match(data, at)
        if not found:
            at = data.find(first, at + 1)
            continue
        begin, end = _line(data, at, found.end())
        yield begin, end
        at = data.find(first, end)


def _escaped_lines(data: bytes) -> Iterator[tuple[int, int]]:
    """The lines that hold JSON in a string, or go on in the next."""
    found = _ESCAPE.search(data)
    while found:
        begin, end = _line(data, found.start(), found.end())
        yield begin, end
        found = _ESCAPE.search(data, end)
    at = data.find(_JSON)
    while at >= 0:
        begin, end = _line(data, at, at)
        if data.find(_LINE_END, begin, end) >= 0:
            yield begin, end
        at = data.find(_JSON, end)


def _line(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The whole lines around a stretch."""
    stop = data.find(b"\n", end)
    return data.rfind(b"\n", 0, start) + 1, stop if stop >= 0 else len(data)
