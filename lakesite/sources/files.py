"""Source files: what each is, told by its content, and how to open it."""

from __future__ import annotations

import gzip
import os
import re
import stat
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO, Literal, cast

from lakesite.errors import OutputError
from lakesite.model import Masked
from lakesite.sources import lake
from lakesite.sources.lines import BOM, Record, decode_exact, read_lines

FileKind = Literal["runs", "events", "labels", "audit", "state"]

_RECORD_NAMES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_SNIFFED = 65_536
"""Bytes of a file with another name that are looked at."""
_BEGINNING = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:seq|ts)"\s*:')
_PIECE = 1 << 20
PACKED = b"\x1f\x8b"
"""How a file begins that is packed with gzip."""
_UNPACKING = (EOFError, zlib.error, gzip.BadGzipFile)
_LARGEST_STATE = 256_000_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was found to hold something for lakesite."""

    path: str
    name: Masked
    """How it is shown: relative to what was given, never absolute."""
    kind: FileKind
    beside: bool = False
    """It was found beside what was given, not in it."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is not read, and why."""

    name: Masked
    reason: str


@dataclass(frozen=True, slots=True)
class NotOurs:
    """What is found in a file that is nothing for lakesite."""

    reason: str
    """Why it is skipped."""


def in_utf8(path: str) -> str:
    """A path as it can be written down: a byte of it that is not UTF-8 becomes U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def bytes_of(file: SourceFile) -> int:
    """Bytes of a file on disk; 0 where it is gone."""
    try:
        return os.stat(file.path).st_size  # noqa: PTH116 - its path may not be UTF-8
    except OSError:
        return 0


def open_source(path: str, damaged: Callable[[], None] = lambda: None) -> BinaryIO:
    """A file for reading, with random access. What is packed with gzip is unpacked into a nameless private file first.

    OSError where it cannot be read, OutputError where there is no room to unpack it. Of a packed file that is damaged, or
    ends early, the part before that is given, and `damaged` is called.
    """
    stream = Path(path).open("rb")  # noqa: SIM115 - the caller closes it
    if not _is_packed(stream):
        return stream
    with stream, gzip.GzipFile(fileobj=stream) as packed:
        unpacked = _nameless()
        try:
            while piece := packed.read1(_PIECE):
                _store(unpacked, piece)
        except _UNPACKING:
            damaged()
    unpacked.seek(0)
    return cast("BinaryIO", unpacked)


def _nameless() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile()
    except OSError as error:
        raise OutputError(f"no folder to unpack a packed file in ({error.strerror}); set TMPDIR to one that can be written to") from error


def _store(file: IO[bytes], piece: bytes) -> None:
    try:
        file.write(piece)
        file.flush()
    except OSError as error:
        message = f"{tempfile.gettempdir()}: no room to unpack a packed file in ({error.strerror}); make some, or set TMPDIR"
        raise OutputError(message) from error


def _is_packed(stream: BinaryIO) -> bool:
    packed = stream.read(2) == PACKED
    stream.seek(0)
    return packed


def recognise(path: Path) -> FileKind | NotOurs:
    """What a file holds, or that it is nothing for lakesite.

    The first record that says what it is decides. A file whose name promises records is looked through to its end.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return NotOurs("not a regular file")
        if status.st_size == 0:
            return NotOurs("empty")
        with path.open("rb") as stream:
            source = cast("BinaryIO", gzip.GzipFile(fileobj=stream)) if _is_packed(stream) else stream
            return _recognise_content(path, source)
    except _UNPACKING:
        return NotOurs("packed with gzip, and damaged before its first record")
    except OSError as error:
        return NotOurs(f"cannot be read ({error.strerror or 'damaged'})")


def _recognise_content(path: Path, stream: BinaryIO) -> FileKind | NotOurs:
    """What a file holds. Of one that neither is named nor begins like one of ours only the beginning is looked at."""
    promising = path.name.lower().endswith(_RECORD_NAMES)
    head = stream.read(2 if promising else _SNIFFED)
    if path.name.lower().endswith(".json") and b'"WorkflowID"' in head:
        return _recognise_state(path)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return NotOurs("UTF-16 text; write it as UTF-8")
    stream.seek(0)
    records = 0
    for item in read_lines(stream if promising or _BEGINNING.match(head) else BytesIO(head)):
        if isinstance(item, Record):
            records += 1
            if kind := _kind_of(item.value):
                return kind
    if promising and not records:
        return NotOurs("no whole line of JSON in it")
    return NotOurs("no record of a run file, a partition, labels or an audit trail in it")


def _kind_of(value: dict[str, object]) -> FileKind | None:
    if "aspect" in value and "session_id" in value:
        return "labels"
    if "execution_id" in value and "event" in value:
        return "audit"
    if lake.is_event(value):
        return "events"
    if "run_id" in value or ("seq" in value and "type" in value):
        return "runs"
    return None


def _recognise_state(path: Path) -> FileKind | NotOurs:
    if path.stat().st_size > _LARGEST_STATE:
        return NotOurs("JSON, too large for the state file of a run")
    return "state" if state_object(str(path)) is not None else NotOurs("the state file of a run, but not whole JSON")


def state_object(path: str) -> dict[str, object] | None:
    """The object in a state file; None where it is not one (it may be half written)."""
    try:
        value = decode_exact(Path(path).read_bytes().removeprefix(BOM).strip())
    except (OSError, ValueError):
        return None
    return value if "WorkflowID" in value else None
