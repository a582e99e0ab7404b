"""The index in a real browser: filters, columns, lists of several pages, local time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lakesite.render.listing import rows_script
from lakesite.site.writing import pages
from lakesite.view.index import ROWS, index_lists
from tests.e2e.pages import Open
from tests.site.builds import Site
from tests.view.made import made

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

TITLES = "[...document.querySelectorAll('tr.row a')].map(each => each.textContent)"
MANY = 3 * ROWS + 7


@pytest.fixture(scope="module")
def long_list(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of more documents than one page lists."""
    folder = tmp_path_factory.mktemp("long")
    renderer = pages(search=True)
    documents = [
        made(f"run-{number:04}", number / 50, status="failed" if number % 100 == 0 else "completed", exchanges=number,
             ended=None, runtime="jeden" if number % 2 else "codex")
        for number in range(MANY)
    ]  # fmt: skip
    for each in index_lists("Many", documents, ()):
        for name, page in each.pages:
            (folder / name).write_text(renderer.index(page), encoding="utf-8")
        (folder / each.rows_file).write_text("".join(rows_script(each.rows)), encoding="utf-8")
    (folder / renderer.shell.style_name).write_text(renderer.shell.style, encoding="utf-8")
    return folder


def found(page: Page) -> str:
    return page.inner_text("#found").strip()


def test_filters_of_different_kinds_narrow_each_other_down(open_page: Open, examples: Site) -> None:
    page = open_page(examples.folder / "index.html").page
    everything = page.evaluate(TITLES)
    page.click(".chips button:has-text('sessions')")
    assert found(page) == "8 of 25"
    page.click(".chips button:has-text('has errors')")
    errors = page.evaluate(TITLES)
    assert 0 < len(errors) < 8
    page.click(".chips button:has-text('runs')")
    assert page.get_attribute(".chips button:has-text('sessions')", "aria-pressed") == "false"
    page.keyboard.press("Escape")
    assert page.evaluate(TITLES) == everything
    assert found(page) == ""


def test_words_and_dates_filter(open_page: Open, examples: Site) -> None:
    seen = open_page(examples.folder / "index.html")
    seen.page.fill("#words", "gate RELEASE")
    seen.until(lambda: found(seen.page))
    assert set(seen.page.evaluate(TITLES)) == {"release-gate"}
    seen.page.click("#clear")
    seen.page.fill("#to", "2026-05-31")
    seen.until(lambda: found(seen.page))
    assert len(seen.page.evaluate(TITLES)) == 1
    assert seen.misdeeds == ()


def test_what_matches_nothing_says_so(open_page: Open, examples: Site) -> None:
    seen = open_page(examples.folder / "index.html")
    everything = seen.page.evaluate(TITLES)
    for asked, told in (
        ({"#words": "nowhere"}, "Nothing matches. 0 of 25 show all"),
        ({"#from": "2026-11-30", "#to": "2026-05-01"}, "Nothing: “from” is after “to”. 0 of 25 show all"),
    ):
        for field, value in asked.items():
            seen.page.fill(field, value)
        seen.until(lambda: found(seen.page).startswith("Nothing"))
        assert found(seen.page) == told
        assert not seen.page.is_visible("table.index")
        seen.page.click("#found button")
        assert seen.page.evaluate(TITLES) == everything
        assert seen.page.is_visible("table.index")
    assert seen.misdeeds == ()


def test_only_days_can_be_asked_for(open_page: Open, examples: Site) -> None:
    """What is none, in an address that someone wrote, is not taken for one that nothing fits."""
    seen = open_page(f"{(examples.folder / 'index.html').as_uri()}#list?from=bla&to=2026-13-45&f=runs")
    seen.until(lambda: found(seen.page))
    assert found(seen.page) == "17 of 25"
    assert [seen.page.get_attribute(field, "type") for field in ("#from", "#to")] == ["date", "date"]


def test_columns_sort_and_trees_stay_together(open_page: Open, examples: Site) -> None:
    page = open_page(examples.folder / "index.html").page
    roots = "[...document.querySelectorAll('tr.row')].filter(row => row.dataset.s.startsWith('0 '))"
    numbers = f"{roots}.map(row => Number(row.cells[3].textContent))"
    before = page.evaluate(numbers)
    page.click("th button:has-text('Calls')")
    assert page.evaluate(numbers) == sorted(before, reverse=True)
    assert page.get_attribute("th[aria-sort]", "aria-sort") == "descending"
    rows = page.evaluate(TITLES)
    start = rows.index("catalog-sync")
    assert rows[start + 1 : start + 4] == ["price-check"] * 3
    page.click("th button:has-text('Calls')")
    assert page.evaluate(numbers) == sorted(before)
    page.click("th button:has-text('Calls')")
    assert page.query_selector("th[aria-sort]") is None
    assert page.evaluate(numbers) == before


