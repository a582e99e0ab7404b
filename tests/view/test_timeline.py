"""When the steps of a run began and ended, as lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.site.builds import Value, build, event, stamp, step, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pages import Open

Made = list[tuple[str, float, float | None, str]]
"""Steps: path, start, end (None: not recorded), and what made it fail."""


def records(steps: Made, **more: str) -> list[Value]:
    """The events of a run, in order of time."""
    made: list[tuple[float, str, str, Value]] = []
    for path, start, end, error in steps:
        payload = step(path.rsplit("/", 1)[-1], more.get(path, "command"))
        made.append((start, "step.started", path, payload))
        if end is not None:
            made.append((end, "step.completed", path, {**payload, "error": error} if error else payload))
    ordered = sorted(made, key=lambda each: each[0])
    return [event(seq, kind, payload, path=path, timestamp=stamp(at)) for seq, (at, kind, path, payload) in enumerate(ordered, 1)]


def page_of(folder: Path, steps: Made, **more: str) -> str:
    write(folder / "in" / "run.jsonl", records(steps, **more))
    return build(folder / "out", folder / "in").page().raw


def test_a_bar_stands_where_its_time_is(tmp_path: Path) -> None:
    page = page_of(tmp_path, [("a", 0, 5, ""), ("b", 5, 20, "no")])
    assert 'class="completed" x="0%" y="24" width="24.85%" height="12"><title>a · 5.0 s</title>' in page
    assert 'class="failed" x="25%" y="44" width="74.85%" height="12" fill="url(#hatch)"><title>b · 15.0 s · failed</title>' in page
    assert '<text x="50%" dx="3" y="12">10 s</text>' in page


@pytest.mark.parametrize("steps", [[("a", 0, 5, "")], [("a", 1, 1, ""), ("b", 1, 1, "")]], ids=["one step", "no time"])
def test_times_that_say_nothing_are_not_drawn(tmp_path: Path, steps: Made) -> None:
    assert "<svg" not in page_of(tmp_path, steps)


def test_turns_of_a_loop_share_a_lane(tmp_path: Path) -> None:
    steps: Made = [("all", 0, 30, ""), *((f"loop:{turn}/push", 10 * turn, 10 * turn + 9, "no" if turn == 1 else "") for turn in range(3))]
    page = page_of(tmp_path, steps, all="for_each")
    assert page.count("<svg") == 1
    assert 'height="60" aria-hidden' in page
    assert "<title>push, turn 2 · 9.0 s · failed</title>" in page
    assert "1 failed, 2 completed" in page
    assert "<small>× 3,</small> <b>1 failed</b></li>" in page
    assert "<small>× 3</small></span><small>1 failed</small>" in page
    assert "<td>0 ms</td><td>29.0 s from first to last</td>" in page


def test_what_runs_side_by_side_does_not_cover_itself(tmp_path: Path) -> None:
    page = page_of(tmp_path, [("all", 0, 20, ""), ("loop:0/x", 0, 20, ""), ("loop:1/x", 1, 20, "")], all="parallel")
    assert 'y="44" width="99.85%" height="5"' in page
    assert 'y="50" width="94.85%" height="5"' in page


def test_a_step_without_an_end_is_drawn_to_the_last_event(tmp_path: Path) -> None:
    page = page_of(tmp_path, [("a", 0, None, ""), ("b", 5, 10, "")])
    assert 'class="open" x="0%" y="24" width="99.85%"' in page
    assert "<td>not recorded</td><td>end not recorded</td>" in page


@pytest.mark.parametrize("loops", [1, 50, 5_000])
def test_however_many_steps_there_are_little_is_drawn(tmp_path: Path, loops: int) -> None:
    steps: Made = [(f"loop:{at % loops}/s{at // loops}", at, at + 0.9, "no" if at == 4_321 else "") for at in range(5_000)]
    page = page_of(tmp_path, steps)
    drawn = page[page.index('<div class="times">') : page.index("</table>")]
    assert drawn.count("<") - drawn.count("</") < 2_000
    assert 'class="failed"' in drawn


def test_it_fits_a_phone_and_its_bars_lead_to_steps(open_page: Open, tmp_path: Path) -> None:
    write(tmp_path / "in" / "run.jsonl", records([("first", 0, 5, ""), ("second", 5, 20, "no")]))
    site = build(tmp_path / "out", tmp_path / "in")
    seen = open_page(site.page().path, size=(360, 700))
    assert seen.page.evaluate("document.documentElement.scrollWidth") == 360
    boxes = [each.bounding_box() for each in seen.page.query_selector_all(".times a > rect")]
    labels = [each.bounding_box() for each in seen.page.query_selector_all(".times li")]
    for box, label in zip(boxes, labels, strict=True):
        assert box
        assert label
        assert label["y"] <= box["y"] <= label["y"] + label["height"] - box["height"]
        assert label["x"] + label["width"] <= box["x"] <= 360
    seen.page.click(".times a > rect.failed")
    assert seen.page.url.endswith("#e-3")
    assert seen.misdeeds == ()
