"""How a run ended, and who says so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, Protocol

from lakesite.model import Place, RunStatus, StatusSource
from lakesite.resolve.stage import Draft
from lakesite.resolve.walk import Walk

_STATE: dict[str, RunStatus] = {
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "running": "unfinished",
    "pending": "unfinished",
}
"""Words of a state file."""
_AUDIT: dict[str, RunStatus] = {"success": "completed", "failure": "failed", "cancelled": "cancelled"}
"""Words of an audit trail."""


class Told(Protocol):
    """What the events of a run say of its end."""

    @property
    def recorded(self) -> RunStatus | None:
        """The word of `run.completed`."""

    @property
    def derived(self) -> RunStatus:
        """What the steps let us derive."""


def status(run: Told, place: Place, state: str | None, audit: str | None) -> tuple[RunStatus, StatusSource]:
    """How a run ended, by the first witness that speaks.

    These are its own end, its state file, the audit trail, the run that called it, and what its steps let us derive. A word
    that is not known says nothing.
    """
    if run.recorded:
        return run.recorded, "recorded"
    if state in _STATE:
        return _STATE[state], "state"
    if audit in _AUDIT:
        return _AUDIT[audit], "audit"
    if place.word:
        return place.word, "parent"
    return run.derived, "derived"


def recorded(last: Walk) -> Literal["completed", "failed"] | None:
    """What `run.completed` says, if it has a payload."""
    if last.word is None:
        return None
    return "failed" if last.word else "completed"


def derived(last: Walk, *, torn: bool) -> Literal["completed", "failed", "unfinished"]:
    """What the last segment of a run lets us derive of its end; `torn` says that its file ends inside a record."""
    steps = [step for step in last.steps if step.segment == last.segment]
    ended = [last.steps[step] for step in last.closed if last.steps[step].top]
    if not last.ended:
        if torn:
            return "unfinished"
        terminal = [step for step in steps if step.kind == "terminal"]
        if terminal:
            return "failed" if terminal[-1].failed else "completed"
        if last.begun or any(step.status == "open" for step in steps):
            return "unfinished"
    return "failed" if ended and ended[-1].failed else "completed"


def failing(steps: Sequence[Draft], closed: Sequence[int]) -> int | None:
    """The step that made a run fail, if it did; `closed` names its last segment's steps in the order in which they ended.

    That is the last failure at the top, else the last one anywhere; a terminal step only tells of a failure, so it comes last.
    Of a container it is the failure inside: in a parallel step the first one, which cancels the others, else the last one.
    """
    failed = [step for step in closed if steps[step].failed]
    caused = [step for step in failed if steps[step].kind != "terminal"]
    top = [step for step in caused if steps[step].top]
    found = next((group[-1] for group in (top, caused, failed) if group), None)
    inside: dict[int | None, list[int]] = defaultdict(list)
    for step in failed:
        inside[steps[step].parent].append(step)
    while found is not None and found in inside:
        found = inside[found][0 if steps[found].kind == "parallel" else -1]
    return found
