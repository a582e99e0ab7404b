"""What a build was asked to write: what was found in every file, and every document with what stands beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lakesite.masking import Caught
from lakesite.model import Audit
from lakesite.sources.documents import Document
from lakesite.sources.files import SourceFile
from lakesite.sources.rescan import Scanned
from lakesite.sources.shelf import Shelf, Slots


class Scans:
    """What was found in each of some files, most of it out of memory where there are many."""

    def __init__(self, files: Sequence[SourceFile], shelf: Shelf) -> None:
        self._files = files
        self._slots = Slots[Scanned](shelf, len(files))

    def __setitem__(self, number: int, scanned: Scanned) -> None:
        self._slots[number] = scanned

    def __iter__(self) -> Iterator[tuple[SourceFile, Scanned]]:
        for number, file in enumerate(self._files):
            scanned = self._slots[number]
            for extent in scanned.scan.extents.values():
                extent.file = file  # one object for all that comes back
            yield file, scanned


class Asked(NamedTuple):
    """A document, and what stands beside it."""

    document: Document
    state: SourceFile | None
    audit: Audit | None


class AllAsked:
    """All documents by their numbers, most of them out of memory where there are many."""

    def __init__(self, shelf: Shelf, count: int) -> None:
        self._slots = Slots[Asked](shelf, count)
        self._given_away: dict[int, Caught] = {}
        """What was caught beside a document, which must never be written anywhere."""
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __setitem__(self, number: int, asked: Asked) -> None:
        document = asked.document
        if document.given_away:
            self._given_away[number] = document.given_away
            document = replace(document, given_away=())
        self._slots[number] = asked._replace(document=document)

    def __getitem__(self, number: int) -> Asked:
        asked = self._slots[number]
        if number not in self._given_away:
            return asked
        return asked._replace(document=replace(asked.document, given_away=self._given_away[number]))

    def __iter__(self) -> Iterator[Asked]:
        return map(self.__getitem__, range(self._count))
