"""What was caught in one document and can still be read in another.

All pages of a build are read once more, as texts without the elements around and inside of them. The values are looked for
in memory, and only their numbers leave the process that finds them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from pathlib import Path

from lakesite.masking import MarkerClass, Masker, MaskOptions, Tails
from lakesite.masking.marker import marker
from lakesite.model import Problem
from lakesite.site.verify_packed import unpacked
from lakesite.site.writing import Caught, Written
from lakesite.view.summary import Summary
from lakesite.view.words import number, plural

MOST = 20_000
"""Values that are looked for; an archive with more has other troubles, and memory must not grow with it."""
_TOGETHER = 32
"""Documents that one task looks through."""
_SILENT = re.compile(r"<(script|style)\b.*?</\1", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"""(<[^>"]*+(?:"[^"]*+"[^>"]*+)*+>)""")
_PACKED = re.compile(r'\bdata-z="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Look:
    """What one task looks for, and where."""

    values: tuple[str, ...]
    pages: tuple[tuple[str, ...], ...]
    """The files of each document."""


def known_from(caught: Iterable[Caught]) -> Caught:
    """What is to be masked in all documents: the same whatever process found it first."""
    found: dict[str, MarkerClass] = {}
    for each in caught:
        for value, kind in each:
            if len(found) < MOST:
                found.setdefault(value, kind)
    return tuple(found.items())


def looks(written: Sequence[Written]) -> list[Look]:
    """The tasks that look for what was caught anywhere in all that was written; none where there is nothing to look for."""
    values = tuple(value for value, _ in known_from(each.caught for each in written))
    if not values or len(written) == 1:
        return []
    pages = [(*each.summary.parts, *each.summary.asides) for each in written]
    return [Look(values, tuple(pages[start : start + _TOGETHER])) for start in range(0, len(pages), _TOGETHER)]


def read_again(look: Look, site: Path) -> list[tuple[int, ...]]:
    """Which of the values, by their numbers, can be read in each of the documents."""
    tails, numbers = _prepared(look.values)
    found = []
    for files in look.pages:
        texts = (text for file in files for text in _texts((site / file).read_text(encoding="utf-8", errors="replace")))
        seen = {value for text in texts for _, value in tails.places(text.encode("utf-8", "replace"))}
        found.append(tuple(sorted({numbers[value] for value in seen})))
    return found


@lru_cache(maxsize=1)
def _prepared(values: tuple[str, ...]) -> tuple[Tails, dict[bytes, int]]:
    numbers = {
        form.encode("utf-8", "replace"): index
        for index, value in enumerate(values)
        for form in (json.dumps(value, ensure_ascii=False)[1:-1], value)  # a page shows some texts as JSON
    }
    return Tails(numbers), numbers


def _texts(page: str) -> Iterator[str]:
    """What a page says: its words, what stands in its tags, and what is packed in them."""
    page = _SILENT.sub("", page)
    parts = _TAG.split(page)
    yield unescape("".join(parts[::2]))
    yield unescape("\n".join(set(parts[1::2])))
    for packed in _PACKED.findall(page) if "data-z=" in page else ():
        yield from (inner.text for inner in unpacked(packed) or ())


def with_readable(
    written: Sequence[Written], found: Iterable[tuple[int, ...]], masking: MaskOptions
) -> tuple[list[Summary], list[Problem]]:
    """The documents, each with the problem that something can be read in it that was masked in another; and problems of all."""
    known = known_from(each.caught for each in written)
    owners: dict[str, list[int]] = {}
    for index, each in enumerate(written):
        for value, _ in each.caught:
            owners.setdefault(value, []).append(index)
    summaries = [each.summary for each in written]
    for index, numbers in enumerate(found):
        problems = []
        for value, kind in (known[place] for place in numbers):
            if index not in owners[value]:
                hidden = marker(value, kind, fingerprint=kind != "credential" or masking.fingerprint == "lake")
                problems.append(_problem(summaries[index], hidden, [written[owner].summary.href for owner in owners[value]]))
        summaries[index] = _with_problems(summaries[index], problems)
    left = len(owners) - len(known)
    return summaries, [_unlooked(left, masking)] if left else []


def _problem(summary: Summary, hidden: str, masked_in: list[str]) -> Problem:
    others = f" and {plural(len(masked_in) - 1, 'more document')}" if len(masked_in) > 1 else ""
    what = f"{hidden} is masked in {min(masked_in)}{others} and readable in {summary.href}"
    return Problem("readable-elsewhere", summary.sources[0], None, what)


def _with_problems(summary: Summary, problems: list[Problem]) -> Summary:
    if not problems:
        return summary
    every = (*summary.problems, *sorted(problems, key=lambda problem: problem.what))
    return replace(summary, problems=every, counts=replace(summary.counts, problems=len(every)))


def _unlooked(left: int, masking: MaskOptions) -> Problem:
    where = Masker(masking).mask("all documents")
    return Problem("readable-elsewhere", where, None, f"{number(left)} masked values were not looked for in other documents: too many")
