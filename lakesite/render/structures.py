"""Shows lists for what they are: tasks with their marks, objects as a table, what a search found.

| element | class | means |
|---|---|---|
| ul | `tasks` | a list of tasks; the mark before each says how far it is |
| table | `json` | a list of objects, a row each; values as in a block of JSON |
| pre | `out found` | what a search found: `b` is a file, `i` its place or what was said of it before |
"""

from __future__ import annotations

import re
from itertools import chain
from json.encoder import encode_basestring
from typing import cast

from markupsafe import Markup

from lakesite.model import Json, Number
from lakesite.render import ansi
from lakesite.render.escape import attribute, block, shown
from lakesite.view.words import plural

_ROWS = 50
"""Rows of a table that are shown; the rest is folded."""
_MARKS = {"completed": "completed", "done": "completed", "in_progress": "open", "pending": "unknown", "cancelled": "cancelled"}
_SILENT = frozenset({"completed", "done", "pending"})
_LITERAL = re.compile(r"-?\d[\d.eE+-]*|true|false|null|\s.*|.*\s|", re.DOTALL)
"""A text that would be taken for something else without its quotes."""
_MATCH = re.compile(r"(?P<path>[^\s:][^:\n]{0,400}):(?P<at>\d{1,9}[:-]|\d{1,9}$)")
_PATH = re.compile(r"[^\s:]*/(?=[^\s:/]+$)")


def tasks(value: Json) -> Markup:
    """Show tasks with their marks."""
    made = [_task(cast("dict[str, str]", item)) for item in cast("list[Json]", value)]
    return Markup(f'<ul class="tasks">{"".join(made)}</ul>')  # noqa: S704 -- every piece is escaped, here and below


def _task(item: dict[str, str]) -> str:
    status = item["status"]
    word = shown(status.replace("_", " "))
    said = "" if status in _SILENT else f" <small>{word}</small>"
    return f'<li><i class="dot {attribute(_MARKS.get(status, "unknown"))}">{word}</i> {shown(item["text"])}{said}</li>'


def table(value: Json) -> Markup:
    """Show a list of objects as a table; the rows beyond the first few folded."""
    rows = cast("list[dict[str, Json]]", value)
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    made = _table(columns, rows[:_ROWS])
    if rest := rows[_ROWS:]:
        made += f'<details class="fold"><summary>… {plural(len(rest), "more row")}</summary>{_table(columns, rest)}</details>'
    return Markup(made)  # noqa: S704


def _table(columns: list[str], rows: list[dict[str, Json]]) -> str:
    head = "".join(f"<th>{shown(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(_cell(row, name) for name in columns)}</tr>" for row in rows)
    return f'<div class="scroll"><table class="json"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(row: dict[str, Json], name: str) -> str:
    if name not in row:
        return "<td></td>"
    match row[name]:
        case None:
            return "<td><i class=k>null</i></td>"
        case bool() as value:
            return f"<td><i class=k>{'true' if value else 'false'}</i></td>"
        case int() as value:
            return f"<td>{value}</td>"
        case Number(spelling=spelling):
            return f"<td>{shown(spelling)}</td>"
        case str() as value if _LITERAL.fullmatch(value):
            return f"<td><i class=s>{shown(encode_basestring(value))}</i></td>"
        case str() as value:
            return f"<td>{shown(value)}</td>"
        case value:
            return f"<td>{'[]' if isinstance(value, list) else '{}'}</td>"


def found(text: str) -> Markup:
    """Show what a search found: the name of a file stands out where its matches begin."""
    if "\x1b" in text:
        return ansi.ansi(text)
    lines = []
    before = ""
    for line in text.split("\n"):
        match = _MATCH.match(line)
        path = match["path"] if match else ""
        lines.append(_match(line, match, same=path == before) if match else _file(line))
        before = path
    return block("out found", "\n".join(lines))


def _match(line: str, match: re.Match[str], *, same: bool) -> str:
    path, rest = shown(match["path"]), shown(line[match.end() :])
    return f"<i>{path}:{match['at']}</i>{rest}" if same else f"<b>{path}</b><i>:{match['at']}</i>{rest}"


def _file(line: str) -> str:
    folder = _PATH.match(line)
    return f"<i>{shown(folder[0])}</i>{shown(line[folder.end() :])}" if folder else shown(line)
