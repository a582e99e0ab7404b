"""A long text is cut where nothing breaks, and nothing of it is lost."""

from __future__ import annotations

import base64
import unicodedata
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.model import MARKER
from lakesite.model.terminal import SEQUENCE
from lakesite.render.fold import fold, pack, without_payloads

MASKED = "[masked:token:41:526d6232]"
PIECES = (
    "a", "word ", "\n", "\r\n", MASKED, "\x1b[31m", "\x1b]8;;https://e.test/long/address\x07", "é", "e\u0301", "👩‍💻", "漢", "\ud83d",
    "x" * 40,
)
long_texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=200).map("".join)


def size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@given(long_texts, st.integers(40, 400), st.integers(2, 30))
def test_the_pieces_are_the_whole_and_the_figures_exact(text: str, limit_bytes: int, limit_lines: int) -> None:
    made = fold(text, limit_bytes, limit_lines)
    assert made.head + made.middle + made.tail == text
    assert made.bytes == size(made.middle)
    assert made.lines == len(made.middle.splitlines() if "\n" not in made.middle else made.middle.removesuffix("\n").split("\n"))
    assert not made.middle or size(made.head) <= limit_bytes // 2
    assert made.middle or not made.tail


@given(long_texts, st.integers(40, 400), st.integers(2, 30))
def test_a_cut_is_inside_nothing(text: str, limit_bytes: int, limit_lines: int) -> None:
    made = fold(text, limit_bytes, limit_lines)
    pieces = (made.head, made.middle, made.tail)
    for pattern in (MARKER, SEQUENCE):
        assert sum(len(pattern.findall(piece)) for piece in pieces) == len(pattern.findall(text))
    for before, after in ((made.head, made.middle), (made.middle, made.tail)):
        assert not (before.endswith("\r") and after.startswith("\n"))
        assert "\u200d" not in (before[-1:], after[:1])
        assert not (before and not before.endswith("\n") and after and unicodedata.combining(after[0]))


@pytest.mark.parametrize("unit", [MASKED, "\x1b[38;5;208m", "\x1b]0;a title\x07", "\x1b(B", "👩‍💻", "e\u0301\u0302", "\r\n", "é", "👍🏽"])
def test_wherever_a_cut_falls_it_is_between_two_units(unit: str) -> None:
    for before in range(40):
        made = fold("x" * before + unit * 200, 200, 10_000)
        assert size(made.head) <= 100
        assert (made.middle.count(unit) * len(unit), made.tail.count(unit) * len(unit)) == (len(made.middle), len(made.tail))


def test_a_text_within_the_limits_is_all_head() -> None:
    text = "x\n" * 200
    assert fold(text).head == text
    assert fold("").head == ""


@pytest.mark.parametrize(("count", "hidden"), [(5_001, 4_851), (1_500_000, 1_499_850)])
def test_many_lines_are_counted_exactly(count: int, hidden: int) -> None:
    made = fold("line\n" * count)
    assert (made.lines, made.bytes) == (hidden, hidden * 5)
    assert made.head == "line\n" * 100
    assert made.tail == "line\n" * 50


def test_one_endless_line_is_cut_between_characters() -> None:
    made = fold("é" * 100_000)
    assert (size(made.head), size(made.tail), made.lines) == (8_192, 4_096, 1)


def test_a_cut_prefers_the_end_of_a_line() -> None:
    made = fold(("x" * 999 + "\n") * 100)
    assert made.head.endswith("\n")
    assert made.middle.endswith("\n")
    assert made.lines == 88


@given(st.text())
def test_what_is_packed_comes_back(text: str) -> None:
    assert zlib.decompress(base64.b64decode(pack(text)), -15).decode("utf-8") == text


def test_packing_takes_what_is_no_utf_8() -> None:
    assert zlib.decompress(base64.b64decode(pack("a\ud83d")), -15).decode("utf-8") == "a\ufffd"


def test_a_payload_is_named_by_type_size_and_digest() -> None:
    payload = base64.b64encode(bytes(range(256)) * 4).decode()
    named = without_payloads(f"see data:image/png;base64,{payload} and more")
    assert named.startswith("see data:image/png;base64,… (1024 bytes, sha256 of the base64 text ")
    assert named.endswith("…) and more")
    assert without_payloads("data:image/png;base64,AAAA") == "data:image/png;base64,AAAA"
