"""Whole pages: sound HTML under a strict policy, whatever stands in the data."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import html
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import jinja2
import pytest
from markupsafe import Markup

from lakesite.render.pages import Assets, Pages, make_shell, small_css, small_js
from lakesite.site.assets import load_assets
from lakesite.view.shapes import Body, Fact, Row, When
from tests import ROOT
from tests.render import pages_rows as rows
from tests.render import pages_samples as samples

VOID = {"meta", "link", "input", "img", "br", "hr", "col", "wbr"}
TEMPLATES = sorted((ROOT / "templates").glob("*.html"))
STAND_INS = {
    "\x00": "\u2400",
    "\x1b": "\u241b",
    "\u202e": "U+202E",
    "\ufffe": "U+FFFE",
    "[masked:token:9:0a1b2c3d]": "token · 9 characters",
}


class Tree(HTMLParser):
    """Elements, attributes and texts of a page; complains where elements are not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.faults: list[str] = []
        self.feed(page)
        self.close()
        self.faults += [f"open: {name}" for name in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.faults += [f"twice: {name}" for name, count in Counter(name for name, _ in attrs).items() if count > 1]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"closed out of order: {tag}")

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"comment: {data}")

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    @property
    def text(self) -> str:
        return "".join(data for tag, data in self.texts if tag not in {"style", "script"})


@pytest.fixture(scope="module")
def pages() -> Pages:
    return samples.make_pages()


@pytest.fixture(scope="module", params=["", samples.HOSTILE], ids=["plain", "hostile"])
def made(request: pytest.FixtureRequest, pages: Pages) -> dict[str, str]:
    return samples.all_pages(pages, request.param)


def test_elements_are_closed_in_order(made: dict[str, str]) -> None:
    assert {name: Tree(page).faults for name, page in made.items()} == {name: [] for name in made}


