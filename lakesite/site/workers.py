"""The processes of a build: tasks are done in them, and few are handed out at a time."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

from lakesite.errors import LakesiteError, TaskError, UsageError

_In = TypeVar("_In")
_Out = TypeVar("_Out")
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""
_FEWEST_WAITING = 32
_SHARES = 32
"""Groups of items that each worker has to do, or more: when one is left without work, the others are soon done, too."""
_TOGETHER = 32
"""Items of a group, at most."""
_WAITING = 256
"""Items that are handed out and not done yet, at most, where there are several in a group."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Processes that do tasks."""

    executor: Executor
    """What hands tasks to them."""
    jobs: int
    """How many there are."""

    @property
    def waiting(self) -> int:
        """Groups of items that are handed out at a time: enough to keep every worker busy, few enough to keep memory flat."""
        return max(_FEWEST_WAITING, 2 * self.jobs)


@contextmanager
def workers(jobs: int) -> Iterator[Pool | None]:
    """A pool of processes, or none for a single job."""
    if jobs <= 1:
        yield None
        return
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    theirs, ours = context.Pipe(duplex=False)
    with ours, theirs, ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with, initargs=(ours, theirs)) as executor:
        try:
            yield Pool(executor, jobs)
        except BaseException as error:
            if not isinstance(error, Exception):  # interrupted: nobody waits for the documents that are being written
                ours.close()
            executor.shutdown(cancel_futures=True)  # what runs still writes: it must have ended before its files are taken away
            if isinstance(error, BrokenProcessPool):
                raise UsageError("a worker process was killed, most often because memory ran out; build with fewer --jobs") from None
            raise


def _end_with(ours: Connection, theirs: Connection) -> None:
    """End this worker when its build is gone: killed, it can tell its workers nothing, but its end of the line closes."""
    ours.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts all processes; the build decides what becomes of its workers

    def watch() -> None:
        theirs.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_all(pool: Pool | None, task: Callable[[_In], _Out], items: Sequence[_In], done: Callable[[int], None]) -> list[_Out]:
    """The results of a task for every item, in order of the items, which are all alike; `done` is told how many there are."""
    found: dict[int, _Out] = {}
    for number, result in each_done(pool, task, items.__getitem__, [1] * len(items)):
        found[number] = result
        done(len(found))
    return [found[number] for number in range(len(items))]


def each_done(
    pool: Pool | None, task: Callable[[_In], _Out], item: Callable[[int], _In], weights: Sequence[int]
) -> Iterator[tuple[int, _Out]]:
    """(number of the item, result) of a task for every item, as they come. `item` gives one by its number, when its turn comes.

    `weights`: how much work each item is. The heaviest are begun first, so that no worker ends late. Light ones are handed out
    together: to hand something out takes as long as a small task.
    """
    if pool is None:
        yield from ((number, task(item(number))) for number in range(len(weights)))
        return
    groups = _groups(weights, pool.jobs)
    waiting: dict[Future[list[_Out]], list[int]] = {}
    while True:
        while len(waiting) < pool.waiting and (len(waiting) < 2 * pool.jobs or sum(map(len, waiting.values())) < _WAITING):
            if (group := next(groups, None)) is None:
                break
            waiting[pool.executor.submit(_guarded, task, [item(number) for number in group])] = group
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            yield from zip(waiting.pop(future), future.result(), strict=True)


def _groups(weights: Sequence[int], jobs: int) -> Iterator[list[int]]:
    """The numbers of items, the heaviest first, in groups of a small share of all work."""
    share = sum(weights) / (jobs * _SHARES)
    group: list[int] = []
    weight = 0
    for number in sorted(range(len(weights)), key=lambda each: -weights[each]):
        if group and (len(group) == _TOGETHER or weight + weights[number] > share):
            yield group
            group, weight = [], 0
        group.append(number)
        weight += weights[number]
    if group:
        yield group


def _guarded(task: Callable[[_In], _Out], items: Sequence[_In]) -> list[_Out]:
    """Do a task for some items in a process of its own: of what goes wrong there, only kind and place are told."""
    try:
        return [task(item) for item in items]
    except LakesiteError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not cross over with its words
        raise TaskError(type(error).__name__, tuple(traceback.format_tb(error.__traceback__))) from None
