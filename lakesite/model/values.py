"""The values that everything is made of: masked text, JSON, places in files, problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NamedTuple, NewType, TypeAlias

Masked = NewType("Masked", str)
"""A string that has passed the masking boundary. Only `lakesite.masking` makes one from recorded text."""

Key = NewType("Key", str)
"""A digest of something recorded (an id, an input): compared, never shown. It says nothing about the text that it came from."""

Instant: TypeAlias = int
"""Nanoseconds since 1970-01-01T00:00:00Z."""


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number (or NaN, Infinity, -Infinity) that keeps its spelling."""

    spelling: str


Json: TypeAlias = "bool | int | Number | Masked | list[Json] | dict[Masked, Json] | None"
"""A JSON value whose every string, keys included, is `Masked`. Whole numbers may be `int`, all others are `Number`."""


class Absent(Enum):
    """A field that was not there at all: something else than `null`."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
Recorded: TypeAlias = "Json | Absent"
"""What stands in a field that may be missing."""


class Origin(NamedTuple):
    """Where one record stands: enough to read it again."""

    source: int
    """Index of its file in the document's list of sources."""
    line: int
    """Line number, from 1."""
    offset: int
    """First byte of the record in the (unpacked) file."""
    length: int
    """Bytes of the record."""
    checksum: int = 0
    """CRC-32 of these bytes: a record that was changed meanwhile is noticed."""


@dataclass(frozen=True, slots=True)
class Id:
    """A recorded identity: compared by what was recorded, shown masked."""

    key: Key
    """Digest of the recorded spelling."""
    shown: Masked = field(compare=False)
    """What a reader sees."""


ProblemKind = Literal[
    "torn-tail",
    "malformed-line",
    "glued-records",
    "zero-bytes",
    "not-an-object",
    "not-an-event",
    "repaired-text",
    "odd-json",
    "too-deep",
    "unreadable",
    "repeated-line",
    "seq-conflict",
    "seq-holes",
    "unknown-type",
    "start-missing",
    "companion",
    "link",
    "no-time",
    "readable-elsewhere",
    "not-here",
]

NOTES: frozenset[ProblemKind] = frozenset(
    {
        "torn-tail", "repaired-text", "odd-json", "repeated-line", "seq-holes", "unknown-type", "start-missing", "link", "no-time",
        "not-here",
    },
)  # fmt: skip
"""Kinds that tell how something was read; all others say that something was lost or is in conflict."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the input that a reader of the site should know."""

    kind: ProblemKind
    """What sort of thing."""
    where: Masked
    """Source file, as shown."""
    line: int | None
    """Line number, from 1; None: the file as a whole."""
    what: str
    """One sentence in lakesite's words; holds nothing recorded."""
    about: Masked | None = None
    """The recorded word that it is about, where there is one."""
