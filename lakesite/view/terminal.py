"""What a terminal would show of a text: which stretches are left of it, and how each looks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from io import StringIO
from itertools import groupby, islice
from typing import NamedTuple

from lakesite.model.terminal import ONE_CHARACTER_CONTROL, SEQUENCE, left

_STYLE = re.compile(r"(?:\x1b\[|\x9b)([0-9;:]{0,200})m")
_LINK = re.compile(r"(?:\x1b\]|\x9d)8;[^;]*;(.*?)(?:\x07|\x1b\\|\x9c)?\Z", re.DOTALL)
_LINE_END = re.compile(r"(?<!\r)\r++\n")

_COLOURS = (
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
)  # fmt: skip
_CUBE = (0, 95, 135, 175, 215, 255)
_CUBE_START, _GREY_START = 16, 232
_STYLE_ON = {1: "b", 2: "d", 3: "t", 4: "u", 9: "x", 21: "u"}
_STYLE_OFF = {22: "bd", 23: "t", 24: "u", 29: "x"}


class Look(NamedTuple):
    """How a stretch of terminal text looks."""

    foreground: int | None = None
    """One of 16 colours; None: the terminal's own."""
    background: int | None = None
    """One of 16 colours; None: the terminal's own."""
    reverse: bool = False
    """Foreground and background are swapped."""
    styles: str = ""
    """Letters of the styles that are on, sorted."""
    target: str = ""
    """Address that the text links to, as it was written."""


PLAIN = Look()


def strip(text: str) -> str:
    """Give the text that a terminal would show, without its colours: what is searched and copied."""
    return "".join(piece for _, piece in runs(text)) if is_controlled(text) else text


def is_controlled(text: str) -> bool:
    """Whether a terminal would show anything but the text as it is."""
    return "\x1b" in text or "\r" in text or (not text.isascii() and ONE_CHARACTER_CONTROL.search(text) is not None)


def runs(text: str) -> Iterator[tuple[Look, str]]:
    """Yield stretches of text with their look; a line in which the cursor went back is played first."""
    look = PLAIN
    for line in _lines(text):
        if "\r" in line:
            left, look = _played(line, look)
            yield from left
            continue
        for piece, sequence in _pieces(line):
            if piece:
                yield look, piece
            look = _after(look, sequence)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text, or the whole where no line has to be played."""
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        yield from StringIO(_LINE_END.sub("\n", text))
    else:
        yield text


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield each stretch of text with the control sequence that ends it."""
    at = 0
    for match in SEQUENCE.finditer(text):
        yield text[at : match.start()], match[0]
        at = match.end()
    yield text[at:], ""


def _played(line: str, look: Look) -> tuple[list[tuple[Look, str]], Look]:
    """Let a line overwrite itself, and give what is left on it and how the next line begins."""
    looks: list[Look] = []
    body = line.removesuffix("\n")
    for piece, sequence in _pieces(body):
        looks += [look] * (len(piece) + len(sequence))
        look = _after(look, sequence)
    shown = [(looks[at], body[at]) for at in left(body)]
    if line.endswith("\n"):
        shown.append((look, "\n"))
    stretches = (list(stretch) for _, stretch in groupby(shown, key=lambda character: id(character[0])))
    return [(stretch[0][0], "".join(character for _, character in stretch)) for stretch in stretches], look


@lru_cache(maxsize=1024)
def _after(look: Look, sequence: str) -> Look:
    """Give the look that holds after a sequence."""
    if style := _STYLE.fullmatch(sequence):
        return _restyled(look, _codes(style[1]))
    if linked := _LINK.match(sequence):
        return look._replace(target=linked[1])
    return look


def _codes(parameters: str) -> Iterator[int]:
    """Yield the numbers of a colour sequence, its colon form put as the older one with semicolons."""
    for parameter in parameters.split(";"):
        first, *more = (int(digits[:4] or "0") for digits in parameter.split(":"))
        match first, more:
            case (38 | 48), [2, *_, red, green, blue]:
                yield from (first, 2, red, green, blue)
            case 4, [0]:
                yield 24
            case (38 | 48), _:
                yield from (first, *more)
            case _:
                yield first


def _restyled(look: Look, codes: Iterator[int]) -> Look:
    for code in codes:
        match code:
            case 0:
                look = Look(target=look.target)
            case 7 | 27:
                look = look._replace(reverse=code == 7)  # noqa: PLR2004 -- the case above
            case 38:
                look = look._replace(foreground=_colour(codes))
            case 48:
                look = look._replace(background=_colour(codes))
            case 39:
                look = look._replace(foreground=None)
            case 49:
                look = look._replace(background=None)
            case _ if code in _STYLE_ON:
                look = look._replace(styles="".join(sorted({*look.styles, _STYLE_ON[code]})))
            case _ if code in _STYLE_OFF:
                look = look._replace(styles="".join(style for style in look.styles if style not in _STYLE_OFF[code]))
            case _:
                look = _recoloured(look, code)
    return look


def _recoloured(look: Look, code: int) -> Look:
    tens, colour = divmod(code, 10)
    if colour > 7:  # noqa: PLR2004 -- eight colours
        return look
    match tens:
        case 3 | 9:
            return look._replace(foreground=colour + 8 * (tens == 9))  # noqa: PLR2004 -- bright
        case 4 | 10:
            return look._replace(background=colour + 8 * (tens == 10))  # noqa: PLR2004 -- bright
        case _:
            return look


def _colour(codes: Iterator[int]) -> int | None:
    """Take one of 256 colours or a true colour from the numbers that follow, as the nearest of the sixteen."""
    match next(codes, None):
        case 5:
            index = next(codes, None)
            return None if index is None else _nearest(*_of_256(min(index, 255)))
        case 2:
            parts = tuple(islice(codes, 3))
            return _nearest(*parts) if len(parts) == 3 else None  # noqa: PLR2004 -- red, green, blue
        case _:
            return None


def _of_256(index: int) -> tuple[int, int, int]:
    if index < _CUBE_START:
        return _COLOURS[index]
    if index >= _GREY_START:
        grey = 8 + 10 * (index - _GREY_START)
        return grey, grey, grey
    index -= _CUBE_START
    return _CUBE[index // 36], _CUBE[index // 6 % 6], _CUBE[index % 6]


def _nearest(red: int, green: int, blue: int) -> int:
    def distance(index: int) -> int:
        other = _COLOURS[index]
        return (red - other[0]) ** 2 + (green - other[1]) ** 2 + (blue - other[2]) ** 2

    return min(range(len(_COLOURS)), key=distance)
