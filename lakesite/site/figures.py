"""The figures of a build, as it tells them at its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lakesite.model import Problem
from lakesite.site.unchanged import Figures
from lakesite.view.problems import is_serious
from lakesite.view.summary import Summary


def figures(summaries: Sequence[Summary], homeless: Iterable[Problem], skipped: int, index: Path) -> Figures:
    """The figures of a build, for `--json` and for the summary in words."""
    problems = [problem for summary in summaries for problem in summary.problems] + list(homeless)
    serious = sum(is_serious(problem) for problem in problems)
    pages = [page for summary in summaries for page in summary.pages]
    return {
        "runs": sum(summary.kind == "run" for summary in summaries),
        "sessions": sum(summary.kind == "session" for summary in summaries),
        "failed": sum(summary.status == "failed" for summary in summaries),
        "problems": serious,
        "notes": len(problems) - serious,
        "skipped": skipped,
        "readable_elsewhere": sum(problem.kind == "readable-elsewhere" for problem in problems),
        "masked": sum(summary.counts.masked for summary in summaries),
        "pages": len(pages),
        "bytes": sum(written for _, written, _ in pages),
        "largest_page_bytes": max((written for _, written, _ in pages), default=0),
        "largest_page_elements": max((elements for _, _, elements in pages), default=0),
        "index": str(index),
    }
