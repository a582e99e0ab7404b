"""What every test may ask for: a browser, a page in it, and the folder of genuine data beside the checkout."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import hypothesis
import pytest
from playwright.sync_api import sync_playwright

from tests import SHARED
from tests.browser import NoBrowserError, Visit, start, visit
from tests.site.builds import WORDS, event, row, said, step, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

# The same examples every time; `--hypothesis-profile=explore` looks for new ones.
hypothesis.settings.register_profile("steady", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=2000)
hypothesis.settings.load_profile("steady")


def pytest_configure() -> None:
    """Forget what the person at this machine has set for lakesite, so that every machine tests the same."""
    for name in tuple(os.environ):
        if name.startswith("LAKESITE_") and name not in {"LAKESITE_BROWSER", "LAKESITE_REQUIRE_BROWSER"}:
            del os.environ[name]
    for name in ("TRANSCRIPT_LAKE_SECRET_FORMATS", "SOURCE_DATE_EPOCH"):
        os.environ.pop(name, None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test after what it asks for, so that `-m 'not browser'` leaves out all that need one."""
    for item in items:
        for need in {"browser", "shared"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(need)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give the folder `../shared` of genuine data and tools; a test that asks for it is skipped where there is none."""
    if not SHARED.is_dir():
        pytest.skip("no folder 'shared' beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Give one running browser to all tests; they are skipped where none starts, unless LAKESITE_REQUIRE_BROWSER=1."""
    with sync_playwright() as playwright:
        try:
            found, _ = start(playwright)
        except NoBrowserError as error:
            if os.environ.get("LAKESITE_REQUIRE_BROWSER") == "1":
                raise
            pytest.skip(str(error))
        yield found
        found.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open pages as `tests.browser.visit` does, each in a fresh profile, and close them after the test."""
    opened: list[Visit] = []

    def opener(address: Path | str, **settings: object) -> Visit:
        opened.append(visit(browser, address, **settings))
        return opened[-1]

    yield opener
    for seen in opened:
        seen.page.context.close()


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A folder with a run and a conversation, both sound."""
    write(tmp_path / "in" / "a.jsonl", [
        event(1, "step.started", step("review")),
        event(2, "message.user", said("user", WORDS), path="flow"),
        event(3, "step.completed", step("review", error="exit 1")),
    ])  # fmt: skip
    write(tmp_path / "in" / "part-1.ndjson", [row("user", WORDS, 1), row("assistant", "Yes.", 2)])
    return tmp_path / "in"
