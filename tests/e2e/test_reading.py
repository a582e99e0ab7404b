"""Pages on small screens, enlarged, printed, and by their outline, names and colours: on genuine records."""

from __future__ import annotations

import re
import secrets
import string
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.pages import OPEN_ALL, READ, Open
from tests.site.builds import Site, build, event, row, said, write

WIDTH = "document.documentElement.scrollWidth"

# --- width -----------------------------------------------------------------------------------------------------------------------

TABLE = "|" + "column with a name|" * 12 + "\n|" + "-|" * 12 + "\n|" + "`a_cell_that_does_not_break`|" * 12
TOKEN = "x" * 5000
ADDRESS = "https://wiki.example/" + "a-long-way/" * 40
WIDE = f"# {ADDRESS}\n\n{TABLE}\n\n{TOKEN}\n\n- {TOKEN}\n\n> {TOKEN}\n\n    {TOKEN}\n\n`{TOKEN}`"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Records that are as wide as they can be in every place."""
    folder = tmp_path_factory.mktemp("wide")
    name = f"step_{TOKEN}"
    events = [
        event(1, "step.started", {"name": name, "kind": TOKEN}, path=name),
        event(2, "message.user", said("user", WIDE, WIDE)),
        event(3, "message.assistant", said("assistant", WIDE, blocks=[{"type": "thinking", "thinking": TOKEN}])),
        event(4, "tool.call", {"name": TOKEN, "call_id": "a", "input": {TOKEN: TOKEN}, "fidelity": TOKEN}),
        event(5, "tool.result", {"call_id": "a", "output": f"{TOKEN}\n\x1b[31m{TOKEN}", "error": TOKEN}),
        event(6, "tool.call", {"name": "Edit", "call_id": "b", "input": {"file_path": TOKEN, "old_string": TOKEN, "new_string": ADDRESS}}),
        event(7, "step.completed", {"name": name, "kind": TOKEN, "error": TOKEN, "result": {TOKEN: [TOKEN]}}, path=name),
        event(8, TOKEN, {"kind": "x"}),
    ]
    write(folder / "in" / "runs" / f"{'w' * 200}.jsonl", [{**each, "run_id": TOKEN} for each in events])
    who = {"session_id": TOKEN, "runtime": "w" * 300}
    rows = [
        row("user", WIDE, 1, **who, project=f"/home/{TOKEN}", machine=TOKEN, model=TOKEN),
        row("assistant", WIDE, 2, **who),
        row("thinking", TOKEN, 3, **who),
        row("tool_call", TOKEN, 4, **who, tool_name=TOKEN, extra={"tool_call_id": "a"}),
        row("tool_result", TOKEN, 5, **who, extra={"tool_call_id": "a", TOKEN: TOKEN}),
        row("hook_decision", TOKEN, 6, **who, tool_name=TOKEN, extra={"decision": TOKEN, "event": TOKEN}),
        row("meta", TOKEN, 7, **who, extra={"kind": TOKEN}),
        row("user", TOKEN, 8, **who, extra={"sidechain": True}),
        row("assistant", WIDE, 9, **who, extra={"sidechain": True}),
    ]
    write(folder / "in" / "events" / "runtime=w" / "date=2026-09-14" / f"part-{'w' * 200}.ndjson", [*rows, b"torn " * 9])
    write(folder / "in" / f"{'w' * 230}.txt", [b"skipped"])
    return build(folder / "out", folder / "in", title=TOKEN)


# --- one look at every page ------------------------------------------------------------------------------------------------------

OUTLINE = """[...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
  .filter(each => !each.closest(".md")).map(each => [Number(each.localName[1]), each.textContent.trim()])"""
FURNITURE = """[...document.querySelectorAll("#nav, .bar, .jump, .pager, .skip, .theme")]
  .filter(each => each.checkVisibility() && each.getBoundingClientRect().right > 0).map(each => each.className || each.id)"""
NAMELESS = """[...document.querySelectorAll("a[href]:not([tabindex='-1']), button, input, summary, nav, img, h1, h2, h3, h4, h5, h6")]
  .filter(each => !(each.ariaLabel || each.alt || each.labels?.[0]?.textContent || each.textContent).trim())
  .map(each => each.outerHTML.slice(0, 100))"""
MAIN = "[...document.querySelectorAll('main > :not(#sift)')].map(each => each.innerText).join(' ')"
GROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(251, 251, 250)", "rgb(20, 22, 26)"
CONTRAST = """() => {
  const parts = colour => {
    const found = colour.match(/[\\d.]+/g).map(Number);
    const whole = colour.startsWith("color(srgb") ? 255 : 1;
    return [...found.slice(0, 3).map(each => each * whole), found[3] ?? 1];
  };
  const light = colour => [.2126, .7152, .0722].reduce((sum, weight, at) => {
    const part = colour[at] / 255;
    return sum + weight * (part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
  }, 0);
  const over = (top, below) => [0, 1, 2].map(at => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const grounds = new Map();
  const ground = each => {
    if (!each) return [255, 255, 255, 1];
    if (!grounds.has(each)) grounds.set(each, over(parts(getComputedStyle(each).backgroundColor), ground(each.parentElement)));
    return grounds.get(each);
  };
  const low = {}, texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let text; text = texts.nextNode();) {
    const each = text.parentElement;
    if (!text.data.trim() || !each.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    const style = getComputedStyle(each), below = ground(each), size = parseFloat(style.fontSize);
    if (!size) continue;
    count++;
    const [dark, bright] = [light(over(parts(style.color), below)), light(below)].sort((a, b) => a - b);
    const ratio = (bright + .05) / (dark + .05);
    if (ratio < (size >= 24 || size >= 18.66 && style.fontWeight >= 600 ? 3 : 4.5))
      low[`${each.closest("[class]")?.className} > ${each.localName}: ${text.data.trim().slice(0, 40)}`] = ratio.toFixed(2);
  }
  return [count, low];
}"""


@dataclass
class Look:
    """What was found out about a page."""

    outline: list[tuple[int, str]]
    """Level and text of each heading that is ours."""
    tree: str
    """What a screen reader is told."""
    nameless: list[str]
    """What acts, or is shown, and has no words."""
    printed: str
    opened: str
    """The text of the middle, printed, and on screen with every fold open."""
    furniture: list[str]
    """What is printed though it is of no use on paper."""
    paper: str
    """Colour of the ground in print."""
    widths: dict[int, tuple[int, int]]
    """For widths of a window, how wide the page is: folds closed, open."""
    texts: int
    """Texts whose contrast was measured."""
    faint: dict[str, str]
    """Texts whose contrast is too low, in light or dark."""


def look(page: Page) -> Look:
    """Look at an opened page in every way."""
    outline, tree, nameless = page.evaluate(OUTLINE), page.locator("body").aria_snapshot(), page.evaluate(NAMELESS)
    page.emulate_media(media="print", color_scheme="dark")
    printed, furniture, paper = page.evaluate(MAIN), page.evaluate(FURNITURE), page.evaluate(GROUND)
    page.emulate_media(media="screen", color_scheme="light")
    closed = widths(page)
    page.evaluate(OPEN_ALL)
    opened = widths(page)
    text = page.evaluate(MAIN)
    texts, faint = page.evaluate(CONTRAST)
    page.emulate_media(color_scheme="dark")
    faint |= page.evaluate(CONTRAST)[1]
    page.emulate_media(color_scheme="light")
    return Look(
        outline, tree, nameless, printed, text, furniture, paper, {size: (closed[size], opened[size]) for size in closed}, texts, faint
    )


def widths(page: Page) -> dict[int, int]:
    """How wide a page is in a narrow window, a phone, and a window of 1280 px enlarged to 200 %."""
    found = {}
    for width, height in ((320, 800), (390, 844), (640, 400), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        found[width] = page.evaluate(WIDTH)
    return found


@pytest.fixture(scope="module", params=["examples", "wide"])
def looks(request: pytest.FixtureRequest, browser: Browser) -> dict[str, Look]:
    site: Site = request.getfixturevalue(request.param)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    found = {}
    for address, each in site.pages.items():
        page.goto(each.path.as_uri())
        found[address] = look(page)
    page.close()
    return found


def test_f040_no_page_is_wider_than_the_screen(looks: dict[str, Look]) -> None:
    wider = {address: (width, *found) for address, each in looks.items() for width, found in each.widths.items() if found != (width, width)}
    assert wider == {}


def test_print_is_whole_and_clean(looks: dict[str, Look]) -> None:
    for address, each in looks.items():
        assert each.furniture == [], address
        assert each.printed.split() == each.opened.split() or address == "search.html", address  # which goes on answering
        assert each.paper == LIGHT, address


def test_f098_pages_have_an_outline_and_landmarks(looks: dict[str, Look]) -> None:
    for address, each in looks.items():
        levels = [level for level, _ in each.outline]
        assert levels.count(1) == 1, address
        assert levels[0] == 1, address
        assert [(before, after) for before, after in pairwise(levels) if after > before + 1] == [], address
        assert all(text for _, text in each.outline), address
        assert re.findall(r"^ *- (main|banner|contentinfo)\b", each.tree, re.MULTILINE) == ["banner", "main", "contentinfo"], address
        assert 'navigation "Breadcrumb"' in each.tree, address


def test_f098_everything_that_acts_has_a_name(looks: dict[str, Look]) -> None:
    assert {address: each.nameless for address, each in looks.items() if each.nameless} == {}


def test_f098_all_text_reaches_aa(looks: dict[str, Look]) -> None:
    assert {address: each.faint for address, each in looks.items() if each.faint} == {}
    assert sum(each.texts for each in looks.values()) > 300


def test_the_measure_of_contrast_measures(open_page: Open, examples: Site) -> None:
    page = open_page(examples.folder / "index.html").page
    page.evaluate("document.querySelector('h1').style.color = '#aaa'")
    _, low = page.evaluate(CONTRAST)
    assert len(low) == 1


def test_f040_wide_blocks_scroll_by_themselves(open_page: Open, wide: Site) -> None:
    session = next(document for document in wide.json["documents"] if document["kind"] == "session")
    page = open_page(wide.page(session).path, size=(390, 844)).page
    page.evaluate(OPEN_ALL)
    for selector in (".md .scroll", ".md pre"):
        assert page.evaluate(f"(each => each.scrollWidth > each.clientWidth)(document.querySelector('{selector}'))"), selector


def test_the_middle_comes_first_on_a_phone(open_page: Open, examples: Site) -> None:
    run = examples.documents["7cfd6b9f-35d9-4d2b-ae5c-705cd5234c7b"]
    page = open_page(examples.page(run).path, size=(360, 740)).page
    top = "document.querySelector('{}').getBoundingClientRect().top"
    assert page.evaluate(top.format("main")) < page.evaluate(top.format("#nav"))
    page.click(".jump a")
    assert 0 <= page.evaluate(top.format("#nav")) < 740


def test_a_printed_page_is_made(open_page: Open, examples: Site) -> None:
    run = examples.documents["ce62a83c-13bc-4b61-b9f4-02b28519fba8"]
    page = open_page(examples.page(run).path).page
    closed = page.pdf().count(b"/Type /Page\n")
    page.evaluate(OPEN_ALL)
    assert page.pdf().count(b"/Type /Page\n") == closed > 2


def test_f098_outcomes_are_words(open_page: Open, examples: Site) -> None:
    run = examples.documents["ce62a83c-13bc-4b61-b9f4-02b28519fba8"]
    page = open_page(examples.page(run).path).page
    failed = page.locator(".tool.fail > summary").all_inner_texts()
    assert failed
    assert all("failed" in text or "exit" in text for text in failed)
    assert {"ok", "failed"} <= set(page.locator(".tool .dot").all_text_contents())


# --- keyboard --------------------------------------------------------------------------------------------------------------------

CONTROLS = """() => {
  const all = [...document.querySelectorAll("a[href]:not([tabindex='-1']), button, input, summary")].filter(each => each.checkVisibility());
  all.forEach((each, index) => each.dataset.place = index);
  return all.length;
}"""
FOCUSED = """() => {
  const each = document.activeElement, style = getComputedStyle(each);
  return [Number(each.dataset.place ?? -1), style.outlineStyle == "solid" && parseFloat(style.outlineWidth) >= 2];
}"""


@pytest.mark.parametrize("name", ["parallel-review", "jeden-68525df8", "index", "problems"])
def test_f098_tab_reaches_every_control_and_shows_where_it_is(open_page: Open, examples: Site, name: str) -> None:
    page = open_page(next(page.path for address, page in examples.pages.items() if f"/{name}" in f"/{address}")).page
    count = page.evaluate(CONTROLS)
    assert count > 5
    places: list[int] = []
    for _ in range(2 * count):  # a field of a date takes several steps
        page.keyboard.press("Tab")
        place, seen = page.evaluate(FOCUSED)
        assert seen, place
        places += [place] if places[-1:] != [place] else []
        if len(places) == count:
            break
    assert places == list(range(count))


def test_f098_the_keyboard_alone_reads_a_run(open_page: Open, examples: Site) -> None:
    run = examples.documents["ce62a83c-13bc-4b61-b9f4-02b28519fba8"]
    page = open_page(examples.page(run).path, scripts=False).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.tool > summary')"):
            break
    assert not page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")
    assert page.evaluate("document.activeElement.parentElement.querySelector('pre').checkVisibility()")
    page.keyboard.press("Space")
    assert not page.evaluate("document.activeElement.parentElement.open")


BROKEN = """[...document.querySelectorAll(".sheet thead th, .sheet td:nth-last-child(3)")].filter(each => {
  const range = new Range();
  range.selectNodeContents(each);
  return range.getClientRects().length > 1;
}).map(each => each.innerText)"""


@pytest.mark.parametrize("media", ["screen", "print"])
def test_words_stay_whole_on_the_page_about_masking(open_page: Open, tmp_path: Path, media: Literal["screen", "print"]) -> None:
    secret = "".join(secrets.choice(string.ascii_letters) for _ in range(36))
    rows = [
        row("user", f"a rather long title, so that a column of titles would be wide: the login is maintainer / {secret}", 1),
        row("tool_call", f"curl -u me:{secret} https://x.example", 2, tool_name="Bash"),
        row("assistant", f"ghp_{secret} and password={secret}", 3),
    ]
    write(tmp_path / "in" / "p.ndjson", rows)
    site = build(tmp_path / "out", tmp_path / "in")
    page = open_page(site.folder / "masking.html", size=(360, 700)).page
    page.emulate_media(media=media)
    assert page.locator(".sheet td").count() > 8
    assert page.evaluate(BROKEN) == []
    assert page.evaluate("[...document.querySelectorAll('.scroll')].every(each => each.scrollWidth <= each.clientWidth)")


SCROLLS = "[...document.querySelectorAll('pre, .scroll')].filter(each => each.checkVisibility() && each.scrollWidth > each.clientWidth)"


def test_errors_wrap_and_all_else_that_scrolls_is_reached_by_keyboard(open_page: Open, wide: Site) -> None:
    run = next(document for document in wide.json["documents"] if document["kind"] == "run")
    page = open_page(wide.page(run).path).page
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.querySelectorAll('.err pre').length") > 1
    assert page.evaluate(f"{SCROLLS}.filter(each => each.closest('.err')).length") == 0
    assert page.evaluate(f"{SCROLLS}.forEach((each, place) => each.dataset.scrolls = place) ?? {SCROLLS}.length") > 3
    left = set(page.evaluate(f"{SCROLLS}.map(each => each.dataset.scrolls)"))
    for _ in range(200):
        page.keyboard.press("Tab")
        left.discard(page.evaluate("document.activeElement.dataset.scrolls ?? ''"))
    assert left == set()


# --- theme -----------------------------------------------------------------------------------------------------------------------


def test_f102_the_theme_follows_the_system_and_paper_is_light(open_page: Open, examples: Site) -> None:
    run = examples.documents["ce62a83c-13bc-4b61-b9f4-02b28519fba8"]
    page = open_page(examples.page(run).path, scheme="dark", scripts=False).page
    assert page.evaluate(GROUND) == DARK
    page.emulate_media(color_scheme="light")
    assert page.evaluate(GROUND) == LIGHT
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(GROUND) == LIGHT
    assert "order line" in page.evaluate(READ)
