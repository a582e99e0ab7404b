"""Pages in a real browser: quiet, readable without scripts, narrow enough for a phone, usable by keyboard."""

from __future__ import annotations

import base64
import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lakesite.render.pages import Pages
from lakesite.view.anchors import anchor_map
from lakesite.view.shapes import Body, PartLink
from tests.browser import Visit
from tests.render import pages_rows as rows
from tests.render import pages_samples as samples

NAMES = ["runs/release-gate.html", "sessions/webhook.html", "index.html", "problems.html"]
Open = Callable[..., Visit]


@pytest.fixture(scope="module")
def pages() -> Pages:
    return samples.make_pages()


@pytest.fixture(scope="module")
def site(pages: Pages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.write_site(pages, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def hostile(pages: Pages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.write_site(pages, tmp_path_factory.mktemp("hostile"), samples.HOSTILE)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_page_is_quiet(open_page: Open, hostile: Path, name: str, *, scripts: bool) -> None:
    seen = open_page(hostile / name, scripts=scripts)
    seen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    seen.page.wait_for_timeout(100)
    assert seen.misdeeds == ()
    assert seen.violations == []
    assert {url for url in seen.requests if not url.startswith("data:")} == {
        (hostile / name).as_uri(), next(hostile.glob("*.css")).as_uri(),
    }  # fmt: skip
    assert seen.page.evaluate("document.querySelectorAll('h1').length") == 1


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_only_blocks_scroll_sideways(open_page: Open, site: Path, hostile: Path, name: str, width: int) -> None:
    for folder in (site, hostile):
        seen = open_page(folder / name, size=(width, 900))
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        seen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_there_without_scripts(open_page: Open, site: Path, name: str) -> None:
    with_scripts, without = (open_page(site / name, scripts=scripts) for scripts in (True, False))
    text = "document.querySelector('main').textContent"
    assert without.page.evaluate(text) == with_scripts.page.evaluate(text)
    assert not without.page.is_visible("#theme")


def test_folds_open_without_scripts(open_page: Open, site: Path) -> None:
    page = open_page(site / NAMES[0], scripts=False).page
    assert not page.is_visible("#e-8 pre")
    page.click("#e-8 > summary")
    assert page.is_visible("#e-8 pre")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
def test_roles_are_filtered_by_styles_alone(open_page: Open, site: Path, *, scripts: bool) -> None:
    page = open_page(site / NAMES[1], scripts=scripts).page
    assert page.is_visible("#h-2")
    page.uncheck("#tool")
    assert not page.is_visible("#h-2")
    assert page.is_visible("#h-1")
    page.uncheck("#note")
    assert not page.is_visible("#h-4")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
def test_a_page_of_which_nothing_is_left_says_so(open_page: Open, site: Path, *, scripts: bool) -> None:
    seen = open_page(site / NAMES[1], scripts=scripts)
    page = seen.page
    everything = shown(page)
    assert not page.is_visible("#none")
    for box in ("#say", "#tool", "#think", "#note"):
        page.uncheck(box)
    assert shown(page) == []
    assert page.inner_text("#none") == "Nothing left to see? Show more"
    page.click("#none a")
    if not scripts:
        assert page.url.endswith("#say")
        page.keyboard.press("Tab")
        page.keyboard.press("Shift+Tab")
        for box in ("#say", "#tool", "#think", "#note"):
            page.check(box)
    assert shown(page) == everything
    assert not page.is_visible("#none")
    assert seen.misdeeds == ()


def test_nothing_may_be_left_by_a_chip_and_a_box_together(open_page: Open, site: Path) -> None:
    seen = open_page(site / NAMES[1])
    page = seen.page
    everything = shown(page)
    page.click(".chips button:has-text('Bash')")
    assert not page.is_visible("#none")
    page.uncheck("#tool")
    assert page.is_visible("#none")
    page.click("#none a")
    assert shown(page) == everything
    assert page.query_selector(".chips [aria-pressed=true]") is None
    assert seen.misdeeds == ()


def test_the_stylesheet_file_styles_a_page_whose_own_is_refused(open_page: Open, site: Path, tmp_path: Path) -> None:
    source = (site / "index.html").read_text(encoding="utf-8")
    stylesheet = next(site.glob("*.css"))
    (tmp_path / stylesheet.name).write_bytes(stylesheet.read_bytes())
    (tmp_path / "index.html").write_text(re.sub("<style>.*?</style>", "", source, flags=re.DOTALL), encoding="utf-8")
    page = open_page(tmp_path / "index.html", scripts=False).page
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == "22px"


def background(page: object) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))  # type: ignore[attr-defined]


LIGHT, DARK = "rgb(251, 251, 250)", "rgb(20, 22, 26)"


@pytest.mark.parametrize(("scheme", "first", "second"), [("light", LIGHT, DARK), ("dark", DARK, LIGHT)])
def test_the_theme_follows_the_system_until_it_is_switched(open_page: Open, site: Path, scheme: str, first: str, second: str) -> None:
    page = open_page(site / "index.html", scheme=scheme).page
    assert background(page) == first
    page.click("#theme")
    assert background(page) == second
    page.reload()
    assert background(page) == second
    page.click("#theme")
    assert background(page) == first


def test_the_theme_can_be_switched_where_nothing_may_be_remembered(open_page: Open, site: Path) -> None:
    seen = open_page(site / "index.html")
    seen.page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})")
    seen.page.reload()
    seen.page.click("#theme")
    assert background(seen.page) == DARK
    assert seen.misdeeds == ()


