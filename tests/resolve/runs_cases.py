"""Short spellings of runs for tests: events in, a description of the resolved run out.

A case in a `steps*.txt`, `tools*.txt` or `outcome*.txt` file is a title, the events, and what they mean, each ended by a line
with a single dot. Lines that begin with `#` before a title are remarks.

An event is `WORD [NAME] [KIND] [error] [key=value …]`:

    run                     run.started
    over [error] [null]     run.completed; `null`: without a payload
    start NAME KIND         step.started; a KIND of `null`: without a payload
    end NAME [error]        step.completed
    workflow NAME child=ID  step.call_workflow.started
    return NAME child=ID    step.call_workflow.completed
    user, reply             message.user, message.assistant; the lines after it that begin with `+` are its blocks:
    + text                    words
    + use NAME id= in=        tool_use
    + result id= [error]      tool_result
    tool NAME id= in=       tool.call
    back [NAME] id=         tool.result
    again N                 the record of line N once more, byte for byte
    json {…}                the fields of an event as they are
    any.other.type          an event of that type
    == name                 the next file begins
    torn                    the last file ends inside a record

Keys: `path` (else the name of a step, the name of the workflow for a message, empty for a tool), `iter` (else 0), `seq` (else one
more than before; `-`: none), `id`, `in` (JSON without spaces), `as` (fidelity; else router for events, agent_emitted for
blocks). Lines are numbered from 1; blocks, `==` and `torn` do not count.

The description begins with what is derived and recorded. Then every row of the page has a line, indented by its step:

    NAME KIND STATUS …      a step, with its attempt, its loop turns, the run that it called
    WORD N                  the event of line N; `unclear` where it stands under several open agent steps
    * NAME CHANNEL …        a tool exchange: how call and result were joined, the outcome, and where both stand
    -- resumed              a further segment
    ! KIND N                a problem of line N
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lakesite.masking import Masker
from lakesite.model import Called, Closes, Opens, Origin, Resumes, Said
from lakesite.resolve.segments import segments
from lakesite.resolve.steps import resolve_run
from lakesite.sources.awf import entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lakesite.model import Exchange, Run, RunEntry, Side, Step

TYPES = {
    "run": "run.started",
    "over": "run.completed",
    "start": "step.started",
    "end": "step.completed",
    "workflow": "step.call_workflow.started",
    "return": "step.call_workflow.completed",
    "user": "message.user",
    "reply": "message.assistant",
    "tool": "tool.call",
    "back": "tool.result",
}
WORDS = {name: word for word, name in TYPES.items()}


def described(text: str) -> str:
    """Read events in their short spelling and describe the run that they make."""
    entries, torn = read(text)
    return "\n".join(description(resolve_run(entries, torn=torn), entries))


def read(text: str) -> tuple[list[RunEntry], bool]:
    """Read events in their short spelling; also whether the last file is torn."""
    masker = Masker()
    lines = list(filter(None, map(str.strip, text.splitlines())))
    records: list[tuple[int, dict[str, object]]] = []
    source, seq = 0, 0
    for line in lines:
        words = line.split()
        if words[0] == "==":
            source, seq = source + 1, 0
        elif words[0] == "+":
            records[-1][1]["payload"]["blocks"].append(_block(words[1:]))  # type: ignore[index]
        elif words[0] == "again":
            records.append((source, records[int(words[1]) - 1][1]))
        elif words[0] != "torn":
            value = json.loads(line[5:]) if words[0] == "json" else _event(words, seq + 1)
            seq = value["seq"] if isinstance(value["seq"], int) else seq
            records.append((source, value))
    return [_entry(number, *record, masker) for number, record in enumerate(records, 1)], "torn" in lines


def _entry(line: int, source: int, value: dict[str, object], masker: Masker) -> RunEntry:
    return entry(value, json.dumps(value).encode(), Origin(source, line, line, 1), masker)


def _fields(words: list[str]) -> tuple[list[str], dict[str, str]]:
    pairs = dict(word.split("=", 1) for word in words if "=" in word)
    return [word for word in words if "=" not in word], pairs


def _event(words: list[str], seq: int) -> dict[str, object]:
    (kind, *names), pairs = _fields(words)
    name = names[0] if names and names[0] != "error" else ""
    steps = kind in ("start", "end", "workflow", "return")
    value: dict[str, object] = {
        "seq": None if pairs.get("seq") == "-" else int(pairs.get("seq", seq)),
        "run_id": "r",
        "type": TYPES.get(kind, kind),
        "path": pairs.get("path", name if steps else "flow" if kind in ("user", "reply") else ""),
        "iteration": int(pairs.get("iter", 0)),
        "timestamp": f"2026-05-04T10:00:{seq % 60:02}Z",
    }
    if "child" in pairs:
        value["child_run_id"] = pairs["child"]
    value["payload"] = None if "null" in names else _payload(kind, names, pairs)
    return value


def _payload(kind: str, names: list[str], pairs: dict[str, str]) -> dict[str, object]:
    error = {"error": "boom"} if names[-1:] == ["error"] else {}
    if kind in ("user", "reply"):
        return {"role": "user" if kind == "user" else "assistant", "blocks": []}
    if kind in ("tool", "back"):
        named = {"name": names[0]} if names and names[0] != "error" else {}
        given = {"input": json.loads(pairs["in"])} if "in" in pairs else {}
        return {**named, "call_id": _id(pairs), **given, **error, "fidelity": pairs.get("as", "router")}
    if kind in ("workflow", "return"):
        return {"name": names[0], "kind": "call_workflow", **error}
    if kind in TYPES:
        return {"name": names[0] if names else "flow", "kind": names[1] if names[1:] else "workflow", **error}
    return {"note": names}


def _block(words: list[str]) -> dict[str, object]:
    (kind, *names), pairs = _fields(words)
    fidelity = pairs.get("as", "agent_emitted")
    if kind == "use":
        given = {"tool_input": json.loads(pairs["in"])} if "in" in pairs else {}
        named = {"tool_name": names[0]} if names else {}
        return {"type": "tool_use", "fidelity": fidelity, **named, "tool_id": _id(pairs), **given}
    if kind == "result":
        return {"type": "tool_result", "fidelity": fidelity, "tool_id": _id(pairs), "is_error": "error" in names}
    return {"type": kind, "fidelity": fidelity, "text": " ".join(names)}


def _id(pairs: dict[str, str]) -> object:
    spelled = pairs.get("id", "")
    return int(spelled) if spelled.isdecimal() else spelled


def description(run: Run, entries: Sequence[RunEntry]) -> Iterator[str]:
    """Describe a resolved run, line by line."""
    failing = f", failing {run.steps[run.failing].name}" if run.failing is not None else ""
    yield f"{run.derived}{f', recorded {run.recorded}' if run.recorded else ''}{failing}"
    depth = 0
    blocks = _in_messages(run, entries)
    for row in run.rows:
        margin = "  " * depth
        match row:
            case Opens(step):
                yield margin + _step(run.steps[step])
                depth += 1
            case Closes():
                depth -= 1
            case Resumes():
                yield f"{margin}-- resumed"
            case Called(number, unclear):
                yield f"{margin}* {_exchange(run.exchanges[number], entries)}{' unclear' if unclear else ''}"
            case Said(number, unclear):
                word = WORDS.get(entries[number].type, entries[number].type)
                yield f"{margin}{word} {_line(entries, number)}{' unclear' if unclear else ''}"
                for exchange in blocks.get(number, ()):
                    yield f"{margin}  * {_exchange(exchange, entries)}"
    for kind, number, _ in run.problems:
        yield f"! {kind} {_line(entries, number)}"


def _in_messages(run: Run, entries: Sequence[RunEntry]) -> dict[int, list[Exchange]]:
    """The exchanges that no event recorded, by the message in which each stands first."""
    when = {index: place for place, index in enumerate(index for order in segments(entries).orders for index in order)}
    with_events = {row.exchange for row in run.rows if isinstance(row, Called)}
    blocks: dict[int, list[Exchange]] = {}
    for number, exchange in enumerate(run.exchanges):
        if number not in with_events:
            sides = (*exchange.calls, *exchange.results, *exchange.extra)
            blocks.setdefault(min((side.entry for side in sides), key=when.__getitem__), []).append(exchange)
    return blocks


def _line(entries: Sequence[RunEntry], number: int) -> int:
    return entries[number].origin.line


def _step(step: Step) -> str:
    words = [step.name, step.kind or "-", step.status]
    words += [f"attempt {step.attempt}"] if step.attempt > 1 else []
    words += [f"turn {'.'.join(map(str, step.loop))}"] if step.loop else []
    words += [f"called {step.child.shown}"] if step.child else []
    return " ".join(words)


def _exchange(exchange: Exchange, entries: Sequence[RunEntry]) -> str:
    outcome = {None: "no result", True: "failed", False: "ok"}[exchange.failed]
    parts = [f"{exchange.name or '-'} {exchange.channel} {exchange.joined} {outcome}"]
    for word, sides in (("call", exchange.calls), ("result", exchange.results), ("extra", exchange.extra)):
        parts += [f"{word} {' '.join(_side(side, entries) for side in sides)}"] if sides else []
    return ", ".join(parts)


def _side(side: Side, entries: Sequence[RunEntry]) -> str:
    line = _line(entries, side.entry)
    return str(line) if side.block < 0 else f"{line}.{side.block + 1}"
