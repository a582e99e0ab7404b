"""Finds passwords in the column of a table that is headed so: in CSV, TSV, and what database tools print."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lakesite.masking.marker import Hit
from lakesite.masking.names import Secrecy, secrecy
from lakesite.masking.sheet import WALL
from lakesite.masking.values import Trust, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HEADING = b"assw"
"""What texts are searched for, in either case."""
_WORDS = frozenset({HEADING, HEADING.upper()})
_HEADING = re.compile(r"""[A-Za-z_][\w .-]{0,40}""")
_RULED = re.compile(r"[-+|:= ]+")
_AROUND = " \"'`*\r"
_SEPARATORS = ",\t|;"
_LONGEST_HEADER = 1000
_MOST_ROWS = 1000
_LONGEST_TABLE = 65_536


def hits_in_columns(text: str, ascii_form: bytes, places: Iterable[int]) -> Iterator[Hit]:
    """The passwords in every table that has a column of them; `places` are those of `HEADING`, in order."""
    done = 0
    for at in places:
        if at >= done and ascii_form[at : at + len(HEADING)] in _WORDS:
            start, done = _line(text, at)
            if done - start <= _LONGEST_HEADER and (table := _table(text, start, done)):
                for first, last in _rows(text, done + 1, table.separator * (table.width - 1)):
                    yield from table.hits(text, first, last)
                    done = last


def _line(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


class _Table(NamedTuple):
    separator: str
    width: int
    """How many cells a row has."""
    columns: tuple[int, ...]
    """Those that hold passwords."""

    def hits(self, text: str, first: int, last: int) -> Iterator[Hit]:
        """The passwords in a row."""
        cells = text[first:last].split(self.separator)
        for column in self.columns if len(cells) == self.width else ():
            value = cells[column].strip(_AROUND)
            if value and WALL not in value and is_secret(value, Secrecy.PASSWORD, Trust.CODE, quoted=True):
                at = first + sum(len(cell) + 1 for cell in cells[:column]) + cells[column].index(value)
                yield Hit(at, at + len(value), "credential", "name-column")


def _table(text: str, start: int, end: int) -> _Table | None:
    """The table whose header a line is: the first line of several with as many cells, each of them a name."""
    header = text[start:end]
    separator = next((char for char in _SEPARATORS if char in header), "")
    if not separator or text.count(separator, *_line_before(text, start)) == header.count(separator):
        return None
    cells = [cell.strip(_AROUND) for cell in header.split(separator)]
    inner = cells[separator == "|" and not cells[0] : -1 if separator == "|" and not cells[-1] else None]
    columns = tuple(place for place, cell in enumerate(cells) if secrecy(cell) is Secrecy.PASSWORD)
    return _Table(separator, len(cells), columns) if columns and all(map(_HEADING.fullmatch, inner)) else None


def _line_before(text: str, start: int) -> tuple[int, int]:
    return (text.rfind("\n", 0, start - 1) + 1, start - 1) if start else (0, 0)


def _rows(text: str, at: int, shape: str) -> Iterator[tuple[int, int]]:
    """The lines below a header that have as many cells, and the one that is drawn between."""
    stop = min(at + _LONGEST_TABLE, len(text))
    for number in range(_MOST_ROWS):
        _, end = _line(text, at)
        is_row = bool(shape) and text.count(shape[0], at, end) == len(shape)
        if at >= stop or not (is_row or (not number and _RULED.fullmatch(text, at, end))):
            return
        yield at, end
        at = end + 1
