"""Reading a document: first all of its entries, later single events, each from where it stands."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Self, TypeAlias, TypeVar
from zlib import crc32

import orjson

from lakesite.masking import Caught, Door, Masker
from lakesite.model import Keep, Key, LakeEntry, LakeEvent, Masked, Origin, Problem, RunEntry, RunEvent
from lakesite.sources import awf, lake
from lakesite.sources.documents import Document, Extent, is_event, key_of
from lakesite.sources.files import open_source
from lakesite.sources.lines import Record, decode_exact, exact, read_lines
from lakesite.sources.shared import Shared

_OPEN = 32
"""Files of a document that are open at a time: a conversation may stand in thousands."""
_Entry = TypeVar("_Entry", RunEntry, LakeEntry)
Spot: TypeAlias = tuple[int, int, int, int]
"""Where a record stands: index of the extent, line, first byte, end."""
_NAMES = ("run_id", "runtime", "session_id")
"""What says which document a record belongs to."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What one reading of a document found for another, as long as its records are the same."""

    caught: Caught
    """Every secret in it."""
    spots: tuple[Spot, ...]
    """The records in which one was found, in reading order."""
    checksums: tuple[int, ...]
    """Of its records in each of its extents."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How the records of a kind of document are read."""

    event: Callable[[dict[str, object], Door], object]
    """A record in full."""
    veiled: Callable[[dict[str, object], Masker], Key | None]
    """What tells it from others by what is shown of it."""
    has_chunks: Callable[[dict[str, object]], bool]
    """Whether it holds a text that was cut into chunks."""
    names: frozenset[str]
    """Names of fields that say nothing about what stands in them."""


_RUN = _Form(awf.event, awf.veiled, awf.has_chunks, frozenset())
_SESSION = _Form(lake.event, lake.veiled, lambda _: False, lake.FIELDS)


class ChangedError(Exception):
    """A file was changed after the entries of a document were read: what is known of them may be true no longer."""


