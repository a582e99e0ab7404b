"""What a build knows of a document that it has written, or that stays."""

from __future__ import annotations

from dataclasses import dataclass

from lakesite.masking import Caught
from lakesite.model import Key, Problem
from lakesite.site.inputs import Inputs
from lakesite.site.run_task import RunBrief
from lakesite.site.sections import Section
from lakesite.sources.reader import Spot
from lakesite.view.summary import Summary


@dataclass(slots=True)
class Made:
    """What a build knows of a document at its end, as far as the others and the lists need it."""

    summary: Summary
    caught: Caught
    """What was caught in it, to be looked for in the others."""
    too_long: int
    """How many words of its blocks are too long for the index of the search."""
    readable: frozenset[str] = frozenset()
    """Which of the values that were looked for can be read in it."""
    elsewhere: tuple[Problem, ...] = ()
    """The same as problems."""

    @property
    def key(self) -> Key:
        """Whose identity it is."""
        return self.summary.key


@dataclass(frozen=True, slots=True)
class Basis:
    """What the next build alone needs of a document, to tell whether it can stay, and what of it. All text in it is masked."""

    inputs: Inputs
    brief: RunBrief | None
    spots: tuple[Spot, ...]
    """The records in which something was caught."""
    checksums: tuple[int, ...]
    """Of the records of each of its extents."""
    sections: tuple[Section, ...]
    settled: bool
    """Its files did not change meanwhile."""
