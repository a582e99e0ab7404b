"""Keys and the strip beside a page: each does what it says, and nothing works by one of mouse and keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests import ROOT
from tests.browser import Visit
from tests.e2e.pages import Open
from tests.site.builds import Site

SESSION = "197c6ed6-5f90-4a91-a5f5-dbe999286746"
HERE = "document.activeElement.closest('.row')?.id ?? ''"
KIND = "document.activeElement.closest('.row')?.className ?? ''"
TOP = "document.activeElement.getBoundingClientRect().top"


@pytest.fixture
def seen(open_page: Open, examples: Site) -> Visit:
    visit: Visit = open_page(examples.page(examples.documents[SESSION]).path)
    return visit


def press(page: Page, *keys: str) -> str:
    for key in keys:
        page.keyboard.press(key)
    return str(page.evaluate(HERE))


def test_every_key_is_told_and_every_told_key_is_tested(seen: Visit) -> None:
    seen.page.keyboard.press("?")
    told = set(seen.page.locator("dialog dt").all_inner_texts())
    assert told == {"j", "k", "n", "p", "[", "]", "o", "e", "y", "c", "s", "g i", "t", "z", "?", "Escape", "/"}
    seen.page.keyboard.press("Escape")
    seen.until(lambda: seen.page.query_selector("dialog") is None)


def test_a_list_tells_the_keys_that_mean_something_there(open_page: Open, examples: Site) -> None:
    for name, keys in (("index.html", "j k n p o e c y g i t z ? Escape /"), ("problems.html", "y g i t z ? /")):
        page = open_page(examples.folder / name).page
        page.keyboard.press("?")
        assert set(page.locator("dialog dt").all_inner_texts()) == {*keys.replace("g i ", "").split(), "g i"}
        assert " it" not in page.inner_text("dialog").replace("items", "")


def test_j_and_k_go_from_row_to_row(seen: Visit) -> None:
    first = press(seen.page, "j")
    second = press(seen.page, "j")
    assert first
    assert second not in ("", first)
    assert press(seen.page, "k") == first


def test_n_and_p_go_from_error_to_error(seen: Visit) -> None:
    first, second = press(seen.page, "n"), press(seen.page, "n")
    assert first != second
    assert "fail" in seen.page.evaluate(KIND)
    assert press(seen.page, "p") == first


def test_brackets_go_from_prompt_to_prompt(seen: Visit) -> None:
    first, second = press(seen.page, "]"), press(seen.page, "]")
    assert first != second
    assert "prompt" in seen.page.evaluate(KIND)
    assert 0 <= seen.page.evaluate(TOP) < 800
    assert press(seen.page, "[") == first


def test_o_and_e_open_and_close(seen: Visit) -> None:
    press(seen.page, "n")
    is_open = "document.activeElement.parentElement.open"
    before = seen.page.evaluate(is_open)
    press(seen.page, "o")
    assert seen.page.evaluate(is_open) != before
    count = "document.querySelectorAll('main details[open]').length"
    press(seen.page, "e")
    closed = seen.page.evaluate(count)
    press(seen.page, "e")
    assert abs(seen.page.evaluate(count) - closed) > 50


def test_slash_leads_to_the_search_box_and_letters_in_it_are_letters(seen: Visit) -> None:
    press(seen.page, "/")
    assert seen.page.evaluate("document.activeElement.type") == "search"
    press(seen.page, "j", "?", "t")
    assert seen.page.evaluate("document.activeElement.value") == "j?t"


def test_g_then_i_leads_to_the_index(seen: Visit) -> None:
    press(seen.page, "i")
    press(seen.page, "g", "j", "i")
    assert "/sessions/" in seen.page.url
    for key in ("g", "i"):
        seen.page.keyboard.press(key)
    seen.until(lambda: seen.page.url.endswith("/index.html"))


def test_t_switches_the_theme(seen: Visit) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    before = seen.page.evaluate(ground)
    press(seen.page, "t")
    assert seen.page.evaluate(ground) != before


def test_y_copies_the_link_to_the_row(open_page: Open, examples: Site) -> None:
    page = open_page(examples.page(examples.documents[SESSION]).path).page
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: {writeText: text => { window.copied = text }}})")
    row = press(page, "j", "j", "y")
    assert page.evaluate("window.copied").endswith(f".html#{row}")


def test_keys_with_control_are_the_browsers(seen: Visit) -> None:
    assert press(seen.page, "Control+j", "Alt+n", "Meta+o") == ""


def test_in_the_index_o_goes_there(open_page: Open, examples: Site) -> None:
    seen = open_page(examples.folder / "index.html")
    press(seen.page, "n")
    assert seen.page.evaluate("document.activeElement.matches('tr.fail')")
    seen.page.keyboard.press("o")
    seen.until(lambda: "/runs/" in seen.page.url or "/sessions/" in seen.page.url)


# --- the strip -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
def test_ticks_lead_to_errors_and_prompts(open_page: Open, examples: Site, *, scripts: bool) -> None:
    page = open_page(examples.page(examples.documents[SESSION]).path, scripts=scripts).page
    failed = page.locator("#map a.failed")
    assert failed.count() == page.locator(".row.fail").count()
    failed.nth(1).focus()
    page.keyboard.press("Enter")
    target = failed.nth(1).get_attribute("href")
    assert target
    page.wait_for_timeout(100)
    assert 0 <= page.evaluate(f"document.querySelector('{target}').getBoundingClientRect().top") < 800
    assert page.evaluate(f"document.querySelector('{target}').matches('.fail')")


def test_the_strip_can_be_clicked_anywhere(seen: Visit) -> None:
    box = seen.page.locator("#map svg").bounding_box()
    assert box
    seen.page.mouse.click(box["x"] + 1, box["y"] + box["height"] * 0.5)
    assert seen.page.evaluate("scrollY") > 1000


def test_the_strip_frames_what_can_be_seen(seen: Visit) -> None:
    def frame(*others: str) -> str:
        """What is drawn; while the browser lays out what comes into sight, no row can be seen for a moment."""
        drawn = "document.querySelector('#map .seen').getAttribute('d')"
        return str(seen.until(lambda: (now := seen.page.evaluate(drawn)) not in (None, "M0 0", *others) and now))

    top = frame()
    assert top.startswith("M0 0 h14 V")
    seen.page.evaluate("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
    assert frame(top).endswith("V1000 h-14 z")


def test_the_strip_is_small_and_not_printed_nor_on_phones(seen: Visit) -> None:
    assert seen.page.evaluate("document.querySelectorAll('#map *').length") < 1000
    assert seen.page.is_visible("#map")
    seen.page.emulate_media(media="print")
    assert not seen.page.is_visible("#map")
    seen.page.emulate_media(media="screen")
    seen.page.set_viewport_size({"width": 360, "height": 740})
    assert not seen.page.is_visible("#map")


def test_turns_have_headings_and_figures(seen: Visit) -> None:
    headings = seen.page.locator("main h2.l")
    assert headings.count() == 15
    assert re.search(r"this turn: 5 calls · tokens [\d,]+ in, [\d,]+ out", seen.page.inner_text(".prompt .foot >> nth=0"))


def test_all_keys_stand_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for key in ("j", "k", "n", "p", "[", "]", "o", "e", "/", "g i", "t", "y", "z", "?"):
        assert f"`{key}`" in readme
