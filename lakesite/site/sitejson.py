"""`site.json`: the site for other programs. Its format is stable: fields are added, never changed or taken away.

Format 1: `{"format":1,"documents":[…],"problems":[…],"skipped":[…]}`, one document a line. The README describes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from lakesite.model import NOTES, Masked, Problem
from lakesite.view.summary import Summary
from lakesite.view.words import utc

FORMAT = 1
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
"""What is written as its code, so that the file can be looked at in a terminal: controls, and what turns the order of letters."""


def site_json(summaries: Sequence[Summary], homeless: Iterable[Problem], skipped: Iterable[tuple[Masked, str]]) -> Iterator[str]:
    """The text of `site.json`, piece by piece."""
    problems: list[tuple[Problem, str | None]] = [(problem, summary.href) for summary in summaries for problem in summary.problems]
    problems += [(problem, None) for problem in homeless]
    yield f'{{"format":{FORMAT},"documents":[\n'
    yield from _lines(_document(summary) for summary in summaries)
    yield '\n],"problems":[\n'
    yield from _lines(_problem(problem, href) for problem, href in problems)
    yield '\n],"skipped":[\n'
    yield from _lines({"file": name, "reason": reason} for name, reason in skipped)
    yield "\n]}\n"


def _lines(items: Iterable[object]) -> Iterator[str]:
    between = ""
    for item in items:
        text = json.dumps(item, ensure_ascii=False, separators=(",", ":"))
        yield between + _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        between = ",\n"


def _problem(problem: Problem, href: str | None) -> dict[str, object]:
    return {
        "kind": problem.kind,
        "note": problem.kind in NOTES,
        "file": problem.where,
        "line": problem.line,
        "what": problem.what,
        "about": problem.about,
        "document": href,
    }


def _document(summary: Summary) -> dict[str, object]:
    place = summary.place
    document: dict[str, object] = {
        "kind": summary.kind,
        "id": summary.id.shown if summary.id else None,
    }
    if summary.kind == "session":
        document["runtime"] = summary.runtime
    if summary.part is not None:
        document["part"] = summary.part
    return document | {
        "href": summary.href,
        "parts": list(summary.parts),
        "title": summary.title,
        "status": summary.status,
        "status_source": summary.status_source,
        "started": utc(summary.started) if summary.started is not None else None,
        "ended": utc(summary.ended) if summary.ended is not None else None,
        "parent": place.parent.shown if place and place.parent else None,
        "children": [child.shown for child in place.children] if place else [],
        "missing": _missing(summary),
        "interruption": summary.interruption,
        "models": list(summary.models),
        "project": summary.projects[0] if summary.projects else None,
        "sources": list(summary.sources),
        "counts": asdict(summary.counts),
        "tokens": {
            "in": summary.tokens.tokens_in,
            "out": summary.tokens.tokens_out,
            "reported": summary.tokens.reported,
            "of": summary.tokens.of,
        },
    }


def _missing(summary: Summary) -> list[str]:
    if summary.place is None:
        return []
    parent = (summary.place.missing_parent,) if summary.place.missing_parent else ()
    return [named.shown for named in (*parent, *summary.place.missing)]
