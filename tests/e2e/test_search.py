"""Search on sites that a build made: from the box to the hit, in parts, in folds, without scripts, by keyboard, under every roof."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from lakesite.site import lay
from tests.browser import Visit
from tests.e2e.pages import Open
from tests.e2e.test_parts import LOW, conversation
from tests.firefox import NoFirefoxError, firefox
from tests.search.pages import opened, settle, status, titles, write
from tests.site.builds import Site, build, call, event, result, said, step
from tests.site.builds import write as write_file

WORDS = "The kingfisher nests under the mill bridge."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A long conversation in parts, a run with a packed text, a run that failed."""
    folder = tmp_path_factory.mktemp("searched")
    turns = conversation()
    turns[4 * 90 + 3]["text"] = WORDS
    turns[4 * 10 + 3]["text"] = "Another kingfisher."
    write_file(folder / "in" / "part-1.ndjson", turns)
    middle = "\n".join(f"line {number} of the log" if number != 3_000 else "here the heron stands" for number in range(6_000))
    write_file(folder / "in" / "a.jsonl", [
        event(1, "run.started", {"name": "survey"}),
        event(2, "step.started", step("count_birds"), path="count_birds"),
        event(3, "tool.call", call("c1", "Bash", {"command": "cat log"})),
        event(4, "tool.result", result("c1", middle)),
        event(5, "step.completed", step("count_birds", error="no boat was found"), path="count_birds"),
        event(6, "run.completed", {"name": "survey", "kind": "workflow", "error": "no boat was found"}),
    ])  # fmt: skip
    write_file(folder / "in" / "b.jsonl", [event(1, "message.user", said("user", "Where is the heron?"), run_id="run-b")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lay, "PART_ELEMENTS", LOW)
        return build(folder / "out", folder / "in")


def session(site: Site) -> dict[str, Any]:
    return next(document for document in site.json["documents"] if document["kind"] == "session")


def follow(seen: Visit) -> None:
    seen.page.click("#hits h2 a")


# --- from a page to the search, and to the hit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["index.html", "problems.html", "masking.html", "a document"])
def test_every_page_has_the_box(open_page: Open, site: Site, page: str) -> None:
    path = site.page(session(site), 2).path if page == "a document" else site.folder / page
    seen = open_page(path)
    box = seen.page.get_by_role("search").get_by_role("searchbox", name="Search all documents")
    assert box.is_visible()
    seen.page.keyboard.press("/")
    seen.page.keyboard.type("heron /")
    assert box.input_value() == "heron /"
    seen.page.keyboard.press("Enter")
    seen.until(lambda: "search.html#q=heron" in seen.page.url)
    settle(seen)
    assert sorted(titles(seen)) == ["run run-b", "survey"]
    assert bool(seen.page.query_selector("[data-filter^='in:']")) == (page == "a document")
    assert seen.misdeeds == ()


def test_a_hit_in_a_late_part(open_page: Open, site: Site) -> None:
    seen = open_page(f"{(site.folder / 'search.html').as_uri()}#q=%22kingfisher%20nests%22")
    settle(seen)
    assert [mark.inner_text() for mark in seen.page.query_selector_all("#hits mark")] == ["kingfisher nests"]
    follow(seen)
    seen.until(lambda: re.search(r"\.p\d+\.html#e-\w+$", seen.page.url))
    assert opened(seen) == ["kingfisher nests"]
    assert WORDS in seen.page.evaluate("document.querySelector(':target').innerText")
    assert seen.page.inner_text(".find span") == "1 of 1 marked"
    assert seen.misdeeds == ()


def test_marks_can_be_stepped_through_and_taken_away(open_page: Open, site: Site) -> None:
    seen = open_page(f"{site.page(site.documents['run-a']).path.as_uri()}#e-3&q=line")
    opened(seen)
    told = seen.until(lambda: re.fullmatch(r"(\d+) of ([6-9]\d{3}) marked", seen.page.inner_text(".find span")))
    first, count = map(int, told.groups())
    now = "(({startContainer: {data}, startOffset: at}) => data.slice(at, at + 7))([...CSS.highlights.get('now')][0])"
    assert seen.page.evaluate(now) == "line 0 "
    seen.page.keyboard.press(".")
    assert seen.page.inner_text(".find span") == f"{first + 1} of {count} marked"
    seen.page.get_by_role("button", name="previous mark").click()
    assert seen.page.inner_text(".find span") == f"{first} of {count} marked"
    seen.page.keyboard.press("?")
    keys = seen.page.inner_text("dialog")
    assert "Search all documents" in keys
    assert "next mark" in keys
    seen.page.keyboard.press("Escape")
    seen.page.get_by_role("button", name="no marks").click()
    assert seen.page.evaluate("CSS.highlights.size") == 0
    assert seen.page.query_selector(".find") is None
    assert seen.misdeeds == ()


def test_a_hit_in_a_packed_text(open_page: Open, site: Site) -> None:
    seen = open_page(f"{(site.folder / 'search.html').as_uri()}#q=heron%20stands")
    settle(seen)
    follow(seen)
    assert sorted(opened(seen)) == ["heron", "stands"]
    assert seen.page.evaluate("[...CSS.highlights.get('now')][0].startContainer.parentElement.checkVisibility()")
    assert seen.misdeeds == ()


def test_back_from_a_hit_leads_to_the_results(open_page: Open, site: Site) -> None:
    seen = open_page(site.folder / "search.html")
    settle(seen)
    write(seen, "kingfisher is:session")
    follow(seen)
    opened(seen)
    seen.page.go_back()
    settle(seen)
    assert seen.page.input_value("#query") == "kingfisher is:session"
    assert status(seen) == "1 document"


# --- within a document -----------------------------------------------------------------------------------------------------------


def test_f066_which_parts_of_a_document_hold_it(open_page: Open, site: Site) -> None:
    seen = open_page(site.page(session(site), 2).path)
    seen.page.get_by_role("link", name="Find in all parts").click()
    seen.until(lambda: "search.html" in seen.page.url)
    settle(seen)
    assert seen.page.evaluate("document.activeElement.id") == "query"
    seen.page.keyboard.press("End")
    seen.page.keyboard.type("kingfisher")
    found = seen.until(lambda: seen.page.query_selector_all(".places a"))
    assert len(found) == 2
    heads = [each.inner_text() for each in seen.page.query_selector_all(".hit summary")]
    assert len(heads) == 2
    assert all(re.fullmatch(r"Part \d+ · 1 place", head) for head in heads)
    assert seen.misdeeds == ()


def test_f066_the_browser_finds_what_is_folded(open_page: Open, site: Site) -> None:
    """Its own search looks into folds, and opens them; for what is packed, its key unpacks it."""
    seen = open_page(site.page(site.documents["run-a"]).path)
    assert "heron stands" not in seen.page.evaluate("document.querySelector('main').textContent")
    assert seen.page.evaluate("document.querySelector('[data-z]') && !document.querySelector('[data-z]').open")
    seen.page.keyboard.press("Control+f")
    seen.until(lambda: "heron stands" in seen.page.evaluate("document.querySelector('main').textContent"))
    assert seen.page.evaluate("window.find('heron stands')")
    assert seen.misdeeds == ()


# --- everywhere, for everyone ----------------------------------------------------------------------------------------------------


def test_f061_f062_from_a_folder_that_was_moved(open_page: Open, site: Site, tmp_path: Path) -> None:
    shutil.copytree(site.folder, tmp_path / "a b" / "ü & c")
    seen = open_page(tmp_path / "a b" / "ü & c" / "index.html")
    seen.page.keyboard.press("/")
    seen.page.keyboard.type("kingfisher nests")
    seen.page.keyboard.press("Enter")
    seen.until(lambda: "search.html" in seen.page.url)
    settle(seen)
    follow(seen)
    opened(seen)
    assert seen.misdeeds == ()


@pytest.mark.parametrize("page", ["search.html", "index.html", "a document"])
def test_narrow(open_page: Open, site: Site, page: str) -> None:
    path = site.page(session(site), 2).path if page == "a document" else site.folder / page
    seen = open_page(path, size=(320, 600))
    seen.page.wait_for_timeout(300)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 320
    if page != "search.html":
        seen.page.get_by_role("link", name="Search", exact=True).click()
        seen.until(lambda: "search.html" in seen.page.url)
    assert seen.misdeeds == ()


def test_links_inside_the_search_page_keep_the_query(open_page: Open, site: Site) -> None:
    seen = open_page(f"{(site.folder / 'search.html').as_uri()}#q=heron", size=(360, 700))
    settle(seen)
    seen.page.focus(".skip")
    seen.page.keyboard.press("Enter")
    assert seen.page.evaluate("document.activeElement.id") == "main"
    assert seen.page.url.endswith("#q=heron")
    assert seen.page.input_value("#query") == "heron"
    assert seen.misdeeds == ()


def test_on_a_phone_filters_stand_above_the_results_and_fold_when_one_is_chosen(open_page: Open, site: Site) -> None:
    seen = open_page(f"{(site.folder / 'search.html').as_uri()}#q=heron", size=(360, 700))
    settle(seen)
    page = seen.page
    top = "one => document.querySelector(one).getBoundingClientRect().top"
    assert page.evaluate(top, "#nav") < page.evaluate(top, "#status") < 700
    assert not page.is_visible("[data-filter]")
    page.click("#facets summary")
    page.evaluate("performance.clearMeasures()")
    page.click("[data-filter='role:user']")
    settle(seen)
    assert page.input_value("#query") == "heron role:user"
    assert not page.is_visible("[data-filter]")
    assert 0 <= page.evaluate(top, "#status") < 700
    assert page.evaluate("document.activeElement.textContent") == "Filters"
    page.set_viewport_size({"width": 1200, "height": 700})
    seen.until(lambda: page.is_visible("[data-filter]"))
    assert not page.is_visible("#facets summary")
    assert seen.misdeeds == ()


def test_without_scripts_a_link_stays(open_page: Open, site: Site) -> None:
    seen = open_page(site.page(session(site)).path, scripts=False)
    assert seen.page.query_selector(".bar input") is None
    seen.page.click("#search")
    assert "Search needs scripts" in seen.page.inner_text("main")
    assert seen.misdeeds == ()


def test_f025_a_page_loads_nothing_of_the_index(open_page: Open, site: Site) -> None:
    seen = open_page(site.folder / "index.html")
    seen.page.wait_for_timeout(200)
    assert [url for url in seen.requests if "/search/" in url] == []
    policies = {re.search(r"script-src[^;]*", page.raw)[0].count("'self'") for name, page in site.pages.items() if name != "search.html"}  # type: ignore[index]
    assert policies == {0}, "only the search page loads scripts"
    assert seen.misdeeds == ()


def test_a_failure_reads_as_one(open_page: Open, site: Site) -> None:
    seen = open_page(f"{(site.folder / 'search.html').as_uri()}#q=count_birds%20is:error")
    settle(seen)
    assert seen.page.inner_text(".hit .about").startswith("run · failed · 2026-09-14")
    assert seen.page.inner_text(".hit .about .failed") == "failed"


# --- another browser -------------------------------------------------------------------------------------------------------------


def test_it_works_in_firefox(site: Site) -> None:
    try:
        with firefox() as browser:
            browser.open(f"{(site.folder / 'search.html').as_uri()}#q=kingfisher")
            browser.until("performance.getEntriesByName('filters').length")
            assert browser.evaluate("document.getElementById('status').textContent") == "1 document"
            assert "kingfisher" in browser.evaluate("document.querySelector('#hits mark').textContent")
            browser.open(browser.evaluate("document.querySelector('#hits h2 a').href"))
            browser.until("(CSS.highlights.get('hit')?.size ?? 0) > 0")
    except NoFirefoxError as error:
        pytest.skip(str(error))
