"""How much processor time it takes to build again: where nothing changed, and where one turn was appended to one conversation.

    python tests/bench/incremental.py --work FOLDER                20 and 100 MB
    python tests/bench/incremental.py --work FOLDER --sizes 20 --runs 3
    python tests/bench/incremental.py --work FOLDER --search off

An archive is eight conversations of one size. They are made once by `../shared/tools/make_archive.py`, kept in FOLDER, and
copied before they are changed. Run it with the Python that lakesite is installed for. A line gives medians of all runs, with
the least and the most, in seconds of processor time:

    full         the first build
    nothing      nothing changed
    touched      a partition was touched, its bytes are the same
    appended     one more row in the last partition of a conversation
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.measure import archive, build, spread  # noqa: E402 -- as a script this file is not in a package

COLUMNS = ("MB", "full", "nothing", "touched", "appended")
CONVERSATIONS = 8
SETTLED = 2.5
"""Seconds after which times tell that nothing changed."""


def conversations(work: Path, size: int, target: Path) -> None:
    """Lay conversations into a folder."""
    for seed in range(1, CONVERSATIONS + 1):
        shape = ("--layout", "one", "--kinds", "lake", "--seed", str(seed))
        made = archive(work / f"archive-{size}-of-{CONVERSATIONS}-{seed}", "--size-mb", f"{size / CONVERSATIONS}", *shape)
        shutil.copytree(made / "events", target / str(seed) / "events")


def append(partition: Path) -> None:
    """Append one more row to a partition: its last one, a minute later and in other words."""
    last = json.loads(partition.read_bytes().splitlines()[-1])
    later = datetime.fromisoformat(last["ts"]) + timedelta(minutes=1)
    row = {**last, "ts": later.isoformat().replace("+00:00", "Z"), "text": f"One more turn at {later}."}
    with partition.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row, separators=(",", ":")) + "\n")


def measure(work: Path, size: int, runs: int, search: str) -> list[list[float]]:
    """Seconds of each kind of build."""
    with tempfile.TemporaryDirectory() as name:
        given, site = Path(name, "in"), Path(name, "site")
        conversations(work, size, given)
        last = max(given.rglob("*.ndjson"), key=lambda path: (path.parent.name, path.name))

        def cpu() -> float:
            return build(given, site, "--jobs", "1", "--search", search).cpu

        time.sleep(SETTLED)
        found: list[list[float]] = [[cpu()], [], [], []]
        for _ in range(runs):
            time.sleep(SETTLED)
            cpu()
            found[1].append(cpu())
            os.utime(last)
            found[2].append(cpu())
            append(last)
            found[3].append(cpu())
        return found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--search", default="full", choices=("full", "no-snippets", "off"), help="as for a build (default: full)")
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    print("".join(f"{name:>20}" for name in COLUMNS))  # noqa: T201
    for size in chosen.sizes:
        found = measure(chosen.work, size, chosen.runs, chosen.search)
        print(f"{size:>20}" + "".join(f"{spread(seconds, 2):>20}" for seconds in found))  # noqa: T201


if __name__ == "__main__":
    main()
