"""A run as rows: its steps in order, with what was said and done in each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lakesite.model import (
    ABSENT,
    Block,
    Called,
    Closes,
    Json,
    Masked,
    MessagePayload,
    Opens,
    OtherPayload,
    Resumes,
    RunEvent,
    Said,
    Step,
    StepPayload,
    StepState,
    ToolPayload,
)
from lakesite.view.badges import KNOWN_FIDELITIES, badge, time_badges
from lakesite.view.exchanges import run_exchange
from lakesite.view.messages import Message, message_rows
from lakesite.view.run_source import RunSource
from lakesite.view.shapes import Badge, Body, EndRow, NoteRow, Row, StepRow
from lakesite.view.state import lone_rows, state_bodies, step_status
from lakesite.view.tools import error_body, more_bodies, output_bodies
from lakesite.view.words import took, when


def rows(source: RunSource) -> Iterator[Row]:
    """The rows of a run's page, in order, made one by one; the time of the first row of another day names that day."""
    day = ""
    for row in _rows(source):
        if row.when is None or row.when.day == day:
            yield row
        else:
            told = row.when._replace(clock=f"{row.when.day} {row.when.clock}") if day else row.when
            day = row.when.day
            yield replace(row, when=told)


def _rows(source: RunSource) -> Iterator[Row]:
    last_turn = {step.name: index for index, step in enumerate(source.run.steps)}
    inside: list[int] = []
    opened = -1
    for row in source.run.rows:
        depth = len(inside)
        match row:
            case Opens(step=step):
                yield _step_row(source, step)
                inside.append(step)
                opened = step
            case Closes(step=step):
                if inside:
                    inside.pop()
                state = _step_state(source, step, last_turn)
                yield from _end_rows(source, step, state, far=step != opened)
            case Called(exchange=index, unclear=unclear):
                yield _called_row(source, index, depth, unclear=unclear)
            case Said(entry=entry, unclear=unclear):
                yield from _said_rows(source, entry, depth, unclear=unclear)
            case Resumes(segment=segment):
                yield _resumed_row(source, segment)
    yield from lone_rows(source)


def _time_badges(source: RunSource, entry: int) -> tuple[Badge, ...]:
    return time_badges(source.entries[entry].time, source.load(entry).time)


def _status_badges(step: Step) -> tuple[Badge, ...]:
    return (badge("cancelled"),) if step.status == "cancelled" else ()


def _step_row(source: RunSource, index: int) -> StepRow:
    step = source.run.steps[index]
    entry = source.entries[step.started]
    ended = source.entries[step.completed] if step.completed is not None else None
    notes = [_turns(step)] if step.loop else []
    if step.attempt > 1:
        notes.append(f"attempt {step.attempt}")
    if ended is not None and step.completed is not None:
        notes.append(_had_output(source.load(step.completed)))
    elif step.status == "open":
        notes.append("end not recorded")
    return StepRow(
        anchor=source.anchors[step.started],
        depth=step.depth,
        name=step.name or "name not recorded",
        kind=step.kind or "",
        status=step_status(step),
        when=when(entry.time, source.load(step.started).time),
        took=took(entry.time, ended.time) if ended else "",
        badges=(*_status_badges(step), *_time_badges(source, step.started)),
        child=source.child(step.child.key) if step.child else None,
        note=" · ".join(note for note in notes if note),
        origin=source.where(entry.origin),
        bodies=_payload_bodies(source.load(step.started)),
    )


def _turns(step: Step) -> str:
    return " in ".join(f"turn {turn + 1}" for turn in reversed(step.loop))


def _had_output(event: RunEvent) -> str:
    """`result` is often just whether there was any."""
    payload = event.payload
    if isinstance(payload, StepPayload) and isinstance(payload.result, bool):
        return f"produced output: {'yes' if payload.result else 'no'}"
    return ""


def _step_state(source: RunSource, index: int, last_turn: dict[Masked, int]) -> StepState | None:
    """What the state file says of a step: of one in a loop it holds only the last turn."""
    step = source.run.steps[index]
    if source.state is None or last_turn.get(step.name) != index:
        return None
    return source.state.steps.get(step.name)


def _end_rows(source: RunSource, index: int, state: StepState | None, *, far: bool) -> Iterator[EndRow]:
    """How a step ended. `far`: other steps stand between its heading and its end, so that the end names it."""
    step = source.run.steps[index]
    entry = event = None
    if step.completed is not None and step.completed != step.started:
        entry, event = source.entries[step.completed], source.load(step.completed)
    bodies = [*_payload_bodies(event, answers=False)] if event else []
    if state:
        bodies += state_bodies(step, state, {body.text for body in bodies})
    if bodies:
        if far:
            bodies[0] = bodies[0]._replace(label=" · ".join(word for word in (step.name, bodies[0].label) if word))
        anchor = source.anchors[step.completed] if entry and step.completed is not None else f"{source.anchors[step.started]}-end"
        yield EndRow(
            anchor=anchor,
            depth=step.depth,
            name=step.name,
            status=step.status,
            bodies=tuple(bodies),
            when=when(entry.time, event.time if event else None) if entry else None,
            badges=_time_badges(source, step.completed) if entry and step.completed is not None else (),
            origin=source.where(entry.origin) if entry else "",
        )


