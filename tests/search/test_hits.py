"""What hits open, wherever the site stands, whatever of it is damaged, and for everyone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Visit
from tests.search.pages import DOCUMENTS, Open, ask, opened, settle, status, titles, write
from tests.search.site import write_documents, write_search

Search = Callable[..., Visit]

# ---------------------------------------------------------------- opening a hit


def test_a_hit_in_part_three_opens_at_its_event_with_the_words_marked(search: Search) -> None:
    seen = search("okapi zebra")
    seen.page.click("#hits h2 a")
    seen.until(lambda: seen.page.url.endswith("runs/release-gate-1.p3.html#e-60"))
    assert sorted(opened(seen)) == ["okapi", "zebra"]
    assert seen.page.evaluate("document.getElementById('e-60').open")
    marks = "[...CSS.highlights.get('{}')].map(range => range.toString())"
    seen.until(lambda: seen.page.evaluate(marks.format("now")) in (["zebra"], ["okapi"]))
    place = "(({top, bottom}) => top > 0 && bottom < innerHeight)([...CSS.highlights.get('now')][0].getBoundingClientRect())"
    seen.until(lambda: seen.page.evaluate(place))
    before = seen.page.evaluate(marks.format("now"))
    seen.page.keyboard.press(".")
    assert seen.page.evaluate(marks.format("now")) != before
    seen.page.keyboard.press(",")
    assert seen.page.evaluate(marks.format("now")) == before
    assert seen.misdeeds == ()


MARKED = {
    "cafe": ["Café"],
    "navigation": ["Navigation"],
    '"connection reset by peer"': ["connection reset by\n  peer"],
    "node_modules/@x/y": ["node_modules/@x/y"],
    "索する": ["索する"],
}


def test_what_is_marked(search: Search) -> None:
    seen = search()
    found = {}
    for query in MARKED:
        ask(seen, query)
        seen.page.click("#hits h2 a")
        found[query] = opened(seen)
        seen.page.go_back()
        settle(seen)
    assert found == MARKED
    assert seen.misdeeds == ()


def test_marks_stay_after_a_reload_and_the_address_is_clean(search: Search) -> None:
    seen = search("quokka")
    seen.page.click("#hits h2 a")
    opened(seen)
    assert seen.page.url.endswith("sessions/claude-2.html#e-c")
    seen.page.reload()
    assert opened(seen) == ["quokka"]


def test_an_ordinary_page_marks_nothing_and_loads_nothing(open_page: Open, site: Path) -> None:
    """F025: the index is loaded when search is used, and only then."""
    seen = open_page(site / "runs" / "release-gate-1.html")
    seen.page.wait_for_timeout(200)
    assert seen.page.query_selector(".find") is None
    assert [url for url in seen.requests if "/search/" in url] == []
    assert seen.misdeeds == ()


def test_the_box_on_a_page_asks(open_page: Open, site: Path) -> None:
    seen = open_page(site / "runs" / "release-gate-1.p2.html")
    seen.page.keyboard.press("/")
    seen.page.keyboard.type("zebra & <b>")
    seen.page.keyboard.press("Enter")
    seen.until(lambda: "search.html" in seen.page.url)
    settle(seen)
    assert seen.page.input_value("#query") == "zebra & <b>"
    write(seen, "zebra")
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.click("[data-filter='in:release-gate-1']")
    settle(seen)
    assert titles(seen) == ["release-gate"]
    assert seen.misdeeds == ()


# ---------------------------------------------------------------- anywhere


@pytest.mark.parametrize("place", ["moved", "a b & ü/c"])
def test_f062_a_site_can_be_moved(search: Search, site: Path, tmp_path: Path, place: str) -> None:
    shutil.copytree(site, tmp_path / place)
    seen = search("okapi", at=tmp_path / place)
    assert titles(seen) == ["release-gate"]
    seen.page.click("#hits h2 a")
    opened(seen)
    assert seen.misdeeds == ()


def test_f062_under_a_path_of_a_server(open_page: Open, site: Path) -> None:
    seen = open_page("about:blank")
    server = "http://site.example/a/b/"

    def answer(route: Any) -> None:  # noqa: ANN401
        path = site / route.request.url.removeprefix(server).partition("#")[0]
        route.fulfill(path=path) if path.is_file() else route.fulfill(status=404)

    seen.page.context.route(f"{server}**", answer)
    seen.page.goto(f"{server}search.html#q=okapi")
    settle(seen)
    assert titles(seen) == ["release-gate"]
    seen.page.click("#hits h2 a")
    opened(seen)
    assert {url for url in seen.requests if not url.startswith((server, "about:", "data:", "blob:"))} == set()
    assert (seen.console, seen.errors) == ([], [])


def test_f061_nothing_is_fetched(search: Search, site: Path) -> None:
    seen = search("zebra")
    kinds = seen.page.evaluate("performance.getEntriesByType('resource').map(entry => entry.initiatorType)")
    assert set(kinds) <= {"script", "link"}
    assert all(url.startswith((site.as_uri(), "data:")) for url in seen.requests)
    text = (site / "search" / "search.js").read_text()
    assert re.search(r"\bfetch\(|XMLHttpRequest\(|import\(|new Worker|WebAssembly|innerHTML|eval\(|new Function", text) is None


def test_the_policy_is_strict(open_page: Open, site: Path) -> None:
    seen = open_page(site / "search.html")
    policy = seen.page.evaluate("document.querySelector('meta[http-equiv]').content")
    hashed = r"'self' 'sha256-[^']+'"
    rest = "img-src data:; base-uri 'none'; form-action 'none'"
    assert re.fullmatch(f"default-src 'none'; script-src {hashed}; style-src {hashed}; {rest}", policy)


def test_without_scripts_the_lists_are_named(open_page: Open, site: Path) -> None:
    seen = open_page(site / "search.html", scripts=False)
    assert "Search needs scripts" in seen.page.inner_text("#status")
    assert seen.page.get_attribute("#status a", "href") == "index.html"
    assert not seen.page.is_visible("#query")
    assert seen.misdeeds == ()


# ---------------------------------------------------------------- damage


def damaged(site: Path, out: Path, pattern: str, data: bytes | None) -> Path:
    """A copy of the site in which some files are missing or hold something else."""
    shutil.copytree(site, out)
    found = list((out / "search").glob(pattern))
    assert found
    for path in found:
        if data is None:
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:-20] if data == b"cut" else data)
    return out


DAMAGE = [(pattern, data) for pattern in ("*/i/0/0.js", "t/*/*.js", "*/d/0/0.js") for data in (None, b"cut")]


@pytest.mark.parametrize(("pattern", "data"), [*DAMAGE, ("*/i/0/0.js", b""), ("*/i/0/0.js", b'lakesiteSearch("other","AAAA")\n')])
def test_a_damaged_file_is_named_and_the_rest_works(search: Search, site: Path, tmp_path: Path, pattern: str, data: bytes | None) -> None:
    seen = search("zebra", at=damaged(site, tmp_path / "copy", pattern, data))
    said = seen.until(lambda: seen.page.inner_text("#notes"))
    assert f"is {'missing' if data is None else 'damaged'}" in said
    assert len(titles(seen)) == (3 if "t/" in pattern else 0)


@pytest.mark.parametrize("pattern", ["segments.js", "*/head.js"])
def test_without_an_index_search_says_so(open_page: Open, site: Path, tmp_path: Path, pattern: str) -> None:
    at = damaged(site, tmp_path / "copy", pattern, None)
    seen = open_page(f"{at.as_uri()}/search.html#q=zebra")
    words = "does not work here" if pattern == "segments.js" else "Nothing found"
    seen.until(lambda: words in status(seen) and "cannot be read" in seen.page.inner_text("#notes"))


def test_an_index_of_nothing(search: Search, tmp_path: Path) -> None:
    write_search([], tmp_path)
    seen = search("zebra is:run", at=tmp_path)
    assert status(seen) == "Nothing found."
    assert seen.page.query_selector("#notes .err") is None
    assert seen.misdeeds == ()


def test_no_text_store(search: Search, tmp_path: Path) -> None:
    write_search(DOCUMENTS, tmp_path, texts=False)
    write_documents(DOCUMENTS, tmp_path)
    seen = search("okapi", at=tmp_path)
    assert titles(seen) == ["release-gate"]
    assert seen.page.query_selector(".snippet") is None
    seen.page.click("#hits h2 a")
    opened(seen)
    assert seen.page.url.endswith("runs/release-gate-1.p3.html#e-60")


# ---------------------------------------------------------------- for everyone


def test_keys_of_every_page_work(search: Search) -> None:
    seen = search("zebra")
    seen.page.focus("#hits a")
    for key, pressed in (("t", "document.documentElement.style.colorScheme"), ("z", "document.body.classList.contains('local')")):
        before = seen.page.evaluate(pressed)
        seen.page.keyboard.press(key)
        assert seen.page.evaluate(pressed) != before, key
    seen.page.keyboard.press("?")
    assert set(seen.page.locator("dialog dt").all_inner_texts()) == {"g i", "t", "z", "?", "/", "↓ j", "↑ k"}
    seen.page.keyboard.press("Escape")
    seen.page.keyboard.press("g")
    seen.page.keyboard.press("i")
    seen.until(lambda: seen.page.url.endswith("index.html"))


def test_keyboard_only(search: Search) -> None:
    seen = search()
    focused = "document.activeElement.id || document.activeElement.textContent"
    assert seen.page.evaluate(focused) == "query"
    seen.page.keyboard.type("lynx")
    seen.until(lambda: status(seen) == "25 documents")
    seen.page.keyboard.press("Enter")
    seen.page.keyboard.press("ArrowDown")
    first, second = titles(seen)[:2]
    assert seen.page.evaluate(focused) == first
    seen.page.keyboard.press("ArrowDown")
    assert seen.page.evaluate(focused) == second
    seen.page.keyboard.press("ArrowUp")
    seen.page.keyboard.press("ArrowUp")
    assert seen.page.evaluate(focused) == "query"
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("/")
    assert seen.page.evaluate(focused) == "query"
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("Enter")
    seen.until(lambda: "/runs/sweep-" in seen.page.url)


def test_the_keys_lead_to_the_first_hit_from_a_page_that_was_just_opened(search: Search) -> None:
    seen = search("lynx")
    focused = "document.activeElement.textContent"
    assert seen.page.evaluate("document.activeElement === document.body")
    first, second = titles(seen)[:2]
    for down, up in (("ArrowDown", "ArrowUp"), ("j", "k")):
        seen.page.keyboard.press(down)
        assert seen.page.evaluate(focused) == first
        seen.page.keyboard.press(down)
        assert seen.page.evaluate(focused) == second
        seen.page.keyboard.press(up)
        assert seen.page.evaluate(focused) == first
        seen.page.evaluate("document.activeElement.blur()")
    seen.page.focus("#query")
    seen.page.keyboard.type("jk")
    assert "jk" in seen.page.input_value("#query")


def test_names_for_screen_readers(search: Search) -> None:
    seen = search("zebra")
    page = seen.page
    assert page.get_by_role("searchbox").count() == 1
    assert page.get_by_label(re.compile("Words")).count() == 1
    assert page.locator("#status").inner_text() == "3 documents"
    assert page.get_by_role("navigation", name="Filters").count() == 1
    assert page.get_by_role("heading", level=1).inner_text() == "Search"
    assert page.get_by_role("button", name="session, 2 documents").count() == 1
    assert page.get_by_role("main").get_by_role("listitem").count() >= 3
    named = "each => each.textContent || each.ariaLabel || each.labels?.length"
    assert page.evaluate(f"[...document.querySelectorAll('button,a,input')].every({named})")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen(search: Search, scheme: str) -> None:
    seen = search("zebra", size=(320, 700), scheme=scheme)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 320
    assert seen.page.evaluate("document.querySelector('#query').getBoundingClientRect().width") > 250
    assert seen.page.evaluate("document.querySelector('#hits').getBoundingClientRect().top < 400")


def test_f066_text_in_folds_is_in_the_page(open_page: Open, site: Path) -> None:
    seen = open_page(site / "runs" / "release-gate-1.p2.html")
    assert "deploying zebra" in seen.page.evaluate("document.querySelector('main').textContent")
    assert not seen.page.evaluate("document.getElementById('e-3').open")
