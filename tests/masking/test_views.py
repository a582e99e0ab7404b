"""Decoded readings of a text: what they say, and where it stands in the text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking.anchors import anchors
from lakesite.masking.encoded import readable_base64
from lakesite.masking.sheet import APART, Sheet
from lakesite.masking.views import READINGS, View, views_of

NOTHING = anchors([])


def view_of(sheet: Sheet) -> View | None:
    return next(views_of(sheet, READINGS), None)


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ('{\\"a\\": \\"b\\"}', '{"a": "b"}'),
        ("a\\u002db\\/c", "a-b/c"),
        ("x%3Dy%26z", "x=y&z"),
        ("&quot;a&#39;&#x2d;", "\"a'-"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ('"ab" + "cd"', '"abcd"'),
        ("one \\\n   two", "one two"),
        ('{"a":"b\\nc"}', '{"a":"b\nc"}'),
        ("w%C3%B6rd%20%E2%82%AC", "w\xf6rd \u20ac"),
        (r"long\x5fname", "long_name"),
        ("a\x1b=b\x1bMc\x1bPx\x1b\\d\x1b%Ge", "abcde"),
        ("a\x9b31mb", "ab"),
        ("ab\0cd\u200bef\u2060", "abcdef"),
        ("10%\r20%\r\x1b[Kdone", "done"),
        ("....cdef\rab\x1b[1m..", "ab..cdef"),
        (r"a\_b\-c", "a_b-c"),
        ("averylongword**and**more", "averylongwordandmore"),
    ],
)
def test_readings(text: str, reads: str) -> None:
    view = view_of(Sheet(f"before\n{text}\nafter", NOTHING))
    assert view is not None
    assert view.text.split(APART)[0] == reads


@pytest.mark.parametrize("text", ["plain", 'print("a\\n")', "50% of it", "a & b", "re.compile(r'\\d+')"])
def test_most_lines_are_read_as_they_are(text: str) -> None:
    assert view_of(Sheet(text, NOTHING)) is None


def test_what_a_terminal_shows_of_a_line_stands_in_the_stretch_that_holds_all_of_it() -> None:
    text = "before\nx....cdef and\rab\nafter"
    view = view_of(Sheet(text, NOTHING))
    assert view is not None
    assert view.text == f"ab...cdef and{APART}"
    start, end = view.origin(0, 9)
    assert text[start:end] == "...cdef and\rab"


@given(st.text(max_size=40), st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=3, max_size=9), st.text(max_size=40))
def test_a_place_in_a_view_is_a_place_in_the_text(before: str, word: str, after: str) -> None:
    text = json.dumps(json.dumps([before, f"<{word}>", after]))
    view = view_of(Sheet(text, NOTHING))
    assert view is not None
    at = view.text.index(f"<{word}>") + 1
    start, end = view.origin(at, at + len(word))
    assert text[start:end] == word


PARTS = ["\\n", '\\"', "\\\\", "%41", "&quot;", "\x1b[31m", "\r", "\0", "\u200b", "**", "`", '" + "', "\\u0041", "\n", "word", "x", " "]
STREAMED = ['data: {"text":"ab', '"}\n\n', "\\n"]


@given(st.lists(st.sampled_from([*PARTS, *STREAMED]), max_size=30).map("".join))
def test_a_view_reads_as_its_pieces_do(text: str) -> None:
    for reading in READINGS:
        for start, end in reading.regions(Sheet(text, NOTHING)):
            pieces = reading.pieces(text, start, end)
            assert reading.whole(text, start, end) == "".join(piece for piece, _, _ in pieces)


@pytest.mark.parametrize("text", ["aGVsbG8gd29ybGQsIGFnYWlu", "x=aGVsbG8gd29ybGQsIGFnYWlu", "aGVsbG8gd29ybGQsIGFnYQ=="])
def test_base64_that_hides_text_is_read(text: str) -> None:
    ((_, _, reads),) = readable_base64(Sheet(text, NOTHING))
    assert reads.startswith("hello world")


def test_other_runs_are_not_read() -> None:
    assert list(readable_base64(Sheet("handleSubmitButtonClick9 0f1e2d3c4b5a69788796a5b4c3d2e1f0 aB3dE5gH7jK9mN1pQ3rS5t==", NOTHING))) == []
