"""The filter: what comes through is masked wherever it is cut, and every other byte is as it was."""

from __future__ import annotations

import io
import json
import random
import string
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker, MaskOptions, mask_text
from lakesite.site import stream
from lakesite.site.stream import Stream, in_words, leaves, place_to_cut
from tests.sources.fixtures import cases, content

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
LETTERS = string.ascii_letters + string.digits
CHOSEN = random.Random(11)  # noqa: S311 -- the same secrets every time
TOKEN = "ghp_" + "".join(CHOSEN.choice(LETTERS) for _ in range(36))
PIECE = 1 << 16


def made(length: int) -> str:
    return "".join(CHOSEN.choice(LETTERS) for _ in range(length))


def secrets() -> dict[str, str]:
    """Secrets of several shapes, some of them of many lines."""

    def key(kind: str, lines: int) -> str:
        return "\n".join([f"-----BEGIN {kind} PRIVATE KEY-----", *(made(64) for _ in range(lines)), f"-----END {kind} PRIVATE KEY-----"])

    return {
        "token": f"key {TOKEN} end",
        "assignment": f"export BUILD_VALUE={made(30)}",
        "url": f"postgres://app:{made(9)}!7@db:5432/x",
        "flag": f"mysql --password {made(8)}!9 -h db",
        "wrapped": f"eyJhbGciOiJIUzI1NiJ9.{made(60)}\n{made(60)}9\n{made(31)}8",
        "key": key("RSA", 24),
        "long key": key("OPENSSH", 270),
        "entropy": f"{made(300)}/{made(50)}+9aZ",
        "marker": "[masked:token:40:0a1b2c3d]",
    }


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut after 64 KB, so that tests are quick."""
    monkeypatch.setattr(stream, "PIECE", PIECE)
    monkeypatch.setattr(stream, "_CUTS", (PIECE, PIECE * 7 // 8, PIECE * 6 // 8, PIECE * 5 // 8))


class Dribble(io.BytesIO):
    """Gives as many bytes as it likes."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, CHOSEN.choice((1, 7, 1000, 65_537))))


def masked(data: bytes, *, jsonl: bool = False, source: Callable[[bytes], io.BytesIO] = io.BytesIO) -> bytes:
    filtering = Stream(MaskOptions())
    return b"".join((filtering.jsonl if jsonl else filtering.text)(source(data)))