def shown(page: object) -> list[str]:
    return list(page.evaluate("[...document.querySelectorAll('.row')].filter(row => row.checkVisibility()).map(row => row.id)"))  # type: ignore[attr-defined]


def test_counts_filter_rows(open_page: Open, site: Path) -> None:
    page = open_page(site / NAMES[0]).page
    everything = shown(page)
    page.click(".chips button:has-text('router + agent')")
    assert shown(page) == ["e-3", "e-7"]
    left = page.inner_text("#kept").split("\n")
    assert left == [f"1 of {page.locator('.row').count()} on this page", "show all"], "without the heading above it"
    page.click("#kept a")
    assert shown(page) == everything
    assert not page.is_visible("#kept")
    page.click(".chips button:has-text('router + agent')")
    page.click(".chips button:has-text('errors')")
    assert shown(page) == ["e-3", "e-8", "e-18", "e-19"]
    assert page.get_attribute(".chips button[aria-pressed=true]", "data-f") == "errors"
    page.click(".chips button:has-text('errors')")
    assert shown(page) == everything


def test_counts_that_select_nothing_are_no_buttons(open_page: Open, site: Path) -> None:
    page = open_page(site / NAMES[1]).page
    assert page.evaluate("[...document.querySelectorAll('.chips button')].map(each => each.textContent.trim())") == [
        "Bash 31", "Read 19", "errors 5", "hook block 3", "side chains 2",
    ]  # fmt: skip
    border = "each => getComputedStyle(each).borderTopColor"
    assert page.locator(".chips span[data-f]").first.evaluate(border) == "rgba(0, 0, 0, 0)"
    assert page.locator(".chips button").first.evaluate(border) != "rgba(0, 0, 0, 0)"


def test_the_index_is_filtered(open_page: Open, site: Path) -> None:
    page = open_page(site / "index.html").page
    rows = "[...document.querySelectorAll('tr.row')].filter(row => row.checkVisibility()).length"
    for chip, count in (("failed", 1), ("runs", 1), ("all", 6), ("sessions", 2), ("all", 6)):
        page.click(f".chips button:has-text('{chip}')")
        assert page.evaluate(rows) == count


def focused(page: object) -> str:
    return str(page.evaluate("document.activeElement.closest('.row')?.id"))  # type: ignore[attr-defined]


def test_keys_move_and_open(open_page: Open, site: Path) -> None:
    page = open_page(site / NAMES[0]).page
    page.keyboard.press("j")
    assert focused(page) == "e-1"
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert focused(page) == "e-2"
    page.keyboard.press("n")
    assert focused(page) == "e-8"
    assert not page.is_visible("#e-8 pre")
    page.keyboard.press("o")
    assert page.is_visible("#e-8 pre")
    page.keyboard.press("o")
    assert not page.is_visible("#e-8 pre")
    page.keyboard.press("e")
    assert page.is_visible("#e-6 pre")
    page.keyboard.press("e")
    assert not page.is_visible("#e-6 pre")


def test_keys_are_told(open_page: Open, site: Path) -> None:
    seen = open_page(site / "index.html")
    seen.page.keyboard.press("?")
    assert "next error" in seen.page.inner_text("dialog")
    seen.page.keyboard.press("Escape")
    seen.until(lambda: seen.page.query_selector("dialog") is None)
    seen.page.click("#help")
    assert seen.page.is_visible("dialog")


