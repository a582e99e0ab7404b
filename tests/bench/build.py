"""How fast a build is, how much memory it takes, and how large its pages get, on archives made for the purpose.

    python tests/bench/build.py --work FOLDER                      10 and 100 MB, every layout, one process
    python tests/bench/build.py --work FOLDER --sizes 10 --layouts many --runs 3
    python tests/bench/build.py --work FOLDER --jobs               the same with --jobs 1 and --jobs 2
    python tests/bench/build.py --work FOLDER --search full        pages and search; without it pages alone

Archives are made once by `../shared/tools/make_archive.py` and kept in FOLDER. Run it with the Python that lakesite is
installed for. A line gives medians of all runs:

    MB/CPU-s    megabytes of input per second of processor time, of all processes together
    peak MiB    the most memory at any moment, of the whole process tree (the last line says how it was counted)
    out/in      bytes of the site by bytes of the input
    page MB     bytes of the largest page, and the elements of the page that has most
"""

from __future__ import annotations

import argparse
import os
import re
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
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
MAKER = ROOT.parent / "shared" / "tools" / "make_archive.py"
LAYOUTS = {"many": ("many", "awf,lake"), "few": ("few", "awf,lake"), "one-run": ("one", "awf"), "one-session": ("one", "lake")}
COLUMNS = ("layout", "MB", "jobs", "MB/CPU-s", "CPU s", "wall s", "peak MiB", "out/in", "pages", "page MB", "elements")
PAUSE = 0.03
"""Seconds between two looks at the memory."""

_SILENT = re.compile(rb"<(script|style)\b.*?</\1>", re.DOTALL)
_ELEMENT = re.compile(rb"<[a-zA-Z]")


@dataclass(frozen=True)
class Figures:
    """What one build took."""

    cpu: float
    wall: float
    peak: float


def archive(work: Path, layout: str, size: int) -> Path:
    """Make an archive, if it is not there yet."""
    folder = work / f"archive-{layout}-{size}"
    if not (folder / "make_archive.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shape, kinds = LAYOUTS[layout]
        command = [
            sys.executable,
            str(MAKER),
            "--out",
            str(folder),
            "--size-mb",
            str(size),
            "--layout",
            shape,
            "--kinds",
            kinds,
            "--check",
            "none",
        ]
        subprocess.run(command, check=True, capture_output=True)
    return folder


def build(folder: Path, site: Path, jobs: int, search: str) -> Figures:
    """Build a site and watch."""
    shutil.rmtree(site, ignore_errors=True)
    code = "from lakesite.cli import main; main()"
    command = [sys.executable, "-c", code, "build", str(folder), "-o", str(site), "--jobs", str(jobs), "--search", search, "-q"]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT)
    peak = [0.0]
    done = threading.Event()
    watcher = threading.Thread(target=watch, args=(process.pid, peak, done))
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    done.set()
    watcher.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"lakesite ended with {process.returncode}")
    return Figures(usage.ru_utime + usage.ru_stime, wall, peak[0])


def watch(root: int, peak: list[float], done: threading.Event) -> None:
    """Keep the largest memory of a process and all below it."""
    while not done.wait(PAUSE):
        peak[0] = max(peak[0], sum(memory(pid) for pid in tree(root)) / 2**20)


def tree(root: int) -> set[int]:
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


def memory(pid: int) -> int:
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


def pages(site: Path) -> tuple[int, int, int]:
    """How many pages there are, the bytes of the largest, and the elements of the one that has most."""
    found = [path.read_bytes() for path in site.rglob("*.html")]
    return len(found), max(map(len, found)), max(len(_ELEMENT.findall(_SILENT.sub(b"", text))) for text in found)


def weigh(folder: Path, *endings: str) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and (not endings or path.name.endswith(endings)))


def line(work: Path, layout: str, size: int, jobs: int, runs: int, search: str) -> tuple[str, ...]:
    """Build an archive so many times, and put the medians into words."""
    folder, site = archive(work, layout, size), work / "site"
    taken = [build(folder, site, jobs, search) for _ in range(runs)]
    cpu, wall, peak = (statistics.median(values) for values in zip(*((one.cpu, one.wall, one.peak) for one in taken), strict=True))
    given = weigh(folder, ".jsonl", ".ndjson")
    count, largest, elements = pages(site)
    ratio = weigh(site) / given
    return (
        layout, str(size), str(jobs), f"{given / 1e6 / cpu:.2f}", f"{cpu:.1f}", f"{wall:.1f}", f"{peak:.0f}", f"{ratio:.2f}", f"{count:,}",
        f"{largest / 1e6:.2f}", f"{elements:,}",
    )  # fmt: skip


def say(cells: Sequence[str]) -> None:
    """Print one line of the table."""
    sys.stdout.write("".join(cell.rjust(12) for cell in cells) + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for archives and sites")
    parser.add_argument("--sizes", default="10,100", help="megabytes (default: 10,100)")
    parser.add_argument("--layouts", default=",".join(LAYOUTS), help=f"some of {', '.join(LAYOUTS)} (default: all)")
    parser.add_argument("--jobs", action="store_true", help="also with two processes")
    parser.add_argument("--search", default="off", choices=("full", "no-snippets", "off"), help="as for a build (default: off)")
    parser.add_argument("--runs", type=int, default=1, help="builds of each (default: 1)")
    args = parser.parse_args()
    if not MAKER.is_file():
        sys.exit(f"no {MAKER.name} beside the checkout")
    args.work.mkdir(parents=True, exist_ok=True)
    say(COLUMNS)
    for size in map(int, args.sizes.split(",")):
        for layout in args.layouts.split(","):
            for jobs in (1, 2) if args.jobs else (1,):
                say(line(args.work, layout, size, jobs, args.runs, args.search))
    shares = Path("/proc/self/smaps_rollup").exists()
    say(["  memory of a process: " + ("its share of each page (PSS)" if shares else "all its pages (RSS), shared ones in each process")])


if __name__ == "__main__":
    main()
