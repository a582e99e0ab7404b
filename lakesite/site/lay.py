"""Rows into parts: rendered section by section, set aside as they come, so that memory holds one section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, NamedTuple

from lakesite.view import address
from lakesite.view.layout import LaidPart, Layout
from lakesite.view.minimap import Mark, mark
from lakesite.view.shapes import Body, EndRow, Link, MessageRow, NoteRow, Row, StepRow, ToolRow
from lakesite.view.words import first_line

PART_BYTES = 2_000_000
"""Where a part ends: well below what a page may hold, because the last section and the shell come on top."""
PART_ELEMENTS = 12_000
"""The same in elements: pages of many small rows are few bytes, and slow all the same."""
_SECTION_ROWS = 50
"""Rows of a section: what a browser lays out at once, and what is rendered again when one of them changes."""
_SECTION_TEXT = 65_536
"""Characters that end it earlier, because that much is held in memory and laid out at once."""
_STRUCTURE = 2_000
"""Characters that a value counts as: it is not known what it becomes, and most are small."""


@dataclass(slots=True)
class Part:
    """What stands on one page of a document."""

    sections: list[int] = field(default_factory=list)
    """Bytes of each of its sections, in order."""
    title: str = ""
    lines: str = ""
    """The anchors of its rows, a line each: as one text, because all parts are held at once."""
    rows: int = 0
    marks: list[tuple[int, Mark]] = field(default_factory=list)
    size: int = 0
    elements: int = 0
    packed: bool = False
    ahead: list[str] = field(default_factory=list)
    """Anchors that its rows link to and that stand further on: in which part is known once all is laid out."""


class Group(NamedTuple):
    """Rows that are rendered together."""

    rows: list[Row]
    full: bool
    """It ends because it is large, not because no more rows come."""


def groups(rows: Iterable[Row]) -> Iterator[Group]:
    """Rows in groups of at most 50, or 64 KB of text."""
    group: list[Row] = []
    text = 0
    for row in rows:
        group.append(row)
        text += sum(_weight(body) for body in row.bodies)
        if len(group) >= _SECTION_ROWS or text >= _SECTION_TEXT:
            yield Group(group, full=True)
            group, text = [], 0
    if group:
        yield Group(group, full=False)


def _weight(body: Body) -> int:
    return len(body.text) + len(body.new) + (_STRUCTURE if body.value is not None else 0)


def lay(
    href: str,
    rows: Iterable[Row],
    render: Callable[[Group], str],
    stream: IO[bytes],
    seen: Callable[[int, Sequence[Row]], None] | None = None,
) -> tuple[Layout, list[Part]]:
    """Render rows and write their sections to a stream, one after the other; gives the layout, and what stands on each part.

    `seen` is told which rows land in which part, from 1.
    """
    badges: Counter[str] = Counter()
    where: dict[str, int] = {}
    parts = [Part()]
    for group in groups(rows):
        if parts[-1].size > PART_BYTES or parts[-1].elements > PART_ELEMENTS:
            parts.append(Part())
        where.update((row.anchor, len(parts)) for row in group.rows)
        if seen:
            seen(len(parts), group.rows)
        pointing = [_pointing(row, href, parts, where) for row in group.rows]
        _write(parts[-1], stream, Group(pointing, group.full), render, badges)
    layout = Layout(
        href,
        tuple(LaidPart(part.title, part.lines, tuple(part.marks)) for part in parts),
        dict(badges),
        where if len(parts) > 1 else {},
        packed=any(part.packed for part in parts),
    )
    return layout, parts


def _pointing(row: Row, href: str, parts: Sequence[Part], where: dict[str, int]) -> Row:
    """A row of the last part whose link, to a row that stands in an earlier part, leads there."""
    match row:
        case NoteRow(href=str(place)) if place.startswith("#"):
            found = _from(place, href, parts, where)
            return row if found == place else replace(row, href=found)
        case ToolRow(child=Link(href=str(place)) as link) if place.startswith("#"):
            found = _from(place, href, parts, where)
            return row if found == place else replace(row, child=link._replace(href=found))
        case _:
            return row


def _from(place: str, href: str, parts: Sequence[Part], where: dict[str, int]) -> str:
    """The address of a row, `#…`, as seen from the last part, as far as it is known yet."""
    part = where.get(place[1:])
    if part is None:
        parts[-1].ahead.append(place[1:])
    return place if part in (None, len(parts)) else f"{address.beside(address.part(href, part))}{place}"


def _write(part: Part, stream: IO[bytes], group: Group, render: Callable[[Group], str], badges: Counter[str]) -> None:
    html = render(group)
    part.sections.append(stream.write(html.encode("utf-8")))
    part.size += len(html)
    part.packed |= ' data-z="' in html
    part.elements += html.count("<") - html.count("</")
    part.marks += [(place, found) for place, row in enumerate(group.rows, part.rows) if (found := mark(row))]
    part.lines += "".join(f"{row.anchor}\n" for row in group.rows)
    part.rows += len(group.rows)
    badges.update(badge.name for row in group.rows for badge in row.badges)
    if not part.title:
        part.title = _title(group.rows)


def _title(group: Iterable[Row]) -> str:
    """What begins in a part: its first step or prompt, else its first row."""
    fallback = ""
    for row in group:
        match row:
            case StepRow(name=name):
                return name
            case MessageRow(who="prompt", bodies=(Body(text=text), *_)):
                return first_line(text, 60)
            case EndRow(name=name) | ToolRow(name=name) | NoteRow(label=name):
                fallback = fallback or name
    return fallback
