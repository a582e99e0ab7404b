"""What a build was asked to write: every document with what stands beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from lakesite.masking import Caught
from lakesite.model import Audit
from lakesite.sources.documents import Document
from lakesite.sources.files import SourceFile
from lakesite.sources.shelf import Shelf, Slots


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
