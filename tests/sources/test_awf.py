"""Events of runs: how payloads are told apart, what an entry keeps, and that nothing is lost on the way to the page."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker
from lakesite.model import ABSENT, MessagePayload, Number, Origin, OtherPayload, StepPayload, ToolPayload
from lakesite.sources.awf import entry, event
from lakesite.sources.keys import input_key, key, spelling
from lakesite.sources.lines import decode_exact, read_lines
from tests.sources.fixtures import cases, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.model import Recorded, RunEntry, RunEvent

CASES = [pytest.param(*parts, id=title) for title, *parts in cases(Path(__file__).parent / "awf.txt")]


def texts(value: object) -> Iterator[str]:
    """Every spelling that stands in a value, keys too."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += [*item, *item.values()]
        elif isinstance(item, list):
            stack += item
        elif (spelling_ := spelling(item)) is not None:
            yield spelling_
            yield spelling_.rpartition("__")[2]


def named(**fields: object) -> str:
    return "".join(f" {name.replace('_', '-')}={value}" for name, value in fields.items() if value is not None)


def describe_entry(found: RunEntry, value: dict[str, object], kind: str) -> Iterator[str]:
    keys = {key(text): text for text in texts(value)}
    known_as = kind if found.type == "unknown" and kind else None
    line = f"{found.type} {found.shape}" + named(seq=found.seq, path=found.path or None, iteration=found.iteration or None)
    line += " time" if found.time is not None else ""
    parent, child = (keys[link.key] if link else None for link in (found.parent, found.child))
    line += named(parent=parent, child=child, name=found.name, kind=found.kind, known_as=known_as)
    yield line + (" failed" if found.failed else "") + named(role=found.role)
    for part in found.parts:
        bare = keys[part.bare_name] if part.bare_name and keys[part.bare_name] != part.name else None
        line = ("result" if part.result else "call") + (f" {part.block}" if part.block >= 0 else "")
        line += named(id=keys[part.id] if part.id else None, name=part.name, bare=bare)
        yield line + (f" {part.fidelity}" if part.fidelity else "") + (" input" if part.input else "") + (" failed" if part.failed else "")


def recorded(**fields: Recorded) -> str:
    return "".join(f" {name}={spelled(value)}" for name, value in fields.items() if value is not ABSENT)


def describe_event(found: RunEvent) -> Iterator[str]:
    more = dict(found.more)
    match found.payload:
        case None:
            yield "none"
        case OtherPayload(value=value):
            yield f"other {spelled(value)}"
        case StepPayload() as step:
            yield " ".join(["step", *filter(None, [step.name, step.kind])]) + recorded(error=step.error, result=step.result)
            more |= step.more
        case ToolPayload() as tool:
            words = ["tool", *filter(None, [tool.name, f"id={tool.call_id}" if tool.call_id else None, tool.fidelity])]
            yield " ".join(words) + recorded(input=tool.input, output=tool.output, error=tool.error)
            more |= tool.more
        case MessagePayload() as message:
            yield f"message {message.role}"
            for block in message.blocks:
                line = (
                    f"+ {block.type}"
                    + (f" {block.fidelity}" if block.fidelity else "")
                    + (f" text={spelled(block.text)}" if block.text is not None else "")
                )
                line += named(name=block.name or None, id=block.id) + recorded(input=block.input, content=block.content)
                yield line + (f" more={spelled(block.more)}" if block.more else "")
            more |= message.more
    if more:
        yield f"more {spelled(more)}"


@pytest.mark.parametrize(("given", "wanted"), CASES)
def test_case(given: str, wanted: str) -> None:
    told: list[str] = []
    for line in given.split("\n"):
        raw = line.encode()
        (record,) = read_lines(BytesIO(raw + b"\n"))
        full = event(decode_exact(raw), Masker())
        told += describe_entry(entry(record.value, raw, Origin(0, 1, 0, len(raw)), Masker()), decode_exact(raw), full.type)
        told += describe_event(full)
    assert told == wanted.split("\n")


def test_equal_inputs_are_equal_by_any_road() -> None:
    """The same input as an object and as a text, by the router and by the agent."""
    lines = [
        b'{"type":"tool.call","payload":{"call_id":"a","name":"t","input":{"n":12233344445555567,"f":1.10}}}',
        b'{"type":"tool.call","payload":{"call_id":"a","name":"t","input":"{\\"f\\": 1.1, \\"n\\": 12233344445555567}"}}',
        b'{"type":"message.assistant","payload":{"role":"assistant","blocks":[{"type":"tool_use","tool_input":{"f":11e-1,"n":12233344445555567}}]}}',
    ]
    keys = {entry(json.loads(line), line, Origin(0, 1, 0, 1), Masker()).parts[0].input for line in lines}
    assert keys == {input_key({"n": 12233344445555567, "f": Number("1.1")})}


# --- any JSON at all -------------------------------------------------------------------------------------------------------------

WORDS = st.sampled_from([
    "run.started", "step.completed", "step.call_workflow.started", "message.user", "message.assistant", "tool.call", "tool.result",
    "text", "tool_use", "tool_result", "thinking", "stream", "router", "user", "", "x",
])  # fmt: skip
NAMES = st.sampled_from([
    "type", "path", "iteration", "timestamp", "seq", "run_id", "parent_run_id", "child_run_id", "payload", "role", "blocks", "call_id",
    "kind", "name", "error", "result", "input", "output", "fidelity", "tool_name", "tool_id", "tool_input", "tool_content", "text",
    "thinking", "command", "chunk", "extra", "IsError", "",
])  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers(-(10**25), 10**25) | st.floats() | WORDS | st.text(max_size=5)
ANY = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6), max_leaves=25)
EVENTS = st.fixed_dictionaries(
    {"type": WORDS | ANY, "payload": st.dictionaries(NAMES, ANY, max_size=6) | ANY}, optional={"mark": ANY, "path": ANY, "timestamp": ANY}
)


@given(EVENTS)
def test_any_event_is_read_and_nothing_is_lost(value: dict[str, object]) -> None:
    raw = json.dumps(value).encode()
    found = list(read_lines(BytesIO(raw + b"\n")))
    record = found[-1]
    entry(record.value, record.raw, Origin(0, 1, 0, len(raw)), Masker())  # type: ignore[union-attr]
    full = event(decode_exact(record.raw), Masker())  # type: ignore[union-attr]
    shown = sorted(words_of(full))
    if not isinstance(value.get("type"), list | dict) and not isinstance(value.get("path"), list | dict):
        missing = [word for word in leaves(value["payload"]) if word not in shown]
        assert not missing


def words_of(value: object) -> Iterator[str]:
    """Every text in a model object."""
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack += [*item, *item.values()]
        elif isinstance(item, list | tuple):
            stack += item
        elif hasattr(item, "__dataclass_fields__"):
            stack += [getattr(item, name) for name in item.__dataclass_fields__]


def leaves(value: object) -> Iterator[str]:
    """Every text of a payload that no other text is made from, surrogates repaired."""
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in item)
        elif isinstance(item, dict):
            stack += [inner for name, inner in item.items() if name not in ONLY_TEXT or isinstance(inner, str)]
        elif isinstance(item, list):
            stack += item


ONLY_TEXT = {"role", "name", "kind", "call_id", "fidelity", "type", "tool_name", "tool_id"}
"""Fields that are a text: what else stands in them is spelled as one."""