def test_a_run_whose_caller_is_filtered_away_stands_further_out(open_page: Open, examples: Site) -> None:
    page = open_page(examples.folder / "index.html").page
    depths = "[...document.querySelectorAll('tr.row')].map(row => [row.innerText, row.cells[0].className])"
    before = page.evaluate(depths)
    assert any(name == "i1" for _, name in before)
    page.click(".chips button:has-text('failed')")
    assert [name for _, name in page.evaluate(depths)] == ["i0"]
    page.click("#clear")
    assert page.evaluate(depths) == before


def test_failures_come_first_when_asked(open_page: Open, examples: Site) -> None:
    page = open_page(examples.folder / "index.html").page
    page.focus("#worst")
    page.keyboard.press("Enter")
    assert page.get_attribute("#worst", "aria-pressed") == "true"
    errors = page.evaluate("[...document.querySelectorAll('tr.row')].slice(0, 4).map(row => row.innerText)")
    assert any("failed" in text for text in errors)
    roots = "[...document.querySelectorAll('tr.row')].filter(row => row.dataset.s.startsWith('0 '))"
    bad = f"{roots}.map(row => [row.innerText.includes('failed') ? 2 : row.classList.contains('fail') ? 1 : 0, row.cells[0].innerText])"
    page.click("th button:has-text('What')")
    rows = [(worth, title) for worth, title in page.evaluate(bad) if worth != 1]
    assert [worth for worth, _ in rows] == sorted((worth for worth, _ in rows), reverse=True), "failures stay first, whatever the column"
    assert len({worth for worth, _ in rows}) == 2


def test_the_headline_leads_to_the_failures(open_page: Open, examples: Site) -> None:
    seen = open_page(examples.folder / "index.html")
    seen.page.click(".facts a:has-text('failure')")
    seen.until(lambda: found(seen.page))
    assert seen.page.get_attribute(".chips [data-f=failed]", "aria-pressed") == "true"
    failed = [document for document in examples.json["documents"] if document["status"] == "failed"]
    assert len(seen.page.evaluate(TITLES)) == len(failed) > 0


@pytest.mark.parametrize("kind", ["run", "session"])
def test_the_way_back_leads_to_what_a_page_is_one_of(open_page: Open, examples: Site, kind: str) -> None:
    document = next(each for each in examples.json["documents"] if each["kind"] == kind)
    seen = open_page(examples.folder / document["href"])
    seen.page.click(f".bar li a:has-text('{kind.title()}s')")
    seen.page.wait_for_url("**/index.html*")
    assert seen.page.get_attribute(f".chips [data-f={kind}s]", "aria-pressed") == "true"


def test_a_list_of_several_pages_is_filtered_as_a_whole(open_page: Open, long_list: Path) -> None:
    seen = open_page(long_list / "index.p2.html")
    assert not any("-rows.js" in url for url in seen.requests), "the file of all rows is asked for when it is needed"
    seen.page.click(".chips button:has-text('failed')")
    seen.until(lambda: "of" in found(seen.page))
    assert found(seen.page) == f"16 of {MANY:,}"
    assert seen.page.evaluate(TITLES) == [f"run-{number:04}" for number in range(1500, -1, -100)]
    seen.page.click("th button:has-text('Calls')")
    seen.page.click(".chips button:has-text('all')")
    seen.page.click("th button:has-text('What')")
    seen.until(lambda: found(seen.page).startswith(f"{MANY:,} of"))
    assert seen.page.evaluate(TITLES)[:2] == ["run-0000", "run-0001"]
    assert len(seen.page.evaluate(TITLES)) == ROWS
    seen.page.click("#found button")
    assert len(seen.page.evaluate(TITLES)) == 2 * ROWS
    assert seen.misdeeds == ()


def test_rows_of_the_file_are_those_of_the_pages(open_page: Open, long_list: Path) -> None:
    seen = open_page(long_list / "index.html")
    cells = "[...row.cells].map(cell => cell.textContent.trim() + cell.className)"
    text = f"[...document.querySelectorAll('tr.row')].slice(0, 50).map(row => {cells})"
    before = seen.page.evaluate(text)
    seen.page.click("th button:has-text('When')")
    seen.until(lambda: found(seen.page).startswith(f"{MANY:,} of"))
    assert seen.page.evaluate(text) == before


