"""Tasks and the processes that do them: none stands idle while there is something to do, and results keep their order."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier, Event, Thread

import pytest

from lakesite.site.workers import Pool, each_done, run_all


@pytest.mark.parametrize("jobs", [2, 32, 100])
def test_every_worker_has_something_to_do(jobs: int) -> None:
    together = Barrier(jobs, timeout=20)

    def task(item: int) -> int:
        together.wait()  # passed only where all of them are at work
        return item

    with ThreadPoolExecutor(jobs) as executor:
        assert run_all(Pool(executor, jobs), task, range(2 * jobs), lambda _done: None) == list(range(2 * jobs))


@pytest.mark.parametrize(
    ("jobs", "weights", "most"),
    [
        (2, [1] * 40, 32),
        (16, [1] * 400, 32),
        (256, [1] * 10_000, 512),
        (2, [9_999, *([1] * 5_000)], 256 + 32),
        (200, [1] * 100_000, 400 * 16),
    ],
    ids=["few jobs", "more jobs", "many jobs", "groups", "groups for many jobs"],
)
def test_few_items_wait(jobs: int, weights: list[int], most: int) -> None:
    made: list[int] = []
    gate = Event()
    with ThreadPoolExecutor(1) as executor:
        pool = Pool(executor, jobs)
        results = each_done(pool, lambda item: gate.wait(60) and item, lambda number: made.append(number) or number, weights)
        threading = Thread(target=lambda: list(results))
        threading.start()
        time.sleep(0.3)
        assert len(made) <= most
        gate.set()
        threading.join()
    assert sorted(made) == list(range(len(weights)))


class Handing(ThreadPoolExecutor):
    """An executor that notes what was handed out together."""

    def __init__(self) -> None:
        super().__init__(1)
        self.groups: list[list[int]] = []

    def submit(self, do: object, task: object, items: list[int], /) -> Future[object]:  # type: ignore[override]
        self.groups.append(items)
        return super().submit(do, task, items)  # type: ignore[arg-type]


def test_the_heaviest_are_begun_first_and_light_ones_go_together() -> None:
    weights = [1] * 100 + [500, 40] + [1] * 60
    with Handing() as executor:
        found = dict(each_done(Pool(executor, 1), lambda item: -item, range(162).__getitem__, weights))
    assert found == {item: -item for item in range(162)}
    assert executor.groups[:2] == [[100], [101]]
    assert [len(group) for group in executor.groups[2:]] == [21] * 7 + [13], "shares of a thirty-second of all work"
    assert sorted(item for group in executor.groups for item in group) == list(range(162))


def test_no_group_is_large() -> None:
    told: list[int] = []
    with Handing() as executor:
        assert run_all(Pool(executor, 1), abs, range(2_000), told.append) == list(range(2_000))
    assert told == list(range(1, 2_001))
    assert {len(group) for group in executor.groups} == {32, 2_000 % 32}
