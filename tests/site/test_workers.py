"""Tasks and the processes that do them: none stands idle while there is something to do, and results keep their order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from lakesite.site.workers import Pool, run_all


@pytest.mark.parametrize("jobs", [2, 32, 100])
def test_every_worker_has_something_to_do(jobs: int) -> None:
    together = Barrier(jobs, timeout=20)

    def task(item: int) -> int:
        together.wait()  # passed only where all of them are at work
        return item

    with ThreadPoolExecutor(jobs) as executor:
        assert run_all(Pool(executor, jobs), task, range(2 * jobs), lambda _done: None) == list(range(2 * jobs))


@pytest.mark.parametrize(("jobs", "most"), [(2, 32), (16, 32), (256, 512)])
def test_few_tasks_wait(jobs: int, most: int) -> None:
    with ThreadPoolExecutor(1) as executor:
        assert Pool(executor, jobs).waiting == most
