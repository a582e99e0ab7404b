"""What is known of a document's rows once they are rendered, part by part: where things are and how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lakesite.view import address
from lakesite.view.anchors import anchor_map, strays
from lakesite.view.badges import MEANINGS, legend
from lakesite.view.minimap import Mark, minimap
from lakesite.view.shapes import Badge, Chip, Minimap, PartLink
from lakesite.view.words import number


class LaidPart(NamedTuple):
    """One part of a document."""

    title: str
    """What begins in it."""
    lines: str
    """The anchors of its rows, a line each."""
    marks: tuple[tuple[int, Mark], ...] = ()
    """Its errors and prompts, each with its place among the anchors."""

    @property
    def anchors(self) -> list[str]:
        """Those of its rows, in order."""
        return self.lines.splitlines()


@dataclass(frozen=True, slots=True)
class Layout:
    """The rows of a document, laid out in parts."""

    href: str
    """The document's page, from the site's root."""
    parts: tuple[LaidPart, ...]
    badges: dict[str, int]
    """How often each badge stands in it."""
    where: dict[str, int]
    """The part, from 1, of each anchor; empty for a document of one part."""
    packed: bool = False
    """Some of its texts are packed."""

    def link(self, anchor: str, here: int) -> str:
        """The address of an anchor as seen from part `here`."""
        part = self.where.get(anchor, 1) if len(self.parts) > 1 else here
        return f"#{anchor}" if part == here else f"{address.beside(address.part(self.href, part))}#{anchor}"

    def part_links(self, here: int) -> tuple[PartLink, ...]:
        """All parts, for the map at the top of each; none for a single part."""
        if len(self.parts) == 1:
            return ()
        return tuple(
            PartLink(place, address.beside(address.part(self.href, place)), part.title, place == here)
            for place, part in enumerate(self.parts, 1)
        )

    def anchors(self, here: int) -> str:
        """The map of anchors: in the first part only, whose address is the document's."""
        return anchor_map(part.anchors for part in self.parts) if here == 1 and len(self.parts) > 1 else ""

    def minimap(self, here: int) -> Minimap | None:
        """The strip beside part `here`."""
        part = self.parts[here - 1]
        return minimap(part.anchors, part.marks)

    def strays(self, here: int) -> dict[str, int]:
        """What the map of anchors cannot tell, beside it."""
        return strays(part.anchors for part in self.parts) if here == 1 and len(self.parts) > 1 else {}

    def chips(self) -> list[Chip]:
        """A chip for each badge."""
        return [Chip(name, MEANINGS[name][0], number(count)) for name, count in self._counted()]

    def legend(self, more: Sequence[str] = ()) -> tuple[tuple[Badge, str], ...]:
        """What its badges mean."""
        return legend([*self.badges, *more])

    def _counted(self) -> list[tuple[str, int]]:
        return [(name, self.badges[name]) for name in MEANINGS if self.badges.get(name)]
