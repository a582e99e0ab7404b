"""How fast lakesite is beside two published generators of pages, on the same conversations and on one machine.

    python tests/bench/peers.py --work FOLDER [--runs 5] [--peers FOLDER/bin]

The conversations stand in `../shared/data/bench` twice: as the other generators read them, and as partitions. The other
generators are installed into FOLDER, unless `--peers` says where they are. Every run has an empty folder to write to, and
the generators take turns. Megabytes are those of the session files, for all. Neither of the others masks, pairs calls with
their results across channels, or makes a search that needs no server.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.measure import LAKESITE, SHARED, Figures, measured, spread, weigh  # noqa: E402 -- a script is in no package

if TYPE_CHECKING:
    from collections.abc import Callable

SESSIONS = SHARED / "data" / "bench" / "sessions-20mb.tar.xz"
PEERS = ("claude-code-transcripts==0.6", "claude-code-log==1.7.0")
COLUMNS = ("generator", "MB/CPU-s", "CPU s", "wall s", "peak MiB", "out/in", "to transcripts", "to log")


class Bench:
    """The inputs, and where each generator writes to."""

    def __init__(self, work: Path, peers: Path | None) -> None:
        self.work = work
        self.out = work / "out"
        if not (work / "claude").exists():
            with tarfile.open(SESSIONS) as packed:
                packed.extractall(work, filter="data")
        self.peers = peers or self._install()
        self.size = weigh(work / "claude" / "projects")

    def _install(self) -> Path:
        """The two generators, in an environment of their own."""
        home = self.work / "peers"
        if not (home / "bin" / "claude-code-log").exists():
            subprocess.run([sys.executable, "-m", "venv", home], check=True)
            subprocess.run([home / "bin" / "python", "-m", "pip", "install", "--quiet", *PEERS], check=True)
        return home / "bin"

    def transcripts(self) -> tuple[Figures, int]:
        """`claude-code-transcripts`: pages of a few prompts each."""
        command = [self.peers / "claude-code-transcripts", "all", "-s", self.work / "claude" / "projects", "-o", self.out, "-q"]
        return measured(command), weigh(self.out)

    def log(self) -> tuple[Figures, int]:
        """`claude-code-log`, which writes beside its input."""
        shutil.copytree(self.work / "claude", self.out)
        (projects,) = (self.out / "projects").iterdir()
        return measured([self.peers / "claude-code-log", projects], more={"HOME": str(self.out)}), weigh(self.out) - self.size

    def pages(self) -> tuple[Figures, int]:
        """lakesite, without search."""
        return self._lakesite("off")

    def everything(self) -> tuple[Figures, int]:
        """lakesite, with search."""
        return self._lakesite("full")

    def _lakesite(self, search: str) -> tuple[Figures, int]:
        command = [*LAKESITE, "build", self.work / "lake", "-o", self.out, "-q", "--jobs", "1", "--search", search]
        return measured(command), weigh(self.out)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers", type=Path, help="folder of the commands of the other generators")
    chosen = parser.parse_args()
    if not SESSIONS.is_file():
        sys.exit(f"no {SESSIONS.name} beside the checkout")
    chosen.work.mkdir(parents=True, exist_ok=True)
    bench = Bench(chosen.work.resolve(), chosen.peers)
    generators: dict[str, Callable[[], tuple[Figures, int]]] = {
        "transcripts": bench.transcripts, "log": bench.log, "pages": bench.pages, "everything": bench.everything,
    }  # fmt: skip
    taken: dict[str, list[tuple[Figures, int]]] = {name: [] for name in generators}
    for _ in range(chosen.runs):
        for name, run in generators.items():
            shutil.rmtree(bench.out, ignore_errors=True)
            taken[name].append(run())
    speed = {name: [bench.size / 1e6 / figures.cpu for figures, _ in runs] for name, runs in taken.items()}
    sys.stdout.write("".join(f"{name:>20}" for name in COLUMNS) + "\n")
    for name, runs in taken.items():
        ratios = [f"{statistics.median(a / b for a, b in zip(speed[name], speed[to], strict=True)):.2f}" for to in ("transcripts", "log")]
        cells = (
            name, spread(speed[name], 2), spread(one.cpu for one, _ in runs), spread(one.wall for one, _ in runs),
            spread((one.peak for one, _ in runs), 0), f"{runs[-1][1] / bench.size:.2f}", *ratios,
        )  # fmt: skip
        sys.stdout.write("".join(f"{cell:>20}" for cell in cells) + "\n")


if __name__ == "__main__":
    main()
