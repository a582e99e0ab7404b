"""From bytes to records: one JSON object a line, and everything that can be wrong with that.

A line that cannot be read costs itself and nothing else. Each record knows where it stands, so that it can be read again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import orjson

from lakesite.model import EXACT, ProblemKind

MAX_DEPTH = 400
"""Levels of nesting kept as structure by the tolerant path; deeper parts are kept as text."""

LONGEST = 1 << 28
"""Bytes of a line that is read: memory is set by the longest line, and a packed file may hold one of any length."""

BOM = b"\xef\xbb\xbf"
_START = re.compile(r'\{\s*"(?:seq|ts)"\s*:')
_ALWAYS = (
    frozenset({"seq", "run_id", "type", "path", "iteration", "timestamp"}),
    frozenset({"ts", "runtime", "session_id", "event_type", "text"}),
)
"""What the writers of run files and of partitions put into every record."""
_OPENS = re.compile(r'[{\["]')
_OPEN_TEXT = re.compile(r'\A(?:[^"]|"(?:[^"\\]|\\.)*+")*+"', re.DOTALL)
"""A beginning of JSON that ends inside a text."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_NESTING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_NEGATIVE_ZERO = re.compile(rb"-0[\s,\]}]")
_UNPAIRED = re.compile(rb"\\u[dD][89a-fA-F]")
_PAIRED = re.compile(rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_PIECE = 1 << 20
_EFFORT = 8
"""How often each character of a bad line may be read in vain: a bound, so that no line costs more than linear time."""


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object, decoded and not yet masked: it does not leave `sources`."""

    value: dict[str, object]
    line: int
    """Line number, from 1."""
    offset: int
    """First byte in the file."""
    raw: bytes
    """The bytes that it was decoded from."""
    plain: bool = False
    """They are plain JSON, and `value` is what orjson makes of them."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something wrong with a line."""

    kind: ProblemKind
    line: int
    what: str


def read_lines(stream: BinaryIO, *, end: int | None = None, line: int = 1, offset: int = 0) -> Iterator[Record | Damage]:
    """Every record and every damage of a stream, in order, from its current place to byte `end` (or its last byte).

    `line` and `offset` are those of the current place. Lines end at LF alone; a CR before it is no part of the record.
    What stands behind `end` on the same line is not read.
    """
    for raw in iter(partial(stream.readline, LONGEST), b""):
        following = offset + len(raw)
        if len(raw) == LONGEST and not raw.endswith(b"\n"):
            following += _skip_line(stream)
            yield Damage("malformed-line", line, f"longer than {LONGEST:,} bytes: it is not read")
        else:
            start = offset + 3 if offset == 0 and raw.startswith(BOM) else offset
            body = raw[start - offset : None if end is None else end - offset].rstrip(b"\r\n")
            torn = not raw.endswith(b"\n")
            del raw  # a line may be large, and stands in memory once
            yield from _read_line(body, line, start, torn=torn)
        offset = following
        line += 1
        if end is not None and offset >= end:
            return


def _skip_line(stream: BinaryIO) -> int:
    """Go on to the next line; gives the bytes that are left out."""
    skipped = 0
    for piece in iter(partial(stream.readline, _PIECE), b""):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


def _read_line(body: bytes, line: int, offset: int, *, torn: bool) -> Iterator[Record | Damage]:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        yield from _read_tolerantly(body, line, offset, torn=torn)
        return
    if isinstance(value, dict):
        inexact = float in map(type, value.values())  # an identity may be a number: it keeps its spelling
        yield Record(decode_exact(body) if inexact else value, line, offset, body, plain=not inexact)
    else:
        yield Damage("not-an-object", line, "valid JSON, but not an object: not a record")


def _read_tolerantly(body: bytes, line: int, offset: int, *, torn: bool) -> Iterator[Record | Damage]:
    if not body.strip():
        return
    if not body.strip(b"\x00\r"):
        yield Damage("zero-bytes", line, f"{len(body)} zero bytes instead of a record")
        return
    zeros = len(body) - len(body.lstrip(b"\x00"))
    text = body[zeros:].decode("utf-8", "surrogateescape")
    records, bad = _whole_records(text)
    if zeros:
        yield Damage("zero-bytes", line, "zero bytes before the record" + ("; the record was read" if records else ""))
    yield from _decoded(text, records, line, offset + zeros)
    if bad and torn and not records:
        yield Damage("torn-tail", line, "the file ends inside a record: still being written, or cut off")
    elif bad and torn:
        yield Damage("torn-tail", line, "whole records, then the file ends inside another: still being written, or cut off")
    elif bad:
        rest = "; whole records on the same line were read" if records else ""
        yield Damage("malformed-line", line, f"not JSON: the line, or a part of it, cannot be read{rest}")
    elif len(records) > 1:
        yield Damage("glued-records", line, f"{len(records)} records on one line; all were read")


def _decoded(text: str, records: list[tuple[int, int, object]], line: int, offset: int) -> Iterator[Record | Damage]:
    """The records that were found in a line, each with its place in the file; `offset` is that of the line's text."""
    done = 0
    for first, last, value in records:
        offset += len(text[done:first].encode("utf-8", "surrogateescape"))
        raw = text[first:last].encode("utf-8", "surrogateescape")
        if isinstance(value, dict):
            yield from _notices(raw, line)
            yield Record(repaired(value), line, offset, raw)
        else:
            yield Damage("not-an-object", line, "valid JSON, but not an object: not a record")
        offset += len(raw)
        done = last


def _notices(raw: bytes, line: int) -> Iterator[Damage]:
    """How a record was read that is not strict JSON."""
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    else:
        return
    text = raw.decode("utf-8", "surrogateescape")
    invalid = _SURROGATE.search(text) is not None
    unpaired = _UNPAIRED.search(_PAIRED.sub(b" ", raw)) is not None
    deep = _folded(text, 0)[0] is not None
    if invalid:
        yield Damage("repaired-text", line, "bytes that are not UTF-8 are shown as U+FFFD")
    elif unpaired:
        yield Damage("repaired-text", line, "an unpaired surrogate is shown as U+FFFD")
    if deep:
        yield Damage("too-deep", line, f"nested deeper than {MAX_DEPTH} levels: the inner part is shown as text")
    elif not invalid and not unpaired:
        yield Damage("odd-json", line, "not strict JSON (a control character, NaN) or a number beyond most readers; read all the same")


def _whole_records(text: str) -> tuple[list[tuple[int, int, object]], bool]:
    """The whole JSON values of a line as (first, last, value), and whether something else stands there too.

    After something unreadable a record counts only where it can be no part of what is broken (see `_is_part`), and nothing
    but further records follow it.
    """
    found: list[tuple[int, int, object]] = []
    broken: int | None = None
    bad, at, sure = False, 0, 0
    effort = _EFFORT * len(text)
    while (at := _skip_space(text, at)) < len(text) and effort > 0:
        try:
            value, last = decode_at(text, at)
        except ValueError as error:
            bad = True
            stopped = getattr(error, "pos", len(text))
            effort -= stopped - at + stopped // 64  # the error itself counts line ends from the start of the text
            if _START.match(text, at):  # what stands before it is whole: inside a value, a comma would come first
                sure = len(found)
            if broken is None or _START.match(text, at):
                broken = at
            del found[sure:]
            following = _START.search(text, at + 1)
            if following is None:
                break
            at = following.start()
            continue
        if broken is not None:
            effort -= at - broken
            if _is_part(value, text, broken, at):
                at = last
                continue
            broken = None
        found.append((at, last, value))
        at = last
        if not bad:
            sure = len(found)
    if at < len(text):
        bad = True
        del found[sure:]
    return found, bad


def _is_part(value: object, text: str, broken: int, at: int) -> bool:
    """Whether a value behind the beginning of a broken record may be a part of it: it was cut off right behind it, then.

    A record of its own has what every record has, and does not stand where the broken one wants a value. Behind what opens
    nothing (a comma, a stray word) anything is a record of its own.
    """
    before = text[broken:at].rstrip(" \t\r")
    if not _OPENS.search(before):
        return False
    if not isinstance(value, dict) or not any(names <= value.keys() for names in _ALWAYS):
        return True
    return before.endswith((":", ",", "[")) and not _OPEN_TEXT.search(before)


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\x00":
        at += 1
    return at


def decode_at(text: str, at: int, most: int = MAX_DEPTH) -> tuple[object, int]:
    """The JSON value that begins at `at`, with numbers as spelled, and where it ends. ValueError where there is none.

    What is nested deeper than `most` levels is text.
    """
    try:
        value, last = EXACT.raw_decode(text, at)
    except RecursionError:
        pass
    else:
        if text[at] not in "[{" or text.count("[", at, last) + text.count("{", at, last) <= most:
            return value, last
    folded, last = _folded(text, at, most)
    return (value if folded is None else EXACT.decode(folded)), last


def _folded(text: str, at: int, most: int = MAX_DEPTH) -> tuple[str | None, int]:
    """The value at `at` with everything below `most` levels turned into strings (None: nothing is so deep), and where it ends."""
    out: list[str] = []
    depth, copied = 0, at
    for found in _NESTING.finditer(text, at):
        token = found[0]
        if token in "[{":
            depth += 1
            if depth == most + 1:
                out.append(text[copied : found.start()])
                copied = found.start()
        elif token in "]}":
            if depth == most + 1:
                out.append(json.dumps(text[copied : found.end()]))
                copied = found.end()
            depth -= 1
            if depth == 0:
                return "".join((*out, text[copied : found.end()])) if out else None, found.end()
    message = "a value nested too deeply does not end"
    raise ValueError(message)


def decode_exact(raw: bytes, most: int | None = None) -> dict[str, object]:
    """The object that stands in `raw` (as a `Record` found it), its numbers as spelled; what is deeper than `most` levels as text."""
    if most and raw.count(b"[") + raw.count(b"{") > most:
        return _spelled(raw, most)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _spelled(raw)
    return exact(value, raw) if isinstance(value, dict) else {}


def exact(value: dict[str, object], raw: bytes) -> dict[str, object]:
    """What `decode_exact` gives, where `raw` has been decoded already: the value itself, if nothing in it was lost."""
    return _spelled(raw) if _NEGATIVE_ZERO.search(raw) or _is_inexact(value, raw) else value


def _spelled(raw: bytes, most: int = MAX_DEPTH) -> dict[str, object]:
    text = raw.decode("utf-8", "surrogateescape")
    decoded, _ = decode_at(text, _skip_space(text, 0), most)
    if not isinstance(decoded, dict):
        return {}
    return repaired(decoded) if _UNPAIRED.search(raw) or _SURROGATE.search(text) else decoded


def _is_inexact(value: object, raw: bytes) -> bool:
    """Whether something in a value may have been lost: the spelling of a number, or the first of two values of one name.

    All numbers but whole ones that 64 bits hold are floats. A name is a text before a colon.
    """
    stack: list[object] = [value]
    names = 0
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            names += len(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, float):
            return True
    return raw.count(b'":') - raw.count(b'\\":') + raw.count(b'\\\\":') > names


def repaired(value: dict[str, object]) -> dict[str, object]:
    """The same value with each unpaired surrogate (or byte that is no UTF-8) replaced by U+FFFD."""
    top: list[object] = [value]
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        pairs = list(item.items()) if isinstance(item, dict) else list(enumerate(item)) if isinstance(item, list) else []
        for place, (key, inner) in enumerate(pairs):
            kept = _repair(inner) if isinstance(inner, str) else inner
            if isinstance(item, dict):
                if isinstance(key, str) and _SURROGATE.search(key):
                    del item[key]
                    name = _repair(key)
                    item[f"{name} {place}" if name in item else name] = kept  # keys may differ in what cannot be shown
                elif kept is not inner:
                    item[key] = kept
            elif isinstance(item, list) and kept is not inner:
                item[key] = kept
            if isinstance(inner, dict | list):
                stack.append(inner)
    return top[0] if isinstance(top[0], dict) else {}


def _repair(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text
