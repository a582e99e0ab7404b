"""A real browser for the tests: finds one that starts, opens pages, and writes down everything that they do.

As a script it prints the path of a browser that starts (nothing for Playwright's own) and fails where there is none.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # a request that a page makes is seen and fails at once
)

T = TypeVar("T")


class NoBrowserError(Exception):
    """No browser starts on this machine; the message says what was tried."""


def candidates() -> Iterator[str | None]:
    """Browsers worth a try, best first; `None` is Playwright's own."""
    named = os.environ.get("LAKESITE_BROWSER")
    if named:
        yield named
        return
    yield None
    yield from filter(None, map(shutil.which, NAMES))


def start(playwright: Playwright) -> tuple[Browser, str | None]:
    """Start the first browser that starts, and say which it is."""
    tried = []
    for path in candidates():
        try:
            return playwright.chromium.launch(executable_path=path, args=FLAGS), path
        except Error as error:
            tried.append(f"{path or 'Playwright'}: {error.message.splitlines()[0]}")
    raise NoBrowserError("no browser starts here; tried " + "; ".join(tried))


@dataclass
class Visit:
    """One opened page, and everything that it did since."""

    page: Page
    """Playwright's page; `page.evaluate` works with scripts off, too."""
    requests: list[str] = field(default_factory=list)
    """The address of every request, the page's own among them, those that the policy stopped included."""
    console: list[str] = field(default_factory=list)
    """Every line on the console, as `type: text`."""
    violations: list[str] = field(default_factory=list)
    """What the content security policy refused."""
    dialogs: list[str] = field(default_factory=list)
    """The text of every dialog; each is dismissed."""
    errors: list[str] = field(default_factory=list)
    """Every uncaught error of a script."""
    popups: list[str] = field(default_factory=list)
    """The address of every window that was opened."""

    @property
    def foreign(self) -> tuple[str, ...]:
        """Every request that would leave the machine."""
        return tuple(url for url in self.requests if not url.startswith(("file:", "data:", "blob:")))

    @property
    def misdeeds(self) -> tuple[str, ...]:
        """All that a page of ours never does: empty for a good page."""
        return (*self.foreign, *self.console, *self.dialogs, *self.errors, *self.popups)

    def until(self, check: Callable[[], T], seconds: float = 5.0) -> T:
        """Ask again until the answer is true, and return it: Playwright's own waiting needs what the pages' policy refuses."""
        deadline = time.monotonic() + seconds
        while not (answer := check()):
            assert time.monotonic() < deadline, f"still {answer!r} after {seconds} seconds"
            self.page.wait_for_timeout(25)
        return answer


def visit(
    browser: Browser,
    address: Path | str,
    *,
    scripts: bool = True,
    scheme: Literal["light", "dark"] = "light",
    size: tuple[int, int] = (1280, 800),
    **more: Any,  # noqa: ANN401 -- Playwright's own settings
) -> Visit:
    """Open a file or an address (`file:…#fragment`) in a fresh profile; `more` goes to Playwright's `new_context`."""
    context = browser.new_context(
        java_script_enabled=scripts,
        color_scheme=scheme,
        viewport={"width": size[0], "height": size[1]},
        **more,
    )
    seen = Visit(context.new_page())
    _record(context, seen)
    seen.page.goto(address.resolve().as_uri() if isinstance(address, Path) else address)
    return seen


def _record(context: BrowserContext, seen: Visit) -> None:
    """Write down what the pages of a profile do from now on."""
    context.on("request", lambda request: seen.requests.append(request.url))
    context.on("page", lambda page: seen.popups.append(page.url))
    context.on("weberror", lambda error: seen.errors.append(str(error.error)))

    def hear(message: Any) -> None:  # noqa: ANN401 -- the class has moved between versions
        seen.console.append(f"{message.type}: {message.text}")
        if "Content Security Policy" in message.text:
            seen.violations.append(message.text)

    def refuse(dialog: Any) -> None:  # noqa: ANN401 -- the class has moved between versions
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    context.on("console", hear)
    context.on("dialog", refuse)


def main() -> None:
    """Print the path of a browser that starts."""
    with sync_playwright() as playwright:
        try:
            browser, path = start(playwright)
        except NoBrowserError as error:
            sys.exit(str(error))
        browser.close()
        sys.stdout.write(f"{path or ''}\n")


if __name__ == "__main__":
    main()
