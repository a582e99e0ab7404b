"""Everything recorded can be read where scripts, or the page's own styles, are not allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route

from lakesite.view.terminal import strip
from tests import EXAMPLES
from tests.e2e.pages import OPEN_ALL, READ, Open
from tests.site.builds import Site

NO_TEXTS = frozenset({"call_id", "tool_id", "type", "Type", "fidelity", "role", "kind"})
"""Fields of a payload that are no texts."""
BESIDE = re.compile(r"\A\s*(?:\d+(?:→|\t|\. )|```\w*)")
"""At the start of a line: numbers stand in a column of their own, the name of a code block's language is used, not shown."""
MARKER = re.compile(r"\[masked:(token|entropy|assignment|credential):([1-9]\d{0,6}):[0-9a-f]{8}\]")


def letters(text: str) -> str:
    """A text without what Markdown, colours and layout add or take away."""
    return "".join(filter(str.isalnum, strip(text)))


def texts_in(value: object) -> Iterator[str]:
    """Every text in a value, to the innermost; one that holds JSON is looked into."""
    if isinstance(value, str):
        inner = structure(value)
        if inner is None:
            yield value
        else:
            yield from texts_in(inner)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in NO_TEXTS:
                yield from texts_in(item)


def structure(text: str) -> object:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def recorded() -> Iterator[tuple[str, str, int, str]]:
    """(document, file, line, text) of every text in the example records."""
    for path in sorted(EXAMPLES.rglob("*.jsonl")) + sorted(EXAMPLES.rglob("*.ndjson")):
        if path.parent.name == "labels" or path.name == "audit.jsonl":
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            value: dict[str, Any] = json.loads(line)
            key, field = ("run_id", "payload") if "run_id" in value else ("session_id", "text")
            for text in texts_in(value.get(field)):
                yield value[key], path.name, number, text


@pytest.fixture(scope="module")
def read(browser: Any, examples: Site) -> dict[str, str]:  # noqa: ANN401 -- of Playwright
    """What a reader without scripts can read of each page once all of its folds are opened, and of the files that these lead to."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    found = {}
    for address, each in examples.pages.items():
        page.goto(each.path.as_uri())
        page.evaluate(OPEN_ALL)
        asides = page.evaluate("[...document.querySelectorAll('.fold a')].map(each => each.getAttribute('href'))")
        found[address] = page.evaluate(READ) + "".join((each.path.parent / name).read_text(encoding="utf-8") for name in asides)
    context.close()
    return found


def test_every_recorded_text_is_readable(examples: Site, read: dict[str, str]) -> None:
    pages = {name: letters(" ".join(read[part] for part in document["parts"])) for name, document in examples.documents.items()}
    missing = [
        (file, number, line)
        for identity, file, number, text in recorded()
        for line in re.split(r"[\n\r]+", text)
        if letters(MARKER.sub(r"\1 · \2 characters", BESIDE.sub("", line))) not in pages[identity]
    ]
    assert sum(1 for _ in recorded()) > 1000
    assert missing == []


def test_a_fold_opens_by_hand(open_page: Open, examples: Site) -> None:
    run = examples.documents["ce62a83c-13bc-4b61-b9f4-02b28519fba8"]
    page = open_page(examples.page(run).path, scripts=False).page
    row = page.locator("details.tool").first
    assert not row.locator("pre").first.is_visible()
    row.locator("summary").first.click()
    assert row.locator("pre").first.is_visible()


# --- under a server that allows next to nothing ----------------------------------------------------------------------------------

POLICY = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'"


SERVER = "http://ci.example"


def serve(page: Page, site: Site) -> None:
    """Answer as a CI server does that trusts none of the files that it shows."""

    def answer(route: Route) -> None:
        path = site.folder / urlsplit(route.request.url).path.lstrip("/")
        route.fulfill(path=path, headers={"Content-Security-Policy": POLICY}, content_type=TYPES.get(path.suffix, "text/plain"))

    page.route(f"{SERVER}/**", answer)


TYPES = {".html": "text/html", ".css": "text/css"}


def test_f092_pages_are_whole_and_styled_under_a_strict_server(open_page: Open, examples: Site, read: dict[str, str]) -> None:
    seen = open_page("about:blank")
    serve(seen.page, examples)
    for address in list(examples.pages)[::3]:
        seen.page.goto(f"{SERVER}/{address}")
        assert seen.page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == "22px", address
        assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 251, 250)", address
        assert not seen.page.is_visible("#theme"), address
        seen.page.evaluate(OPEN_ALL)
        assert letters(seen.page.evaluate(READ)) in letters(read[address]), address
    assert any("inline style" in line for line in seen.violations), "the policy refuses what is inside the page"


def test_f092_a_strict_server_leaves_links_and_folds(open_page: Open, examples: Site) -> None:
    page = open_page("about:blank").page
    serve(page, examples)
    page.goto(f"{SERVER}/index.html")
    page.click("a:has-text('ops-assistant')")
    assert "/runs/ops-assistant" in page.url
    page.locator("details.tool > summary").first.click()
    assert page.locator("details.tool pre").first.is_visible()


def test_a_page_alone_is_styled_by_itself(open_page: Open, examples: Site, tmp_path: Path) -> None:
    alone = tmp_path / "sent by mail.html"
    alone.write_bytes(next(page for name, page in examples.pages.items() if "release-gate" in name).path.read_bytes())
    page = open_page(alone).page
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == "22px"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 251, 250)"
