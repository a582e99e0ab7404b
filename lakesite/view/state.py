"""What a state file tells of the steps of a run, beside the transcript and instead of it."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from lakesite.model import Masked, Step, StepState
from lakesite.view.badges import badge
from lakesite.view.run_source import RunSource
from lakesite.view.shapes import Body, EndRow, Row, StepRow
from lakesite.view.tools import more_bodies
from lakesite.view.words import number, took, when

_WORDS = {
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
    "running": "unfinished",
}


def state_bodies(step: Step | None, state: StepState, shown: set[str]) -> list[Body]:
    """What a step printed, and other facts that only the state file holds. `shown`: texts that stand at the step already.

    `step`: as the transcript has it; None where that knows nothing of it.
    """
    bodies = []
    for label, text in (("standard output", state.output), ("standard error", state.stderr), ("error", state.error)):
        if text and not any(other and text.endswith(other) for other in shown):  # "step lint: …" repeats what is there
            folded = label == "standard output" and step is not None and step.kind == "agent"
            cut = (badge("cut"),) if state.truncated else ()
            bodies.append(Body("output", text, label, bad=label == "error", folded=folded, badges=(badge("state"), *cut)))
            shown.add(text)
    facts = [f"exit {state.exit_code}"] if state.exit_code else []
    word = (state.status or "").lower()
    if word and _WORDS.get(word) != (step_status(step) if step else state_status(state)):
        facts.append(f"status {state.status}")
    if state.attempt and state.attempt > 1:
        facts.append(f"attempt {state.attempt}")
    tokens = [f"{number(count)} tokens {way}" for count, way in ((state.tokens_in, "in"), (state.tokens_out, "out")) if count is not None]
    if tokens:
        facts.append(" · ".join(tokens) + (" (estimated)" if state.estimated else ""))
    if facts:
        bodies.append(Body("nothing", " · ".join(facts), badges=(badge("state"),)))
    bodies += [Body("json", label="more", value=body.value, folded=True, badges=(badge("state"),)) for body in more_bodies(state.more)]
    return bodies


def state_status(state: StepState) -> str:
    """How a state file says that a step ended: the word that marks it."""
    return _WORDS.get((state.status or "").lower(), "unknown")


def step_status(step: Step) -> str:
    """How a step ended, in the words of pages: as a run, one without a recorded end is `unfinished`."""
    return "unfinished" if step.status == "open" else step.status


def lone_steps(source: RunSource) -> list[tuple[Masked, StepState]]:
    """The steps that only the state file knows, in its order."""
    known = {step.name for step in source.run.steps}
    return [(name, state) for name, state in source.state.steps.items() if name not in known] if source.state else []


def lone_rows(source: RunSource) -> Iterator[Row]:
    """A heading for each step that only the state file knows, and what it tells of it."""
    for name, state in lone_steps(source):
        shown, anchor, status = name or "name not recorded", state_anchor(name), state_status(state)
        yield StepRow(
            anchor=anchor,
            depth=0,
            name=shown,
            kind="",
            status=status,
            when=when(state.started),
            took=took(state.started, state.completed),
            badges=(badge("state"),),
            child=None,
            note="not in the transcript",
            origin="state file",
        )
        if bodies := state_bodies(None, state, set()):
            yield EndRow(f"{anchor}-end", 0, shown, status, tuple(bodies), when(state.completed), (), "state file")


def state_anchor(name: Masked) -> str:
    """The anchor of a step that only the state file knows."""
    return f"s-{blake2b(name.encode('utf-8', 'replace'), digest_size=5).hexdigest()}"


class FailedStep(NamedTuple):
    """A step of which the state file says that it failed."""

    anchor: str
    error: Body | None


def failed_step(source: RunSource) -> FailedStep | None:
    """The first step of which only the state file says that it failed."""
    at = {step.name: step.started for step in source.run.steps}
    for name, state in source.state.steps.items() if source.state else ():
        if state_status(state) == "failed":
            error = Body("output", state.error, "error", bad=True, badges=(badge("state"),)) if state.error else None
            return FailedStep(source.anchors[at[name]] if name in at else state_anchor(name), error)
    return None