class Reader:
    """Opens the files of one document and reads its entries and events; close it after use.

    Indexes of sources in an `Origin` are those of `document.extents`.
    """

    def __init__(
        self,
        document: Document,
        masker: Masker,
        *,
        keep: Keep = tuple,
        survey: bool = False,
        found: Survey | None = None,
        restless: bool = False,
    ) -> None:
        """`keep` holds the entries.

        `survey`: the first reading of all entries also looks for every secret, so that `masker` knows them afterwards.

        `found`: another reading did so, and `masker` knows what it found. Where the records are no longer the same, or those of
        which the document says what is known, the first reading ends in a ChangedError.
        `restless`: its files do not stop changing; an event that cannot be read again is empty, not a ChangedError.
        """
        self.masker = masker
        """Masks what entries hold."""
        self.problems: list[Problem] = []
        """Files that were changed after they were scanned."""
        self.machines: set[str] = set()
        """The machines that the conversation names, as recorded: for the masker alone, which hides them when asked to."""
        self._keep = keep
        self.document = document
        """What is read."""
        self._form = _RUN if document.identity.kind == "run" else _SESSION
        self._restless = restless
        self._survey, self._surveyed = survey, False
        """Whether the survey is still to be done; whether what it found is true of the files as they are."""
        self._known = document.known if survey and not restless else {}
        self._found = found
        self._checksums = [0] * len(document.extents)
        """Of the records of each extent that were looked through, and below of those that were known."""
        self._of_known = [0] * len(document.extents)
        self._spots = array("q", chain.from_iterable(found.spots if found else ()))
        """The events in which the survey found something, one after the other, see `Spot`."""
        self._dirty = {_place(source, offset) for source, _, offset, _ in found.spots} if found else set()
        """The same by place."""
        self._sought: object | None = None
        """What all other events were looked through for beside that; None: they were not."""
        self._holding: set[int] = set()
        """Those of them that hold some of it."""
        self._odd: set[int] = set()
        """The same of those that lose something when they are decoded fast."""
        self._files: dict[int, BinaryIO] = {}
        """Open files, the one that was used last at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._files.values():
            stream.close()
        self._files.clear()

    @property
    def files(self) -> int:
        """In how many files the document stands."""
        return len(self.document.extents)

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The records in which the survey found something, in reading order."""
        return tuple(zip(*[iter(self._spots)] * 4, strict=True))

    @property
    def survey(self) -> Survey | None:
        """What the survey found, for another reading; None where the document is not as it was scanned."""
        return Survey(tuple(self.masker.caught.items()), self.spots, self.checksums) if self._surveyed and self.settled else None

    @property
    def checksums(self) -> tuple[int, ...]:
        """Of the records of each extent."""
        return tuple(self._checksums)

    @property
    def settled(self) -> bool:
        """Whether its files are as they were scanned, as far as that was noticed."""
        return not self._restless and not self.problems

    def source(self, origin: Origin) -> Masked:
        """The name of the file that an entry stands in."""
        return self.document.extents[origin.source].file.name

    def run_entries(self, before: Sequence[RunEntry] = ()) -> Sequence[RunEntry]:
        """The entries of a run, in reading order. `before`: what a reading gave when the masker knew less."""
        share = Shared()

        def made(value: dict[str, object], raw: bytes, origin: Origin) -> RunEntry:
            return awf.entry(value, raw, origin, self.masker, share)

        return self._entries(before, made)

    def lake_entries(self, before: Sequence[LakeEntry] = ()) -> Sequence[LakeEntry]:
        """The entries of a conversation, in reading order. `before`: what a reading gave when the masker knew less."""
        share = Shared()

        def made(value: dict[str, object], _raw: bytes, origin: Origin) -> LakeEntry:
            if isinstance(machine := value.get("machine"), str):
                self.machines.add(machine)
            return lake.entry(value, origin, self.masker, share)

        return self._entries(before, made)

    def run_event(self, origin: Origin, masker: Masker) -> RunEvent:
        """One event of a run in full."""
        value = self._value(origin)
        return awf.event(value, self._door(value, origin, masker))

    def lake_event(self, origin: Origin, masker: Masker) -> LakeEvent:
        """One canonical event in full."""
        value = self._value(origin)
        return lake.event(value, self._door(value, origin, masker))

    def veiled(self, origin: Origin, masker: Masker) -> Key | None:
        """What tells a record from others by what is shown of it; None where nothing in it is masked.

        What was recorded must not tell it: anyone could try values on a digest of that.
        """
        if self._is_bare(origin, masker):
            return None
        value = self._value(origin)
        if self._door(value, origin, masker) is not masker:
            return None
        return self._form.veiled(value, masker)

    def _entries(self, before: Sequence[_Entry], made: Callable[[dict[str, object], bytes, Origin], _Entry]) -> Sequence[_Entry]:
        """All entries; `made` makes one of a record, its bytes and where it stands."""
        if before and self._can_mend:
            return self._keep(self._mended(before, made))
        return self._keep(made(record.value, record.raw, origin) for origin, record in self._looked_through())

    def _looked_through(self) -> Iterator[tuple[Origin, Record]]:
        """The records of the document; the first time each is looked through for secrets, where that was asked for."""
        first = not self._surveyed and (self._survey or self._found is not None)
        for origin, record in self._records():
            if first:
                value = self._exact(record, origin)
                self._checksums[origin.source] = _added(self._checksums[origin.source], origin)
                if self._survey:
                    self._look_for_all(value, origin)
                else:
                    self._look_for_known(value, origin)
            yield origin, record
        if first:
            changed = any(self._of_known[source] != beginning.checksum for source, beginning in self._known.items())
            if changed or (self._found and self._found.checksums != self.checksums):
                raise ChangedError
            self._survey, self._found, self._surveyed = False, None, not self._restless
            self._sought = self.masker.sought

    def _look_for_all(self, value: dict[str, object], origin: Origin) -> None:
        """Look through a record for all that has to be masked, and catch it."""
        if not self._is_clean_by_rules(value, origin):
            self._spots.extend((origin.source, origin.line, origin.offset, origin.offset + origin.length))
            self._dirty.add(_place(origin.source, origin.offset))
            _ = self._form.event(value, self.masker)

    def _is_clean_by_rules(self, value: dict[str, object], origin: Origin) -> bool:
        known = self._known.get(origin.source)
        if known and origin.offset < known.end:
            self._of_known[origin.source] = _added(self._of_known[origin.source], origin)
            if origin.offset not in known.dirty:
                return self.masker.vouch(value, self._form.names, rules=False)
        # chunks are one text, which nobody has seen as such
        return not self._form.has_chunks(value) and self.masker.vouch(value, self._form.names)

    def _look_for_known(self, value: dict[str, object], origin: Origin) -> bool:
        """Whether a record in which the rules find nothing holds something that the masker knows all the same; that is noted."""
        place = _place(origin.source, origin.offset)
        if place in self._dirty or not self.masker.knows or self.masker.vouch(value, self._form.names, rules=False):
            return False
        self._holding.add(place)
        return True

    @property
    def _can_mend(self) -> bool:
        """Whether entries of an earlier reading stay as they are where nothing in their records is known."""
        return self._surveyed and self.masker.sought is not None

    def _mended(self, before: Sequence[_Entry], made: Callable[[dict[str, object], bytes, Origin], _Entry]) -> Iterator[_Entry]:
        """Entries of an earlier reading; those whose records hold what was caught since are made again."""
        self._sought = None
        self._holding.clear()
        for entry in before:
            origin = entry.origin
            raw, value = self._read(origin)
            dirty = self._look_for_known(value, origin) or not self._is_clean(origin)
            yield made(value, raw, origin) if dirty else entry
        self._sought = self.masker.sought

    def _exact(self, record: Record, origin: Origin) -> dict[str, object]:
        value = exact(record.value, record.raw) if record.plain else decode_exact(record.raw)
        if value is not record.value:
            self._odd.add(_place(origin.source, origin.offset))
        return value

    def _is_clean(self, origin: Origin) -> bool:
        return self._surveyed and _place(origin.source, origin.offset) not in self._dirty

    def _is_bare(self, origin: Origin, masker: Masker) -> bool:
        """Whether it is known that a masker has nothing to mask in a record."""
        asked = self._sought is not None and masker.sought is self._sought
        return asked and self._is_clean(origin) and _place(origin.source, origin.offset) not in self._holding

    def _door(self, value: dict[str, object], origin: Origin, masker: Masker) -> Door:
        if self._is_bare(origin, masker):
            return masker.open
        return masker.door(value, self._form.names, clean=self._is_clean(origin))

    def _records(self) -> Iterator[tuple[Origin, Record]]:
        self.problems.clear()
        for source, extent in enumerate(self.document.extents):
            count = 0
            try:
                for record in self._records_of(source, extent):
                    count += 1
                    yield Origin(source, record.line, record.offset, len(record.raw), crc32(record.raw)), record
            except OSError as error:
                self._problem(extent, f"cannot be read again ({error.strerror or 'damaged'})")
            else:
                if self._restless or count != extent.count:
                    self._problem(extent, "changed while the site was built")

    def _records_of(self, source: int, extent: Extent) -> Iterator[Record]:
        """The records of a document that are still there."""
        stream = self._open(source)
        ours: dict[str, object] = {}
        for line, offset, end in extent.ranges:
            stream.seek(offset)
            for item in read_lines(stream, end=end, line=line, offset=offset):
                if isinstance(item, Record) and is_event(item.value, extent.file):
                    if any(item.value.get(name) != ours.get(name) for name in _NAMES):
                        if key_of(item.value, extent.file) not in (None, extent.key):
                            continue
                        ours = item.value
                    yield item

    def _problem(self, extent: Extent, what: str) -> None:
        words = f"{what}: a part of what stood in it may be missing; build again when nothing writes to it"
        self.problems.append(Problem("unreadable", extent.file.name, None, words))

    def _open(self, source: int) -> BinaryIO:
        stream = self._files.pop(source, None) or open_source(self.document.extents[source].file.path)
        self._files[source] = stream
        if len(self._files) > _OPEN:
            self._files.pop(next(iter(self._files))).close()
        return stream

    def _value(self, origin: Origin) -> dict[str, object]:
        return self._read(origin)[1]

    def _read(self, origin: Origin) -> tuple[bytes, dict[str, object]]:
        """The bytes of a record, and what they say; nothing where they cannot be read again and the files do not stop changing."""
        raw = b""
        try:
            stream = self._open(origin.source)
            stream.seek(origin.offset)
            raw = stream.read(origin.length)
            value = self._decoded(raw, origin) if self._restless or crc32(raw) == origin.checksum else {}
        except (OSError, ValueError):
            value = {}
        if self._restless or value:
            return raw, value
        raise ChangedError

    def _decoded(self, raw: bytes, origin: Origin) -> dict[str, object]:
        known = self._surveyed and _place(origin.source, origin.offset) not in self._odd
        return orjson.loads(raw) if known else decode_exact(raw)


def _added(checksum: int, origin: Origin) -> int:
    """The checksum of records with one more."""
    return crc32(origin.checksum.to_bytes(4), checksum)


def _place(source: int, offset: int) -> int:
    """Where a record stands, as one number: there may be one for each."""
    return source << 48 | offset
