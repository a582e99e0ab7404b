"""From bytes to records: every kind of damage, line by line, and what holds for any bytes at all."""

from __future__ import annotations

import json
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakesite.model import NOTES
from lakesite.sources import lines
from lakesite.sources.lines import MAX_DEPTH, Damage, Record, decode_exact, read_lines
from tests.sources.fixtures import cases, content, spelled

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = [pytest.param(*parts, id=title) for title, *parts in cases(Path(__file__).parent / "lines.txt")]


def read(data: bytes) -> list[Record | Damage]:
    """Read all lines; each record must stand where it says."""
    found = list(read_lines(BytesIO(data)))
    lines = data.split(b"\n")
    for item in found:
        assert 1 <= item.line <= len(lines)
        if isinstance(item, Record):
            assert data[item.offset : item.offset + len(item.raw)] == item.raw
            assert item.raw in lines[item.line - 1]
    return found


def describe(item: Record | Damage) -> str:
    return f"{item.line} {spelled(decode_exact(item.raw))}" if isinstance(item, Record) else f"{item.line} ! {item.kind}"


@pytest.mark.parametrize(("given", "wanted"), CASES)
def test_case(given: str, wanted: str) -> None:
    assert [describe(item) for item in read(content(given))] == [line for line in wanted.split("\n") if line]


@pytest.mark.parametrize(("given", "wanted"), CASES)
def test_words_are_ours(given: str, wanted: str) -> None:
    """What is said of a damage is said in lakesite's words: nothing recorded is part of it."""
    for item in read(content(given)):
        if isinstance(item, Damage):
            assert item.what.isascii()
            assert item.what.isprintable()
            assert "seq" not in item.what
    assert wanted is not None


# --- depth -----------------------------------------------------------------------------------------------------------------------


def nested(levels: int) -> bytes:
    """An event with so many levels inside, arrays and objects by turns, a word at the bottom."""
    opening = "".join('[{"k":' if level % 2 else "[[" for level in range(levels // 2))
    closing = "".join("}]" if level % 2 else "]]" for level in reversed(range(levels // 2)))
    return f'{{"seq":1,"type":"x","payload":{opening}"bottom"{closing}}}'.encode()


@pytest.mark.parametrize("levels", [100, 390, 500, 900, 1000, 1100, 5_000, 100_000])
@pytest.mark.parametrize(
    "odd", [b"", b',"n":1.50', b',"n":NaN', b',"n":"\xff"', b',"n":"\\ud800"'], ids=["plain", "number", "nan", "bytes", "half"]
)
def test_depth_costs_nothing_but_itself(levels: int, odd: bytes) -> None:
    line = nested(levels)[:-1] + odd + b"}"
    found = read(b'{"seq":0}\n' + line + b'\n{"seq":2}\n')
    records = [item for item in found if isinstance(item, Record)]
    assert [record.line for record in records] == [1, 2, 3]
    exact = decode_exact(records[1].raw)
    assert exact["type"] == records[1].value["type"] == "x"
    assert lowest(exact["payload"]).count("bottom") == 1
    assert not [item for item in found if isinstance(item, Damage) and item.line != 2]


def lowest(value: object) -> str:
    """The text at the bottom of a nested value, without recursion."""
    while not isinstance(value, str):
        value = next(iter(value.values())) if isinstance(value, dict) else value[0] if isinstance(value, list) else ""
    return value


def depth_of(value: object) -> int:
    depth = 0
    while not isinstance(value, str):
        value = next(iter(value.values())) if isinstance(value, dict) else value[0] if isinstance(value, list) else ""
        depth += 1
    return depth


@pytest.mark.parametrize("levels", [5_000, 100_000])
def test_depth_is_told_and_kept_as_text(levels: int) -> None:
    found = read(nested(levels) + b"\n")
    assert [item.kind for item in found if isinstance(item, Damage)] == ["too-deep"]
    (record,) = (item for item in found if isinstance(item, Record))
    payload = record.value["payload"]
    assert depth_of(payload) == MAX_DEPTH - 1
    assert len(lowest(payload)) > levels
    assert "too-deep" not in NOTES


def test_depth_does_not_depend_on_who_reads() -> None:
    """What is kept as structure is decided by the line, not by how deep the reader itself stands."""
    line = nested(900)[:-1] + b',"n":1.5}'

    def deeper(steps: int) -> object:
        return deeper(steps - 1) if steps else decode_exact(line)

    assert depth_of(deeper(150)["payload"]) == depth_of(decode_exact(line)["payload"])  # type: ignore[index]


def test_brackets_in_texts_are_no_depth() -> None:
    line = json.dumps({"seq": 1, "a": "[{" * 5000, "b": 0.5}).encode()
    assert [describe(item)[:12] for item in read(line + b"\n")] == ['1 {"seq":1,"']
    assert spelled(decode_exact(line)) == json.dumps({"seq": 1, "a": "[{" * 5000, "b": 0.5}, separators=(",", ":"))


@pytest.mark.parametrize(
    "line", [b'"' + b"[" * 1000 + b'"', b'NaN"' + b"[" * 1000 + b'"', b'["' + b"[" * 1000 + b'"]'], ids=["text", "nan", "list"]
)
def test_a_long_text_alone_is_no_object(line: bytes) -> None:
    assert {item.kind for item in read(line + b"\n") if isinstance(item, Damage)} <= {"not-an-object", "malformed-line", "glued-records"}


# --- any bytes -------------------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        b'{"seq":1',
        b'{"ts":"',
        b'"',
        b"}",
        b"{",
        b"[",
        b"]",
        b",",
        b":",
        b"\\",
        b"\\ud83d",
        b"\\u0000",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\n",
        b"\r\n",
        b"\r",
        b" ",
        b"NaN",
        b"1e400",
        b"-0",
        b"null",
        b'"type":"x"',
        b'{"seq":2,"type":"y"}',
        b"\xed\xa0\x80",
        b"\xe2\x80\xa8",
    ]
)
JUNK = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=14).map(b"".join))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4), max_leaves=12
)


