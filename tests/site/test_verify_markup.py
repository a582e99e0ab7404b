"""A page is taken apart into the texts that the masking engine judged: put together what was laid out, and nothing left out."""

from __future__ import annotations

import json
import re
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakesite.render.bodies import body
from lakesite.site.verify_markup import pieces
from lakesite.view.shapes import Body
from tests.sources.fixtures import cases

HERE = Path(__file__).parent


def read(line: str) -> tuple[str, bool, str]:
    """What an expected line says: place, whether it is a name, text."""
    words, text = line.split(' "', 1)
    return words.removeprefix("name "), words.startswith("name "), json.loads(f'"{text}')


@pytest.mark.parametrize(("html", "expected"), [pytest.param(*parts, id=title) for title, *parts in cases(HERE / "verify_markup.txt")])
def test_pieces(html: str, expected: str) -> None:
    found = [(piece.place, piece.name, piece.text) for piece in pieces(html) if piece.text.strip()]
    assert sorted(found, key=itemgetter(0)) == sorted(map(read, expected.split("\n")), key=itemgetter(0))


@settings(max_examples=30)
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"], include_characters="\n"), min_size=1, max_size=300))
def test_a_text_comes_back_as_it_was(text: str) -> None:
    """Whatever stands in a text, and wherever a fold cuts it."""
    long = text * (60_000 // len(text))
    for whole in (text, long, long * 3):
        html = body(Body("text", whole), aside=lambda _: "runs/a-0123456789.t1.txt")
        texts = [piece.text for piece in pieces(str(html)) if piece.place in ("text", "packed text")]
        shown = "".join(text for text in texts if "more line" not in text and "all of it as" not in text)
        assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", whole)


BITS = ("<", ">", "</", "<p ", "<!--", "-->", "<details class=fold>", "</summary>", "'", '"', "=", "x", " ", "<b>", "</b>", "<script>", "/")


@given(html=st.lists(st.sampled_from(BITS)))
def test_no_byte_is_left_out(html: list[str]) -> None:
    """However broken a page is: a word between any two of its pieces is in a piece."""
    words = [f"word{number}word" for number in range(len(html) + 1)]
    page = words[0] + "".join(f"{piece}{word}" for piece, word in zip(html, words[1:], strict=True))
    found = "\n".join(piece.text for piece in pieces(page))
    assert [word for word in words if word not in found and not re.search(rf"</?{word}\b", page)] == []
