"""State files, audit trails and labels: what stands beside the transcripts and the partitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from lakesite.masking import Masker
from lakesite.model import Audit, Json, Key, Label, Masked, Number, RunState, StepState
from lakesite.sources.files import SourceFile, open_source, records, state_object
from lakesite.sources.keys import id_key
from lakesite.sources.lake import runtime_of, session_of
from lakesite.sources.lines import decode_exact
from lakesite.sources.times import instant


def state_runs(files: Iterable[SourceFile]) -> dict[Key, SourceFile]:
    """The state file of each run that has one; the first by name where there are several."""
    found: dict[Key, SourceFile] = {}
    for file in files:
        value = state_object(file.path)
        run = id_key(value.get("WorkflowID")) if value else None
        if run:
            found.setdefault(run, file)
    return found


def read_state(file: SourceFile, masker: Masker) -> RunState | None:
    """What a state file says; None where it cannot be read."""
    value = state_object(file.path)
    if value is None:
        return None
    found = value.get("States")
    states: dict[str, object] = found if isinstance(found, dict) else {}
    return RunState(
        name=_text(value, "WorkflowName", masker.at("state file")),
        status=_text(value, "Status", masker),
        terminal=_text(value, "CurrentStep", masker),
        exit_code=_whole(value, "ExitCode"),
        inputs=_value(value.get("Inputs"), masker.at("inputs")),
        env=_value(value.get("Env"), masker.at("environment")),
        steps={masker.at("state file").mask(name): _step(step, masker) for name, step in states.items() if isinstance(step, dict)},
        started=instant(value.get("StartedAt")),
        completed=instant(value.get("CompletedAt")),
    )


def _step(value: dict[str, object], masker: Masker) -> StepState:
    used, tokens_in, tokens_out = (_whole(value, name) for name in ("TokensUsed", "TokensInput", "TokensOutput"))
    reported = bool(used or tokens_in or tokens_out)
    return StepState(
        status=_text(value, "Status", masker),
        output=_text(value, "Output", masker.at("output")),
        stderr=_text(value, "Stderr", masker),
        error=_text(value, "Error", masker.at("error")),
        exit_code=_whole(value, "ExitCode"),
        attempt=_whole(value, "Attempt"),
        tokens_in=tokens_in if reported else None,
        tokens_out=tokens_out if reported else None,
        estimated=value.get("TokensEstimated") is True,
        truncated=value.get("Truncated") is True,
    )


def read_audits(files: Iterable[SourceFile], masker: Masker) -> dict[Key, Audit]:
    """What the audit trails say of each run. Where a run was resumed, its last end counts."""
    started: dict[Key, dict[str, object]] = {}
    ended: dict[Key, dict[str, object]] = {}
    for file in files:
        with open_source(file.path) as stream:
            for record in records(stream):
                run = id_key(record.value.get("execution_id"))
                if run and record.value.get("event") == "workflow.started":
                    started.setdefault(run, decode_exact(record.raw))
                elif run and record.value.get("event") == "workflow.completed":
                    ended[run] = decode_exact(record.raw)
    return {run: _audit(started.get(run, {}), ended.get(run, {}), masker) for run in sorted({*started, *ended})}


def _audit(start: dict[str, object], end: dict[str, object], masker: Masker) -> Audit:
    both = {**start, **end}
    return Audit(
        name=_text(both, "workflow_name", masker),
        status=_text(end, "status", masker),
        exit_code=_whole(end, "exit_code"),
        error=_text(end, "error", masker),
        inputs=_value(start.get("inputs"), masker),
        user=_text(both, "user", masker),
        started=instant(start.get("timestamp")),
        completed=instant(end.get("timestamp")),
        duration_ms=_whole(end, "duration_ms"),
    )


def read_labels(files: Iterable[SourceFile], masker: Masker) -> dict[tuple[str, str], tuple[Label, ...]]:
    """The labels of each conversation (runtime, session id): the latest per aspect, by aspect."""
    latest: dict[tuple[str, str], dict[Masked, Label]] = {}
    for file in files:
        with open_source(file.path) as stream:
            for record in records(stream):
                value = record.value
                session, aspect = session_of(value), value.get("aspect")
                if session is None or not isinstance(aspect, str):
                    continue
                label = Label(
                    aspect=masker.mask(aspect),
                    value=_text(value, "value", masker) or masker.mask(""),
                    note=_text(value, "note", masker),
                    source=_text(value, "source", masker),
                    time=instant(value.get("ts")),
                )
                labels = latest.setdefault((runtime_of(value) or "", session), {})
                before = labels.get(label.aspect)
                if before is None or (label.time or 0) >= (before.time or 0):
                    labels[label.aspect] = label
    return {who: tuple(labels[aspect] for aspect in sorted(labels)) for who, labels in latest.items()}


def _value(value: object, masker: Masker) -> Json:
    return masker.value(value) if value not in (None, {}, []) else cast("Json", None)


def _text(fields: dict[str, object], name: str, masker: Masker) -> Masked | None:
    value = fields.get(name)
    if isinstance(value, str):
        return masker.mask(value) if value else None
    if isinstance(value, Number):
        return masker.mask(value.spelling)
    return masker.mask(str(value)) if value is not None else None


def _whole(fields: dict[str, object], name: str) -> int | None:
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