def test_what_is_asked_for_stands_in_the_address(open_page: Open, examples: Site) -> None:
    seen = open_page(examples.folder / "index.html")
    seen.page.click(".chips button:has-text('sessions')")
    seen.page.click(".chips button:has-text('has errors')")
    seen.page.click("th button:has-text('Calls')")
    wanted, address = seen.page.evaluate(TITLES), seen.page.url
    assert address.endswith("index.html#list?f=sessions&f=errors&by=-3")
    seen.page.locator("tr.row a").first.click()
    seen.page.go_back()
    seen.until(lambda: seen.page.evaluate(TITLES) == wanted)
    other = open_page(address)
    other.until(lambda: other.page.evaluate(TITLES) == wanted)
    other.page.keyboard.press("Escape")
    assert other.page.url.endswith("index.html")
    odd = open_page(f"{(examples.folder / 'index.html').as_uri()}#list?f=nothing&by=99&by=x&words=%22%3Cb%3E")
    odd.until(lambda: found(odd.page) == "Nothing matches. 0 of 25 show all")
    assert odd.misdeeds == seen.misdeeds == ()


def test_without_its_file_a_list_says_that_it_filters_one_page(open_page: Open, long_list: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_bytes((long_list / "index.html").read_bytes())
    seen = open_page(tmp_path / "index.html")
    seen.page.click(".chips button:has-text('failed')")
    seen.until(lambda: "on this page" in found(seen.page))


def test_a_long_list_is_light(long_list: Path) -> None:
    assert max(path.stat().st_size for path in long_list.glob("*.html")) < 1_000_000


def test_without_scripts_counts_are_plain(open_page: Open, examples: Site) -> None:
    page = open_page(examples.folder / "index.html", scripts=False).page
    assert page.locator(".chips button").count() == 0
    assert page.evaluate("getComputedStyle(document.querySelector('.chips [data-f]')).borderTopColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("matchMedia('(scripting: none)').matches")
    assert page.evaluate("getComputedStyle(document.querySelector('[href*=\"#list?\"]')).pointerEvents") == "none"


def test_without_scripts_lists_are_paged(open_page: Open, long_list: Path) -> None:
    page = open_page(long_list / "index.html", scripts=False).page
    assert not page.is_visible("#sift")
    page.locator("a[rel=next]").first.click()
    assert page.url.endswith("index.p2.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_can_be_seen_and_have_a_table(open_page: Open, examples: Site, scheme: str) -> None:
    page = open_page(examples.folder / "index.html", scheme=scheme, scripts=False).page
    fill, ground = page.evaluate(
        "[getComputedStyle(document.querySelector('.charts .one')).fill, getComputedStyle(document.body).backgroundColor]"
    )
    assert fill != ground
    assert page.locator(".charts svg[role=img]").count() == page.locator(".charts details").count() == 3
    page.locator(".charts summary").first.click()
    assert page.locator(".charts details table").first.is_visible()


# --- times -----------------------------------------------------------------------------------------------------------------------

WHEN = "tr.row time"


def test_f077_local_time_is_a_switch_that_is_remembered(open_page: Open, examples: Site) -> None:
    seen = open_page(examples.folder / "index.html", timezone_id="Asia/Tokyo")
    utc = seen.page.locator(WHEN).first.inner_text()
    assert utc == "30 Nov 2026 09:26:20"
    seen.page.click("#zone")
    assert seen.page.locator(WHEN).first.inner_text() == "30 Nov 2026 18:26:20"
    assert seen.page.locator(WHEN).first.get_attribute("title").startswith("2026-11-30T09:26:20")
    assert "local time" in seen.page.inner_text("table.index thead")
    session = examples.page(next(each for each in examples.json["documents"] if each["kind"] == "session"))
    seen.page.goto(session.path.as_uri())
    assert "local time" in seen.page.inner_text(".facts")
    local = seen.page.inner_text(".facts time >> nth=0")
    seen.page.keyboard.press("z")
    assert "UTC" in seen.page.inner_text(".facts")
    assert seen.page.inner_text(".facts time >> nth=0") != local
    assert seen.page.locator("#zone").inner_text() == "UTC"
    assert seen.misdeeds == ()


def test_what_the_audit_trail_says_is_in_local_time_too(open_page: Open, examples: Site) -> None:
    run = next(document for document in examples.json["documents"] if document["kind"] == "run" and document["title"] == "flaky-deploy")
    page = open_page(examples.page(run).path, timezone_id="Asia/Tokyo").page
    line = ".details .none:has(.b-audit)"
    assert "30 Nov 2026 09:26:15 – 09:26:15 UTC" in page.inner_text(line)
    page.keyboard.press("z")
    assert "30 Nov 2026 18:26:15 – 18:26:15 local time" in page.inner_text(line)
