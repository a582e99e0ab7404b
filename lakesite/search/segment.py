"""What one document leaves for the index, written while its rows are rendered: text files of the site, and units.

The texts of a document are laid in *blocks* of about 8 KB. All entries of a block have the same fields, so that a filter
by role, tool, fidelity or error picks whole blocks, without a look at the texts. Blocks go to the text store in *chunks*.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from lakesite.model import Instant
from lakesite.search.codec import script
from lakesite.search.entries import Entry, Fields
from lakesite.search.invert import UNIT, Unit, too_long, unit_bytes
from lakesite.search.tokens import runs

BLOCK: Final = 8_192
"""Characters from which on a block is full; a longer text is cut into pieces of this length."""
OVERLAP: Final = 256
"""Characters that two pieces of a text share, so that a phrase stands whole in one of them."""
CHUNK: Final = 100_000
"""Characters from which on a chunk of the text store is full."""
LARGEST: Final = 240_000
"""Characters from which on it is full even in the middle of a text; else the pieces of a text stand in one chunk."""
BETWEEN: Final = "\x1e"
"""Stands before each text of a chunk."""
FOLDER: Final = "search"
_OPEN = 64
"""Blocks of a document that are filled at a time: tools may have any number of names."""
_EDGE = 100
"""Characters in which the end of a word is looked for, before a text is cut inside one."""
_LEVEL = 3
"""Of deflate for texts: a fast one, because they are most of what is packed."""
_STAND_IN = "\u241e"
"""The picture of U+001E, where a text holds one itself."""

Write: TypeAlias = Callable[[str, Iterable[str]], object]
"""Writes a file of the site: its name, and its text piece by piece."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a document as a whole: what search filters by, and what it shows of a hit."""

    kind: str
    """`run` or `session`."""
    title: str
    href: str
    """Its page, from the site's root."""
    status: str = ""
    """Empty: none."""
    runtime: str = ""
    projects: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    started: Instant | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as the index lists it."""

    facts: Facts
    chunks: tuple[int, ...]
    """How many blocks each chunk of its texts holds."""
    names: tuple[str, ...]
    """Names of these chunks; empty where the site has no text store."""
    fields: tuple[Fields, ...]
    """Those of each block."""
    places: tuple[tuple[int, str], ...]
    """Part and anchor of the first entry of each block, where the site has no text store."""

    @property
    def blocks(self) -> int:
        """Number of its blocks."""
        return len(self.fields)


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document whose pages are written, ready to be merged into the index."""

    listed: Listed
    name: str
    """The file of its units, in the folder that was given to its writer."""
    units: tuple[Unit, ...]
    digest: str
    """Of all that is searched in it."""
    too_long: int = 0
    """How many words of its blocks are too long for the index."""


@dataclass(slots=True)
class _Block:
    places: list[tuple[int, int, str]] = field(default_factory=list)
    """Place in the document, part and anchor of each text."""
    texts: list[str] = field(default_factory=list)
    size: int = 0