def test_focus_is_visible(open_page: Open, site: Path) -> None:
    page = open_page(site / NAMES[0]).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_link_opens_the_row_that_it_is_about(open_page: Open, site: Path) -> None:
    page = open_page(f"{(site / NAMES[0]).as_uri()}#e-8").page
    assert page.is_visible("#e-8 pre")
    page.uncheck("#think")
    page.evaluate("location.hash = '#e-5'")
    page.wait_for_timeout(100)
    assert page.is_visible("#e-5")


def test_a_link_that_leads_nowhere_says_so(open_page: Open, site: Path) -> None:
    seen = open_page(f"{(site / NAMES[0]).as_uri()}#e-doesnotexist")
    told = ".failure[role=status]"
    assert "no longer, on this page" in seen.page.inner_text(told)
    seen.page.evaluate("location.hash = '#e-5'")
    seen.until(lambda: seen.page.query_selector(told) is None)
    for elsewhere in ("index.html#e-1", f"{NAMES[0]}#", f"{NAMES[0]}#main"):
        assert open_page(f"{site.as_uri()}/{elsewhere}").page.query_selector(told) is None, elsewhere
    assert seen.misdeeds == ()


def test_a_link_to_another_part_goes_there(open_page: Open, pages: Pages, tmp_path: Path) -> None:
    parts = (
        PartLink(1, "a.html", "one", here=True),
        PartLink(2, "a.p2.html", "two", here=False),
        PartLink(3, "a.p3.html", "three", here=False),
    )
    anchors = anchor_map([["h-1", "h-2"], ["h-é", "e-7"], ["e-8-b2", "h-99"]])
    first = dataclasses.replace(samples.SESSION, parts=parts, anchors=anchors)
    (tmp_path / "a.html").write_text("".join(pages.document(first, [pages.rows(rows.SESSION_ROWS)])), encoding="utf-8")
    for number in (2, 3):
        (tmp_path / f"a.p{number}.html").write_text(f"<title>part {number}</title>", encoding="utf-8")
    for anchor, part in (("e-7", "a.p2.html"), ("e-8-b2", "a.p3.html"), ("h-1", "a.html"), ("unknown", "a.html")):
        seen = open_page(f"{(tmp_path / 'a.html').as_uri()}#{anchor}")
        seen.page.wait_for_timeout(100)
        assert seen.page.url == f"{(tmp_path / part).as_uri()}#{anchor}"


def test_a_packed_middle_opens(open_page: Open, site: Path) -> None:
    seen = open_page(f"{(site / NAMES[0]).as_uri()}#e-10")
    seen.page.click("#e-10 .fold > summary")
    text = seen.until(lambda: seen.page.evaluate("document.querySelector('#e-10 .fold pre')?.textContent"))
    assert "shard 5 wrote block" in text
    assert "[masked:token:40:9f8e7d6c]" in text
    everything = seen.page.evaluate("document.querySelector('#e-10').textContent")
    assert re.findall(r"(\d+) shard \d+ wrote block", everything) == [str(number) for number in range(1, 4001)]
    assert seen.misdeeds == ()


def test_print_shows_all_and_no_furniture(open_page: Open, site: Path) -> None:
    seen = open_page(site / NAMES[0], scheme="dark", scripts=False)
    seen.page.emulate_media(media="print")
    assert not seen.page.is_visible("#nav")
    assert not seen.page.is_visible(".bar")
    assert seen.page.evaluate("document.querySelector('#e-8 pre').checkVisibility()")
    assert background(seen.page) == LIGHT


def test_folded_parts_are_open_while_printing(open_page: Open, site: Path) -> None:
    page = open_page(site / NAMES[0]).page
    closed = "document.querySelectorAll('main details:not([open])').length"
    before = page.evaluate(closed)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(closed) == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(closed) == before


def test_a_picture_is_drawn(open_page: Open, pages: Pages, tmp_path: Path) -> None:
    dot = base64.b64encode(bytes.fromhex("47494638396101000100800000ff0000ffffff2c00000000010001000002024401003b")).decode()
    row = rows.said("e-1", "said", "tool", Body("image", rows.text(dot)))
    (tmp_path / "a.html").write_text("".join(pages.document(samples.RUN, [pages.rows([row])])), encoding="utf-8")
    page = open_page(tmp_path / "a.html").page
    assert page.evaluate("document.querySelector('img').naturalWidth") == 1


def test_arabic_prose_runs_from_the_right(open_page: Open, site: Path) -> None:
    page = open_page(site / NAMES[1]).page
    assert page.evaluate("getComputedStyle(document.querySelector('#h-15 [dir]')).direction") == "rtl"
    assert page.evaluate("getComputedStyle(document.querySelector('#h-15')).direction") == "ltr"
