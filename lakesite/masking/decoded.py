"""Reads the lines of a text that are written in an encoding, all encodings at once."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from lakesite.masking.lines import line_end, line_start, lines_of, lines_with, triggers, united_lines
from lakesite.masking.sheet import APART

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.masking.lines import Piece, Span
    from lakesite.masking.sheet import Sheet

_TRIGGERS = triggers(
    rb"%[2-7c-fC-F][0-9a-fA-F]",  # URL encoding
    rb"&(?:quot|amp|lt|gt|apos|#[0-9xX])",  # HTML
    rb"""\+(?<=["'] \+) ["']""",  # joined strings
)
"""Lines are decoded only where one of these says that it is worth it, or a backslash does."""
_BACKSLASHED = re.compile(
    rb'\\(?:["/]|u00[0-7]|\\[nrtu"/]'  # JSON in a string
    rb"|[-_.~:=@+*&#%$!](?<=[A-Za-z0-9]\\.)(?=[A-Za-z0-9])"  # Markdown
    rb"|x[2-7][0-9a-f](?:(?<=[A-Za-z0-9_-]{4}\\x..)[A-Za-z0-9_-]{4}|(?:\\x[2-7][0-9a-f]){8}))"  # a string of source code
)
_GOES_ON = (b"\\", b"\\\r")
"""What a line of a shell ends in that goes on in the next."""
_BEGINS_APART = APART[:-1].encode()
"""What ends a text that others are looked at together with: its last line goes on nowhere."""
_STREAMED = re.compile(rb"data: ?\{")
"""The same of a streamed answer, which comes piece by piece."""
_JSON, _LINE_END = b'":', b"\\n"
"""A line end in a string is worth it only in a line of JSON: source code is full of them."""


def _utf8(lead: str) -> str:
    """A character in UTF-8 behind the first lead, where each byte is written as two digits behind one."""
    more = rf"{lead}[89abAB][0-9a-fA-F]"
    starts = (("[2-7][0-9a-fA-F]", 0), ("[cCdD][0-9a-fA-F]", 1), ("[eE][0-9a-fA-F]", 2), ("[fF][0-4]", 3))
    return rf"(?:{'|'.join(start + more * count for start, count in starts)})"


_ESCAPED, _QUOTED = _utf8(r"\\x"), _utf8("%")
_WAYS = (
    r"""(?<=\\)(?:u(?P<unicode>[0-9a-fA-F]{4})|[bfnrt]|[!-/:-@\[-`{-~]|\r?\n[ \t]*"""
    rf"""|x(?P<escaped>{_ESCAPED}))|(?<=%)(?P<quoted>{_QUOTED})"""
    r"""|(?<=&)(?P<entity>(?:quot|amp|lt|gt|apos|\#[0-9]{1,5}|\#[xX][0-9a-fA-F]{1,4});)|(?<=")[ ]\+[ ]"|(?<=')[ ]\+[ ]'"""
)
_ENCODED = re.compile(rf"""[\\%&"'](?:{_WAYS})""")
_SAID = r'"(?:delta|text|content|partial_json|thinking|chunk)":[ ]?'
_PIECED = re.compile(
    rf"""[\\%&"'](?:{_WAYS}|(?<=")(?=[}}\],])[^\n":]{{0,8}}+(?:(?!{_SAID})"[^"\n]{{0,60}}"[^"\n]{{0,60}}+){{0,12}}+"""
    rf"""(?<=\}})\r?\n{{1,2}}(?:event:[^\n]{{0,60}}\n)?data:[ ]?\{{[^\n]{{0,400}}?{_SAID}["])"""
)
"""The same, and what stands between two pieces of a streamed answer."""
_BETWEEN_EVENTS = re.compile(rb"\r?\n\r?\n(?:event:[^\n]{0,60}\n)?")
_SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_ESCAPES = {"\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t", **{f"\\{sign}": sign for sign in _SIGNS}}
"""What a backslash and one character mean."""


def whole(text: str, start: int, end: int) -> str:
    """Decode a part of a text."""
    return _encoded(text, start, end).sub(_meaning, text[start:end])


def pieces(text: str, start: int, end: int) -> Iterator[Piece]:
    """Decode a part of a text, piece by piece."""
    at = start
    for found in _encoded(text, start, end).finditer(text, start, end):
        if found.start() > at:
            yield text[at : found.start()], at, -1
        yield _meaning(found), found.start(), found.end() - found.start()
        at = found.end()
    if at < end:
        yield text[at:end], at, -1


def _encoded(text: str, start: int, end: int) -> re.Pattern[str]:
    return _PIECED if text.find("\ndata:", start, end) >= 0 else _ENCODED


def _meaning(found: re.Match[str]) -> str:
    if escaped := _ESCAPES.get(found[0]):  # nearly all are of two characters
        return escaped
    match found.lastgroup:
        case "unicode":
            return chr(int(found["unicode"], 16))
        case "escaped" | "quoted":
            return bytes.fromhex(found[0].replace("\\x", "").replace("%", "")).decode("utf-8", "replace")
        case "entity":
            return html.unescape(found[0])
        case _:
            return ""


def regions(sheet: Sheet) -> list[Span]:
    """The lines to decode, neighbours united."""
    data = sheet.ascii
    lines = [*lines_with(_TRIGGERS, data), *_lines_with_backslashes(data)]
    if b"data:" in data:
        lines += lines_of(_STREAMED, data)
    return united_lines(lines, lambda start, end: _BETWEEN_EVENTS.fullmatch(data, start, end)) if lines else []


def _lines_with_backslashes(data: bytes) -> Iterator[Span]:
    """The lines in which one is worth it, those of JSON that hold a line end in a string, and each that goes on, with the next."""
    at = data.find(b"\\")
    while at >= 0:
        end = line_end(data, at)
        if data.endswith(_GOES_ON, at, end) and end < len(data) and not data.startswith(_BEGINS_APART, end):
            yield line_start(data, at), line_end(data, end + 1)
        elif _BACKSLASHED.search(data, at, end):
            yield line_start(data, at), end
        elif data.find(_LINE_END, at, end) >= 0:
            start = line_start(data, at)
            if data.find(_JSON, start, end) >= 0:
                yield start, end
        at = data.find(b"\\", end)
