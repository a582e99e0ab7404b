"""What made a run fail, with the last words and the last call before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.golden.outline import outline
from tests.site.builds import Value, build, call, event, result, said, step, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pages import Open


def failed_in(name: str, **more: object) -> list[Value]:
    """An agent speaks and calls in `work`, then `name` fails."""
    use = {"type": "tool_use", "fidelity": "agent_emitted", "tool_name": "Grep", "tool_id": "t", "tool_input": {"pattern": "total"}}
    events = [
        event(1, "step.started", step("work")),
        event(2, "tool.call", call("c", "Bash", {"command": "make"})),
        event(3, "tool.result", result("c", {"output": "no", "metadata": {"exit_code": 2}}, error="no")),
        event(4, "message.assistant", said("assistant", "## Plan\n\nI will *look*.", blocks=[use])),
        event(5, "step.completed", step("work", **more)),
    ]
    if name != "work":
        events += [event(6, "step.started", step(name, "command")), event(7, "step.completed", step(name, "command", error="exit 3"))]
    return events


def summary(folder: Path, events: list[Value]) -> list[str]:
    write(folder / "in" / "run.jsonl", events)
    page = build(folder / "out", folder / "in").page().raw
    return outline(page[page.index('<div class="failure">') : page.index('<div class="times">')] if "<svg" in page else page).splitlines()


def test_the_last_words_and_the_last_call_lead_to_their_place(tmp_path: Path) -> None:
    lines = summary(tmp_path, failed_in("work", error="gave up"))
    assert "Last thing its agent said: “I will *look*.” <#e-4>" in lines
    assert "Last call before it: **Grep** `total` <#e-4-b1>" in lines


def test_where_the_failing_step_says_nothing_the_step_before_is_named(tmp_path: Path) -> None:
    lines = summary(tmp_path, failed_in("ship"))
    assert lines[0] == "## ship failed after 1.0 s"
    assert "Last thing said before it, in work: “I will *look*.” <#e-4>" in lines
    assert "Last call before it, in work: **Grep** `total` <#e-4-b1>" in lines
    assert lines[-1] == "go to step <#e-6>"


def test_an_exit_code_in_a_field_is_the_outcome(tmp_path: Path) -> None:
    write(tmp_path / "in" / "run.jsonl", failed_in("work", error="gave up"))
    assert '<span class="at">exit 2 · 1.0 s' in build(tmp_path / "out", tmp_path / "in").page().raw


def test_its_links_arrive(open_page: Open, tmp_path: Path) -> None:
    write(tmp_path / "in" / "run.jsonl", failed_in("ship"))
    page = open_page(build(tmp_path / "out", tmp_path / "in").page().path).page
    page.click(".failure a:has-text('Grep')")
    assert page.evaluate("document.querySelector(':target').open")
    page.click(".failure a:has-text('I will')")
    assert page.evaluate("document.querySelector(':target').id") == "e-4"
