"""Problems in words, on the page that they concern and on the page of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lakesite.model import NOTES, Masked, Problem
from lakesite.view.shapes import Fact, ProblemGroup, ProblemLine, ProblemsPage
from lakesite.view.summary import Summary
from lakesite.view.words import number

LISTED = 200
"""Problems that one document or one file lists; the rest are counted."""


def problem_lines(problems: Sequence[Problem]) -> tuple[ProblemLine, ...]:
    """Problems as a page lists them."""
    lines = [ProblemLine(_where(item), _what(item), item.kind in NOTES) for item in problems[:LISTED]]
    if len(problems) > LISTED:
        lines.append(ProblemLine("", f"{number(len(problems) - LISTED)} more like these", note=True))
    return tuple(lines)


def _where(problem: Problem) -> str:
    return f"{problem.where}:{problem.line}" if problem.line is not None else problem.where


def _what(problem: Problem) -> str:
    return f"{problem.what}: {problem.about}" if problem.about else problem.what


def is_serious(problem: Problem) -> bool:
    """Whether something was lost or is in conflict; else the problem only tells how something was read."""
    return problem.kind not in NOTES


def problems_page(summaries: Sequence[Summary], homeless: Sequence[Problem], skipped: Iterable[tuple[Masked, str]]) -> ProblemsPage:
    """Everything that could not be read, and everything that was not."""
    groups = [ProblemGroup(summary.title, problem_lines(summary.problems), summary.href) for summary in summaries if summary.problems]
    if homeless:
        groups.append(ProblemGroup("files without a readable record", problem_lines(homeless), None))
    reasons: dict[str, list[ProblemLine]] = {}
    for name, reason in skipped:
        reasons.setdefault(reason, []).append(ProblemLine(name, "", note=True))
    left_out = tuple(ProblemGroup(reason, tuple(lines), None) for reason, lines in sorted(reasons.items()))
    found = [problem for summary in summaries for problem in summary.problems] + list(homeless)
    kinds = Counter("notes" if problem.kind in NOTES else "problems" for problem in found)
    skips = sum(len(group.lines) for group in left_out)
    facts = (
        Fact(number(kinds["problems"]), "problem" if kinds["problems"] == 1 else "problems"),
        Fact(number(kinds["notes"]), "note" if kinds["notes"] == 1 else "notes"),
        Fact(number(skips), "file or folder skipped" if skips == 1 else "files or folders skipped"),
    )
    return ProblemsPage(tuple(groups), left_out, facts, ())
