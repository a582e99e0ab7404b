"""Runs resolved: text fixtures, properties, and scale."""

from __future__ import annotations

import time
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker
from lakesite.model import Called, Closes, Id, Key, Opens, Part, Place, Resumes, Said
from lakesite.resolve import outcome
from lakesite.resolve.crowd import Crowd
from lakesite.resolve.steps import counts, resolve_run
from tests.resolve.runs_cases import described, description, read
from tests.resolve.sessions_cases import cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lakesite.model import Masked, Run, RunEntry

HERE = Path(__file__).parent
CASES = [
    pytest.param(events, wanted, id=f"{name}: {title}")
    for name in ("steps", "tools", "outcome")
    for title, events, wanted in cases(HERE / f"{name}.txt")
]


@pytest.mark.parametrize(("events", "wanted"), CASES)
def test_case(events: str, wanted: str) -> None:
    assert described(events) == wanted


# --- properties ------------------------------------------------------------------------------------------------------------------

MASK = Masker().mask
BASE = read("start a agent")[0][0]
PART = read("tool Read id=x in=1")[0][0].parts[0]
PATHS = st.sampled_from(["", "a", "b", "p", "p.a", "p.p.a", "p.gone.a", "loop:0/a", "loop:0/p", "loop:1/a", "loop:0/loop:1/a", "loop:x/a"])
KINDS = st.sampled_from([None, "agent", "agent", "command", "parallel", "for_each", "while", "call_workflow", "terminal", "custom"])
KEYS = st.sampled_from([None, Key("x"), Key("y")])
FIDELITIES = st.sampled_from(["router", "router", "agent_emitted", "agent_emitted", "replayed", ""])
STEPS = ["step.started"] * 4 + ["step.completed"] * 4 + ["step.call_workflow.started", "step.call_workflow.completed"]
OTHERS = ["run.started", "run.completed", "unknown"]


def masked(text: str | None) -> Masked | None:
    return None if text is None else MASK(text)


def parts(block: int, *, result: bool | None = None) -> st.SearchStrategy[Part]:
    return st.builds(
        PART._replace,
        block=st.just(block),
        result=st.booleans() if result is None else st.just(result),
        id=KEYS,
        name=KEYS.map(masked),
        bare_name=KEYS,
        input=KEYS,
        fidelity=FIDELITIES.map(MASK),
        failed=st.booleans(),
    )


@st.composite
def entries(draw: st.DrawFn, *, orderly: bool = False) -> list[RunEntry]:
    """Any sequence of events; an orderly one is numbered from 1 without repeats."""
    return [draw(_entry(number, orderly=orderly)) for number in range(1, draw(st.integers(0, 40)) + 1)]


@st.composite
def _entry(draw: st.DrawFn, number: int, *, orderly: bool) -> RunEntry:
    kind = draw(st.sampled_from([*STEPS, *OTHERS, *["message.user", "message.assistant", "tool.call", "tool.result"] * 2]))
    found: tuple[Part, ...] = ()
    if kind.startswith("tool."):
        found = draw(st.lists(parts(-1, result=kind == "tool.result"), max_size=1).map(tuple))
    elif kind.startswith("message."):
        found = draw(st.lists(st.just(0), max_size=3).flatmap(lambda some: st.tuples(*(parts(block) for block, _ in enumerate(some)))))
    return BASE._replace(
        origin=BASE.origin._replace(source=0 if orderly else draw(st.sampled_from([0, 0, 0, 0, 1, 2])), line=number),
        seq=number if orderly else draw(st.sampled_from([None, number, number, number, 1, 2, 3, -1, 2**70])),
        type=kind,
        shape=draw(st.sampled_from(["step", "none", "other"])),
        path=MASK(draw(PATHS)),
        iteration=draw(st.integers(0, 2)),
        child=draw(st.sampled_from([None, None, Id(Key("c"), MASK("c")), Id(Key("d"), MASK("d"))])),
        name=draw(KEYS.map(masked)),
        kind=draw(KINDS.map(masked)),
        failed=draw(st.booleans()),
        parts=found,
        digest=Key(str(number if orderly else draw(st.sampled_from([number, number, number, 1, 2])))),
    )


def shown(run: Run) -> Iterator[int]:
    """Yield the entry of every event that a page of the run shows, as often as it does."""
    for row in run.rows:
        match row:
            case Opens(step):
                yield run.steps[step].started
            case Closes(step):
                completed = run.steps[step].completed
                yield from () if completed is None else (completed,)
            case Said(entry, _):
                yield entry
            case _:
                pass
    for exchange in run.exchanges:
        yield from (side.entry for side in (*exchange.calls, *exchange.results, *exchange.extra) if side.block < 0)


@given(entries(), st.booleans())
def test_nothing_is_lost_and_nothing_is_shown_twice(events: list[RunEntry], torn: bool) -> None:  # noqa: FBT001
    run = resolve_run(events, torn=torn)
    distinct = {entry.digest: number for number, entry in reversed([*enumerate(events)])}
    assert sorted(shown(run)) == sorted(distinct.values())
    assert run.repeated == len(events) - len(distinct)
    sides = [side for exchange in run.exchanges for side in (*exchange.calls, *exchange.results, *exchange.extra)]
    recorded = [(number, part.block) for number in distinct.values() for part in events[number].parts]
    assert sorted((side.entry, side.block) for side in sides) == sorted(recorded)