# --- text ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", secrets())
def test_a_secret_at_a_cut(kind: str) -> None:
    """Wherever the secret stands around the place where the text is cut, it is masked as it would be in one go."""
    secret = secrets()[kind]
    line = "an ordinary line of a log, 17 files changed\n"
    whole = mask_text(f"\n{secret}\n")
    for shift in (0, 1, 20, 43, len(secret) // 3, len(secret) // 2, len(secret) - 1, len(secret) + 30):
        head = (line * (PIECE // len(line)))[: PIECE - shift].rpartition("\n")[0]
        text = f"{head}\n{secret}\n{line * 1000}"
        assert masked(text.encode()).decode() == f"{head}{whole}{line * 1000}"


@pytest.mark.usefixtures("small")
def test_a_long_text_is_masked_as_in_one_go() -> None:
    kinds = [secret for secret in secrets().values() if len(secret) < 4_000]
    lines = ["plain words of a report", "def f(a, b): return a / b", "", "    - item: 12", "é 検索 " * 9, '{"a": "b\\nc", "d": [1, 2]}']
    text = "\n".join(CHOSEN.choice(kinds) if CHOSEN.random() < 0.02 else CHOSEN.choice(lines) for _ in range(4_000))
    whole = mask_text(text)
    assert masked(text.encode()).decode() == whole
    assert masked(text.encode(), source=Dribble).decode() == whole


@pytest.mark.usefixtures("small")
def test_a_text_without_line_ends() -> None:
    text = "".join(f'{{"n":{number},"t":"word {number}"}}' for number in range(9_000)) + TOKEN + "." * 9 + "tail " * 20_000
    assert masked(text.encode()).decode() == mask_text(text)


@pytest.mark.usefixtures("small")
def test_one_endless_run_leaves_nothing() -> None:
    run = made(PIECE * 4)
    out = masked(f"before {run} after {run}".encode()).decode()
    assert [run[at : at + 8] for at in range(0, len(run) - 8, 4) if run[at : at + 8] in out] == []
    assert out.startswith("before [masked:")
    assert " after [masked:" in out


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"a", b"\xff\xfe\x00 \xc3\x28\r\n\x80" * 20_000, "é検索😀\r\n".encode() * 9_000, b"\xef\xbb\xbfa\n", b"a\0b\x1b[31mc\r"],
    ids=["nothing", "line end", "letter", "no UTF-8", "wide characters", "mark", "controls"],
)
def test_what_is_no_secret_stays_to_the_byte(data: bytes) -> None:
    assert masked(data) == data
    assert masked(data, source=Dribble) == data
    assert masked(data, jsonl=True) == data


def test_where_to_cut() -> None:
    size = stream.PIECE + stream.REACH
    lines = ("word " * 9 + "\n") * (size // 46 + 1)
    cut = place_to_cut(lines[:size], str)
    assert lines[cut - 1] == "\n"
    assert stream.PIECE - 4096 < cut <= stream.PIECE
    never = lambda text: str(len(text) ** 2)  # noqa: E731 -- nothing can be cut
    assert 0 < place_to_cut(lines[:size], never) <= stream.PIECE
    assert 40 < place_to_cut("a" * size, str) < stream.PIECE - 40


def test_memory_does_not_grow_with_the_text() -> None:
    line = b"an ordinary line of a log, 17 files changed in 3 folders\n"

    class Endless(io.RawIOBase):
        left = 200

        def read(self, _size: int = -1, /) -> bytes:
            self.left -= 1
            return line * 1000 if self.left > 0 else b""

    tracemalloc.start()
    try:
        size = sum(map(len, Stream(MaskOptions()).text(Endless())))  # type: ignore[arg-type] -- reads like one
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size == 199 * 1000 * len(line)
    assert peak < 40_000_000


# --- lines of JSON ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given_lines", "expected"), [pytest.param(*parts, id=title) for title, *parts in cases(HERE / "stream.txt")])
def test_lines_of_json(given_lines: str, expected: str) -> None:
    named = {"§token§": TOKEN, "§mask§": mask_text(TOKEN), "§words§": "harmless words"}
    for sign, meant in named.items():
        given_lines, expected = given_lines.replace(sign, meant), expected.replace(sign, meant)
    assert masked(content(given_lines), jsonl=True) == content(expected)


def test_a_key_over_several_lines_that_are_no_json() -> None:
    key = secrets()["key"]
    data = f'{{"a":1}}\n{key}\n{{"a":2}}\n'.encode()
    assert masked(data, jsonl=True).decode() == f'{{"a":1}}\n{mask_text(key)}\n{{"a":2}}\n'


@pytest.mark.parametrize("depth", [500, 2_000, 50_000])
def test_a_deep_line(depth: int) -> None:
    line = '{"a":[' * depth + f'"{TOKEN}"' + "]}" * depth + "\n"
    assert masked(line.encode(), jsonl=True).decode() == line.replace(TOKEN, mask_text(TOKEN))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from([TOKEN, f"a {TOKEN}\n"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(values=st.lists(JSON, max_size=4), indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_any_json_is_masked_as_on_a_page(values: list[object], indent: int | None, *, ascii_only: bool) -> None:
    """What comes out says the same as the engine makes of the value; a value without a secret stays to the byte."""
    lines = [json.dumps(value, indent=indent, ensure_ascii=ascii_only).replace("\n", " ") for value in values]
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    if b"\xed" in data:  # half a pair written out is no UTF-8
        return
    out = masked(data, jsonl=True).decode().split("\n")
    for value, line, came in zip(values, lines, out, strict=False):
        expected = Masker().value(json.loads(line))
        assert json.dumps(json.loads(came)) == json.dumps(expected, default=lambda number: float(number.spelling))
        assert TOKEN not in came
        if TOKEN not in line:
            assert came == line, value


def test_leaves_come_in_the_order_in_which_they_are_written() -> None:
    assert "".join(map(str, leaves({"a": ["b", {"c": "d"}, []], "e": None, "f": True, "g": {}, "h": "i"}))) == "abcdefghi"


# --- the report ------------------------------------------------------------------------------------------------------------------


def test_the_report_counts_and_tells_nothing() -> None:
    filtering = Stream(MaskOptions())
    data = f'{{"a":"{TOKEN}"}}\n{{"password":"{TOKEN[4:14]}!"}}\nline {TOKEN}\n'.encode()
    assert TOKEN[4:12].encode() not in b"".join(filtering.jsonl(io.BytesIO(data)))
    told = in_words(filtering.findings)
    assert filtering.findings.total == 3
    assert TOKEN[4:12] not in told
    assert "best effort: review before sharing" in told
    rows = [line.split() for line in told.splitlines()[1:-1]]
    assert rows[-1] == ["all", "3", str(2 * len(TOKEN) + 11)]
    assert sum(int(row[-2]) for row in rows[:-1]) == 3


def test_counts_survive_a_new_masker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_RENEWED", 100)
    filtering = Stream(MaskOptions())
    list(filtering.jsonl(io.BytesIO(f'{{"a":"{TOKEN}"}}\n'.encode() * 50)))
    assert filtering.findings.total == 50
