"""The end of any run is what the plain wording of the rules says: told again here without any of the machinery."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker
from lakesite.model import Key
from lakesite.resolve.steps import resolve_run
from tests.resolve.runs_cases import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakesite.model import RunEntry

CONTAINERS = ("parallel", "for_each", "while", "call_workflow")
MASK = Masker().mask
SAMPLES = {line.partition(" ")[0]: read(line)[0][0] for line in ("start a agent", "end a", "run", "over", "user")}


@dataclass
class Told:
    """A step as the rules tell it."""

    start: RunEntry
    top: bool
    around: list[Told]
    """Containers that were open when it started."""
    end: RunEntry | None = None
    failed: bool = field(default=False)

    @property
    def open(self) -> bool:
        """Never closed, and no container that was open when it started has been closed since."""
        return self.end is None and not any(container.end for container in self.around)


def told(events: Sequence[RunEntry], *, torn: bool) -> tuple[str, str | None]:
    """What is derived and what is recorded, from one segment of events in order."""
    steps: list[Told] = []
    ended: list[Told] = []
    for event in events:
        if event.type == "step.started":
            live = [step for step in steps if step.open]
            steps.append(Told(event, not live, [step for step in live if step.start.kind in CONTAINERS]))
        elif event.type == "step.completed":
            for step in steps:
                if step.end is None and step.start.name == event.name:
                    step.end = event
                    ended.append(step)
                    break
    overs = [event for event in events if event.type == "run.completed"]
    recorded = "failed" if overs and overs[-1].failed else "completed"
    recorded_or_none = recorded if overs and overs[-1].shape != "none" else None
    terminal = [step for step in steps if step.start.kind == "terminal"]
    top = [step for step in ended if step.top and step.end]
    last = "failed" if top and top[-1].end and top[-1].end.failed else "completed"
    if overs:
        return last, recorded_or_none
    if torn:
        return "unfinished", None
    if terminal:
        return "failed" if terminal[-1].end and terminal[-1].end.failed else "completed", None
    if any(step.open for step in steps) or any(event.type == "run.started" for event in events):
        return "unfinished", None
    return last, None


@st.composite
def runs(draw: st.DrawFn) -> list[RunEntry]:
    """Steps of distinct names that begin and end in any order, some twice, some never."""
    found = []
    words = st.sampled_from(["start"] * 8 + ["end"] * 8 + ["user", *draw(st.sampled_from([[], ["run"], ["over"], ["run", "over"]]))])
    for number in range(1, draw(st.integers(0, 30)) + 1):
        word = draw(words)
        step = number if word == "start" else draw(st.integers(max(1, number - 12), number))
        loops = draw(st.sampled_from(["", "", "loop:0/", "loop:1/", "loop:0/loop:0/"]))
        kind = draw(st.sampled_from(["agent", "command", *CONTAINERS, *["terminal"] * (number % 7 == 0)]))
        is_step = word in ("start", "end")
        found.append(
            SAMPLES[word]._replace(
                origin=SAMPLES[word].origin._replace(line=number),
                seq=number,
                name=MASK(f"s{step}") if is_step else None,
                path=MASK(f"{loops}s{step}" if is_step else ""),
                kind=MASK(kind) if is_step else None,
                failed=draw(st.booleans()),
                shape=draw(st.sampled_from(["step", "step", "none"])),
                digest=Key(str(number)),
            )
        )
    return found


@given(runs(), st.booleans())
def test_the_end_of_a_run(events: list[RunEntry], torn: bool) -> None:  # noqa: FBT001
    run = resolve_run(events, torn=torn)
    assert (run.derived, run.recorded) == told(events, torn=torn)