class SegmentWriter:
    """Takes the entries of one document, part by part."""

    def __init__(self, folder: Path, name: str, write: Write | None) -> None:
        """`folder` is for what only this build needs, `name` is one file name in it; without `write` no texts are stored."""
        self._name = name
        self._stream: BinaryIO = (folder / name).open("wb")
        self._write = write
        self._open: dict[Fields, _Block] = {}
        self._runs: dict[str, int] = {}
        self._in_unit = 0
        self._units: list[Unit] = []
        self._chunk: list[_Block] = []
        self._in_chunk = 0
        self._chunks: list[int] = []
        self._names: list[str] = []
        self._fields: list[Fields] = []
        self._places: list[tuple[int, str]] = []
        self._digest = blake2b(digest_size=16)
        self._count = self._too_long = 0

    def add(self, part: int, entries: Iterable[Entry]) -> None:
        """Index entries of a part, from 1."""
        for entry in entries:
            self._count += 1
            for piece in pieces(entry.text):
                block = self._open.setdefault(entry.fields, _Block())
                block.places.append((self._count, part, entry.anchor))
                block.texts.append(piece)
                block.size += len(piece)
                if block.size >= BLOCK:
                    self._close(entry.fields)
            if len(self._open) > _OPEN:
                self._close(next(iter(self._open)))
            if self._in_chunk >= CHUNK:
                if len(entry.text) > BLOCK and entry.fields in self._open:
                    self._close(entry.fields)
                self._end_chunk()

    def finish(self, facts: Facts) -> Indexed:
        """Write what is left."""
        # in one order for all documents, so that what repeats is packed well
        for fields in sorted(self._open):
            self._close(fields)
        self._end_unit()
        self._end_chunk()
        self.close()
        listed = Listed(facts, tuple(self._chunks), tuple(self._names), tuple(self._fields), tuple(self._places))
        return Indexed(listed, self._name, tuple(self._units), self._digest.hexdigest(), self._too_long)

    def close(self) -> None:
        """Close the file of the units, whether they are complete or not."""
        self._stream.close()

    def _close(self, fields: Fields) -> None:
        block = self._open.pop(fields)
        bit, held = 1 << self._in_unit, self._runs.get
        for run in runs("\n".join(block.texts)):
            self._runs[run] = held(run, 0) | bit
        self._in_unit += 1
        self._chunk.append(block)
        self._fields.append(fields)
        self._in_chunk += block.size
        if self._in_unit == UNIT:
            self._end_unit()
        if self._in_chunk >= LARGEST:
            self._end_chunk()

    def _end_unit(self) -> None:
        if self._in_unit:
            self._too_long += too_long(self._runs)
            data = unit_bytes(self._runs, self._in_unit)
            self._units.append(Unit(self._stream.tell(), len(data), self._in_unit, len(self._runs)))
            self._stream.write(data)
            self._runs, self._in_unit = {}, 0

    def _end_chunk(self) -> None:
        if not self._chunk:
            return
        data = _chunk_bytes(self._chunk)
        name = blake2b(data, digest_size=8).hexdigest()
        self._digest.update(name.encode())
        self._chunks.append(len(self._chunk))
        if self._write is None:
            self._places += [block.places[0][1:] for block in self._chunk]
        else:
            self._names.append(name)
            self._write(f"{FOLDER}/{chunk_path(name)}.js", script(chunk_path(name), data, _LEVEL))
        self._chunk, self._in_chunk = [], 0


def chunk_path(name: str) -> str:
    """Where a chunk of the text store is, from the folder of the search."""
    return f"t/{name[:2]}/{name}"


def _chunk_bytes(blocks: Iterable[_Block]) -> bytes:
    """The entries of each block as JSON, one after the other, then all texts in the same order, with U+001E before each."""
    entries = [list(chain.from_iterable(block.places)) for block in blocks]
    places = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    texts = [text.replace(BETWEEN, _STAND_IN) for block in blocks for text in block.texts]
    return BETWEEN.join((places, *texts)).encode("utf-8", "replace")


def pieces(text: str) -> Iterator[str]:
    """A text in pieces of at most `BLOCK` characters, each of which begins with the end of the one before."""
    start = 0
    while len(text) - start > BLOCK:
        end = _edge(text, start + BLOCK)
        yield text[start:end]
        start = _edge(text, end - OVERLAP)
    if start < len(text):
        yield text[start:]


def _edge(text: str, near: int) -> int:
    """The last place before `near` between two words: after a blank, else after any other sign; `near` itself in a longer word."""
    found = max(text.rfind(" ", near - _EDGE, near), text.rfind("\n", near - _EDGE, near))
    if found >= 0:
        return found + 1
    signs = (place for place in range(near, near - _EDGE, -1) if not _is_wordy(text[place - 1]))
    return next(signs, near)


def _is_wordy(char: str) -> bool:
    return char.isalnum() or char == "_"
