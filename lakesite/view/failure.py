"""What made a run fail, before all else on its page."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lakesite.model import Audit, Called, Closes, MessagePayload, Opens, Run, Said, Step, StepPayload
from lakesite.view.badges import badge
from lakesite.view.exchanges import run_exchange
from lakesite.view.layout import Layout
from lakesite.view.messages import Message, message_rows
from lakesite.view.run_source import RunSource
from lakesite.view.shapes import Body, FailedStep, Failure, MessageRow, Row, ToolRow
from lakesite.view.state import failed_step
from lakesite.view.summary import Summary
from lakesite.view.terminal import strip
from lakesite.view.tools import error_body
from lakesite.view.words import first_line, took

SOURCE_WORDS = {"recorded": "transcript", "state": "state file", "audit": "audit trail", "parent": "calling run", "derived": "last step"}
_LOOKED_AT = 50
"""Messages and calls before a failure among which the last words are looked for."""
_WORDS = 200
_BEFORE = 3
"""Steps that failed before, named at most."""


class _Last(NamedTuple):
    """The last words and the last call before a failure."""

    said: MessageRow | None
    call: ToolRow | None
    within: str = ""
    """The step they belong to, where that is not the one that failed."""


def failure(source: RunSource, summary: Summary, audit: Audit | None, caller: str | None, layout: Layout) -> Failure:
    """What made a run fail: a step, its own last word, or somebody else's. `caller`: the page of the run that called it."""
    if source.run.failing is None:
        return _recorded_failure(source, layout) or _told_failure(source, summary, audit, caller, layout)
    step = source.run.steps[source.run.failing]
    errors = _errors(source, step)
    spent = took(source.entries[step.started].time, source.entries[step.completed].time) if step.completed is not None else ""
    last = _last_words(source, source.run.failing)
    before = _failed_before(source.run, source.run.failing)
    return Failure(
        title=f"{step.name} failed after {spent}" if spent else f"{step.name} failed",
        error=errors[0] if errors else None,
        href=layout.link(source.anchors[step.started], 1),
        said=_text(last.said),
        call=last.call,
        said_href=layout.link(last.said.anchor, 1) if last.said else "",
        call_href=layout.link(last.call.anchor, 1) if last.call else "",
        within=last.within,
        before=tuple(_failed(source, each, layout) for each in before[:_BEFORE]),
        more_before=len(before[_BEFORE:]),
    )


def _failed_before(run: Run, failing: int) -> list[int]:
    """The steps that failed before the one that made the run fail, innermost ones: a container fails because of what is in it."""
    failed = [number for number, step in enumerate(run.steps) if step.status == "failed" and step.started < run.steps[failing].started]
    return [number for number in failed if number not in {run.steps[each].parent for each in (*failed, failing)}]


def _failed(source: RunSource, number: int, layout: Layout) -> FailedStep:
    step = source.run.steps[number]
    errors = _errors(source, step)
    return FailedStep(step.name, layout.link(source.anchors[step.started], 1), first_line(strip(errors[0].text), _WORDS) if errors else "")


def _errors(source: RunSource, step: Step) -> tuple[Body, ...]:
    ended = source.load(step.completed) if step.completed is not None else None
    return error_body(ended.payload.error) if ended and isinstance(ended.payload, StepPayload) else ()


def _text(said: MessageRow | None) -> str:
    """The first line of what was said, below its heading if it has one."""
    text = str(said.bodies[0].text) if said else ""
    return first_line("\n".join(line for line in text.splitlines() if not line.startswith("#")), _WORDS) or first_line(text, _WORDS)


def _recorded_failure(source: RunSource, layout: Layout) -> Failure | None:
    """The error of `run.completed`, where no step is to blame."""
    for index, entry in enumerate(source.entries):
        if entry.type == "run.completed" and entry.failed:
            payload = source.load(index).payload
            errors = error_body(payload.error) if isinstance(payload, StepPayload) else ()
            return Failure("the run failed", errors[0] if errors else None, layout.link(source.anchors[index], 1), "", None)
    return None


def _told_failure(source: RunSource, summary: Summary, audit: Audit | None, caller: str | None, layout: Layout) -> Failure:
    """A failure that the transcript itself does not tell: who says so, and what is known of it."""
    step = failed_step(source)
    href, way = None, "go to step"
    if step:
        href = layout.link(step.anchor, 1)
    elif summary.status_source == "parent" and caller:
        href, way = caller, "go to the calling run"
    error = step.error if step else error_body(audit.error)[0]._replace(badges=(badge("audit"),)) if audit and audit.error else None
    title = f"the run failed: its {SOURCE_WORDS[summary.status_source]} says so"
    return Failure(title, error, href, "", None, way)


def _last_words(source: RunSource, failing: int) -> _Last:
    """The last thing that was said and the last call that was made in the failing step; where it holds neither, before it."""
    inside, before, name = _places(source.run, failing)
    last = _last(source, inside)
    if last.said or last.call:
        return last
    return _last(source, before)._replace(within=name or "another step")


def _places(run: Run, failing: int) -> tuple[Sequence[Said | Called], Sequence[Said | Called], str]:
    """The last that was said and done in a step, and before it; and the name of the step that the last of the latter belongs to."""
    around: list[int] = []
    inside: deque[Said | Called] = deque(maxlen=_LOOKED_AT)
    before: deque[Said | Called] = deque(maxlen=_LOOKED_AT)
    name = ""
    for row in run.rows:
        match row:
            case Opens(step=step):
                around.append(step)
            case Closes(step=step):
                if around:
                    around.pop()
                if step == failing:
                    break
            case Said() | Called() if failing in around:
                inside.append(row)
            case Said() | Called():
                before.append(row)
                name = run.steps[around[-1]].name if around else ""
    return inside, before, name


def _last(source: RunSource, places: Sequence[Said | Called]) -> _Last:
    """The last words and the last call among what was said and done."""
    said: MessageRow | None = None
    call: ToolRow | None = None
    for place in reversed(places):
        for row in reversed(list(_rows(source, place))):
            if isinstance(row, MessageRow) and row.who == "reply":
                said = said or row
            elif isinstance(row, ToolRow):
                call = call or row
        if said and call:
            break
    return _Last(said, call)


def _rows(source: RunSource, place: Said | Called) -> Iterator[Row]:
    if isinstance(place, Called):
        exchange = source.run.exchanges[place.exchange]
        anchor = source.anchors[(exchange.calls or exchange.results)[0].entry]
        yield run_exchange(exchange, source.entries, source.load, anchor=anchor, depth=0, origin="")
    elif source.entries[place.entry].type == "message.assistant":
        event = source.load(place.entry)
        if isinstance(event.payload, MessagePayload):
            yield from message_rows(Message(source, place.entry, event, event.payload, 0, ()))
