"""How much processor time it takes to build again: where nothing changed, and where one turn was appended to one conversation.

    python tests/bench/incremental.py --work FOLDER                20 and 100 MB
    python tests/bench/incremental.py --work FOLDER --sizes 20 --runs 3

Archives are made once by `../shared/tools/make_archive.py`, kept in FOLDER, and copied before they are changed. Run it with the
Python that lakesite is installed for. A line gives medians of all runs, in seconds of processor time:

    full         the first build
    nothing      nothing changed
    touched      a partition was touched, its bytes are the same
    appended     one more row in the last partition of the conversation that has most of them
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAKER = ROOT.parent / "shared" / "tools" / "make_archive.py"
COLUMNS = ("MB", "full", "nothing", "touched", "appended")
SETTLED = 2.5
"""Seconds after which times tell that nothing changed."""


def archive(work: Path, size: int) -> Path:
    """Make an archive of runs and conversations, if it is not there yet."""
    folder = work / f"archive-many-{size}"
    if not (folder / "make_archive.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shape = ["--layout", "many", "--kinds", "awf,lake", "--check", "none"]
        subprocess.run([sys.executable, MAKER, "--out", folder, "--size-mb", str(size), *shape], check=True, stdout=subprocess.DEVNULL)
    return folder


def cpu(given: Path, site: Path, *more: str) -> float:
    """Seconds of processor time of one build."""
    code = "from lakesite.cli import main; main(prog_name='lakesite')"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    before = os.times()
    subprocess.run([sys.executable, "-c", code, "build", given, "-o", site, "-q", "--jobs", "1", *more], check=True, env=environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def largest(given: Path) -> Path:
    """The largest partition."""
    return max(given.rglob("*.ndjson"), key=lambda path: path.stat().st_size)


def append(partition: Path) -> None:
    """Append one more row to a partition: its last one, a minute later and in other words."""
    last = json.loads(partition.read_bytes().splitlines()[-1])
    later = datetime.fromisoformat(last["ts"]) + timedelta(minutes=1)
    row = {**last, "ts": later.isoformat().replace("+00:00", "Z"), "text": f"One more turn at {later}."}
    with partition.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row, separators=(",", ":")) + "\n")


def measure(source: Path, runs: int) -> list[float]:
    """Seconds of each kind of build, medians."""
    with tempfile.TemporaryDirectory() as name:
        given, site = Path(name, "in"), Path(name, "site")
        shutil.copytree(source, given)
        time.sleep(SETTLED)
        found: list[list[float]] = [[cpu(given, site)], [], [], []]
        for _ in range(runs):
            time.sleep(SETTLED)
            cpu(given, site)
            found[1].append(cpu(given, site))
            os.utime(largest(given))
            found[2].append(cpu(given, site))
            append(largest(given))
            found[3].append(cpu(given, site))
        return [statistics.median(each) for each in found]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    print("".join(f"{name:>10}" for name in COLUMNS))  # noqa: T201
    for size in chosen.sizes:
        print(f"{size:>10}" + "".join(f"{seconds:>10.2f}" for seconds in measure(archive(chosen.work, size), chosen.runs)))  # noqa: T201


if __name__ == "__main__":
    main()
