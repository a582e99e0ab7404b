"""Reading a document: first all of its entries, later single events, each from where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Self

from lakesite.masking import Masker
from lakesite.model import LakeEntry, LakeEvent, Masked, Origin, Problem, RunEntry, RunEvent
from lakesite.sources import awf, lake
from lakesite.sources.documents import Document, Extent, is_event, key_of
from lakesite.sources.files import open_source
from lakesite.sources.lines import Record, decode_exact, read_lines

_OPEN = 32
"""Files of a document that are open at a time: a conversation may stand in thousands."""
_NAMES = ("run_id", "runtime", "session_id")
"""What says which document a record belongs to."""


class ChangedError(Exception):
    """A file was changed after the entries of a document were read: what is known of them may be true no longer."""


class Reader:
    """Opens the files of one document and reads its entries and events; close it after use.

    Indexes of sources in an `Origin` are those of `document.extents`.
    """

    def __init__(self, document: Document, masker: Masker, *, restless: bool = False) -> None:
        """`restless`: its files do not stop changing; an event that cannot be read again is empty, not a ChangedError."""
        self._document = document
        self._masker = masker
        self._restless = restless
        self.problems: list[Problem] = []
        """Files that were changed after they were scanned."""
        self._files: dict[int, BinaryIO] = {}
        """Open files, the one that was used last at the end."""
        self.machines: set[str] = set()
        """The machines that the conversation names, as recorded: for the masker alone, which hides them when asked to."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._files.values():
            stream.close()
        self._files.clear()

    @property
    def files(self) -> int:
        """In how many files the document stands."""
        return len(self._document.extents)

    def source(self, origin: Origin) -> Masked:
        """The name of the file that an entry stands in."""
        return self._document.extents[origin.source].file.name

    def run_entries(self) -> tuple[RunEntry, ...]:
        """The entries of a run, in reading order."""
        return tuple(awf.entry(record.value, record.raw, origin, self._masker) for origin, record in self._records())

    def lake_entries(self) -> tuple[LakeEntry, ...]:
        """The entries of a conversation, in reading order."""
        entries = []
        for origin, record in self._records():
            if isinstance(machine := record.value.get("machine"), str):
                self.machines.add(machine)
            entries.append(lake.entry(record.value, origin, self._masker))
        return tuple(entries)

    def run_event(self, origin: Origin, masker: Masker) -> RunEvent:
        """One event of a run in full."""
        return awf.event(self._value(origin), masker)

    def lake_event(self, origin: Origin, masker: Masker) -> LakeEvent:
        """One canonical event in full."""
        return lake.event(self._value(origin), masker)

    def _records(self) -> Iterator[tuple[Origin, Record]]:
        for source, extent in enumerate(self._document.extents):
            count = 0
            try:
                for record in self._records_of(source, extent):
                    count += 1
                    yield Origin(source, record.line, record.offset, len(record.raw)), record
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
        stream = self._files.pop(source, None) or open_source(self._document.extents[source].file.path)
        self._files[source] = stream
        if len(self._files) > _OPEN:
            self._files.pop(next(iter(self._files))).close()
        return stream

    def _value(self, origin: Origin) -> dict[str, object]:
        try:
            stream = self._open(origin.source)
            stream.seek(origin.offset)
            value = decode_exact(stream.read(origin.length))
        except (OSError, ValueError):
            value = {}
        if self._restless or is_event(value, self._document.extents[origin.source].file):
            return value
        raise ChangedError
