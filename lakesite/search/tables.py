"""The tables of a segment: what a page must know before it can look anything up, and what it shows of a document.

`head.js` begins with a line of JSON:

    {"documents":…,"blocks":…,"shards":…,"columns":[…],"days":[first,last],"fields":[[role,tool,fidelity,error],…],
     "statuses":[…],"runtimes":[…],"projects":[[…],…],"models":[[…],…]}

Then the first term of each shard of the dictionary, front-coded: with these alone words can be looked up. At last
numbers (see `codec`), column by column, each of as many bytes as `columns` says. Of each document: how many chunks
its texts fill; 0 for a run and 1 for a session; its place in `statuses`, `runtimes`, `projects` and `models`; the day
of its beginning, counted from 1 on 1970-01-01, or 0, as the way from that of the document before: `2 n` onwards, `2 n
- 1` back; the minute of that day. Of each chunk: how many blocks it holds. Of each block: its place in `fields`.

`d/<n>.js` holds what is shown of 256 documents, as JSON: `[title, address, time, [names of chunks], [part, anchor, …]]`.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, pairwise
from typing import Any, Final, TypeVar

from lakesite.model import Instant
from lakesite.search.codec import front_coded, numbers, read_front_coded, read_numbers
from lakesite.search.entries import Fields
from lakesite.search.segment import Facts, Listed
from lakesite.view.words import utc

TOGETHER: Final = 256
"""Documents of one file."""
_MILLISECOND = 1_000_000
_MINUTE = 60_000 * _MILLISECOND
_DAY = 1_440 * _MINUTE
_KINDS = ("run", "session")

_Value = TypeVar("_Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Head:
    """What `head.js` says, and what is shown of each document."""

    documents: tuple[Listed, ...]
    firsts: tuple[str, ...]
    """The first term of each shard."""


def head_sections(head: Head) -> list[bytes]:
    """The content of `head.js`: the line, the first terms, the columns."""
    facts = [document.facts for document in head.documents]
    fields = _distinct(each for document in head.documents for each in document.fields)
    statuses, runtimes = _distinct(each.status for each in facts), _distinct(each.runtime for each in facts)
    projects, models = _distinct(each.projects for each in facts), _distinct(each.models for each in facts)
    days = [_day(each.started) for each in facts]
    columns = [
        numbers(column)
        for column in (
            [len(document.chunks) for document in head.documents],
            [_KINDS.index(each.kind) for each in facts],
            [statuses[each.status] for each in facts],
            [runtimes[each.runtime] for each in facts],
            [projects[each.projects] for each in facts],
            [models[each.models] for each in facts],
            _ways(days),
            [_minute(each.started) for each in facts],
            [blocks for document in head.documents for blocks in document.chunks],
            [fields[each] for document in head.documents for each in document.fields],
        )
    ]
    line = {
        "documents": len(facts),
        "blocks": sum(document.blocks for document in head.documents),
        "shards": len(head.firsts),
        "columns": list(map(len, columns)),
        "days": [min(filter(None, days), default=0), max(days, default=0)],
        "fields": [[each.role, each.tool, each.fidelity, int(each.error)] for each in fields],
        "statuses": list(statuses),
        "runtimes": list(runtimes),
        "projects": list(projects),
        "models": list(models),
    }
    return [_json(line) + b"\n", front_coded(head.firsts), *columns]


def _distinct(values: Iterable[_Value]) -> dict[_Value, int]:
    """Each different value with its place."""
    found: dict[_Value, int] = {}
    for value in values:
        found.setdefault(value, len(found))
    return found


def _day(time: Instant | None) -> int:
    return 0 if time is None else max(time // _DAY, 0) + 1


def _minute(time: Instant | None) -> int:
    return 0 if time is None or time < 0 else time % _DAY // _MINUTE


def _ways(days: Sequence[int]) -> list[int]:
    """How far each is from the one before: documents of one project stand in the order of their beginnings, so the ways are short."""
    ways = (day - before for before, day in pairwise((0, *days)))
    return [2 * way if way >= 0 else -2 * way - 1 for way in ways]


def shown_bytes(documents: Sequence[Listed]) -> Iterator[bytes]:
    """The content of each `d/<n>.js`."""
    for start in range(0, len(documents), TOGETHER):
        yield _json([_shown(document) for document in documents[start : start + TOGETHER]])


def _shown(document: Listed) -> list[object]:
    facts = document.facts
    places = [item for place in document.places for item in place]
    return [facts.title, facts.href, utc(facts.started) if facts.started is not None else "", list(document.names), places]


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def read_head(data: bytes, shown: Iterable[bytes]) -> Head:
    """What was written by `head_sections` and `shown_bytes`. ValueError, KeyError, IndexError or TypeError for anything else."""
    first, _, rest = data.partition(b"\n")
    line = json.loads(first)
    count = line["documents"]
    firsts, at = read_front_coded(rest, 0, line["shards"])
    columns: list[list[int]] = []
    for _ in range(8):
        column, at = read_numbers(rest, at, count)
        columns.append(column)
    chunks, at = read_numbers(rest, at, sum(columns[0]))
    blocks, _ = read_numbers(rest, at, line["blocks"])
    known = [Fields(role, tool, fidelity, bool(error)) for role, tool, fidelity, error in line["fields"]]
    left, of_blocks = iter(chunks), iter([known[place] for place in blocks])
    documents = []
    for row, (held, kind, status, runtime, projects, models, _, _) in zip(_rows(shown), zip(*columns, strict=True), strict=True):
        title, href, time, names, places = row
        facts = Facts(
            _KINDS[kind], title, href, line["statuses"][status], line["runtimes"][runtime],
            tuple(line["projects"][projects]), tuple(line["models"][models]), _instant(time),
        )  # fmt: skip
        sizes = tuple(islice(left, held))
        fields = tuple(islice(of_blocks, sum(sizes)))
        documents.append(Listed(facts, sizes, tuple(names), fields, tuple(zip(places[::2], places[1::2], strict=True))))
    return Head(tuple(documents), tuple(firsts))


def _instant(time: str) -> Instant | None:
    return round(datetime.fromisoformat(time).timestamp() * 1000) * _MILLISECOND if time else None


def _rows(shown: Iterable[bytes]) -> Iterator[list[Any]]:
    for data in shown:
        yield from json.loads(data)
