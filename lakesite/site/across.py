"""What was caught in one document and can still be read in another.

All pages of a build are read once more, as texts without the elements around and inside of them. The values are looked for
in memory, and only their numbers leave the process that finds them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import NamedTuple

from lakesite.masking import Caught, MarkerClass, Masker, MaskOptions, Tails
from lakesite.model import Masked, Problem
from lakesite.site.made import Made
from lakesite.site.verify_packed import unpacked
from lakesite.view.summary import Summary
from lakesite.view.words import number, plural

MOST = 20_000
"""Values that are looked for; an archive with more has other troubles, and memory must not grow with it."""
_TOGETHER = 32
"""Documents that one task looks through."""
_MANY = 32
"""Values from which on they are found faster by how they end than by one search for each."""
_SILENT = re.compile(r"<(script|style)\b[^<]*+(?:<(?!/\1)[^<]*+)*+</\1", re.IGNORECASE)
_TAG = re.compile(r"""(<[^>"]*+(?:"[^"]*+"[^>"]*+)*+>)""")
_PACKED = re.compile(r'\bdata-z="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Look:
    """What one task looks for, and where."""

    values: tuple[str, ...]
    pages: tuple[tuple[int, tuple[str, ...]], ...]
    """The documents, by their numbers, with the files of each."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What an earlier build looked for."""

    values: frozenset[str] = frozenset()
    """What it looked for in every document that stays."""
    found: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Of each document that stays, by its number: which of these can be read in it."""


def known_from(caught: Iterable[Caught]) -> Caught:
    """What is to be masked in all documents: the same whatever process found it first."""
    found: dict[str, MarkerClass] = {}
    for each in caught:
        for value, kind in each:
            if len(found) < MOST:
                found.setdefault(value, kind)
    return tuple(found.items())


def looks(made: Sequence[Made], before: Looked) -> list[Look]:
    """The tasks that look for what was caught anywhere in all documents of a site; none where there is nothing to look for.

    In documents that stay only what was not looked for before is looked for.
    """
    if len(made) == 1:
        return []
    values = tuple(value for value, _ in known_from(each.caught for each in made))
    files = [(number, (*each.summary.parts, *each.summary.asides)) for number, each in enumerate(made)]
    fresh = [each for each in files if each[0] not in before.found]
    stay = [each for each in files if each[0] in before.found]
    unseen = tuple(value for value in values if value not in before.values)
    return [
        Look(sought, tuple(pages[start : start + _TOGETHER]))
        for sought, pages in ((values, fresh), (unseen, stay))
        if sought
        for start in range(0, len(pages), _TOGETHER)
    ]


def read_again(look: Look, site: Path) -> list[tuple[int, ...]]:
    """Which of the values, by their numbers, can be read in each of the documents."""
    places = _prepared(look.values)
    found = []
    for _, files in look.pages:
        texts = (text for file in files for text in _texts((site / file).read_text(encoding="utf-8", errors="replace")))
        found.append(tuple(sorted({number for text in texts for number in places(text.encode("utf-8", "replace"))})))
    return found


def readable(count: int, tasks: Iterable[Look], found: Iterable[list[tuple[int, ...]]], before: Looked) -> list[frozenset[str]]:
    """Which of the values can be read in each of so many documents."""
    nothing = frozenset[str]()
    seen = [before.found[number] & before.values if number in before.found else nothing for number in range(count)]
    for look, each in zip(tasks, found, strict=True):
        for (place, _), numbers in zip(look.pages, each, strict=True):
            if numbers:
                seen[place] |= {look.values[value] for value in numbers}
    return seen


@lru_cache(maxsize=1)
def _prepared(values: tuple[str, ...]) -> Callable[[bytes], Iterator[int]]:
    """What gives the numbers of the values that stand in a text."""
    numbers: dict[bytes, list[int]] = {}
    for index, value in enumerate(values):
        for form in {json.dumps(value, ensure_ascii=False)[1:-1], value}:  # a page shows some texts as JSON
            numbers.setdefault(form.encode("utf-8", "replace"), []).append(index)
    if len(numbers) < _MANY:
        return lambda text: (index for form, indexes in numbers.items() if form in text for index in indexes)
    tails = Tails(numbers)
    return lambda text: (index for _, form in tails.places(text) for index in numbers[form])


def _texts(page: str) -> Iterator[str]:
    """What a page says: its words, what stands in its tags, and what is packed in them."""
    page = _SILENT.sub("", page)
    parts = _TAG.split(page)
    yield unescape("".join(parts[::2]))
    yield unescape("\n".join(set(parts[1::2])))
    for packed in _PACKED.findall(page) if "data-z=" in page else ():
        yield from (inner.text for inner in unpacked(packed) or ())


def elsewhere(made: Sequence[Made], found: Sequence[frozenset[str]], masking: MaskOptions) -> list[tuple[Problem, ...]]:
    """Of each document the problems that something can be read in it that was masked in another."""
    kinds = dict(known_from(each.caught for each in made))
    owners: dict[str, list[int]] = {}
    for index, each in enumerate(made):
        for value, _ in each.caught:
            owners.setdefault(value, []).append(index)
    told = []
    for index, values in enumerate(found):
        problems = []
        for value in values & kinds.keys():
            if index not in owners[value]:
                hidden = masking.marker(value, kinds[value])
                problems.append(_problem(made[index].summary, hidden, [made[owner].summary.href for owner in owners[value]]))
        told.append(tuple(sorted(problems, key=lambda problem: problem.what)))
    return told


def unlooked(made: Sequence[Made], masking: MaskOptions) -> tuple[Problem, ...]:
    """That not all of what was caught was looked for, where it is too much."""
    caught = {value for each in made for value, _ in each.caught}
    left = len(caught) - len(known_from(each.caught for each in made))
    if not left:
        return ()
    where = Masker(masking).mask("all documents")
    what = f"{number(left)} masked values were not looked for in other documents: too many"
    return (Problem("readable-elsewhere", where, None, what),)


def _problem(summary: Summary, hidden: str, masked_in: list[str]) -> Problem:
    others = f" and {plural(len(masked_in) - 1, 'more document')}" if len(masked_in) > 1 else ""
    what = f"{hidden} is masked in {min(masked_in)}{others} and readable in {summary.href}"
    return Problem("readable-elsewhere", summary.sources[0], None, what)


def with_problems(summary: Summary, problems: tuple[Problem, ...]) -> Summary:
    """A document with further problems."""
    if not problems:
        return summary
    every = (*summary.problems, *problems)
    return replace(summary, problems=every, counts=replace(summary.counts, problems=len(every)))


class Listed(NamedTuple):
    """What the lists of a site tell of no document: it was masked before anything was caught."""

    homeless: tuple[Problem, ...]
    skipped: tuple[tuple[Masked, str], ...]
    """(file, reason)."""


def masked_in_lists(listed: Listed, made: Sequence[Made], masking: MaskOptions) -> Listed:
    """The same without what was caught in any document."""
    masker = Masker(masking, caught=dict(known_from(each.caught for each in made)))
    homeless = (
        replace(each, where=masker.name(each.where), what=masker.mask(each.what), about=masker.mask(each.about) if each.about else None)
        for each in listed.homeless
    )
    return Listed(tuple(homeless), tuple((masker.name(name), reason) for name, reason in listed.skipped))


def readable_in_lists(listed: Listed, made: Sequence[Made], masking: MaskOptions) -> tuple[Problem, ...]:
    """Problems that something can be read there that was masked in a document."""
    told = [text for each in listed.homeless for text in (each.where, each.what, each.about) if text]
    text = "\n".join((*told, *(name for name, _ in listed.skipped)))
    known = known_from(each.caught for each in made)
    found = []
    for place in set(_prepared(tuple(value for value, _ in known))(text.encode("utf-8", "replace"))):
        hidden = known[place]
        masked_in = min(each.summary.href for each in made if hidden[0] in dict(each.caught))
        what = f"{masking.marker(*hidden)} is masked in {masked_in} and readable in problems.html"
        found.append(Problem("readable-elsewhere", Masker(masking).mask("all documents"), None, what))
    return tuple(sorted(found, key=lambda problem: problem.what))