@given(JUNK)
@example(b'{"seq":1,"a":"' * 3)
@example(b"\xef\xbb\xbf\xef\xbb\xbf{}")
def test_any_bytes_are_read(data: bytes) -> None:
    for item in read(data):
        if isinstance(item, Record):
            spelled(item.value).encode("utf-8")
            spelled(decode_exact(item.raw)).encode("utf-8")


@st.composite
def among_junk(draw: st.DrawFn) -> tuple[bytes, list[dict[str, object]]]:
    """Whole record lines among lines of anything, and the records."""
    lines: list[bytes] = []
    records: list[dict[str, object]] = []
    for _ in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            record = {"seq": len(records), "mark": f"whole-{len(records)}", "value": draw(VALUES)}
            records.append(record)
            lines.append(json.dumps(record, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass"))
        else:
            lines.append(draw(JUNK).replace(b"\n", b"").replace(b'"mark"', b""))
    return b"\n".join([*lines, b""]), records


@given(among_junk())
def test_whole_lines_among_junk_are_read_once(made: tuple[bytes, list[dict[str, object]]]) -> None:
    data, records = made
    found = [item for item in read(data) if isinstance(item, Record) and "mark" in item.value]
    assert [item.value["mark"] for item in found] == [record["mark"] for record in records]
    assert [item.value["seq"] for item in found] == [record["seq"] for record in records]


@given(among_junk(), st.data())
def test_reading_may_begin_at_any_record(made: tuple[bytes, list[dict[str, object]]], data: st.DataObject) -> None:
    """From the place of any record on, to the end of any later one, the same records are read."""
    whole = [item for item in read(made[0]) if isinstance(item, Record)]
    if not whole:
        return
    first = data.draw(st.integers(0, len(whole) - 1))
    last = data.draw(st.integers(first, len(whole) - 1))
    stream = BytesIO(made[0])
    stream.seek(whole[first].offset)
    end = whole[last].offset + len(whole[last].raw)
    again = [item for item in read_lines(stream, end=end, line=whole[first].line, offset=whole[first].offset) if isinstance(item, Record)]
    between = [item for item in whole[first : last + 1] if item.offset >= whole[first].offset]
    assert [(item.line, item.offset, item.raw) for item in again] == [(item.line, item.offset, item.raw) for item in between]


# --- length ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 63, 64, 65, 700])
@pytest.mark.parametrize("end", [b"", b"\n", b'\n{"seq":3}', b'\n{"seq":3}\n'])
def test_a_line_that_is_too_long_costs_only_itself(monkeypatch: pytest.MonkeyPatch, length: int, end: bytes) -> None:
    monkeypatch.setattr(lines, "LONGEST", 100)
    monkeypatch.setattr(lines, "_PIECE", 64)
    after = ['3 {"seq":3}'] if b"seq" in end else []
    long = b'{"seq":2,"a":"%s"}' % (b"x" * (85 + length))
    assert [describe(item) for item in read(b'{"seq":1}\n' + long + end)] == ['1 {"seq":1}', "2 ! malformed-line", *after]
    short = b'{"seq":2,"a":"%s"}' % (b"x" * 60)
    assert [item.line for item in read(b'{"seq":1}\n' + short + end) if isinstance(item, Record)] == [1, 2, 3][: 2 + len(after)]


# --- records that are cut off ----------------------------------------------------------------------------------------------------

EVENT = {"run_id": "r", "type": "tool.result", "path": "", "iteration": 0, "timestamp": "2026-01-01T00:00:00Z"}
ROW = {"runtime": "claude", "session_id": "s", "event_type": "user", "text": "said: [{", "extra": {}}


@st.composite
def like_a_record(draw: st.DrawFn) -> dict[str, object]:
    """What begins as records do, with some of what they have, or all."""
    whole = draw(st.sampled_from([{"seq": 7, **EVENT}, {"ts": None, **ROW}]))
    first, *names = whole
    kept = draw(st.sets(st.sampled_from(names)) | st.just(set(names)))
    return {"part": 1} | {first: whole[first]} if draw(st.booleans()) else {name: whole[name] for name in whole if name in {first, *kept}}


PAYLOADS = st.recursive(
    like_a_record() | st.text('a:,["{ \\', max_size=6) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "seq", "ts"]), inner, max_size=3),
    max_leaves=6,
)
OUTER = st.builds(lambda payload: json.dumps({"seq": 3, **EVENT, "payload": payload}).encode(), PAYLOADS)


