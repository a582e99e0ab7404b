"""State files, audit trails and labels: what stands beside the transcripts and the partitions.

What cannot be read or used in one of them goes to `report`; it costs nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeAlias, cast

from lakesite.masking import MarkerClass, Masker
from lakesite.model import NOTES, Audit, Json, Key, Label, Masked, Problem, RunState, StepState, says_error
from lakesite.sources.files import SourceFile, open_source, state_object
from lakesite.sources.keys import as_text, id_key, key
from lakesite.sources.lake import runtime_of, session_of
from lakesite.sources.lines import Record, decode_exact, read_lines
from lakesite.sources.times import instant

_DEEPEST = 100
"""Levels of nesting that are kept of a value that is handed from process to process; what stands deeper is kept as text."""
_REPAIR = "what it said is missing; repair it, or build again from a whole copy"

_Type: TypeAlias = "type | Literal['time']"
_EMPTY: tuple[object, ...] = (None, "", 0, False, {}, [], "0001-01-01T00:00:00Z")
_TEXT: _Type = object
"""A text; what is none is spelled."""
_STATE: dict[str, _Type] = {
    "WorkflowID": _TEXT, "WorkflowName": _TEXT, "Status": _TEXT, "CurrentStep": _TEXT, "ExitCode": int, "Inputs": object, "Env": object,
    "States": dict,
}  # fmt: skip
_STEP: dict[str, _Type] = {
    "Name": _TEXT, "Status": _TEXT, "Output": _TEXT, "Stderr": _TEXT, "Error": _TEXT, "ExitCode": int, "Attempt": int,
    "TokensInput": int, "TokensOutput": int, "TokensEstimated": bool, "Truncated": bool, "StartedAt": "time", "CompletedAt": "time",
}  # fmt: skip
_TRAIL: dict[str, _Type] = {
    "event": _TEXT, "execution_id": _TEXT, "workflow_name": _TEXT, "status": _TEXT, "error": _TEXT, "user": _TEXT, "exit_code": int,
    "duration_ms": int, "timestamp": "time", "inputs": object, "schema_version": int,
}  # fmt: skip
_LABEL: dict[str, _Type] = {
    "ts": "time", "session_id": object, "runtime": str, "aspect": str, "value": _TEXT, "note": _TEXT, "source": _TEXT,
}  # fmt: skip
"""What is shown in its own way, of the type that can be."""

Report: TypeAlias = Callable[[Problem], None]
GivenAway: TypeAlias = defaultdict[Key, dict[str, MarkerClass]]
"""What was caught in what stands beside each document: it must go there, too."""


def _unheard(_problem: Problem) -> None:
    """Report to nobody."""


def state_runs(files: Iterable[SourceFile], report: Report = _unheard) -> dict[Key, SourceFile]:
    """The state file of each run that has one; the first by name where there are several."""
    found: dict[Key, SourceFile] = {}
    for file in files:
        value = state_object(file.path)
        run = id_key(value.get("WorkflowID")) if value else None
        if run is None:
            what = "a state file that cannot be read, or names no run: nothing of it is shown; build again from a whole copy"
            report(Problem("companion", file.name, None, what))
        elif found.setdefault(run, file) is not file:
            what = "a further state file of the same run: the first by name counts; take away the one that is out of date"
            report(Problem("companion", file.name, None, what, found[run].name))
    return found


def read_state(file: SourceFile, masker: Masker) -> RunState | None:
    """What a state file says; None where it cannot be read."""
    value = state_object(file.path)
    if value is None:
        return None
    masker.vouch(value)
    found = value.get("States")
    states: dict[str, object] = found if isinstance(found, dict) else {}
    return RunState(
        name=_text(value, "WorkflowName", masker.at("state file")),
        status=_text(value, "Status", masker),
        terminal=_text(value, "CurrentStep", masker),
        exit_code=masker.whole(value.get("ExitCode")),
        inputs=_value(value.get("Inputs"), masker.at("inputs")),
        env=_value(value.get("Env"), masker.at("environment")),
        steps={
            masker.at("state file").mask(name): _step(step if isinstance(step, dict) else {"step": step}, masker)
            for name, step in states.items()
        },
        started=instant(value.get("StartedAt")),
        completed=instant(value.get("CompletedAt")),
        more=_more(value, _STATE, masker),
    )


def _step(value: dict[str, object], masker: Masker) -> StepState:
    used, tokens_in, tokens_out = (masker.whole(value.get(name)) for name in ("TokensUsed", "TokensInput", "TokensOutput"))
    reported = bool(used or tokens_in or tokens_out)
    return StepState(
        status=_text(value, "Status", masker),
        output=_text(value, "Output", masker.at("output")),
        stderr=_text(value, "Stderr", masker),
        error=_error(value, "Error", masker.at("error")),
        exit_code=masker.whole(value.get("ExitCode")),
        attempt=masker.whole(value.get("Attempt")),
        tokens_in=tokens_in if reported else None,
        tokens_out=tokens_out if reported else None,
        estimated=value.get("TokensEstimated") is True,
        truncated=value.get("Truncated") is True,
        started=instant(value.get("StartedAt")),
        completed=instant(value.get("CompletedAt")),
        more=_more(value, _STEP, masker, ("TokensUsed",) if used == (tokens_in or 0) + (tokens_out or 0) else ()),
    )


def _records(file: SourceFile, what: str, report: Report) -> Iterator[Record]:
    """The records of a file that has one a line."""

    def damaged(reason: str) -> None:
        report(Problem("companion", file.name, None, f"{what}: {reason}; {_REPAIR}"))

    try:
        with open_source(file.path, damaged=lambda: damaged("packed with gzip and damaged, read as far as it can be unpacked")) as stream:
            for item in read_lines(stream):
                if isinstance(item, Record):
                    yield item
                elif item.kind in NOTES:
                    report(Problem(item.kind, file.name, item.line, f"{what}: {item.what}"))
                else:
                    report(Problem("companion", file.name, item.line, f"{what}: {item.what}; {_REPAIR}"))
    except OSError as error:
        damaged(f"cannot be read to its end ({error.strerror or 'damaged'})")


def read_audits(
    files: Iterable[SourceFile], masker: Masker, report: Report = _unheard, given_away: GivenAway | None = None
) -> dict[Key, Audit]:
    """What the audit trails say of each run. Where a run was resumed, its last end counts."""
    started: dict[Key, dict[str, object]] = {}
    ended: dict[Key, dict[str, object]] = {}
    for file in files:
        for record in _records(file, "audit trail", report):
            run = id_key(record.value.get("execution_id"))
            if run and record.value.get("event") == "workflow.started":
                started.setdefault(run, decode_exact(record.raw, _DEEPEST))
            elif run and record.value.get("event") == "workflow.completed":
                ended[run] = decode_exact(record.raw, _DEEPEST)
            elif run:
                what = "audit trail: a record that tells neither the start nor the end of a run: it is not shown"
                report(Problem("unknown-type", file.name, record.line, what, _text(record.value, "event", masker)))
            else:
                what = "audit trail: a record without an execution id: it is not shown; add what is missing"
                report(Problem("companion", file.name, record.line, what))
    audits = {}
    for run in sorted({*started, *ended}):
        own = Masker(masker.options)
        audits[run] = _audit(started.get(run, {}), ended.get(run, {}), own)
        _tell(given_away, run, own)
    return audits


def _tell(given_away: GivenAway | None, document: Key, masker: Masker) -> None:
    if given_away is not None and masker.caught:
        given_away[document].update(masker.caught)


def _audit(start: dict[str, object], end: dict[str, object], masker: Masker) -> Audit:
    both = {**start, **end}
    masker.vouch([start, end])
    return Audit(
        name=_text(both, "workflow_name", masker),
        status=_text(end, "status", masker),
        exit_code=masker.whole(end.get("exit_code")),
        error=_error(end, "error", masker),
        inputs=_value(start.get("inputs"), masker),
        user=_text(both, "user", masker),
        started=instant(start.get("timestamp")),
        completed=instant(end.get("timestamp")),
        duration_ms=masker.whole(end.get("duration_ms")),
        more={**_more(start, _TRAIL, masker), **_more(end, _TRAIL, masker)},
    )


def read_labels(
    files: Iterable[SourceFile], masker: Masker, report: Report = _unheard, given_away: GivenAway | None = None
) -> dict[tuple[str, str], tuple[Label, ...]]:
    """The labels of each conversation (runtime, session id): the latest per aspect, by aspect."""
    latest: dict[tuple[str, str], dict[Masked, Label]] = {}
    for file in files:
        for record in _records(file, "labels", report):
            value = record.value
            session, aspect = session_of(value), value.get("aspect")
            if session is None or not isinstance(aspect, str):
                what = "labels: a record without a session id or an aspect: it is not shown; add what is missing"
                report(Problem("companion", file.name, record.line, what))
                continue
            own = Masker(masker.options)
            label = Label(
                aspect=own.mask(aspect),
                value=_text(value, "value", own) or own.mask(""),
                note=_text(value, "note", own),
                source=_text(value, "source", own),
                time=instant(value.get("ts")),
                file=file.name,
                more=_odd(decode_exact(record.raw, _DEEPEST), _LABEL, own),
            )
            runtime = runtime_of(value) or ""
            _tell(given_away, key(f"{runtime}\0{session}"), own)
            labels = latest.setdefault((runtime, session), {})
            before = labels.get(label.aspect)
            if before is None or (label.time or 0) >= (before.time or 0):
                labels[label.aspect] = label
    return {who: tuple(labels[aspect] for aspect in sorted(labels)) for who, labels in latest.items()}


def _more(fields: dict[str, object], shown: dict[str, _Type], masker: Masker, spared: tuple[str, ...] = ()) -> dict[Masked, Json]:
    """What no other field tells: names that are not among those shown, of another type than these, or numbers to be masked."""
    left = {name: value for name, value in fields.items() if value not in _EMPTY and name not in spared}
    return _odd(left, shown, masker)


def _odd(fields: dict[str, object], shown: dict[str, _Type], masker: Masker) -> dict[Masked, Json]:
    left = {
        name: value
        for name, value in fields.items()
        if not (name in shown and (value is None or value == "" or _is_of(value, shown[name], masker)))
    }
    masked = masker.value(left) if left else {}
    return masked if isinstance(masked, dict) else {}


def _is_of(value: object, kind: _Type, masker: Masker) -> bool:
    if kind == "time":
        return instant(value) is not None
    return masker.whole(value) is not None if kind is int else isinstance(value, kind)


def _value(value: object, masker: Masker) -> Json:
    return masker.value(value) if value not in (None, {}, []) else cast("Json", None)


def _text(fields: dict[str, object], name: str, masker: Masker) -> Masked | None:
    text = as_text(fields.get(name))
    return masker.mask(text) if text else None


def _error(fields: dict[str, object], name: str, masker: Masker) -> Masked | None:
    return _text(fields, name, masker) if says_error(fields.get(name)) else None
