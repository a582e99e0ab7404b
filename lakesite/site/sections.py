"""Sections of pages that need not be rendered again: an earlier build did so, from the very same rows.

What a section becomes hangs on its rows alone, and on how much of the document may still be coloured. A digest of these is
remembered with the place of the section in its page, from where it is taken while that page stands. A last section that is not
full is not remembered: it is what changes when a document grows, and most documents have no other.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import IO

from lakesite.render.code import Budget
from lakesite.site.lay import Group, Part
from lakesite.view.shapes import Row


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a document, as it stands in a page."""

    made_of: str
    """Digest of all that it was rendered from."""
    left: int
    """How many characters may be coloured behind it."""
    part: int
    """In which part it stands, from 1."""
    start: int
    """Its first byte in that page."""
    size: int
    """Its bytes."""


@dataclass(frozen=True, slots=True)
class Stood:
    """The pages of a document that an earlier build wrote, and that are as they were written."""

    pages: tuple[Path, ...] = ()
    """One for each part."""
    sections: tuple[Section, ...] = ()


class Rendering:
    """Renders the sections of a document, or takes them from where they stand."""

    def __init__(self, render: Callable[..., str], asides: Sequence[str], stood: Stood) -> None:
        """`render` takes rows, and the `budget` of their document; `asides` are the files that it has written beside the pages."""
        self._render, self._asides, self._stood = render, asides, stood
        self._budget = Budget()
        self._old = {section.made_of: section for section in stood.sections}
        self._made: list[tuple[str | None, int]] = []
        """Of each section: what it is made of, None where it is not remembered, and what may be coloured behind it."""

    def __call__(self, group: Group) -> str:
        """The HTML of the next section."""
        made_of = _digest(group.rows, self._budget) if group.full else None
        old = self._old.get(made_of) if made_of else None
        text = self._standing(old) if old else None
        if old and text is not None:
            self._budget.characters = old.left
        else:
            beside = len(self._asides)
            text = self._render(group.rows, budget=self._budget)
            if len(self._asides) > beside:  # which must be written anew
                made_of = None
        self._made.append((made_of, self._budget.characters))
        return text

    def _standing(self, section: Section) -> str | None:
        """The text of a section that stands; None where it cannot be read after all."""
        try:
            with self._stood.pages[section.part - 1].open("rb") as page:
                page.seek(section.start)
                return page.read(section.size).decode("utf-8")
        except (OSError, ValueError, IndexError):
            return None

    def placed(self, parts: Sequence[Part], stream: IO[bytes], pages: Sequence[Path]) -> Iterator[Section]:
        """Where each section stands in the pages that were written; left out is what is not there as it was rendered."""
        stream.seek(0)
        made = iter(self._made)
        for number, (part, path) in enumerate(zip(parts, pages, strict=True), 1):
            sections = list(zip(part.sections, made, strict=False))
            page, at = path.read_bytes() if any(made_of for _, (made_of, _) in sections) else b"", 0
            for size, (made_of, left) in sections:
                text = stream.read(size)
                if made_of and (start := page.find(text, at)) >= 0:
                    at = start + size
                    yield Section(made_of, left, number, start, size)


def _digest(rows: Sequence[Row], budget: Budget) -> str | None:
    """Digest of what a section is rendered from, of equal rows the same; None where it is too deep to be written down."""
    written = BytesIO()
    pickler = pickle.Pickler(written, 5)
    pickler.fast = True  # else what comes again as one object is written otherwise than what is only equal to it
    try:
        pickler.dump((tuple(rows), budget.characters))
    except RecursionError:
        return None
    return blake2b(written.getbuffer(), digest_size=16).hexdigest()