def _called_row(source: RunSource, index: int, depth: int, *, unclear: bool) -> Row:
    exchange = source.run.exchanges[index]
    first = (exchange.calls or exchange.results)[0].entry
    where = source.where(source.entries[first].origin)
    row = run_exchange(exchange, source.entries, source.load, anchor=source.anchors[first], depth=depth, origin=where)
    events = [source.entries[side.entry] for side in (*exchange.calls, *exchange.results) if side.block < 0]
    child = next((source.child(event.child.key) for event in events if event.child), None)
    return replace(row, badges=(*row.badges, *((badge("unclear"),) if unclear else ()), *_time_badges(source, first)), child=child)


def _payload_bodies(event: RunEvent, *, answers: bool = True) -> tuple[Body, ...]:
    """Everything in a payload that is shown for itself; `answers`: also a result that is a bare yes or no."""
    bodies: list[Body] = []
    more: dict[Masked, Json] = {}
    match event.payload:
        case StepPayload(error=error, result=result, more=more):
            bodies += error_body(error)
            if result is not ABSENT and (answers or not isinstance(result, bool)):
                bodies += output_bodies("other", result, None, "result")
        case ToolPayload(name=name, call_id=call, input=given, output=output, error=error, fidelity=fidelity, more=more):
            odd = fidelity if fidelity not in KNOWN_FIDELITIES else None
            sides = (("name", name), ("call id", call), ("input", given), ("output", output), ("error", error), ("fidelity", odd))
            bodies += [Body("json", label=name, value=value) for name, value in sides if value is not ABSENT and value is not None]
        case MessagePayload(role=role, blocks=blocks, more=more):
            bodies += [Body("text", role, label="role")] if role else []
            bodies += [body for block in blocks for body in _block_bodies(block)]
        case OtherPayload(value=value):
            bodies.append(Body("json", label="payload", value=value))
    return (*bodies, *more_bodies(event.more, more))


def _block_bodies(block: Block) -> Iterator[Body]:
    """A block of a message that stands where another payload should."""
    fidelity = block.fidelity if block.fidelity not in KNOWN_FIDELITIES else ""
    label = " · ".join(word for word in (block.type or "block", block.name, f"id {block.id}" if block.id else "", fidelity) if word)
    if block.text:
        yield Body("text", block.text, label=label)
    values = [value for value in (block.input, block.content, block.more or ABSENT) if value is not ABSENT]
    for value in values:
        yield Body("json", label=label, value=value)
    if not block.text and not values:
        yield Body("nothing", "no text recorded", label=label)


def _resumed_row(source: RunSource, segment: int) -> NoteRow:
    entry = source.entries[source.run.segments[segment]]
    return NoteRow(
        anchor=f"segment-{segment + 1}",
        depth=0,
        kind="resumed",
        label="resumed here",
        text=f"segment {segment + 1} begins; its numbers start again at 1",
        when=when(entry.time),
        badges=(badge("resumed"),),
        bodies=(),
        origin=source.where(entry.origin),
    )


def _said_rows(source: RunSource, index: int, depth: int, *, unclear: bool) -> Iterator[Row]:
    event = source.load(index)
    entry = source.entries[index]
    badges = (*((badge("unclear"),) if unclear else ()), *_time_badges(source, index))
    said = isinstance(event.payload, MessagePayload) and event.type.startswith("message.")
    if entry.type == "unknown":
        badges = (*badges, badge("unknown", f"unknown type {event.type}" if said else None))
    if isinstance(event.payload, MessagePayload) and said:
        yield from message_rows(Message(source, index, event, event.payload, depth, badges))
        return
    label = event.type or "type not recorded"
    bodies = _payload_bodies(event)
    words = [event.payload.name if isinstance(event.payload, StepPayload | ToolPayload) else None]
    if isinstance(event.payload, StepPayload):
        words.append(event.payload.kind)
    yield NoteRow(
        anchor=source.anchors[index],
        depth=depth,
        kind="unknown" if entry.type == "unknown" else "meta",
        label=label,
        text=" · ".join(word for word in words if word) or event.path,
        when=when(entry.time, event.time),
        badges=badges,
        bodies=bodies,
        origin=source.where(entry.origin),
        bad=entry.failed,
    )
