"""Problems in words, on the page that they concern and on the page of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from lakesite.model import NOTES, Masked, Problem, ProblemKind
from lakesite.view import address
from lakesite.view.badges import MEANINGS
from lakesite.view.shapes import Chip, Fact, PartLink, ProblemLine
from lakesite.view.summary import Summary
from lakesite.view.words import number

_DAMAGE: frozenset[ProblemKind] = frozenset(
    {"torn-tail", "malformed-line", "glued-records", "zero-bytes", "not-an-object", "not-an-event", "too-deep", "unreadable"}
)
"""Kinds that say that a part of the source could not be read."""
SKIPPED = ("file or folder", "files or folders")
"""One and several of what was not looked into."""
_PAGE = 2_000
"""Lines of one page of problems."""
LISTED = 200
"""Problems that one document or one file lists; the rest are counted."""


class ProblemGroup(NamedTuple):
    """Problems of one document, or of none; or skipped files of one reason."""

    where: str
    lines: tuple[ProblemLine, ...]
    href: str | None
    """The document that it is about, where it is about one."""


class ProblemsPage(NamedTuple):
    """What could not be read, and what was not."""

    problems: tuple[ProblemGroup, ...]
    """Where something was lost or is in conflict."""
    notes: tuple[ProblemGroup, ...]
    """How something was read."""
    skipped: tuple[ProblemGroup, ...]
    facts: tuple[Fact, ...]
    parts: tuple[PartLink, ...]
    root: str = ""


def problem_lines(problems: Sequence[Problem]) -> tuple[ProblemLine, ...]:
    """Problems as a page lists them."""
    lines = [ProblemLine(_where(item), _what(item), item.kind in NOTES) for item in problems[:LISTED]]
    if len(problems) > LISTED:
        lines.append(ProblemLine("", f"{number(len(problems) - LISTED)} more like these", note=True))
    return tuple(lines)


def problem_facts(problems: Sequence[Problem], href: str) -> tuple[Fact, ...]:
    """How many problems a document has, with the way to them; nothing where there is none."""
    count = sum(map(is_serious, problems))
    return (Fact(number(count), "problem in the input" if count == 1 else "problems in the input", href=href),) if count else ()


def damage_chips(problems: Sequence[Problem]) -> tuple[Chip, ...]:
    """How many times something could not be read; nothing where all could."""
    count = sum(problem.kind in _DAMAGE for problem in problems)
    return (Chip("damaged", MEANINGS["damaged"][0], number(count), bad=True),) if count else ()


def _where(problem: Problem) -> str:
    return f"{problem.where}:{problem.line}" if problem.line is not None else problem.where


def _what(problem: Problem) -> str:
    return f"{problem.what}: {problem.about}" if problem.about else problem.what


def is_serious(problem: Problem) -> bool:
    """Whether something was lost or is in conflict; else the problem only tells how something was read."""
    return problem.kind not in NOTES


def problems_pages(
    summaries: Sequence[Summary], homeless: Sequence[Problem], skipped: Iterable[tuple[Masked, str]]
) -> Iterator[tuple[str, ProblemsPage]]:
    """Everything that could not be read, and everything that was not, on as many pages as it takes; each with its address."""
    whole = _all(summaries, homeless, skipped)
    chapters = (whole.problems, whole.notes, whole.skipped)
    groups = [(chapter, piece) for chapter, of in enumerate(chapters) for group in of for piece in _pieces(group)]
    pages: list[list[tuple[int, ProblemGroup]]] = [[]]
    lines = 0
    for chapter, group in groups:
        if lines and lines + len(group.lines) > _PAGE:
            pages.append([])
            lines = 0
        pages[-1].append((chapter, group))
        lines += len(group.lines) + 1
    for here, shown in enumerate(pages, 1):
        links = tuple(PartLink(part, address.part("problems.html", part), "", part == here) for part in range(1, len(pages) + 1))
        problems, notes, skips = (tuple(group for chapter, group in shown if chapter == which) for which in range(len(chapters)))
        yield address.part("problems.html", here), ProblemsPage(problems, notes, skips, whole.facts, links if len(links) > 1 else ())


def _pieces(group: ProblemGroup) -> Iterator[ProblemGroup]:
    """A group in pieces that fit on a page."""
    for start in range(0, len(group.lines), _PAGE):
        yield ProblemGroup(group.where, group.lines[start : start + _PAGE], group.href)


def _all(summaries: Sequence[Summary], homeless: Sequence[Problem], skipped: Iterable[tuple[Masked, str]]) -> ProblemsPage:
    """The same on one page."""
    reasons: dict[str, list[ProblemLine]] = {}
    for name, reason in skipped:
        reasons.setdefault(reason, []).append(ProblemLine(name, "", note=True))
    left_out = tuple(ProblemGroup(reason, tuple(lines), None) for reason, lines in sorted(reasons.items()))
    found = [problem for summary in summaries for problem in summary.problems] + list(homeless)
    kinds = Counter("notes" if problem.kind in NOTES else "problems" for problem in found)
    skips = sum(len(group.lines) for group in left_out)
    one_skip, more_skips = (f"{what} skipped" for what in SKIPPED)
    counted = ((kinds["problems"], "problem", "problems"), (kinds["notes"], "note", "notes"), (skips, one_skip, more_skips))
    facts = tuple(Fact(number(count), one if count == 1 else several) for count, one, several in counted if count)
    problems, notes = (tuple(_groups(summaries, homeless, serious=serious)) for serious in (True, False))
    return ProblemsPage(problems, notes, left_out, facts, ())


def _groups(summaries: Iterable[Summary], homeless: Sequence[Problem], *, serious: bool) -> Iterator[ProblemGroup]:
    """Problems, or notes, of each document that has any, and of none."""
    places = [(summary.title, summary.problems, summary.href) for summary in summaries]
    for where, problems, href in (*places, ("belongs to no document", homeless, None)):
        if found := [problem for problem in problems if is_serious(problem) is serious]:
            yield ProblemGroup(where, problem_lines(found), href)
