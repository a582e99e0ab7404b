"""Pictures of the pages, to look at: `python -m tests.shots FOLDER [SITE]`.

Without a site, one is built of the example records. Each page is taken light, dark, at the width of a phone, without scripts, under
the policy of a server that allows next to nothing, in forced colours, and as it prints.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Route, sync_playwright

from tests import EXAMPLES
from tests.browser import start
from tests.site.builds import build

WIDE, PHONE = (1280, 1000), (360, 800)
POLICY = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'"
"""What Jenkins allows a page that it serves."""
SERVER = "https://ci.example/"
LONGEST = 3_000
"""Pixels of a picture."""


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look at a page."""

    name: str
    size: tuple[int, int] = WIDE
    settings: dict[str, Any] = field(default_factory=dict)
    served: bool = False
    """From a server with a strict policy; else from disk."""


LOOKS = (
    Look("light"),
    Look("dark", settings={"color_scheme": "dark"}),
    Look("phone", PHONE),
    Look("plain", settings={"java_script_enabled": False}),
    Look("forced", settings={"forced_colors": "active"}),
    Look("server", served=True),
)


def _serve(context: BrowserContext, site: Path) -> None:
    """Answer as a strict server would."""
    kinds = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}

    def answer(route: Route) -> None:
        path = site / route.request.url.removeprefix(SERVER)
        headers = {"Content-Security-Policy": POLICY, "Content-Type": kinds.get(path.suffix, "text/plain")}
        route.fulfill(path=path, headers=headers)

    context.route(f"{SERVER}**", answer)


def pages(site: Path) -> Iterator[tuple[str, str, str]]:
    """The pages worth a picture, each with its name, its address, and what is opened in it."""
    runs = sorted((site / "runs").glob("*.html"))
    texts = {path: path.read_text(encoding="utf-8") for path in runs}
    yield "index", "index.html", ""
    for name, sign in (("run-ok", 'class="pill completed"'), ("run-failed", 'class="failure"'), ("edit", 'class="diff"')):
        found = next((path for path in runs if sign in texts[path]), None)
        if found:
            yield name, f"runs/{found.name}", "details.row:has(.diff)" if name == "edit" else ""
    for path in sorted((site / "sessions").glob("*.html"))[:1]:
        yield "session", f"sessions/{path.name}", ""
    for name in ("search", "masking", "problems"):
        if (site / f"{name}.html").exists():
            yield name, f"{name}.html", ""


def shoot(browser: Browser, site: Path, out: Path, chosen: dict[str, tuple[str, str]] | None = None) -> None:
    """Take the pictures of a site."""
    every = chosen or {name: (address, opened) for name, address, opened in pages(site)}
    for look in LOOKS:
        root = SERVER if look.served else f"{site.resolve().as_uri()}/"
        context = browser.new_context(viewport={"width": look.size[0], "height": look.size[1]}, **look.settings)
        if look.served:
            _serve(context, site)
        for name, (address, opened) in every.items():
            page = context.new_page()
            page.goto(f"{root}{address}")
            if opened:
                page.evaluate("css => document.querySelectorAll(css).forEach(each => each.open = true)", opened)
            height = min(page.evaluate("document.documentElement.scrollHeight"), LONGEST)
            page.set_viewport_size({"width": look.size[0], "height": max(height, look.size[1])})
            page.screenshot(path=out / f"{name}-{look.name}.png")
            if look.name == "light":
                page.pdf(path=out / f"{name}.pdf")
            page.close()
        context.close()


def main() -> None:
    """Build a site if none is named, and take its pictures."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(sys.argv[2]) if len(sys.argv) > 2 else build(Path(folder) / "site", EXAMPLES).folder
        browser, _ = start(playwright)
        shoot(browser, site, out)
        browser.close()


if __name__ == "__main__":
    main()
