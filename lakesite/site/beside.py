"""What stands beside the runs of a build, and what of it belongs to none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lakesite.masking import Masker
from lakesite.model import Audit, Key, Problem
from lakesite.sources.companions import GivenAway, read_audits, state_runs
from lakesite.sources.discover import Found
from lakesite.sources.documents import Document
from lakesite.sources.files import SourceFile
from lakesite.view.words import plural


@dataclass(frozen=True, slots=True)
class Companions:
    """State files and audit trails, by run."""

    states: dict[Key, SourceFile]
    audits: dict[Key, Audit]
    problems: tuple[Problem, ...]
    """What cannot be read in them, and what belongs to no run of this archive."""


def companions(found: Found, documents: Sequence[Document], masker: Masker, given_away: GivenAway) -> Companions:
    """Read what stands beside the runs that were found."""
    problems: list[Problem] = []
    states = state_runs(found.of("state"), problems.append)
    audits = read_audits(found.of("audit"), masker, problems.append, given_away)
    runs = {document.identity.key for document in documents if document.identity.kind == "run"}
    problems += _strays(found, states, audits, runs)
    return Companions(states, audits, tuple(problems))


def _strays(found: Found, states: dict[Key, SourceFile], audits: dict[Key, Audit], runs: set[Key]) -> Iterator[Problem]:
    """What was given, and is about a run that was not. What was only found beside it may be about others."""
    for run, file in states.items():
        if run not in runs and not file.beside:
            yield Problem("not-here", file.name, None, "the state file of a run that is not in this archive: it is not shown")
    trails = found.of("audit")
    left = audits.keys() - runs
    if left and not trails[0].beside:
        what = f"audit trail: {plural(len(left), 'run')} that are not in this archive: what it says of them is not shown"
        yield Problem("not-here", trails[0].name, None, what)
