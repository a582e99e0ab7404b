"""Source files: what each is, told by its content, and how to open it."""

from __future__ import annotations

import gzip
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

from lakesite.model import Masked
from lakesite.sources import lake
from lakesite.sources.lines import Record, decode_exact, read_lines

FileKind = Literal["runs", "events", "labels", "audit", "state"]

_RECORD_NAMES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_SNIFFED = 65_536
"""Bytes of a file with another name that are looked at."""
_LARGEST_STATE = 256_000_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was found to hold something for lakesite."""

    path: str
    name: Masked
    """How it is shown: relative to what was given, never absolute."""
    kind: FileKind


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is not read, and why."""

    name: Masked
    reason: str


def open_source(path: str) -> BinaryIO:
    """A file for reading, with random access. What is packed with gzip is unpacked into a nameless private file first.

    OSError where it cannot be read. A packed file that ends early gives what could be unpacked.
    """
    stream = Path(path).open("rb")  # noqa: SIM115 - the caller closes it
    if stream.read(2) != b"\x1f\x8b":
        stream.seek(0)
        return stream
    stream.seek(0)
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115
    with stream, suppress(EOFError, zlib.error, gzip.BadGzipFile):
        shutil.copyfileobj(gzip.GzipFile(fileobj=stream), unpacked, 1 << 20)
    unpacked.seek(0)
    return cast("BinaryIO", unpacked)


def recognise(path: Path) -> FileKind | str:
    """What a file holds; or, where it is nothing for lakesite, a sentence that says why it is skipped.

    The first record that says what it is decides. A file whose name promises records is looked through to its end.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            return "skipped: not a regular file"
        if path.stat().st_size == 0:
            return "skipped: empty"
        if path.name.endswith(".json"):
            return _recognise_state(path)
        with open_source(str(path)) as stream:
            return _recognise_records(stream, thorough=path.name.lower().endswith(_RECORD_NAMES))
    except OSError as error:
        return f"skipped: cannot be read ({error.strerror or 'damaged'})"


def _recognise_records(stream: BinaryIO, *, thorough: bool) -> FileKind | str:
    for item in read_lines(stream, end=None if thorough else _SNIFFED):
        if isinstance(item, Record) and (kind := _kind_of(item.value)):
            return kind
    return "skipped: no record of a run file, a partition, labels or an audit trail in it"


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


def _recognise_state(path: Path) -> FileKind | str:
    if path.stat().st_size > _LARGEST_STATE:
        return "skipped: JSON, too large for the state file of a run"
    with path.open("rb") as stream:
        if b'"WorkflowID"' not in stream.read(_SNIFFED):
            return "skipped: JSON, but not the state file of a run"
    return "state" if state_object(str(path)) is not None else "skipped: the state file of a run, but not whole JSON"


def state_object(path: str) -> dict[str, object] | None:
    """The object in a state file; None where it is not one (it may be half written)."""
    try:
        value = decode_exact(Path(path).read_bytes())
    except (OSError, ValueError):
        return None
    return value if "WorkflowID" in value else None


def records(stream: BinaryIO) -> Iterator[Record]:
    """The readable records of a stream."""
    return (item for item in read_lines(stream) if isinstance(item, Record))
