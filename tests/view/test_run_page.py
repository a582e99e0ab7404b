"""What the header and the rows of a run say of its time, its steps and its state file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.builds import Value, build, event, step, write

if TYPE_CHECKING:
    from pathlib import Path

BEFORE, AFTER = "2026-05-04T23:59:58Z", "2026-05-05T00:00:03Z"


def page_of(folder: Path, records: list[Value]) -> str:
    write(folder / "in" / "run.jsonl", records)
    return build(folder / "out", folder / "in").page().raw


def test_a_run_that_crosses_midnight_names_each_day_once(tmp_path: Path) -> None:
    a, b = step("a"), step("b")
    records = [
        event(1, "step.started", a, timestamp=BEFORE), event(2, "step.completed", a, timestamp=BEFORE),
        event(3, "step.started", b, timestamp=AFTER), event(4, "step.completed", {**b, "error": "no"}, timestamp=AFTER),
    ]  # fmt: skip
    page = page_of(tmp_path, records)
    header, main = page[: page.index("<main")], page[page.index("<section") :]
    assert f'<time datetime="{BEFORE}"><b>4 May 2026 23:59:58</b></time> – <time datetime="{AFTER}">5 May 2026 00:00:03</time>' in header
    assert main.count(">23:59:58<") == 1
    assert main.count(">5 May 2026 00:00:03<") == 1
    assert main.count(">00:00:03<") == 1


def test_a_run_of_one_day_has_one_time_in_its_header(tmp_path: Path) -> None:
    page = page_of(tmp_path, [event(1, "step.started", step("a")), event(2, "step.completed", step("a"))])
    assert "</b></time>\n <span" in page or "</b></time> <span" in page
    assert page[: page.index("<main")].count("<time") == 1


def test_attempts_are_no_steps_of_their_own(tmp_path: Path) -> None:
    a, b = step("a"), step("b")
    records = [
        event(1, "step.started", a), event(2, "step.completed", {**a, "error": "no"}),
        event(3, "step.started", a), event(4, "step.completed", a),
        event(5, "step.started", b), event(6, "step.completed", b),
    ]  # fmt: skip
    site = page_of(tmp_path, records)
    assert "<b>2</b>\n steps <small>in 3 attempts</small>" in site or "<b>2</b> steps <small>in 3 attempts</small>" in site


def test_a_step_without_an_end_is_unfinished_as_its_run_is(tmp_path: Path) -> None:
    page = page_of(tmp_path, [event(1, "step.started", step("a")), event(2, "step.started", step("b"))])
    assert '<i class="dot unfinished">unfinished</i>' in page
    assert "<b>unfinished</b>" in page
    assert '<i class="dot open">' not in page
