"""What the benches share: archives, and how much time and memory a command takes, of all processes together."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
MAKER = SHARED / "tools" / "make_archive.py"
LAKESITE = (sys.executable, "-c", "from lakesite.cli import main; main(prog_name='lakesite')")
PAUSE = 0.03
"""Seconds between two looks at the memory."""


@dataclass(frozen=True)
class Figures:
    """What one run of a command took: seconds, and MiB."""

    cpu: float
    wall: float
    peak: float


def archive(folder: Path, *arguments: str) -> Path:
    """Make an archive with these arguments, if it is not there yet."""
    if not (folder / "make_archive.json").exists():
        if not MAKER.is_file():
            sys.exit(f"no {MAKER.name} beside the checkout")
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, MAKER, "--out", folder, "--check", "none", *arguments], check=True, capture_output=True)
    return folder


def measured(command: Sequence[str | Path], cwd: Path = ROOT, more: Mapping[str, str] | None = None) -> Figures:
    """Run a command, and watch it. `more`: what else stands in its environment."""
    # As in an installation, where modules are compiled once.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | dict(more or {})
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = [0.0]
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, peak, done))
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    done.set()
    watcher.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))}: ended with {process.returncode}")
    return Figures(usage.ru_utime + usage.ru_stime, wall, peak[0])


def build(given: Path, site: Path, *options: str) -> Figures:
    """Build a site, and watch."""
    return measured([*LAKESITE, "build", given, "-o", site, "-q", *options])


def parallel() -> float:
    """How many times as much two processes get done at once as one alone, where all they do is count: no build can gain more here."""
    counting = [sys.executable, "-c", "for _ in range(20_000_000): pass"]

    def wall(processes: int) -> float:
        start = time.perf_counter()
        for process in [subprocess.Popen(counting) for _ in range(processes)]:
            process.wait()
        return time.perf_counter() - start

    return 2 * wall(1) / wall(2)


def weigh(folder: Path, *endings: str) -> int:
    """Bytes of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and (not endings or path.name.endswith(endings)))


def spread(values: Iterable[float], digits: int = 1) -> str:
    """The median, and between what the values lie."""
    found = sorted(values)
    middle = f"{statistics.median(found):.{digits}f}"
    return middle if len(found) == 1 else f"{middle} ({found[0]:.{digits}f}-{found[-1]:.{digits}f})"


def _watch(root: int, peak: list[float], done: threading.Event) -> None:
    """Keep the largest memory of a process and all below it."""
    while not done.wait(PAUSE):
        peak[0] = max(peak[0], sum(_memory(pid) for pid in _tree(root)) / 2**20)


def _tree(root: int) -> set[int]:
    """The process and all below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _memory(pid: int) -> int:
    """Bytes of a process: its share of every page that it uses, or, where that is not told, all of them."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        return int(text.partition("\nPss:")[2].split()[0]) * 1024
    except (OSError, IndexError):
        pass
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