@given(OUTER, st.data())
def test_no_part_of_a_torn_record_is_a_record(whole: bytes, data: st.DataObject) -> None:
    """Wherever it is cut off: right behind an object that looks like a record, too."""
    braces = [at + 1 for at, byte in enumerate(whole[:-1]) if byte == ord("}")]
    cut = data.draw(st.sampled_from(braces) if braces and data.draw(st.booleans()) else st.integers(1, len(whole) - 1))
    for end in (b"", b"\n", b"\n" + whole):
        found = [item.raw for item in read(whole[:cut] + end) if isinstance(item, Record)]
        assert found == ([whole] if len(end) > 1 else [])


@given(OUTER, OUTER, st.data())
def test_a_record_glued_to_a_torn_one_is_read(torn: bytes, whole: bytes, data: st.DataObject) -> None:
    """But for where the torn one wants a value: there, it may be a part of it."""
    cut = torn[: data.draw(st.integers(1, len(torn) - 1))]
    found = [item.raw for item in read(cut + whole + b"\n" + whole) if isinstance(item, Record)]
    assert found in ([whole, whole], [whole])
    if cut.rstrip()[-1:] not in (b":", b",", b"["):
        assert found == [whole, whole]


# --- time ------------------------------------------------------------------------------------------------------------------------

WORST: dict[str, Callable[[int], bytes]] = {
    "starts": lambda n: b'{"seq":' * (n // 7),
    "torn": lambda n: b'{"seq":1,"a":"' * (n // 14),
    "rows": lambda n: b'{"ts":"' * (n // 7),
    "nested tails": lambda n: b'{"seq":' * 300 + b"[" + b"1," * (n // 2),
    "arrays": lambda n: b"[" * n,
    "objects": lambda n: b'{"a":' * (n // 5),
    "closed": lambda n: b'{"seq":' + b"[" * (n // 2) + b"]" * (n // 2) + b"}",
    "glued": lambda n: b'{"seq":1}' * (n // 9),
    "glued torn": lambda n: b'{"seq":1,' * (n // 9),
    "spaces": lambda n: b'{"seq":1}' + b" " * n + b"x",
    "open braces and spaces": lambda n: (b"{" + b" " * 50) * (n // 51),
    "backslashes": lambda n: b'{"seq":1,"a":"' + b"\\" * n,
    "surrogates": lambda n: b'{"seq":1,"a":"' + b"\\ud800" * (n // 6) + b'"}',
    "zero bytes": lambda n: b"\x00" * n + b'{"seq":1,',
    "bytes": lambda n: b'{"seq":1,"a":"' + b"\xff" * n + b'"}',
    "digits": lambda n: b'{"seq":1,"a":' + b"9" * n + b"}",
    "keys": lambda n: b'{"seq":1,"a":NaN' + b"".join(b',"\\ud800%d":1' % k for k in range(n // 14)) + b"}",
    "equal keys": lambda n: (
        b'{"seq":1,"a":{' + b",".join(b'"\\ud8%02x%s":1' % (k % 256, b"x" * (k // 256)) for k in range(n // 14)) + b"}}"
    ),
}


def cost(data: bytes) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        found = list(read_lines(BytesIO(data)))
        best = min(best, time.process_time() - start)
        assert all(item.line == 1 for item in found)
    return best


@pytest.mark.parametrize("worst", WORST.values(), ids=WORST)
def test_no_line_costs_more_than_linear_time(worst: Callable[[int], bytes]) -> None:
    small, large = cost(worst(25_000)), cost(worst(200_000))
    assert large < max(16 * small, 0.25), f"eight times the bytes took {large / small:.0f} times as long ({large:.2f} s)"
    assert large < 2.0
