"""A tool exchange as a row: what went in, what came out, and how far that can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lakesite.model import (
    ABSENT,
    Block,
    Exchange,
    Json,
    Masked,
    MessagePayload,
    Recorded,
    RunEntry,
    RunEvent,
    Side,
    ToolPayload,
    bare_name,
    says_error,
    says_failed,
)
from lakesite.view.badges import KNOWN_FIDELITIES, exchange_badges
from lakesite.view.shapes import Body, ToolRow, When
from lakesite.view.tools import Kind, argument, error_body, exit_of, input_bodies, kind_of, more_bodies, output_bodies, parsed, path_of
from lakesite.view.words import took, when

NO_NAME = "name not recorded"


class Told(NamedTuple):
    """What one side of an exchange says, wherever it was recorded."""

    name: Masked | None
    input: Recorded
    output: Recorded
    error: Recorded
    fidelity: Masked
    id: Masked | None
    failed: bool
    more: tuple[dict[Masked, Json], ...]


def told(event: RunEvent, side: Side) -> Told | None:
    """The call or the result that stands at `side` of an event."""
    payload = event.payload
    if isinstance(payload, ToolPayload):
        more = (event.more, payload.more)
        failed = says_error(payload.error) or says_failed(payload.output)
        return Told(payload.name, payload.input, payload.output, payload.error, payload.fidelity, payload.call_id, failed, more)
    if isinstance(payload, MessagePayload) and 0 <= side.block < len(payload.blocks):
        block: Block = payload.blocks[side.block]
        failed = says_failed(block.more) or says_failed(block.content)
        return Told(block.name, block.input, block.content, ABSENT, block.fidelity, block.id, failed, (block.more,))
    return None


def run_exchange(
    exchange: Exchange,
    entries: Sequence[RunEntry],
    load: Callable[[int], RunEvent],
    *,
    anchor: str,
    depth: int,
    origin: str,
) -> ToolRow:
    """The row of an exchange of a run."""
    calls = [found for side in exchange.calls if (found := told(load(side.entry), side))]
    results = [(side, found) for side in exchange.results if (found := told(load(side.entry), side))]
    given = calls[0] if calls else results[0][1] if results else None
    name = exchange.name or (given.name if given else None)
    kind = kind_of(name)
    value = parsed(next((each.input for each in (*calls, *(found for _, found in results)) if each.input is not ABSENT), ABSENT))
    path = path_of(value)
    bodies = [*input_bodies(kind, value)]
    for call in calls:
        if call.output is not ABSENT and call.output is not None:
            bodies += output_bodies(kind, call.output, path, "output, recorded with the call", bad=call.failed)
        bodies += [*error_body(call.error, "error, recorded with the call"), *_other_input(call, value, "call"), *more_bodies(*call.more)]
    for _, result in results:
        plain = len(results) == 1 and (not calls or result.fidelity in {"", *(call.fidelity for call in calls)})
        label = "output" if plain else f"output · {result.fidelity or 'fidelity not recorded'}"
        bodies += [*_result_bodies(result, label, kind, path), *_otherwise(result, name, value)]
    extra = [found for side in exchange.extra if (found := told(load(side.entry), side))]
    for result_told in extra:
        label = "extra result" if result_told.fidelity in KNOWN_FIDELITIES else f"extra result · {result_told.fidelity}"
        bodies += [*_result_bodies(result_told, label, kind, path), *_otherwise(result_told, name, value)]
    if exchange.calls and not exchange.results:
        bodies.append(Body("nothing", "no result recorded", label="output"))
    return ToolRow(
        anchor=anchor,
        depth=depth,
        name=name or NO_NAME,
        argument=argument(value) if value is not ABSENT else "",
        status="unknown" if exchange.failed is None else "failed" if exchange.failed else "ok",
        outcome=_outcome(exchange, bodies),
        when=_when(exchange, entries, load),
        took=_took(exchange, entries),
        badges=exchange_badges(exchange),
        bodies=tuple(bodies),
        origin=origin,
        ids=" · ".join(dict.fromkeys(each.id for each in (*calls, *(found for _, found in results), *extra) if each.id)),
    )


def _result_bodies(result: Told, label: str, kind: Kind, path: str | None) -> list[Body]:
    errors = error_body(result.error)
    quiet = errors and (result.output is ABSENT or result.output is None)
    outputs = () if quiet else output_bodies(kind, result.output, path, label, bad=result.failed and not errors)
    return [*outputs, *errors, *more_bodies(*result.more)]


def _otherwise(result: Told, name: str | None, given: Recorded) -> list[Body]:
    """What a result repeats of its call, where it says something else."""
    known = {name, bare_name(name or "")}
    named = [Body("text", result.name, label="name, recorded with the result")] if result.name and result.name not in known else []
    return [*named, *_other_input(result, given, "result")]


def _other_input(side: Told, given: Recorded, where: str) -> list[Body]:
    """The input that one side names, where it is another than the one that is shown."""
    said = parsed(side.input)
    if said is ABSENT or said == given:
        return []
    return [Body("json", label=f"input, recorded with the {where}", value=said)]


def _outcome(exchange: Exchange, bodies: Sequence[Body]) -> str:
    if not exchange.failed:
        return ""
    status = next((found for body in bodies if (found := exit_of(body))), "")
    return status if status not in ("", "exit 0") else "failed"


def _when(exchange: Exchange, entries: Sequence[RunEntry], load: Callable[[int], RunEvent]) -> When | None:
    sides = exchange.calls or exchange.results
    return when(entries[sides[0].entry].time, load(sides[0].entry).time) if sides else None


def _took(exchange: Exchange, entries: Sequence[RunEntry]) -> str:
    """How long a call took, where both of its sides are events of their own."""
    if not exchange.calls or not exchange.results or exchange.calls[0].block >= 0 or exchange.results[0].block >= 0:
        return ""
    return took(entries[exchange.calls[0].entry].time, entries[exchange.results[0].entry].time)
