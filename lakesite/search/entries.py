"""What of a page can be searched: a text for each row, with what search can be narrowed by."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from lakesite.model import Json, Number
from lakesite.model.terminal import SEQUENCE
from lakesite.view.shapes import Badge, Body, DocumentPage, EndRow, MessageRow, NoteRow, Row, StepRow, ToolRow
from lakesite.view.terminal import is_controlled, strip

_CHANNELS = frozenset({"router", "agent", "both"})
_ROLES = {"prompt": "user", "input": "system", "reply": "assistant", "thinking": "thinking", "said": "other"}
_LINE_NUMBER = re.compile(r"^ *\d+(?:→|\t)", re.MULTILINE)
_PACKED = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{300,}={0,2}")
_LONG_LINE = 300


class Fields(NamedTuple):
    """What search can be narrowed by, within a document."""

    role: str
    """`user assistant thinking system other tool step hook receipt note page`."""
    tool: str = ""
    fidelity: str = ""
    """`router`, `agent`, `both`, or a recorded word that lakesite does not know; empty: not recorded."""
    error: bool = False

    def __reduce__(self) -> tuple[Callable[..., Fields], tuple[object, ...]]:
        """Fields of thousands of documents come from other processes, and most are alike."""
        return _same_fields, tuple(self)


@lru_cache(4096)
def _same_fields(role: str, tool: str, fidelity: str, error: bool) -> Fields:  # noqa: FBT001 - called by pickle
    return Fields(role, tool, fidelity, error)


class Entry(NamedTuple):
    """Something that a hit can lead to."""

    anchor: str
    """In its page; empty: the page as a whole."""
    fields: Fields
    text: str


def entries(row: Row) -> Iterator[Entry]:
    """What of a row can be searched: every word of it that was recorded."""
    text = "\n".join(piece for piece in _words(row) if piece)
    if text:
        yield Entry(row.anchor, _fields(row), text)


def page_entries(page: DocumentPage) -> Iterator[Entry]:
    """What can be searched of a document beside its rows: title, ids, facts, labels, problems."""
    facts = [f"{fact.before} {fact.figure} {fact.unit}".strip() for fact in page.facts]
    chips = [f"{chip.text} {chip.count}".strip() for chip in page.chips]
    details = [word for body in page.details for word in (body.label, body_text(body))]
    words = [page.title, page.full_id, page.short_id, page.pill, *facts, *chips, *details]
    yield Entry("", Fields("page"), "\n".join(word for word in words if word))
    problems = "\n".join(f"{problem.where} {problem.what}" for problem in page.problems)
    if problems:
        yield Entry("problems", Fields("page"), problems)


def _words(row: Row) -> Iterator[str]:
    match row:
        case StepRow():
            yield from (row.name, row.kind, row.note, row.status if row.status != "completed" else "", row.child.text if row.child else "")
        case EndRow():
            yield row.name
        case MessageRow():
            yield row.label if row.who == "said" else ""
        case ToolRow():
            yield from (row.name, row.outcome, row.child.text if row.child else "", row.ids)
        case NoteRow():
            yield from (row.label, row.text)
    texts = [body_text(body) for body in row.bodies]
    if isinstance(row, ToolRow) and not any(row.argument.rstrip("…") in text for text in texts):
        yield row.argument
    yield from texts


def _fields(row: Row) -> Fields:
    match row:
        case StepRow(status=status) | EndRow(status=status):
            return Fields("step", error=status == "failed")
        case MessageRow(who=who):
            return Fields(_ROLES[who], fidelity=_fidelity(row.badges), error=row.bad)
        case ToolRow():
            return Fields("tool", row.name, _fidelity(row.badges), row.status == "failed")
        case NoteRow(kind=kind):
            role = kind if kind in ("hook", "receipt") else "note"
            return Fields(role, fidelity=_fidelity(row.badges), error=row.bad)


def _fidelity(badges: Iterable[Badge]) -> str:
    for badge in badges:
        if badge.name in _CHANNELS:
            return badge.name
        if badge.name == "other":
            return badge.text
    return ""


def body_text(body: Body) -> str:
    """The text of a body as it is searched: no terminal codes, no line numbers, no base64; of output what a terminal would show."""
    match body.kind:
        case "image":
            return ""
        case "json" | "tasks" | "table":
            text = json_text(body.value)
        case "edit":
            text = f"{body.text}\n{body.new}"
        case "numbered":
            text = _LINE_NUMBER.sub("", body.text)
        case "output":
            text = strip(body.text)
        case "nothing":
            text = " ".join((body.text, *(time.iso for time in body.times)))
        case _:
            text = body.text
    return _without_base64(SEQUENCE.sub("", text) if is_controlled(text) else text)


def json_text(value: Json) -> str:
    """A JSON value as text: a line for each name and its value, texts as they are."""
    lines: list[str] = []
    waiting: list[tuple[str, Json]] = [("", value)]
    while waiting:
        name, item = waiting.pop()
        if isinstance(item, dict | list):
            inner = list(item.items()) if isinstance(item, dict) else [("", each) for each in item]
            waiting += reversed(inner)
            lines += [f"{name}:"] if name else []
        else:
            lines.append(f"{name}: {_scalar(item)}" if name else _scalar(item))
    return "\n".join(lines)


def _scalar(value: bool | int | Number | str | None) -> str:  # noqa: FBT001 - a JSON value
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Number(spelling=spelling):
            return spelling
        case _:
            return str(value)


def _without_base64(text: str) -> str:
    """Long unbroken base64 is an image or an archive: named, not indexed."""
    if len(text) < _LONG_LINE or max(map(len, text.split("\n"))) < _LONG_LINE:
        return text
    return _PACKED.sub(lambda found: f"[base64, {len(found[0])} characters]", text)
