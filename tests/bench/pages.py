"""How heavy the pages of one very long document are, beside a plain page that holds all of its events.

    python tests/bench/pages.py --work FOLDER                   one session of 10 MB
    python tests/bench/pages.py --work FOLDER --sizes 10,100    100 MB as well: some minutes, 1 GB of memory
    python tests/bench/pages.py --work FOLDER --kind awf        one run

Archives are made once by `../shared/tools/make_archive.py` and kept in FOLDER. The plain page is what anyone would write
first: every event as a block with its type, its time and its text, in one file. Each page is opened from the disk, in a fresh
profile, and scrolled from end to end, a window's height a frame, for a minute at most.

    page MB       bytes of the largest page; of the site all pages together in brackets
    elements      of the page that has most
    paint         milliseconds from opening it to its first contentful paint
    whole         milliseconds until it is loaded
    longest task  milliseconds in which nothing else could happen, while it was scrolled
    longest gap   milliseconds between two frames meanwhile
"""

from __future__ import annotations

import argparse
import html
import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Error, sync_playwright  # noqa: E402 -- as a script this file is not in a package

from tests.bench.build import laid_out, pages  # noqa: E402
from tests.bench.measure import build, weigh  # noqa: E402
from tests.browser import NoBrowserError, start, visit  # noqa: E402

_PATIENCE = 120_000
"""Milliseconds that a page is waited for."""
LAYOUTS = {"lake": "one-session", "awf": "one-run"}
COLUMNS = ("", "page MB", "elements", "paint", "whole", "longest task", "longest gap")
LOADED = """() => [performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  performance.getEntriesByType("navigation")[0].loadEventEnd, document.querySelectorAll("*").length]"""
SCROLL = """() => new Promise(done => {
  let longest = 0, gap = 0, before = performance.now();
  const end = before + 60_000;
  new PerformanceObserver(list => { for (const each of list.getEntries()) longest = Math.max(longest, each.duration) })
    .observe({type: "longtask"});
  const step = () => {
    const now = performance.now(), at = scrollY;
    gap = Math.max(gap, now - before);
    before = now;
    scrollBy({top: innerHeight, behavior: "instant"});
    if (scrollY > at && now < end) return requestAnimationFrame(step);
    setTimeout(() => done([longest, gap]), 100);
  };
  requestAnimationFrame(step);
})"""


@dataclass(frozen=True)
class Weight:
    """What one page costs."""

    size: int
    elements: int
    paint: float
    whole: float
    task: float
    gap: float


def plain(folder: Path, target: Path) -> None:
    """Write the plain page of an archive."""
    with target.open("w", encoding="utf-8") as page:
        page.write("<!doctype html><meta charset=utf-8><title>events</title><style>pre{white-space:pre-wrap}</style>")
        for event in events(folder):
            kind, when = (html.escape(str(event.get(name) or "")) for name in ("event_type" if "event_type" in event else "type", "ts"))
            text = event.get("text") or json.dumps(event.get("payload", event.get("extra")), indent=2, ensure_ascii=False)
            page.write(f"<div><h3>{kind} <small>{when}</small></h3><pre>{html.escape(text)}</pre></div>\n")


def events(folder: Path) -> Iterator[dict[str, object]]:
    """Every event of an archive."""
    for path in sorted((*folder.rglob("*.jsonl"), *folder.rglob("*.ndjson"))):
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def weighed(browser: Browser, page: Path) -> Weight:
    """Open a page, scroll through it, and tell what that cost."""
    seen = visit(browser, "about:blank")
    seen.page.set_default_timeout(_PATIENCE)
    seen.page.goto(page.resolve().as_uri())
    paint, whole, elements = seen.page.evaluate(LOADED)
    task, gap = seen.page.evaluate(SCROLL)
    seen.page.context.close()
    return Weight(page.stat().st_size, elements, paint, whole, task, gap)


def heaviest(found: list[Weight]) -> Weight:
    """The worst of every figure."""
    columns = zip(*((one.size, one.elements, one.paint, one.whole, one.task, one.gap) for one in found), strict=True)
    return Weight(*map(max, columns))  # type: ignore[arg-type]


def say(*cells: str) -> None:
    sys.stdout.write(cells[0].ljust(24) + "".join(cell.rjust(16) for cell in cells[1:]) + "\n")
    sys.stdout.flush()


def line(name: str, found: Weight, more: str = "") -> None:
    """Print what a page costs."""
    figures = (f"{value:.0f} ms" for value in (found.paint, found.whole, found.task, found.gap))
    say(name, f"{found.size / 1e6:.2f}{more}", f"{found.elements:,}", *figures)


def measure(browser: Browser, work: Path, size: int, kind: str) -> None:
    """Build the site of one document and its plain page, and weigh both."""
    folder, site, alone = laid_out(work, LAYOUTS[kind], size), work / "site", work / "plain.html"
    build(folder, site, "--jobs", "1")
    plain(folder, alone)
    parts = sorted(site.glob("*s/*.html"), key=lambda path: -path.stat().st_size)
    total = weigh(site, ".html") / 1e6
    line(f"{size} MB, lakesite", heaviest([weighed(browser, part) for part in parts[:3]]), f" ({total:.1f})")
    try:
        line(f"{size} MB, plain page", weighed(browser, alone))
    except Error:
        say(f"{size} MB, plain page", f"{alone.stat().st_size / 1e6:.2f}", f" is not there after {_PATIENCE // 1000} s")
    count, _, most = pages(site)
    say(f"  {count} pages, {most:,} elements at most; the three largest were opened")
    shutil.rmtree(site)
    alone.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for archives and sites")
    parser.add_argument("--sizes", default="10", help="megabytes (default: 10)")
    parser.add_argument("--kind", choices=LAYOUTS, default="lake", help="a session or a run (default: lake)")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        try:
            browser, _ = start(playwright)
        except NoBrowserError as error:
            sys.exit(str(error))
        say(*COLUMNS)
        for size in map(int, args.sizes.split(",")):
            measure(browser, args.work, size, args.kind)
        browser.close()


if __name__ == "__main__":
    main()
