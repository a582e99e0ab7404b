"""What a build tells its user: progress while it runs, a summary at its end. Nothing recorded is ever part of either."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from lakesite.site.unchanged import Figures
from lakesite.view.problems import SKIPPED
from lakesite.view.words import plural, size


def in_words(found: Figures) -> str:
    """The summary of a build."""

    def count(name: str, singular: str, several: str | None = None) -> str:
        return plural(int(found[name]), singular, several)

    runs = f"{count('runs', 'run')} ({found['failed']} failed) and {count('sessions', 'session')}"
    odd = [count(name, singular) for name, singular in (("problems", "problem"), ("notes", "note")) if found[name]]
    told = [f"{' and '.join(odd)} in the input"] if odd else []
    told += [f"{count('skipped', *SKIPPED)} skipped"] if found["skipped"] else []
    lines = (
        f"{runs} in {count('pages', 'page')}, {size(int(found['bytes']))}",
        *([f"{', '.join(told)}: see problems.html"] if told else []),
        f"{count('masked', 'value')} masked, best effort: review before sharing",
        *_readable(int(found["readable_elsewhere"])),
        f"open {found['index']}",
    )
    return "\n".join(lines)


def strict_in_words(found: Figures) -> str:
    """Why a build that was strict failed."""
    return f"exit 1: {plural(int(found['problems']), 'problem')} and --strict"


def _readable(values: int) -> Iterator[str]:
    if values:
        yield f"{plural(values, 'value')} masked in one document and readable in another, see problems.html; --mask-across masks all"


@contextmanager
def no_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Progress that nobody sees."""
    yield lambda _what, _done, _all: None


@contextmanager
def progress_bar(terminal: TextIO) -> Iterator[Callable[[str, int, int], None]]:
    """Progress on one line of a terminal."""

    def show(what: str, done: int, total: int) -> None:
        terminal.write(f"\r\033[K{what} {done} of {total}")
        terminal.flush()

    try:
        yield show
    finally:
        terminal.write("\r\033[K")
        terminal.flush()
