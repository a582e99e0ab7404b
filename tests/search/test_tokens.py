"""How texts fall into terms: in Python, and the same in the script that looks them up."""

from __future__ import annotations

import random
import re
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.search.tokens import LONGEST, fold
from tests.browser import Visit
from tests.search.scan import terms_of
from tests.search.site import write_search

VECTORS = Path(__file__).with_name("tokens.txt").read_text(encoding="utf-8")
CASES = [
    tuple(re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: chr(int(found[1], 16)), part) for part in found.groups())
    for found in re.finditer(r"^(.+)\n\.\n(.*)\n\.\n(.*)\n\.$", VECTORS, re.MULTILINE)
]
SOME = st.characters(codec="utf-8", max_codepoint=0xFFFF, categories=("L", "N", "P", "S", "Z"))


@pytest.fixture(scope="module")
def page(browser: object, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """Give a search page over nothing."""
    from tests.browser import visit  # noqa: PLC0415

    out = tmp_path_factory.mktemp("empty")
    write_search([], out)
    return visit(browser, out / "search.html")  # type: ignore[arg-type]


@pytest.mark.parametrize(("title", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_terms(title: str, text: str, expected: str) -> None:
    assert title
    assert sorted(terms_of(text)) == sorted(expected.split())


def test_there_are_cases() -> None:
    assert len(CASES) > 25


def test_the_script_finds_the_same(page: Visit) -> None:
    found = page.page.evaluate("texts => texts.map(text => [...lakesiteSearch.termsOf(text)])", [text for _, text, _ in CASES])
    assert {title: sorted(terms) for (title, _, _), terms in zip(CASES, found, strict=True)} == {
        title: sorted(expected.split()) for title, _, expected in CASES
    }


def test_the_script_knows_every_character(page: Visit) -> None:
    """Every character that this Python knows, between two letters: folded, kept or blanked alike."""
    named = (code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs"))
    known = [chr(code) for code in named if code % 50 == 0 or not unicodedata.name(chr(code), "").startswith(("CJK", "HANGUL S", "TANGUT"))]
    texts = [f"x{char}y" for char in known]
    found = page.page.evaluate("texts => texts.map(text => [...lakesiteSearch.termsOf(text)].sort().join(' '))", texts)
    order: Callable[[str], bytes] = lambda term: term.encode("utf-16-be")  # noqa: E731 -- as the script sorts
    ours = [" ".join(sorted(terms_of(text), key=order)) for text in texts]
    assert [hex(ord(char)) for char, one, other in zip(known, ours, found, strict=True) if one != other] == []


@given(st.lists(st.text(alphabet=SOME, max_size=30), max_size=20))
def test_what_stands_between_blanks_stands_alone(texts: list[str]) -> None:
    assert terms_of(" ".join(texts)) == terms_of("\n".join(reversed(texts)))


@given(st.text())
def test_terms_are_short_and_folded(text: str) -> None:
    for term in terms_of(text):
        assert 0 < len(term) <= LONGEST
        assert fold(term) == term
        assert " " not in term


def test_the_script_agrees_on_any_text(page: Visit) -> None:
    draw = random.Random(5)  # noqa: S311
    texts = ["".join(draw.choices("aBcD12_./:-  é検索ßΣ", k=draw.randrange(60))) for _ in range(2000)]
    found = page.page.evaluate("texts => texts.map(text => [...lakesiteSearch.termsOf(text)])", texts)
    assert [sorted(terms) for terms in found] == [sorted(terms_of(text)) for text in texts]


@pytest.mark.parametrize(
    ("query", "terms", "start"),
    [
        ("src/Main.rs:42", ["src/main", "main.rs", "rs:42"], ""),
        ("src/main.r*", ["src/main"], "main.r"),
        ("10:20", ["10", "20"], ""),
        ('"ls src/main -v"', ["ls", "v", "src/main"], ""),
        ("ma--image/ma*", ["ma"], "image/ma"),
        ("check_tool_call", ["check_tool_call"], ""),
    ],
)
def test_words_of_a_pair_are_not_looked_up_beside_it(page: Visit, query: str, terms: list[str], start: str) -> None:
    found = page.page.evaluate("query => lakesiteSearch.parse(query).items.map(({terms, start}) => [terms, start])", query)
    assert [(sorted(terms), start) for terms, start in found] == [(sorted(terms), start)]
