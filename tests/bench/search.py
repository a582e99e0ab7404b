"""What search costs: the size of its files, the time and memory that they take to make, and how fast it answers.

    python tests/bench/search.py --work FOLDER                10 and 100 MB, about four minutes
    python tests/bench/search.py --work FOLDER --large        1,000 MB as well: half an hour, 6 GB of disk
    python tests/bench/search.py --work FOLDER --sizes 10

Archives are made once by `../shared/tools/make_archive.py` and kept in FOLDER. Their texts are read in the plainest way
and indexed in a process that does nothing else; the clock runs for what search does alone. Then a browser opens the search
page from the disk, for each query in a fresh profile, the browser being at rest.

    cold, first   from opening the page with a query to its first result standing in it (or "Nothing found.")
    cold, ten     the same, to ten results with their snippets
    repeat        a query that was asked in the same page before
    to the list   bytes of all files loaded when the documents are ranked; then with ten snippets
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402 -- as a script this file is not in a package

from lakesite.search.library import publish, read_library  # noqa: E402
from lakesite.search.segment import SegmentWriter  # noqa: E402
from lakesite.site.output import write_file  # noqa: E402
from tests.bench.measure import archive  # noqa: E402
from tests.browser import NoBrowserError, start  # noqa: E402
from tests.firefox import NoFirefoxError, firefox  # noqa: E402
from tests.search.archive import read_archive  # noqa: E402
from tests.search.site import write_page  # noqa: E402

QUERIES = 40
REST = 500
"""Milliseconds before a page is opened: what the profile before it left is put away by then, as in a browser that someone uses."""
WORD = re.compile(r"[A-Za-z_]\w{2,}")

ROWS = (
    ("index / text", "≤ 12 %", lambda found: f"{found['index']:.1%}"),
    ("text store / text", "≤ 48 %", lambda found: f"{found['store']:.1%}"),
    ("build, CPU s per 100 MB of text", "≤ 16", lambda found: f"{found['cpu']:.1f}"),
    ("of it while pages are written", "", lambda found: f"{found['documents']:.1f}"),
    ("peak MiB", "≤ 150", lambda found: f"{found['peak']:.0f}"),
    ("add 20 documents, CPU s", "≤ 1", lambda found: f"{found['add']:.2f}"),
    ("old shards rewritten", "none", lambda found: f"{found['rewritten']}"),
    ("cold, first result, p50 ms", "≤ 200", lambda found: f"{found['first'][0]:.0f}"),
    ("cold, first result, p95 ms", "≤ 400", lambda found: f"{found['first'][1]:.0f}"),
    ("cold, ten snippets, p50 ms", "", lambda found: f"{found['ten'][0]:.0f}"),
    ("cold, ten snippets, p95 ms", "", lambda found: f"{found['ten'][1]:.0f}"),
    ("repeat, p95 ms", "≤ 100", lambda found: f"{found['repeat'][1]:.0f}"),
    ("to the list, p95 MB", "≤ 0.6", lambda found: f"{found['listed'][1] / 1e6:.2f}"),
    ("with ten snippets, p95 MB", "≤ 2", lambda found: f"{found['shown'][1] / 1e6:.2f}"),
    ("longest main-thread block, ms", "", lambda found: f"{found['block']:.0f}"),
    ("text, MB", "", lambda found: f"{found['text'] / 1e6:.0f}"),
    ("documents", "", lambda found: f"{found['count']:,}"),
    ("files of the index", "", lambda found: f"{found['files']:,}"),
)  # fmt: skip


def sized(work: Path, size: float, seed: int = 1) -> Path:
    """An archive of so many megabytes."""
    return archive(work / f"archive-{size:g}-{seed}", "--size-mb", str(size), "--seed", str(seed))


@dataclass
class Clock:
    """Counts the processor time of some of what a process does."""

    spent: float = 0

    def __enter__(self) -> None:
        self.spent -= time.process_time()

    def __exit__(self, *_: object) -> None:
        self.spent += time.process_time()


def build(folder: Path, site: Path, *, grow: bool) -> dict[str, Any]:
    """Index an archive in a process of its own; gives its figures."""
    command = [sys.executable, __file__, "--work", str(folder), "--site", str(site), *(["--grow"] if grow else [])]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def build_here(folder: Path, site: Path, *, grow: bool) -> dict[str, Any]:
    """Index an archive, or add it to what is there."""
    write = partial(write_file, site)
    documents, merging = Clock(), Clock()
    draw = random.Random(7)  # noqa: S311
    texts = 0
    left: list[Path] = []
    queries: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for number, read in enumerate(read_archive(folder, whole=False)):
            entries = list(read.entries())
            texts += sum(len(entry.text.encode()) for _, entry in entries)
            with documents:
                writer = SegmentWriter(Path(name), str(number), write)
                for part, entry in entries:
                    writer.add(part, [entry])
                # in a file, as in a build: what is kept among texts that come and go keeps their memory
                left.append(Path(name, f"{number}.left"))
                left[-1].write_bytes(pickle.dumps(writer.finish(read.facts)))
            if draw.random() < 0.1:
                queries += queries_from(draw, draw.choice(entries)[1].text)
        with merging:
            fresh = [pickle.loads(path.read_bytes()) for path in left]  # noqa: S301 -- written above
            old = read_library(site) if grow else None
            unchanged = [document.facts.href for stored in old.segments for document in stored.live()] if old else []
            published = publish(fresh, Path(name), write, texts=True, old=old, unchanged=unchanged)
    write_page(site, published)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "text": texts, "count": len(left), "documents": documents.spent, "merging": merging.spent, "peak": peak,
        "queries": draw.sample(queries, min(len(queries), QUERIES)),
    }  # fmt: skip


def queries_from(draw: random.Random, text: str) -> Iterator[str]:
    """What someone who has seen a text may look for: a word, two words, a phrase, a path, a beginning."""
    words = WORD.findall(text)
    if len(words) < 4:
        return
    place = draw.randrange(len(words) - 2)
    yield words[place]
    yield f"{words[place]} {draw.choice(words)}"
    yield f'"{words[place]} {words[place + 1]}"' if f"{words[place]} {words[place + 1]}" in text else f"{words[place][:4]}*"
    if paths := re.findall(r"\w+(?:[./:]\w+){2,}", text):
        yield draw.choice(paths)


def figures(work: Path, size: int) -> dict[str, Any]:
    """Build the search of an archive, and ask it."""
    site = work / f"site-{size}"
    shutil.rmtree(site, ignore_errors=True)
    found = build(sized(work, size), site, grow=False)
    weights = {path.relative_to(site).as_posix(): path.stat().st_size for path in site.rglob("*.js") if path.name != "search.js"}
    store = sum(weight for name, weight in weights.items() if name.startswith("search/t/"))
    per = 100e6 / found["text"]
    found |= {
        "store": store / found["text"],
        "index": (sum(weights.values()) - store) / found["text"],
        "cpu": (found["documents"] + found["merging"]) * per,
        "documents": found["documents"] * per,
        "files": len(weights),
    }
    found |= answers(site, found["queries"])
    before = {name: (site / name).read_bytes() for name in weights if name != "search/segments.js" and "/t/" not in name}
    added = build(sized(work, 1, 2), site, grow=True)
    found["add"] = added["documents"] + added["merging"]
    found["rewritten"] = sum((site / name).read_bytes() != data for name, data in before.items())
    return found


@dataclass(frozen=True, slots=True)
class Answer:
    """How one query was answered."""

    first: float
    """Milliseconds from opening the page to its first result, or to the word that there is none."""
    ten: float
    """The same, to ten results with their snippets."""
    repeat: float
    """Milliseconds when it was asked again."""
    listed: int
    """Bytes that were loaded when documents were ranked."""
    shown: int
    """Bytes that were loaded with ten snippets."""
    block: float
    """The longest time that the page did not answer, in milliseconds."""


def answers(site: Path, queries: list[str]) -> dict[str, Any]:
    """Ask in a browser, from the disk."""
    with sync_playwright() as playwright:
        try:
            browser, _ = start(playwright)
        except NoBrowserError as error:
            sys.exit(str(error))
        found = [answer(browser, site, query) for query in queries]
        browser.close()
    spreads = {name: spread([getattr(each, name) for each in found]) for name in ("first", "ten", "repeat", "listed", "shown")}
    return {**spreads, "block": max(each.block for each in found), "firefox": in_firefox(site, queries)}


WATCH = """
window.blocks = [];
window.asked = [];
try {
  new PerformanceObserver(list => window.blocks.push(...list.getEntries().map(each => each.duration))).observe({entryTypes: ["longtask"]});
} catch {}
new MutationObserver(list => list.forEach(change => change.addedNodes.forEach(node => {
  const from = node.src || node.href;
  const name = decodeURI(from ?? "");
  const known = window.asked.some(([other]) => other === name);  // what is asked for early is loaded once
  if (!known && /^file:/.test(name) && /SCRIPT|LINK/.test(node.tagName)) window.asked.push([name, performance.now()]);
}))).observe(document, {childList: true, subtree: true});
"""
SEEN = """() => {
  const [done] = performance.getEntriesByName("search");
  const [ranked] = performance.getEntriesByName("ranked");
  const files = [[decodeURI(location.href.split("#")[0]), true], ...window.asked.map(([name, time]) => [name, time < ranked?.startTime])];
  return done && {files, block: Math.max(0, ...window.blocks)};
}"""


MOMENTS = """(() => {
  const [{startTime, duration}] = performance.getEntriesByName("search");
  return [performance.getEntriesByName("first")[0]?.startTime ?? startTime + duration, startTime + duration];
})()"""


def in_firefox(site: Path, queries: list[str]) -> dict[str, tuple[float, float]] | None:
    """The cold figures in the Firefox of this machine, where there is one: each query in a page of its own, all in one profile."""
    moments = []
    try:
        with firefox() as browser:
            for query in queries:
                browser.open(f"{(site / 'search.html').as_uri()}#q={quote(query)}")
                browser.until("performance.getEntriesByName('search').length")
                moments.append(browser.evaluate(MOMENTS))
    except NoFirefoxError:
        return None
    first, ten = zip(*moments, strict=True)
    return {"first": spread(first), "ten": spread(ten)}


def answer(browser: Browser, site: Path, query: str) -> Answer:
    """Ask in a fresh profile, and once more in the same page."""
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(WATCH)
    page.wait_for_timeout(REST)
    hash_of = page.evaluate("query => '#q=' + encodeURIComponent(query)", query)
    page.goto(f"{(site / 'search.html').as_uri()}{hash_of}")
    seen = wait(page)
    first, ten = page.evaluate(MOMENTS)
    sizes = [(Path(name.removeprefix("file://")).stat().st_size, early) for name, early in seen["files"] if name.startswith("file:")]
    for other in ("#q=", hash_of):
        page.evaluate("performance.clearMeasures()")
        page.evaluate("hash => { location.hash = hash }", other)
        wait(page)
    again = page.evaluate("performance.getEntriesByName('search')[0].duration")
    context.close()
    listed, shown = sum(size for size, early in sizes if early), sum(size for size, _ in sizes)
    return Answer(first, ten, again, listed, shown, seen["block"])


def wait(page: Page) -> dict[str, Any]:
    for _ in range(3000):
        if seen := page.evaluate(SEEN):
            return seen
        page.wait_for_timeout(10)
    raise TimeoutError(page.url)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """The median, and what nineteen of twenty stay below."""
    return statistics.median(values), sorted(values)[max(round(len(values) * 0.95) - 1, 0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for archives and sites")
    parser.add_argument("--sizes", default="10,100", help="megabytes (default: 10,100)")
    parser.add_argument("--large", action="store_true", help="also 1,000 MB")
    parser.add_argument("--site", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--grow", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.site:
        sys.stdout.write(json.dumps(build_here(args.work, args.site, grow=args.grow)))
        return
    args.work.mkdir(parents=True, exist_ok=True)
    sizes = [*map(int, args.sizes.split(",")), *([1000] if args.large else [])]
    found = [figures(args.work, size) for size in sizes]
    lines = [("", "target", *(f"{size} MB" for size in sizes))]
    lines += [(name, target, *(put(each) for each in found)) for name, target, put in ROWS]
    if all(each["firefox"] for each in found):
        for place, word in enumerate(("p50", "p95")):
            for name, told in (("first", "first result"), ("ten", "ten snippets")):
                lines.append((f"Firefox: cold, {told}, {word} ms", "", *(f"{each['firefox'][name][place]:.0f}" for each in found)))
    for name, *cells in lines:
        sys.stdout.write(name.ljust(34) + "".join(cell.rjust(10) for cell in cells) + "\n")


if __name__ == "__main__":
    main()
