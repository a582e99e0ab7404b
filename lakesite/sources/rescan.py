"""Scanning a file that an earlier build has scanned: not at all where it is the same, from where that ended where it has grown."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import BinaryIO

from lakesite.masking import Masker
from lakesite.sources.documents import Before, Extent, Scan, about, scan
from lakesite.sources.files import PACKED, SourceFile

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Scanned:
    """What one scan found in a file, and which bytes it read."""

    about: str
    """Of the file beside its content; see `about`."""
    size: int
    """Bytes that were read."""
    digest: str
    """Of these bytes."""
    scan: Scan
    status: tuple[int, ...] = ()
    """What the file system said of the file before; empty: the file may have changed meanwhile, do not rely on it."""


def scan_again(file: SourceFile, masker: Masker, known: Scanned | None) -> Scanned:
    """Scan a file, with what an earlier scan found that is about the same."""
    before = status_of(file)
    try:
        size, digest, beginning = _digests(file, known)
    except OSError:  # that it cannot be read is found once more, and told
        return Scanned(about(file), 0, "", scan(file, masker))
    if beginning and beginning.offset == size:
        return Scanned(about(file), size, digest, beginning.scan, before)
    found = scan(file, masker, beginning)
    sure = before == status_of(file) and not any(problem.kind == "unreadable" for _, problem in found.problems)
    return Scanned(about(file), size, digest, found, before if sure else ())


def status_of(file: SourceFile) -> tuple[int, ...]:
    """What tells that a file was written to; empty where it is gone."""
    try:
        status = os.stat(file.path)  # noqa: PTH116 - its path may not be UTF-8
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _digests(file: SourceFile, known: Scanned | None) -> tuple[int, str, Before | None]:
    """Size and digest of a file; and its beginning, where an earlier scan told all of it."""
    digest = blake2b(digest_size=16)
    beginning: Before | None = None
    with open(file.path, "rb") as stream:  # noqa: PTH123 - its path may not be UTF-8
        if known:
            lines, size, whole = _take(stream, digest, known.size)
            same = size == known.size and digest.hexdigest() == known.digest
            if same and (not stream.read(1) or (whole and _can_go_on(stream, known.scan))):
                beginning = Before(_of(known.scan, file), lines + 1, size)
            stream.seek(size)
        _take(stream, digest, None)
        return stream.tell(), digest.hexdigest(), beginning


def _take(stream: BinaryIO, digest: blake2b, most: int | None) -> tuple[int, int, bool]:
    """Read on, to the end or so many bytes; gives lines, bytes, and whether the last line has its end."""
    lines = size = 0
    whole = True
    while piece := stream.read(_PIECE if most is None else min(_PIECE, most - size)):
        digest.update(piece)
        lines += piece.count(b"\n")
        size += len(piece)
        whole = piece.endswith(b"\n")
    return lines, size, whole


def _can_go_on(stream: BinaryIO, scanned: Scan) -> bool:
    """Whether more of a file is found as a scan of all of it would find it."""
    stream.seek(0)
    return stream.read(2) != PACKED and (scanned.last is not None or not scanned.extents)


def without_path(scanned: Scanned) -> Scanned:
    """The same without the place of the file in the file system."""
    anywhere = {identity: _copy(extent, replace(extent.file, path=""), 0) for identity, extent in scanned.scan.extents.items()}
    return replace(scanned, scan=replace(scanned.scan, extents=anywhere), status=())


def _of(scanned: Scan, file: SourceFile) -> Scan:
    """What was found in a file, as found in the file that it is now."""
    extents = {identity: _copy(extent, file, extent.end) for identity, extent in scanned.extents.items()}
    return Scan(extents, list(scanned.problems), scanned.last)


def _copy(extent: Extent, file: SourceFile, known: int) -> Extent:
    return replace(extent, file=file, ranges=list(extent.ranges), known=known)