@given(entries())
def test_rows_nest_as_steps_do(events: list[RunEntry]) -> None:
    run = resolve_run(events, torn=False)
    around: list[int] = []
    called = []
    for row in run.rows:
        match row:
            case Opens(number):
                step = run.steps[number]
                assert (step.parent, step.depth) == (around[-1] if around else None, len(around))
                around.append(number)
            case Closes(number):
                assert around.pop() == number
            case Called(number, _):
                called.append(number)
            case Resumes(number):
                assert (around, number > 0) == ([], True)
    assert around == []
    assert len(called) == len(set(called))
    assert sorted(row.step for row in run.rows if isinstance(row, Opens)) == list(range(len(run.steps)))


@given(entries())
def test_counts_add_up(events: list[RunEntry]) -> None:
    run = resolve_run(events, torn=False)
    found = counts(run, events)
    other = sum(exchange.channel == "other" for exchange in run.exchanges)
    assert found.exchanges == found.router + found.agent - found.merged + other
    assert found.results == sum(len(exchange.results) for exchange in run.exchanges) + found.extra_result
    assert found.events + found.repeated == len(events)
    assert found.paired <= min(found.calls, found.results)
    assert all(exchange.failed is not None for exchange in run.exchanges if exchange.results)


def test_what_is_counted() -> None:
    text = """
        start a agent
        tool Read id=x in=1
        back id=x error
        start a agent seq=1
        user
        again 5
        tool Read id=y in=1
        back id=y
        back id=y
        reply
        + use Read id=t in=1
        + use Bash
        + result id=t
        end a error
        back id=lost
        start b command
    """
    events, torn = read(text)
    found = asdict(counts(resolve_run(events, torn=torn), events))
    assert {name: number for name, number in found.items() if number} == {
        "events": 12,
        "repeated": 1,
        "steps": 3,
        "messages": 2,
        "calls": 4,
        "results": 5,
        "paired": 3,
        "exchanges": 4,
        "router": 3,
        "agent": 2,
        "merged": 1,
        "no_result": 1,
        "no_call": 1,
        "extra_result": 1,
        "errors": 2,
        "unfinished": 1,
        "problems": 1,
    }


@given(entries())
def test_a_step_without_an_end_is_open_or_was_cancelled(events: list[RunEntry]) -> None:
    run = resolve_run(events, torn=False)
    for step in run.steps:
        ended = step.status in ("completed", "failed")
        assert ended == (step.completed is not None or step.kind == "terminal")
        around = [run.steps[other] for other in above(run, step.parent)]
        assert step.status != "cancelled" or any(other.completed is not None for other in around)
    last = [step.status for step in run.steps if step.segment == len(run.segments) - 1]
    if "open" in last and run.derived != "unfinished":
        assert any(step.kind == "terminal" for step in run.steps) or any(event.type == "run.completed" for event in events)


def above(run: Run, step: int | None) -> Iterator[int]:
    while step is not None:
        yield step
        step = run.steps[step].parent


@given(st.data())
def test_the_order_of_lines_in_a_segment_does_not_matter(data: st.DataObject) -> None:
    events = data.draw(entries(orderly=True))
    mixed = data.draw(st.permutations(events))
    wanted = list(description(resolve_run(events, torn=False), events))
    assert list(description(resolve_run(mixed, torn=False), mixed)) == wanted


@given(st.lists(st.integers(0, 30), min_size=1, max_size=30), st.lists(st.integers(0, 29), max_size=60))
def test_the_innermost_step_that_holds_a_crowd(tree: list[int], changes: list[int]) -> None:
    steps = [Node(parent - 1 if 0 < parent <= number else None) for number, parent in enumerate(tree)]
    crowd = Crowd(steps)
    members: list[int] = []
    for change in changes:
        step = change % len(steps)
        (crowd.drop if step in members else crowd.add)(step)
        (members.remove if step in members else members.append)(step)
        ways = [[*ancestors(steps, member)] for member in members]
        common = [step for step in (ways[0] if ways else ()) if all(step in way for way in ways)]
        assert crowd.common() == (members[0] if len(members) == 1 else next(iter(common), None))


class Node:
    """A step of which only the place is known."""

    def __init__(self, parent: int | None) -> None:
        self.parent = parent


def ancestors(steps: Sequence[Node], step: int | None) -> Iterator[int]:
    while step is not None:
        yield step
        step = steps[step].parent


# --- the five witnesses ----------------------------------------------------------------------------------------------------------

ALONE = Place(None, None, (), (), (), (), (), None)


