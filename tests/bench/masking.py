"""Measures the masking engine: recall, wrong hits, speed.

  python tests/bench/masking.py [--seed 11 --seed 12 --seed 13] [--tree FOLDER] [--corpus FILE]

Corpora are made by the folder `shared` beside the checkout. Added hits are those of rules other than the Lake's own on ordinary
source text, by default the standard library and the installed packages with their documentation. Every figure is of one core.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
import sysconfig
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT.parent / "shared" / "tools")]

from lakesite.masking import Masker, mask_text  # noqa: E402
from lakesite.masking import anchors as search  # noqa: E402
from lakesite.masking.engine import engine_for  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = {".py", ".pyi", ".md", ".rst", ".txt", ".toml", ".json", ".js", ".ts", ".css", ".html", ".c", ".h", ".yml", ".yaml", ".sh"}
LARGEST = 2_000_000
BASELINE = """
                                        Lake's rules, whole [tool]   gitleaks' rules, whole   to reach
  prefixed tokens, plain / mangled      73.6 / 57.1 %                81.9 / 40.4 %            99 / 98 %
  providers that agents meet            78.1 / 63.9 [76.2 / 59.0]    65.1 / 18.9              99.5 / 99.5
  structured credentials                45.2 [42.1]                  39.3                     98
  short passwords                       0 [0]                        3.5                      96
  wrongly masked benign texts           917 of 1895 [783 of 1579]    0                        <= 300 [<= 250]
  added hits per MB of source text      -                            -                        <= 1
  MB/s, plain / with [fast]             -                            0.06                     >= 25 / >= 45
"""


def corpus(seed: int) -> list[dict[str, Any]]:
    """The cases of one seed."""
    cases: list[dict[str, Any]] = importlib.import_module("mask_corpus").build(seed)
    return cases


def read(path: Path) -> list[dict[str, Any]]:
    """The cases of a file."""
    cases: list[dict[str, Any]] = importlib.import_module("mask_score").read_cases(path)
    return cases


def recall(title: str, cases: list[dict[str, Any]]) -> Iterator[str]:
    """Recall by kind and by group, and the negatives that were masked."""
    outputs = [mask_text(case["text"]) for case in cases]
    report = importlib.import_module("mask_score").score(cases, outputs).as_json()
    changed = sum(mask_text(text) != text for text in outputs)
    yield f"\n{title}: {len(cases)} cases; changed by a second pass: {changed}"
    for kind, tally in report["kinds"].items():
        yield f"  {100 * tally['recall']:6.2f} %  {tally['masked']:5d} / {tally['cases']:<5d}  {kind}"
    for group, tally in report["groups"].items():
        if tally["recall"] < 1:
            yield f"    {100 * tally['recall']:6.2f} %  {group}"
    negatives = report["negatives"]
    yield f"  wrongly masked: {negatives['wrong']} of {negatives['cases']}"
    for group, tally in negatives["groups"].items():
        if tally["wrong"]:
            yield f"    {tally['wrong']:4d} / {tally['cases']:<4d}  {group}"


def texts_of(*folders: Path, without: str = "") -> Iterator[str]:
    """Ordinary texts: sources and documentation."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES and without not in path.parts and path.is_file() and path.stat().st_size <= LARGEST:
                try:
                    yield path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue


def hits(texts: list[str]) -> Iterator[str]:
    """What is masked in ordinary texts, per MB."""
    masker = Masker()
    for text in texts:
        masker.mask(text)
    size = sum(map(len, texts)) / 1e6
    rules: Counter[str] = Counter()
    for row in masker.findings.rows():
        rules[row.rule] += row.count
    added = sum(count for rule, count in rules.items() if not rule.startswith("lake-"))
    yield f"\nordinary texts, {size:.1f} MB: {added / size:.2f} added hits per MB"
    for rule, count in rules.most_common():
        yield f"  {count:5d}  {rule}"


def speed(texts: list[str]) -> Iterator[str]:
    """MB/s with and without the fast library, and whether both find the same."""
    yield "\nspeed on the standard library, one core"
    size = sum(map(len, texts)) / 1e6
    found, library = [], search.fast_library
    gc.freeze()  # what the other figures left is not looked through again and again, as in a build
    for name, used in (("standard library", None), ("with [fast]", library)):
        if name == "with [fast]" and used is None:
            yield "  with [fast]: not installed"
            continue
        search.fast_library = used
        best = float("inf")
        for _ in range(3):
            engine_for.cache_clear()  # or the texts would be known as clean the second time
            Masker().mask("")
            clock = time.process_time()
            found.append([Masker().mask(text) for text in texts])
            best = min(best, time.process_time() - clock)
        yield f"  {size / best:5.1f} MB/s  {name}"
    search.fast_library = library
    yield f"  the same everywhere: {all(one == found[0] for one in found)}"


def report(options: argparse.Namespace) -> Iterator[str]:
    """All figures, one line after the other."""
    for seed in options.seed or (() if options.corpus else (11, 12, 13)):
        yield from recall(f"seed {seed}", corpus(seed))
    for path in options.corpus:
        yield from recall(path.name, read(path))
    paths = sysconfig.get_paths()
    library = list(texts_of(Path(paths["stdlib"]), without="site-packages"))
    yield from hits(list(texts_of(*options.tree)) if options.tree else [*library, *texts_of(Path(paths["purelib"]))])
    yield from speed(library[::4])
    yield f"\nfor comparison{BASELINE}"


def main() -> None:
    """Write all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, action="append", help="of a corpus to be made (default: 11, 12, 13)")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a corpus that is there already")
    parser.add_argument("--tree", type=Path, action="append", help="a folder of ordinary texts")
    for line in report(parser.parse_args()):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
