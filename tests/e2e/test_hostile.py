"""Hostile text in every field of both inputs: nothing runs, nothing is fetched, nothing becomes an element, all of it can be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser

from tests.browser import Visit, visit
from tests.e2e import hostile
from tests.e2e.pages import Open
from tests.site.builds import Site, build

Surveys = dict[str, dict[str, Any]]
"""What became of each page, by its file's name."""

ELEMENTS = frozenset(
    {"html", "head", "meta", "title", "link", "style", "script", "body", "header", "footer", "nav", "main", "section", "div", "p"}
    | {"span", "a", "b", "i", "s", "em", "strong", "small", "time", "code", "kbd", "pre", "br", "hr", "blockquote", "ins", "del"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td"}
    | {"figure", "figcaption", "foreign svg", "foreign path", "foreign a"}
    | {"details", "summary", "fieldset", "legend", "label", "input", "button", "dialog", "search"}
    | {f"foreign {name}" for name in ("svg", "a", "rect", "line", "text", "title", "pattern", "path")}  # of timelines
)
ATTRIBUTES = frozenset(
    {"lang", "charset", "http-equiv", "content", "name", "rel", "as", "href", "title", "class", "id", "dir", "datetime", "start"}
    | {"open", "hidden", "type", "checked", "tabindex", "aria-label", "aria-hidden", "aria-current", "aria-pressed"}
    | {"data-f", "data-fp", "data-z", "data-s", "data-rows"}
    | {"viewBox", "preserveAspectRatio", "d", "colspan", "scope", "aria-sort"}
    | {"x", "y", "x1", "x2", "y2", "dx", "width", "height", "fill", "patternUnits", "patternTransform"}
    | {"placeholder", "autocapitalize", "autocomplete", "spellcheck", "enterkeyhint", "for", "role", "src", "data-filter"}
)
SURVEY = """() => {
  const counts = {}, attributes = new Set(), schemes = new Set();
  for (const each of document.querySelectorAll("*")) {
    const name = (each.namespaceURI == "http://www.w3.org/1999/xhtml" ? "" : "foreign ") + each.localName;
    counts[name] = (counts[name] || 0) + 1;
    for (const {name} of each.attributes) attributes.add(name);
    if (each.localName == "a") schemes.add(each.protocol ?? new URL(each.href.baseVal, location).protocol);
  }
  const comment = document.createNodeIterator(document, NodeFilter.SHOW_COMMENT).nextNode()?.data ?? null;
  return {counts, attributes: [...attributes], schemes: [...schemes], comment, ran: window.ran, shown: document.body.textContent};
}"""
USE = """() => {
  for (const each of document.querySelectorAll("details")) each.open = true;
  for (const each of document.querySelectorAll("summary, .row, td, a")) each.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
  for (const each of document.querySelectorAll(".chips button, label input")) { each.focus(); each.click(); each.click(); }
  for (const key of ["?", "Escape", "j", "n", "o", "e", "k"])
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  document.querySelector("dialog")?.close();
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("hostile")
    return build(folder / "out", hostile.archive(folder / "in"))


def watched(seen: Visit) -> Visit:
    """Let the payloads' function tell that it ran."""
    seen.page.context.add_init_script("window.ran = []; window.pwn = what => { window.ran.push(what) }")
    return seen


def pages_of(site: Site) -> list[Path]:
    return [page.path for page in site.pages.values()]


class Surveyed(NamedTuple):
    """What became of a site."""

    pages: Surveys
    misdeeds: tuple[str, ...]
    requests: list[str]


@pytest.fixture(scope="module")
def surveyed(browser: Browser, site: Site) -> Surveyed:
    """Open every page, use it, and look at what became of it; with the policy lifted, so that nothing but escaping protects it."""
    seen = watched(visit(browser, "about:blank", bypass_csp=True))
    found: Surveys = {}
    for path in pages_of(site):
        seen.page.goto(path.as_uri())
        seen.page.evaluate(USE)
        found[path.name] = seen.page.evaluate(SURVEY)
        assert seen.page.url.partition("#")[0] == path.as_uri()  # the search page keeps its query behind it
    seen.page.context.close()
    return Surveyed(found, seen.misdeeds, seen.requests)


@pytest.fixture(scope="module")
def each(surveyed: Surveyed) -> Surveys:
    return surveyed.pages


def test_f044_no_script_runs(surveyed: Surveyed) -> None:
    assert {name: survey["ran"] for name, survey in surveyed.pages.items() if survey["ran"]} == {}
    assert surveyed.misdeeds == ()


def test_f049_nothing_is_fetched(surveyed: Surveyed, site: Site) -> None:
    ours = {path.as_uri() for path in (*pages_of(site), *site.folder.glob("*.css"), *site.folder.glob("search/**/*.js"))}
    assert {url for url in surveyed.requests if url not in ("about:blank", "data:,")} <= ours


def test_f044_no_element_and_no_attribute_is_made(each: Surveys) -> None:
    for name, survey in each.items():
        assert set(survey["counts"]) - ELEMENTS == set(), name
        assert set(survey["attributes"]) - ATTRIBUTES == set(), name
        assert survey["comment"] is None, name
        counts = survey["counts"]
        assert (counts["h1"], counts["style"], counts["main"], counts["title"], counts["body"]) == (1, 1, 1, 1, 1), name
        assert counts["script"] <= 2 or name == "search.html", name


def test_f046_links_lead_nowhere_that_acts(each: Surveys) -> None:
    allowed = {"file:", "https:", "http:", "mailto:", ""}  # as the browser resolves them; none: a name that is no address
    assert {name: survey["schemes"] for name, survey in each.items() if not set(survey["schemes"]) <= allowed} == {}


def test_the_policy_is_never_needed(open_page: Open, site: Site) -> None:
    seen = watched(open_page(site.folder / "index.html"))
    for path in pages_of(site)[::5]:
        seen.page.goto(path.as_uri())
        seen.page.evaluate(USE)
        assert seen.page.evaluate("window.ran") == [], path.name
    assert seen.violations == []
    assert seen.misdeeds == ()


def document_text(each: Surveys, document: dict[str, Any]) -> str:
    return " ".join(each[Path(part).name]["shown"] for part in document["parts"])


def test_every_field_can_be_read(site: Site, each: Surveys) -> None:
    missing: dict[str, set[str]] = {"run": set(), "session": set()}
    asked = {"run": fields(hostile.run, hostile.state, hostile.audit), "session": fields(hostile.session, hostile.labels)}
    looked = 0
    for document in site.json["documents"]:
        text = document_text(each, document)
        if "(q.thinking.q)" in text or "(q.thought.q)" in text:
            looked += 1
            missing[document["kind"]] |= {field for field in asked[document["kind"]] if f"(q.{field}.q)" not in text}
    assert looked == 2 * len(hostile.PAYLOADS)  # a run and a conversation for each
    assert missing["run"] | missing["session"] == set()


def fields(*makers: Callable[..., object]) -> set[str]:
    """The names of all fields that the makers of records ask for."""
    asked: set[str] = set()

    def say(field: str) -> str:
        asked.add(field)
        return field

    for make in makers:
        make("runtime", "id", say) if make in (hostile.session, hostile.labels) else make("id", say)
    return asked


def as_shown(payload: str) -> str:
    """A payload as the pages show it: what cannot be shown, or must not act, by its stand-in; blanks as one."""
    payload = payload.replace("[masked:token:12:0a1b2c3d]", "token · 12 characters")
    return " ".join("".join(map(_stand_in, payload)).split())


def _stand_in(char: str) -> str:
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if 0xE0000 <= code <= 0xE01EF or char in "\u2062\u3164\u180e\ufff9\ufffb\U0001d173":
        return f"U+{code:04X}"
    if char in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufdd0\ufffe\uffff":
        return f"U+{code:04X}"
    return char


@pytest.mark.parametrize("name", [name for name in hostile.PAYLOADS if name not in ("controls", "terminal")])
def test_every_payload_can_be_read_to_the_letter(site: Site, each: Surveys, name: str) -> None:
    """In the fields that are shown as they are: Markdown, JSON and terminal codes have rules of their own."""
    identity = as_identity(hostile.PAYLOADS[name])
    (document,) = (document for document in site.json["documents"] if (document["kind"], document["id"]) == ("run", identity))
    text = " ".join(document_text(each, document).split())
    fields = ["step.name", "tool.name", "output.text", "step.error", "state.output", "event.type", "block.stream", "use.content"]
    wanted = as_shown(hostile.PAYLOADS[name])
    assert [field for field in fields if f"(q.{field}.q) {wanted}" not in text] == []


def as_identity(text: str) -> str:
    """An id as `site.json` spells it: half a character stands for nothing."""
    return "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)


# --- files -----------------------------------------------------------------------------------------------------------------------

RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")


def test_files_are_named_after_nothing_hostile_and_stay_inside(site: Site) -> None:
    made = [path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*")]
    folders = "(?:runs/|sessions/|search(?:/[a-z0-9]+){0,3}/)?"
    assert [name for name in made if not re.fullmatch(rf"{folders}[a-z0-9][a-z0-9-]{{0,75}}(?:\.[pt]\d+)?(?:\.[a-z]+)?", name)] == []
    assert [name for name in made if RESERVED.match(name.rsplit("/", 1)[-1])] == []
    assert len({name.lower() for name in made}) == len(made)
    assert sorted(path.name for path in site.folder.parent.iterdir()) == ["in", "out"]


def test_a_long_hostile_text_is_unpacked_as_text(open_page: Open, site: Site) -> None:
    (document,) = (document for document in site.json["documents"] if document["id"] == "run-a")
    seen = watched(open_page(site.page(document).path, bypass_csp=True))
    seen.page.goto(site.page(document).path.as_uri())
    seen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    text = seen.until(lambda: seen.page.evaluate("document.querySelector('.fold pre')?.textContent"))
    assert text.count(hostile.PAYLOADS["ends"]) > 1000
    assert seen.page.evaluate("window.ran") == []
    seen.page.goto(next(site.folder.rglob("*.txt")).as_uri())
    assert seen.page.evaluate("document.contentType") == "text/plain"
    assert seen.page.inner_text("pre").count(hostile.PAYLOADS["ends"]) == 1500
    assert seen.misdeeds == ()