@pytest.mark.parametrize(
    ("events", "state", "audit", "parent", "wanted"),
    [
        ("over error", "completed", "success", "completed", ("failed", "recorded")),
        ("over null", "failed", "success", "completed", ("failed", "state")),
        ("start a command", "cancelled", None, None, ("cancelled", "state")),
        ("start a command", "running", "success", None, ("unfinished", "state")),
        ("start a command", "exploded", "failure", "completed", ("failed", "audit")),
        ("start a command", None, "success", "failed", ("completed", "audit")),
        ("start a command", None, "odd", "failed", ("failed", "parent")),
        ("start a command", None, None, "completed", ("completed", "parent")),
        ("start a command", None, None, None, ("unfinished", "derived")),
        ("run", "", "", None, ("unfinished", "derived")),
        ("user", None, None, None, ("completed", "derived")),
    ],
)
def test_the_first_witness_that_speaks(
    events: str, state: str | None, audit: str | None, parent: str | None, wanted: tuple[str, str]
) -> None:
    found, torn = read(events)
    assert outcome.status(resolve_run(found, torn=torn), ALONE._replace(word=parent), state, audit) == wanted


# --- scale -----------------------------------------------------------------------------------------------------------------------

SAMPLE = {line.split()[0]: read(line)[0][0] for line in ("start a agent", "end a", "user", "tool Read id=x", "back id=x")}
REPLY = read("reply\n+ use Read id=t in=1")[0][0]


def numbered(events: Iterator[RunEntry]) -> list[RunEntry]:
    return [
        event._replace(seq=number, digest=Key(str(number)), origin=event.origin._replace(line=number))
        for number, event in enumerate(events, 1)
    ]


def at(word: str, path: str, kind: str = "agent", iteration: int = 0) -> RunEntry:
    return SAMPLE[word]._replace(path=MASK(path), name=MASK(path.rsplit(".", 1)[-1]), kind=MASK(kind), iteration=iteration)


def with_id(event: RunEntry, key: str) -> RunEntry:
    return event._replace(parts=(event.parts[0]._replace(id=Key(key)),))


def turns(count: int) -> Iterator[RunEntry]:
    """Turns of a loop, ten events each."""
    yield at("start", "w", "while")
    for turn in range(count // 10):
        path = f"loop:{turn}/a"
        yield at("start", path, iteration=turn)
        yield SAMPLE["user"]
        for call in range(3):
            yield with_id(SAMPLE["tool"], f"{turn}.{call}")
            yield with_id(SAMPLE["back"], f"{turn}.{call}")
        yield with_id(REPLY, f"{turn}")
        yield at("end", path, iteration=turn)
    yield at("end", "w", "while")


def branches(count: int) -> Iterator[RunEntry]:
    """Branches that are all open at once, agents and loops, closed in the order of their start."""
    some = range(count // 4)
    yield at("start", "p", "parallel")
    yield from (at("start", f"b{branch}", "agent" if branch % 2 else "for_each") for branch in some)
    yield from (SAMPLE["user"] for _ in some)
    yield from (at("start", f"loop:0/x{branch}", "command") for branch in some)
    yield from (at("end", f"b{branch}") for branch in some)


def equal(count: int) -> Iterator[RunEntry]:
    """Everything has the same name, path and id."""
    for word in ("start", "tool", "back", "end"):
        yield from (at(word, "x") if word in ("start", "end") else SAMPLE[word] for _ in range(count // 4))


def deep(count: int) -> Iterator[RunEntry]:
    """Steps inside of steps, as many levels as there are, with an agent in the innermost."""
    levels = count // 4
    for level in range(levels):
        yield at("start", f"s{level}", "for_each")
    for _ in range(levels // 2):
        yield from (at("start", "a"), at("start", "b"), SAMPLE["user"], at("end", "a"))
    for level in reversed(range(levels)):
        yield at("end", f"s{level}", "for_each")


def seconds(events: Sequence[RunEntry]) -> float:
    start = time.process_time()
    resolve_run(events, torn=False)
    return time.process_time() - start


@pytest.mark.parametrize(("shape", "count"), [(turns, 8_000), (branches, 8_000), (equal, 8_000)])
def test_four_times_the_events_take_about_four_times_as_long(shape: Callable[[int], Iterator[RunEntry]], count: int) -> None:
    few, many = numbered(shape(count)), numbered(shape(4 * count))
    assert seconds(many) < 10 * min(seconds(few), seconds(few)) + 0.5


def test_a_run_of_two_hundred_thousand_events() -> None:
    events = numbered(turns(200_000))
    run = resolve_run(events, torn=False)
    assert (len(run.steps), len(run.exchanges), run.derived) == (20_001, 80_000, "completed")
    assert all(before.step <= after.step for before, after in pairwise(row for row in run.rows if isinstance(row, Opens)))


def test_steps_two_thousand_levels_deep() -> None:
    events = numbered(deep(8_000))
    run = resolve_run(events, torn=False)
    assert max(step.depth for step in run.steps) == 2_000
    assert seconds(events) < 20


def test_dotted_paths_two_thousand_levels_deep() -> None:
    paths = [".".join(["s"] * level) for level in range(1, 2_001)]
    run = resolve_run(numbered(at("start", path, "custom") for path in paths), torn=False)
    assert [step.depth for step in run.steps] == list(range(2_000))
