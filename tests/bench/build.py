"""How fast a build is, how much memory it takes, and how large its pages get, on archives made for the purpose.

    python tests/bench/build.py --work FOLDER                      10 and 100 MB, every layout, one process
    python tests/bench/build.py --work FOLDER --sizes 10 --layouts many --runs 3
    python tests/bench/build.py --work FOLDER --jobs               the same with --jobs 1 and --jobs 2, in turns
    python tests/bench/build.py --work FOLDER --search full        pages and search; without it pages alone

Archives are made once by `../shared/tools/make_archive.py` and kept in FOLDER. Run it with the Python that lakesite is
installed for. A line gives medians of all runs, with the least and the most where there are several:

    MB/CPU-s    megabytes of input per second of processor time, of all processes together
    peak MiB    the most memory at any moment, of the whole process tree (the last line says how it was counted)
    out/in      bytes of the site by bytes of the input
    page MB     bytes of the largest page, and the elements of the page that has most

With --jobs a line more says how many times as fast two processes are as one, and, measured between the same builds, how much
two processes that only count get done on this machine for one of them alone: on a machine of two whole cores 2.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.measure import archive, build, parallel, spread, weigh  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.bench.measure import Figures

LAYOUTS = {"many": ("many", "awf,lake"), "few": ("few", "awf,lake"), "one-run": ("one", "awf"), "one-session": ("one", "lake")}
COLUMNS = ("layout", "MB", "jobs", "MB/CPU-s", "CPU s", "wall s", "peak MiB", "out/in", "pages", "page MB", "elements")

_SILENT = re.compile(rb"<(script|style)\b.*?</\1>", re.DOTALL)
_ELEMENT = re.compile(rb"<[a-zA-Z]")


def laid_out(work: Path, layout: str, size: int) -> Path:
    """An archive of one layout."""
    shape, kinds = LAYOUTS[layout]
    return archive(work / f"archive-{layout}-{size}", "--size-mb", str(size), "--layout", shape, "--kinds", kinds)


def pages(site: Path) -> tuple[int, int, int]:
    """How many pages there are, the bytes of the largest, and the elements of the one that has most."""
    found = [path.read_bytes() for path in site.rglob("*.html")]
    return len(found), max(map(len, found)), max(len(_ELEMENT.findall(_SILENT.sub(b"", text))) for text in found)


def lines(work: Path, layout: str, size: int, jobs: Sequence[int], runs: int, search: str) -> Iterator[tuple[str, ...]]:
    """Build an archive so many times with each number of processes, in turns, and put the medians into words."""
    folder, site = laid_out(work, layout, size), work / "site"
    given = weigh(folder, ".jsonl", ".ndjson")
    taken: dict[int, list[Figures]] = {number: [] for number in jobs}
    machine = []
    for _ in range(runs):
        for number in jobs:
            shutil.rmtree(site, ignore_errors=True)
            taken[number].append(build(folder, site, "--jobs", str(number), "--search", search))
        if len(jobs) > 1:
            machine.append(parallel())
    count, largest, elements = pages(site)
    for number, found in taken.items():
        yield (
            layout, str(size), str(number), spread((given / 1e6 / one.cpu for one in found), 2), spread(one.cpu for one in found),
            spread(one.wall for one in found), spread((one.peak for one in found), 0), f"{weigh(site) / given:.2f}", f"{count:,}",
            f"{largest / 1e6:.2f}", f"{elements:,}",
        )  # fmt: skip
    if machine:
        faster = spread((one.wall / two.wall for one, two in zip(taken[1], taken[2], strict=True)), 2)
        yield "", f"  two processes for one: {faster} times as fast; counting: {spread(machine, 2)}"


def say(cells: Sequence[str]) -> None:
    """Print one line of the table."""
    sys.stdout.write("".join(cell.rjust(18) for cell in cells) + "\n")
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
    args.work.mkdir(parents=True, exist_ok=True)
    say(COLUMNS)
    for size in map(int, args.sizes.split(",")):
        for layout in args.layouts.split(","):
            for cells in lines(args.work, layout, size, (1, 2) if args.jobs else (1,), args.runs, args.search):
                say(cells)
    shares = Path("/proc/self/smaps_rollup").exists()
    say(["  memory of a process: " + ("its share of each page (PSS)" if shares else "all its pages (RSS), shared ones in each process")])


if __name__ == "__main__":
    main()
