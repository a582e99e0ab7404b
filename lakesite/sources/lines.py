"""From bytes to records: one JSON object a line, and everything that can be wrong with that.

A line that cannot be read costs itself and nothing else. Each record knows where it stands, so that it can be read again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import orjson

from lakesite.model import Number, ProblemKind

MAX_DEPTH = 400
"""Levels of nesting kept as structure by the tolerant path; deeper parts are kept as text."""

_BOM = b"\xef\xbb\xbf"
_START = re.compile(r'\{\s*"(?:seq|ts)"\s*:')
_SURROGATE = re.compile("[\ud800-\udfff]")
_NESTING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_INEXACT = re.compile(rb'(?:"\s*:|[\[,])\s*-?(?:0[\s,\]}]|\d+[.eE]|\d{18})')
_ATTEMPTS = 64
"""How many starts of a record are tried on one bad line: a bound, so that no line costs more than linear time."""


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


@dataclass(frozen=True, slots=True)
class Damage:
    """Something wrong with a line."""

    kind: ProblemKind
    line: int
    what: str


class _Exact(json.JSONDecoder):
    """Keeps the spelling of every number that `int` cannot hold exactly as written."""

    def __init__(self) -> None:
        super().__init__(strict=False, parse_float=Number, parse_int=_whole, parse_constant=Number)


def _whole(spelling: str) -> int | Number:
    return Number(spelling) if len(spelling) > 18 or spelling == "-0" else int(spelling)  # noqa: PLR2004 - digits of 64 bits


_EXACT = _Exact()


def read_lines(stream: BinaryIO, *, end: int | None = None, line: int = 1, offset: int = 0) -> Iterator[Record | Damage]:
    """Every record and every damage of a stream, in order, from its current place to byte `end` (or its last byte).

    `line` and `offset` are those of the current place. Lines end at LF alone; a CR before it is no part of the record.
    """
    for raw in stream:
        following = offset + len(raw)
        start = offset + 3 if offset == 0 and raw.startswith(_BOM) else offset
        body = raw[start - offset :]
        whole = body.endswith(b"\n")
        yield from _read_line(body.rstrip(b"\r\n") if whole else body, line, start, torn=not whole)
        offset = following
        line += 1
        if end is not None and offset >= end:
            return


def _read_line(body: bytes, line: int, offset: int, *, torn: bool) -> Iterator[Record | Damage]:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        yield from _read_tolerantly(body, line, offset, torn=torn)
        return
    if isinstance(value, dict):
        yield Record(value, line, offset, body)
    else:
        yield Damage("not-an-object", line, "valid JSON, but not an object: not a record")


def _read_tolerantly(body: bytes, line: int, offset: int, *, torn: bool) -> Iterator[Record | Damage]:
    if not body.strip():
        return
    if not body.strip(b"\x00\r"):
        yield Damage("zero-bytes", line, f"{len(body)} zero bytes instead of a record")
        return
    text = body.lstrip(b"\x00").decode("utf-8", "surrogateescape")
    offset += len(body) - len(body.lstrip(b"\x00"))
    if body.startswith(b"\x00"):
        yield Damage("zero-bytes", line, "zero bytes before the record; the record was read")
    records, bad = _whole_records(text)
    for first, last, value in records:
        if not isinstance(value, dict):
            yield Damage("not-an-object", line, "valid JSON, but not an object: not a record")
            continue
        before = len(text[:first].encode("utf-8", "surrogateescape"))
        raw = text[first:last].encode("utf-8", "surrogateescape")
        yield from _notices(raw, line)
        yield Record(repaired(value), line, offset + before, raw)
    if bad and torn and not records:
        yield Damage("torn-tail", line, "the file ends inside a record: still being written, or cut off")
    elif bad and torn:
        yield Damage("torn-tail", line, "whole records, then the file ends inside another: still being written, or cut off")
    elif bad:
        rest = "; whole records on the same line were read" if records else ""
        yield Damage("malformed-line", line, f"not JSON: the line, or a part of it, cannot be read{rest}")
    elif len(records) > 1:
        yield Damage("glued-records", line, f"{len(records)} records on one line; all were read")


def _notices(raw: bytes, line: int) -> Iterator[Damage]:
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    else:
        return
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        yield Damage("repaired-text", line, "bytes that are not UTF-8 are shown as U+FFFD")
        return
    if re.search(rb"\\u[dD][89a-fA-F]", raw):
        yield Damage("repaired-text", line, "an unpaired surrogate is shown as U+FFFD")
    elif _depth(raw) > MAX_DEPTH:
        yield Damage("too-deep", line, f"nested deeper than {MAX_DEPTH} levels: the inner part is shown as text")
    else:
        yield Damage("odd-json", line, "not strict JSON (a control character, NaN or Infinity); it was read all the same")


def _depth(raw: bytes) -> int:
    depth = deepest = 0
    for found in _NESTING.finditer(raw.decode("utf-8", "surrogateescape")):
        token = found[0]
        depth += (token in "[{") - (token in "]}")
        deepest = max(deepest, depth)
    return deepest


def _whole_records(text: str) -> tuple[list[tuple[int, int, object]], bool]:
    """The whole JSON values of a line as (first, last, value), and whether something else stands there too.

    After something unreadable a record counts only where nothing but further records follow it: an object in the middle of
    a broken one is a part, not a record.
    """
    found: list[tuple[int, int, object]] = []
    bad, at, attempts, sure = False, 0, 0, 0
    while (at := _skip_space(text, at)) < len(text) and attempts < _ATTEMPTS:
        attempts += 1
        try:
            value, last = decode_at(text, at)
        except ValueError:
            bad = True
            if _START.match(text, at):  # what stands before it is whole: inside a value, a comma would come first
                sure = len(found)
            del found[sure:]
            following = _START.search(text, at + 1)
            if following is None:
                break
            at = following.start()
            continue
        found.append((at, last, value))
        at = last
        if not bad:
            sure = len(found)
    if at < len(text):
        bad = True
        del found[sure:]
    return found, bad


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\x00":
        at += 1
    return at


def decode_at(text: str, at: int) -> tuple[object, int]:
    """The JSON value that begins at `at`, with numbers as spelled, and where it ends. ValueError where there is none."""
    try:
        value, last = _EXACT.raw_decode(text, at)
    except RecursionError:
        shallow, last = _shallow(text, at)
        value = _EXACT.decode(shallow)
    return value, last


def _shallow(text: str, at: int) -> tuple[str, int]:
    """The value at `at` with everything below `MAX_DEPTH` turned into strings, and where it ends."""
    out: list[str] = []
    depth, copied = 0, at
    for found in _NESTING.finditer(text, at):
        token = found[0]
        if token in "[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                out.append(text[copied : found.start()])
                copied = found.start()
        elif token in "]}":
            if depth == MAX_DEPTH + 1:
                out.append(json.dumps(text[copied : found.end()]))
                copied = found.end()
            depth -= 1
            if depth == 0:
                out.append(text[copied : found.end()])
                return "".join(out), found.end()
    message = "a value nested too deeply does not end"
    raise ValueError(message)


def decode_exact(raw: bytes) -> dict[str, object]:
    """The object that stands in `raw` (as a `Record` found it), its numbers as spelled."""
    if not _INEXACT.search(raw):
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            pass
        else:
            return value if isinstance(value, dict) else {}
    decoded, _ = decode_at(raw.decode("utf-8", "surrogateescape"), 0)
    return repaired(decoded) if isinstance(decoded, dict) else {}


def repaired(value: dict[str, object]) -> dict[str, object]:
    """The same value with each unpaired surrogate (or byte that is no UTF-8) replaced by U+FFFD."""
    top: list[object] = [value]
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        pairs = list(item.items()) if isinstance(item, dict) else list(enumerate(item)) if isinstance(item, list) else []
        for key, inner in pairs:
            kept = _repair(inner) if isinstance(inner, str) else inner
            if isinstance(item, dict):
                if isinstance(key, str) and _SURROGATE.search(key):
                    del item[key]
                    item[_repair(key)] = kept
                elif kept is not inner:
                    item[key] = kept
            elif isinstance(item, list) and kept is not inner:
                item[key] = kept
            if isinstance(inner, dict | list):
                stack.append(inner)
    return top[0] if isinstance(top[0], dict) else {}


def _repair(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text
