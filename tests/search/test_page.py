"""The search page in a real browser: asking, what is shown, filters, the address. All tests share one page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from lakesite.search.segment import Facts
from tests.browser import Visit, visit
from tests.search.archive import Read
from tests.search.pages import SAME_DAY, ask, chips, do, settle, status, titles, write
from tests.search.site import write_search

Search = Callable[..., Visit]


@pytest.fixture(scope="module")
def page(browser: Browser, site: Path) -> Iterator[Visit]:
    """Give the search page."""
    seen = visit(browser, site / "search.html")
    settle(seen)
    yield seen
    seen.page.context.close()


@pytest.fixture
def search(page: Visit) -> Search:
    """Ask in it."""

    def opener(query: str = "") -> Visit:
        ask(page, query)
        return page

    return opener


# ---------------------------------------------------------------- asking


def test_typing_finds(search: Search) -> None:
    seen = search()
    assert status(seen) == "28 documents"
    assert write(seen, "zebra") == "3 documents"
    assert sorted(titles(seen))[1:] == ["Fix the café page", "release-gate"]
    assert seen.page.url.endswith("#q=zebra")
    assert [mark.inner_text() for mark in seen.page.query_selector_all("#hits mark")][:1] == ["zebra"]
    assert seen.misdeeds == ()


QUERIES = [
    ("zebra okapi", ["release-gate"]),
    ('"connection reset by peer"', ["release-gate"]),
    ('"reset connection"', []),
    ("okap*", ["release-gate"]),
    ("zebra -okapi -naive", ["Fix the café page"]),
    ("cafe", ["Fix the café page"]),
    ("CAFÉ", ["Fix the café page"]),
    ("検索", ["Fix the café page"]),
    ("検", ["Fix the café page"]),
    ("索するテス", ["Fix the café page"]),
    ("索検", []),
    ("is:error okapi", ["release-gate"]),
    ("is:error tool:bash okapi", ["release-gate"]),
    ("tool:mcp__* quokka", ["Fix the café page"]),
    ("role:user zebra status:failed", ["release-gate"]),
    ("role:assistant quagga", ["release-gate"]),
    ("role:assistant zebra", []),
    ("runtime:claude", ["Fix the café page"]),
    ("project:harbor", ["Fix the café page"]),
    ("model:opus", ["Fix the café page"]),
    ("fidelity:router okapi", ["release-gate"]),
    ("fidelity:agent_emitted okapi", ["release-gate"]),
    ("fidelity:agent keyboard", ["release-gate"]),
    ("kind:session is:error", ["Fix the café page"]),
    ("zebra after:2026-05-28", ["release-gate"]),
    ("zebra before:2026-05-30 after:2026-05-01", ["Fix the café page"]),
    ("is:session date:2026-05", ["Fix the café page"]),
    ("is:session runtime:claude runtime:codex cafe", ["Fix the café page"]),
    ("zebra -runtime:claude -runtime:codex", ["release-gate"]),
    ("in:release-gate-1", ["release-gate"]),
    ("canary_check", ["release-gate"]),
    ("nothing_at_all", []),
]


def test_queries(search: Search) -> None:
    seen = search()
    wrong = []
    for query, found in QUERIES:
        ask(seen, query)
        if titles(seen) != found:
            wrong.append((query, titles(seen)))
    assert wrong == []
    assert seen.misdeeds == ()


IDENTIFIERS = [
    ("check_tool_call", None),
    ("keyboardNavigation", "keyboardNavigation"),
    ("navigation", "Navigation"),
    ("loaded", "loaded"),
    ("src/app/main.go:42", "src/app/main.go:42"),
    ("main.go", "main.go"),
    ("E0308", "E0308"),
    ("0308", "0308"),
    ("--dry-run", "--dry-run"),
    ("sites/docs/pages/en/guide/intro.md:7", "sites/docs/pages/en/guide/intro.md:7"),
    ("sites/blog/pages/en/guide/intro.md:7", None),
    ("sites/docs/pages/de/guide/intro.md:7", None),
    ("image@sha256:9f86*", "image@sha256:9f86"),
    ("sha256:9f86*", "sha256:9f86"),
    ("sha256:9e86*", None),
    ("foo.ba*", "foo.ba"),
    ("node_modules/@x/y", "node_modules/@x/y"),
    ("android:", None),
    ("constructor", "constructor"),
    ("__proto__", "__proto__"),
    ("toString", "toString"),
    ("hasOwnProperty", None),
]


def test_f063_identifiers_whole_and_by_part(search: Search) -> None:
    seen = search()
    wrong = []
    for query, mark in IDENTIFIERS:
        ask(seen, query)
        marks = {each.inner_text() for each in seen.page.query_selector_all("#hits mark")}
        if marks != ({mark} if mark else set()):
            wrong.append((query, marks))
    assert wrong == []


SAFE = [
    '"', "(", "*", "[", "\\", "-", "--", "-*", '-"', "::", "a:", ":a", "is:", "is:x", "after:soon", "in:", "%", "%zz", "+", "&",
    "&q=x", "#", "😀", "\u2028", "\u202e", "x" * 65, "a" * 5000, "<b>", "${a}", "constructor:x", "__proto__:x", "tool:[", "tool:*",
    "date:2026-13", "re:(a+)+$", "-is:run",
]  # fmt: skip


def test_f063_any_query_is_safe(search: Search) -> None:
    seen = search()
    for number, query in enumerate(SAFE):
        (write if number % 4 else ask)(seen, query)
        if number % 8 == 0:
            seen.page.reload()
            settle(seen)
            assert seen.page.input_value("#query").strip() == query.strip(), query
        assert seen.misdeeds == (), query


def test_what_means_nothing_is_explained(search: Search) -> None:
    seen = search()
    ask(seen, "flavour:sweet")
    assert "There is no field “flavour”," in seen.page.inner_text("#notes")
    ask(seen, "after:soon")
    for value in ("soon", "2026-13", "2026-13-45", "2026-02-30", "0026-01-01"):
        ask(seen, f"after:{value}")
        assert f"The field “after” knows no “{value}”," in seen.page.inner_text("#notes")
    assert ask(seen, "after:2024-02-29") == "28 documents"
    ask(seen, "( zebra")
    assert "“(” holds no letter and no digit" in seen.page.inner_text("#notes")
    assert len(titles(seen)) == 3
    ask(seen, "x" * 70)
    assert "longer than the 64 characters" in seen.page.inner_text("#notes")


UNKNOWN = [
    ("status:faild", "Nothing has the status “faild”. There is: status:failed, status:completed"),
    ("role:nobody", "Nothing has the role “nobody”. There is: role:assistant, role:hook, role:page, role:step, role:tool, role:user"),
    ("tool:bassh", "Nothing has the tool “bassh”. There is: tool:Bash, tool:exec_command, tool:mcp__github__get_issue, tool:Read"),
    ("runtime:x zebra", "Nothing has the runtime “x”. There is: runtime:claude, runtime:codex"),
    ("project:nowhere", "Nothing has the project “nowhere”. There is: project:/home/dev/src/other, project:/home/src/harbor-shop"),
    ("in:release-gate", "Nothing has the name “release-gate”. Names that begin so: in:release-gate*"),
    ("in:nowhere", "Nothing has the name “nowhere”."),
    ("status:", "The field “status” waits for a value. There is: status:completed, status:failed"),
    ("is:", "The field “is” waits for a value. There is: is:error, is:run, is:session"),
    ("zebra after:", "The field “after” waits for a value. Examples: is:run"),
    ("status:failed -tool:Bash kind:run is:error date:2026-05 after:2031 in:sweep*", ""),
]  # fmt: skip


def test_values_that_nothing_has_are_explained_with_those_that_there_are(search: Search) -> None:
    seen = search()
    wrong = []
    for query, note in UNKNOWN:
        ask(seen, query)
        told = seen.page.inner_text("#notes")
        if not told.startswith(note) or (not note and told):
            wrong.append((query, told))
    assert wrong == []
    assert ask(seen, "status:") == "28 documents"
    ask(seen, "status:faild okapi")
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.click("#notes a")
    settle(seen)
    assert (seen.page.input_value("#query"), titles(seen)) == ("status:failed okapi", ["release-gate"])
    assert seen.misdeeds == ()


def test_chips_are_named_for_people(search: Search) -> None:
    seen = search()
    assert seen.page.inner_text("[data-filter='role:page']") == "title and facts 28"


def test_words_that_begin_so_are_offered(search: Search) -> None:
    seen = search()
    assert ask(seen, "zeb") == "Nothing found."
    assert "Words that begin so: zebra" in seen.page.inner_text("#notes")
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.click("#notes a")
    assert settle(seen) == "3 documents"


def test_words_far_apart_come_last_and_are_said_to(search: Search) -> None:
    seen = search()
    ask(seen, "canary quagga")
    assert titles(seen) == ["release-gate"]
    assert "further apart" in seen.page.inner_text("#hits .far")


# ---------------------------------------------------------------- what is shown


def test_a_hit_says_what_it_is(search: Search) -> None:
    seen = search("okapi")
    assert seen.page.inner_text(".hit .about") == "run · failed · 2026-05-30 00:00:00 UTC"
    assert seen.page.get_attribute(".hit time", "datetime") == "2026-05-30T00:00:00Z"
    snippet = seen.page.inner_text(".hit .snippet")
    assert "peer near okapi" not in snippet
    assert "reset by peer near zebra okapi" in snippet
    assert len(snippet) < 300


def test_a_snippet_holds_as_many_of_the_words_as_can_be(search: Search) -> None:
    seen = search("output okapi")
    assert {mark.inner_text() for mark in seen.page.query_selector_all(".hit .snippet mark")} == {"output", "okapi"}


def test_masked_values_are_chips_and_never_cut(search: Search) -> None:
    seen = search("quokka")
    assert seen.page.inner_text(".snippet .mk") == "token · 40 characters"


def test_hostile_texts_are_shown(search: Search) -> None:
    seen = search("evil")
    assert "<img src=x onerror=alert(1)>" in titles(seen)[0]
    assert "U+202E" in seen.page.inner_text(".snippet")
    assert seen.page.query_selector("#hits img, #hits script") is None
    assert seen.misdeeds == ()


def test_places_in_one_document_are_listed_by_part(search: Search) -> None:
    seen = search("zebra in:release-gate-1")
    seen.until(lambda: len(seen.page.query_selector_all(".places li")) == 3)
    assert [each.inner_text() for each in seen.page.query_selector_all(".hit summary")] == [
        "Part 1 · 1 place", "Part 2 · 1 place", "Part 3 · 1 place",
    ]  # fmt: skip
    hrefs = [str(each.get_attribute("href")) for each in seen.page.query_selector_all(".places a")]
    assert [re.sub("&.*", "", href) for href in hrefs] == [
        "runs/release-gate-1.html#e-2", "runs/release-gate-1.p2.html#e-3", "runs/release-gate-1.p3.html#e-60",
    ]  # fmt: skip


def test_more_here(search: Search) -> None:
    seen = search("zebra runtime:claude")
    more = seen.until(lambda: seen.page.query_selector(".hit .more"))
    assert more.inner_text() == "1 more here"
    seen.page.click(".hit .more")
    seen.until(lambda: len(seen.page.query_selector_all(".places li")) == 2)


def test_results_come_ten_at_a_time(search: Search) -> None:
    seen = search("lynx")
    assert status(seen) == "25 documents"
    assert len(titles(seen)) == 10
    seen.page.click("#more")
    seen.until(lambda: len(titles(seen)) == 20)
    seen.page.click("#more")
    seen.until(lambda: len(titles(seen)) == 25)
    assert not seen.page.is_visible("#more")
    assert len(set(titles(seen))) == 25


def test_newer_is_first_where_nothing_else_tells(search: Search) -> None:
    assert titles(search())[:2] == ["sweep 24", "sweep 23"]


def test_newer_is_first_within_a_day(browser: Browser, tmp_path: Path) -> None:
    write_search(SAME_DAY, tmp_path)
    seen = visit(browser, tmp_path / "search.html")
    settle(seen)
    for query in ("", "is:run", "before:2026-05-28"):
        ask(seen, query)
        assert titles(seen) == ["at 23 h", "at 12 h", "at 3 h", "at 0 h"], query
    seen.page.context.close()


# ---------------------------------------------------------------- filters


def test_chips_count_and_filter(search: Search) -> None:
    seen = search("lynx")
    counts = chips(seen)
    assert counts["role:user"] == 25
    assert counts["role:tool"] == 12
    assert counts["date:2026-06"] == 20
    for name, count in counts.items():
        assert ask(seen, f"lynx {name}") == f"{count} document{'s' if count > 1 else ''}", name


def test_a_chip_is_pressed_and_released(search: Search) -> None:
    seen = search("zebra")
    chip = "[data-filter='runtime:claude']"
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.click(chip)
    assert settle(seen) == "1 document"
    assert seen.page.get_attribute(chip, "aria-pressed") == "true"
    assert seen.page.input_value("#query") == "zebra runtime:claude"
    assert seen.page.evaluate("document.activeElement.dataset.filter") == "runtime:claude"
    assert chips(seen)["runtime:codex"] == 1  # what choosing the other as well would add
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.click(chip)
    assert settle(seen) == "3 documents"
    assert seen.page.input_value("#query") == "zebra"


def test_f099_filters_by_kind_tool_fidelity_status(search: Search) -> None:
    names = set(chips(search()))
    assert {"is:run", "is:session", "status:failed", "runtime:claude", "role:tool", "role:hook", "fidelity:router", "is:error"} <= names
    tools = {name.removeprefix("tool:") for name in names if name.startswith("tool:")}
    assert tools == {"Bash", "Read", "mcp__github__get_issue", "exec_command"}


def test_names_that_would_act_are_shown_and_found(browser: Browser, tmp_path: Path) -> None:
    odd = [do(f"e-{place}", name, "lynx") for place, name in enumerate(("a\0b\u202ec", 'say "hi"', "x\u2060y"))]
    write_search([Read(Facts("run", "odd", "runs/odd.html", "failed", "r\u202et", (), (), None), (tuple(odd),))], tmp_path)
    seen = visit(browser, tmp_path / "search.html")
    assert settle(seen) == "1 document"
    shown = {"tool:a␀bU+202Ec": "a␀bU+202Ec", 'tool:"say *hi*"': 'say "hi"', "tool:xU+2060y": "xU+2060y"}
    found = {str(each.get_attribute("data-filter")): each.inner_text() for each in seen.page.query_selector_all("[data-filter^='tool:']")}
    assert found == {name: f"{words} 1" for name, words in shown.items()}
    for query in (*shown, 'tool:"a\0b\u202ec"'):
        assert ask(seen, query) == "1 document", query
    assert ask(seen, "tool:nope") == "Nothing found."
    assert seen.page.inner_text("#notes").endswith('There is: tool:a␀bU+202Ec, tool:"say *hi*", tool:xU+2060y')
    assert "r\u202et" not in seen.page.content()
    assert seen.misdeeds == ()
    seen.page.context.close()


# ---------------------------------------------------------------- the address


def test_a_query_can_be_shared(search: Search) -> None:
    seen = search("zebra tool:Bash")
    assert seen.page.input_value("#query") == "zebra tool:Bash"
    assert sorted(titles(seen)) == ["Fix the café page", "release-gate"]
    assert seen.page.title() == "zebra tool:Bash · Search"


def test_back_and_forward(search: Search) -> None:
    seen = search()
    ask(seen, "zebra")
    assert "#q=zebra" in seen.page.url
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.click("[data-filter='is:run']")
    settle(seen)
    assert titles(seen) == ["release-gate"]
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.go_back()
    settle(seen)
    assert (seen.page.input_value("#query"), len(titles(seen))) == ("zebra", 3)
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.go_forward()
    settle(seen)
    assert seen.page.input_value("#query") == "zebra is:run"