def test_the_policy_allows_what_is_inlined_and_no_more(pages: Pages, made: dict[str, str]) -> None:
    for page in made.values():
        tree = Tree(page)
        policy = next(meta["content"] for meta in tree.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
        style, script = (re.search(f"<{name}>(.*?)</{name}>", page, re.DOTALL) for name in ("style", "script"))
        assert style
        assert script
        hashes = [base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode() for found in (script, style)]
        assert policy == (
            f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'self' 'sha256-{hashes[1]}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        )
        assert [tag.get("type") for tag in tree.all("script")] in ([None], [None, "application/json"])
        assert [rule for rule in style[1].split("}") if rule not in pages.shell.style] == []  # the file has all that a page has


def test_nothing_acts_and_nothing_is_fetched(made: dict[str, str]) -> None:
    for page in made.values():
        for tag, attributes in Tree(page).elements:
            assert [name for name in attributes if name == "style" or name.startswith("on")] == []
            assert tag not in {"iframe", "object", "embed", "base", "form", "video", "audio"}
            assert (attributes.get("src") or "data:").startswith("data:")
            address = attributes.get("href") or ""
            assert re.match(r"(?![a-z]+:|//)|https?:|mailto:|data:,$", address, re.IGNORECASE), address
            if address.startswith("http"):
                assert attributes.get("rel") == "noopener noreferrer"


def test_every_page_has_one_title_one_heading_and_its_landmarks(made: dict[str, str]) -> None:
    for page in made.values():
        tree = Tree(page)
        assert len(tree.all("h1")) == len(tree.all("main")) == len(tree.all("footer")) == 1
        assert page[: page.index("<body>")].count("<title>") == 1
        assert tree.all("html") == [{"lang": "en"}]
        assert "".join(data for tag, data in tree.texts if tag == "title").strip()
        assert all(nav.get("aria-label") for nav in tree.all("nav"))
        assert next(a for tag, a in tree.elements if tag == "a") == {"class": "skip", "href": "#main"}


def test_headings_follow_the_steps(pages: Pages) -> None:
    levels = [int(tag[1]) for tag, _ in Tree(pages.rows(rows.RUN_ROWS)).elements if re.fullmatch(r"h\d", tag)]
    assert levels == [2, 2, 2, 3, 3, 2, 2]
    assert "<h6>" in pages.rows([rows.step("e-1", "deep", "agent", depth=2000)])


def test_anchors_are_unique_and_links_in_the_page_arrive(made: dict[str, str]) -> None:
    for page in made.values():
        tree = Tree(page)
        ids = Counter(str(attributes["id"]) for _, attributes in tree.elements if "id" in attributes)
        assert [name for name, count in ids.items() if count > 1] == []
        targets = {str(a["href"])[1:] for a in tree.all("a") if str(a.get("href")).startswith("#")}
        assert targets <= ids.keys()


def test_hostile_words_make_no_element(pages: Pages) -> None:
    def shapes(page: str) -> Counter[str]:
        return Counter(tag for tag, _ in Tree(page).elements if tag not in {"i", "span"})

    harmless, hostile = (samples.all_pages(pages, words) for words in ("‹words›", samples.HOSTILE))
    assert {name: shapes(page) for name, page in hostile.items()} == {name: shapes(page) for name, page in harmless.items()}


def test_hostile_words_can_all_be_read(pages: Pages) -> None:
    words = samples.HOSTILE
    for raw, shown in STAND_INS.items():
        words = words.replace(raw, shown)
    for name, page in samples.all_pages(pages, samples.HOSTILE).items():
        assert Tree(page).text.count(words) > 20, name


def test_no_control_character_reaches_a_page(made: dict[str, str]) -> None:
    forbidden = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
    assert {name: forbidden.findall(page) for name, page in made.items()} == {name: [] for name in made}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_escape_every_attribute(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    values = re.findall(r'="([^"]*)"', source)
    escaped = set(re.findall(r"\{% set (\w+) = [\w.]+\|attr %\}", source))
    printed = [found.strip() for value in values for found in re.findall(r"\{\{(.*?)\}\}", value) if found.strip() not in escaped]
    assert [expression for expression in printed if not re.search(r"\|(attr|href|place|capped|figures)$|^size$", expression)] == []
    assert re.findall(r"=\{\{|='", source) == []


def test_the_shell_is_small(pages: Pages) -> None:
    """That of the index, of which a site has few, may be larger."""
    plain = Pages(load_assets())
    for made, index, others in ((plain, 31_500, 23_000), (pages, 32_500, 27_000)):
        shells = {kind: made.shell_of(kind) for kind in ("index", "list", "short", "long")}
        sizes = {name: len((shell.style + shell.script).encode()) for name, shell in shells.items()}
        assert sizes.pop("index") <= index
        assert max(sizes.values()) <= others


def test_made_small_it_means_the_same() -> None:
    assert small_css("/* a */\nb > i,\nb :is(u) {\n  margin: 0 auto;\n  color: red;\n}\n") == "b>i,b :is(u){margin:0 auto;color:red}"
    assert small_js('// a\nconst a = {b: "c = d"};\n  go(a, `e => ${a}`);\n') == 'const a={b:"c = d"};go(a,`e => ${a}`);'


def test_a_script_that_ends_its_element_is_refused() -> None:
    with pytest.raises(AssertionError):
        make_shell(Assets("", 'x = "</script>"', jinja2.DictLoader({})))


def test_a_page_is_made_piece_by_piece(pages: Pages) -> None:
    asked = []

    def sections() -> Iterator[str]:
        for number in range(3):
            asked.append(number)
            yield f"<section>{number}</section>"

    stream = pages.document(samples.RUN, sections())
    seen = ""
    while "<section>0" not in seen:
        seen += next(stream)
    assert asked == [0]
    assert "".join(stream).count("</section>") == 2
    assert asked == [0, 1, 2]


def test_a_template_prints_texts_and_numbers_only(pages: Pages) -> None:
    page = samples.INDEX
    broken = Fact(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        pages.index(type(page)(page.title, (Fact("", unit=broken),), (), (), ()))  # type: ignore[arg-type]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.example/x", "http://evil.example", "data:text/html,x", "a b"])
def test_an_address_outside_the_site_is_refused(pages: Pages, address: str) -> None:
    with pytest.raises(ValueError, match="not an address"):
        pages.index(type(samples.INDEX)("x", (Fact("1", href=address),), (), (), ()))


# ---------------------------------------------------------------- what a reader finds


def one(pages: Pages, row: Row) -> Tree:
    return Tree(pages.rows([row]))


def test_a_failed_call_says_so_in_words(pages: Pages) -> None:
    tree = one(pages, rows.tool("e-1", "Bash", "make", status="failed", outcome="exit 2"))
    assert "failed" in tree.text
    assert "exit 2" in tree.text
    assert "fail" in str(tree.all("details")[0]["class"]).split()
    assert "failed" in one(pages, rows.step("e-1", "x", "command", status="failed")).text


def test_a_tool_exchange_is_one_line_of_few_elements(pages: Pages) -> None:
    tree = one(pages, rows.tool("e-1", "Bash", "make"))
    assert len(tree.elements) <= 13
    assert tree.elements[1] == ("details", {"class": "row tool", "id": "e-1"})
    assert tree.elements[2][0] == "summary"


def test_the_four_kinds_of_nothing_read_differently(pages: Pages) -> None:
    words = ("null", "an empty text", "no result recorded", "no output recorded")
    for said in words:
        assert said in one(pages, rows.tool("e-1", "Bash", "x", Body("nothing", said, "output"))).text


def test_times_are_times(pages: Pages) -> None:
    when = When("2026-11-30T09:26:11.123Z", "30 Nov 2026", "09:26:11", rows.text("30/11/2026 10:26:11+01"))
    tree = one(pages, rows.note("e-1", "hook", "x", "y", when=when))
    assert tree.all("time") == [{"datetime": "2026-11-30T09:26:11.123Z", "title": "30/11/2026 10:26:11+01"}]


def test_every_row_links_to_itself_and_names_its_source(pages: Pages) -> None:
    for row in (*rows.RUN_ROWS, *rows.SESSION_ROWS):
        page = pages.rows([row])
        assert f'href="#{row.anchor}"' in page
        assert row.origin in page


def test_problems_masked_values_and_badges_are_listed(pages: Pages) -> None:
    text = Tree("".join(pages.document(samples.RUN, []))).text
    assert "not JSON: skipped" in text
    assert "credential" in text
    assert "recorded at the router seam: authoritative" in text


def test_the_map_of_anchors_cannot_end_its_element(pages: Pages) -> None:
    page = dataclasses.replace(samples.SESSION, anchors="</script>|<!--")
    made = "".join(pages.document(page, []))
    assert made.count("</script>") == 2
    assert "<!--" not in made


def test_fragments_are_taken_as_they_are(pages: Pages) -> None:
    assert '<section class="x">' in "".join(pages.document(samples.RUN, ['<section class="x"></section>']))
    assert html.escape(str(Markup("<b>"))) in pages.rows([rows.note("e-1", "meta", "<b>", "")])


# ---------------------------------------------------------------- colours

PAIRS = [
    *product(("ink", "soft", "link", "ok", "bad", "warn", "think", "text"), ("paper", "card", "wash", "del")),
    *product(("ink", "bad", "ok", "warn", "link", "think", "text"), ("add", "veil", "said")),
    ("soft", "said"),
    ("soft", "add"),
    ("ink", "new"),
    ("ink", "old"),
    ("paper", "ink"),
    *product(("mask",), ("veil", "card")),
]


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_all_text_reaches_aa_contrast(theme: int) -> None:
    css = (ROOT / "static" / "lakesite.css").read_text(encoding="utf-8")
    colours = {name: pair for name, *pair in re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", css)}
    low = {}
    for text, ground in PAIRS:
        dark, bright = sorted((luminance(colours[text][theme]), luminance(colours[ground][theme])))
        if (ratio := (bright + 0.05) / (dark + 0.05)) < 4.5:
            low[text, ground] = round(ratio, 2)
    assert low == {}


def test_nothing_moves() -> None:
    css = (ROOT / "static" / "lakesite.css").read_text(encoding="utf-8")
    assert re.findall(r"transition|animation|scroll-behavior", css) == []
