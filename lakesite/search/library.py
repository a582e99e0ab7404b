"""The segments of a site: which are live, what a build adds, when some are merged.

A segment is never changed. A build writes one for the documents that are new or changed; documents that changed or went
are struck out of older segments in `segments.js`, which is written last and says which segments are live:

    {"format":3,"texts":true,"segments":[{"id":…,"gone":[numbers of documents]},…]}

When there are more than eight, or when much of a segment is struck out, the smallest become part of the new one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Final, Protocol

from lakesite.search.codec import figures_script, script, unpacked
from lakesite.search.invert import Group, PlacedUnit, groups, invert
from lakesite.search.merge import merged_files, read_shard, shard_sections, shards
from lakesite.search.postings import Posting, posting_of_blocks
from lakesite.search.segment import FOLDER, Indexed, Listed, Write, chunk_path
from lakesite.search.tables import TOGETHER, Head, head_sections, read_head, shown_bytes

FORMAT: Final = 3
MOST: Final = 8
"""Live segments."""
_KEPT = 4
"""Segments that are left alone when there are too many."""
_FILES = 256
"""Files of one folder."""
_LIST = "segments"


class Runner(Protocol):
    """Calls a function with each item, here or on other processors; gives the results in order."""

    def __call__(self, task: Callable[[Group], None], items: Sequence[Group], /) -> Iterable[None]:
        """Give the results."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A segment that an earlier build wrote."""

    folder: Path
    """The folder of the search."""
    id: str
    head: Head
    gone: frozenset[int]
    """Documents that are struck out."""

    @property
    def blocks(self) -> int:
        """Blocks of documents that are not struck out."""
        return sum(document.blocks for document in self.live())

    def live(self) -> list[Listed]:
        """Its documents, but for those that are struck out."""
        return [document for number, document in enumerate(self.head.documents) if number not in self.gone]

    def files(self) -> Iterator[str]:
        """The names of its files, from the site's root."""
        yield f"{FOLDER}/{self.id}/head.js"
        for number in range(len(self.head.firsts)):
            yield f"{FOLDER}/{numbered(self.id, 'i', number)}.js"
        for number in range(0, len(self.head.documents), TOGETHER):
            yield f"{FOLDER}/{numbered(self.id, 'd', number // TOGETHER)}.js"

    def postings(self, first: int) -> Iterator[Posting]:
        """Its postings, where its first live block is block `first`."""
        places = list(self._places(first))
        for number in range(len(self.head.firsts)):
            for term, blocks in read_shard(_content(self.folder, numbered(self.id, "i", number))):
                left = [place for block in blocks if (place := places[block]) >= 0]
                if left:
                    yield posting_of_blocks(term, left)

    def _places(self, first: int) -> Iterator[int]:
        """The new number of each block; -1 for those that are struck out."""
        for number, document in enumerate(self.head.documents):
            if number in self.gone:
                yield from (-1 for _ in range(document.blocks))
            else:
                yield from range(first, first + document.blocks)
                first += document.blocks


@dataclass(frozen=True, slots=True)
class Library:
    """The search of a site as it stands."""

    texts: bool
    """It has a text store."""
    segments: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """What became of the search."""

    kept: frozenset[str]
    """Files of the earlier site that are still part of it, from the site's root."""
    first: tuple[str, ...]
    """Files that every query needs, from the site's root."""


def read_library(site: Path) -> Library | None:
    """The search of the site in a folder; None where there is none that this version can add to."""
    folder = site / FOLDER
    try:
        listed = json.loads(_content(folder, _LIST))
        if listed["format"] != FORMAT:
            return None
        segments = tuple(_stored(folder, each["id"], frozenset(each["gone"])) for each in listed["segments"])
        return Library(bool(listed["texts"]), segments)
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


def _stored(folder: Path, name: str, gone: frozenset[int]) -> Stored:
    data = _content(folder, f"{name}/head")
    count = json.loads(data.partition(b"\n")[0])["documents"]
    shown = (_content(folder, numbered(name, "d", number)) for number in range((count + TOGETHER - 1) // TOGETHER))
    return Stored(folder, name, read_head(data, shown), gone)


def _content(folder: Path, name: str) -> bytes:
    return unpacked((folder / f"{name}.js").read_text(encoding="ascii"))


def numbered(segment: str, kind: str, number: int) -> str:
    """The name of one of many files of a segment: few enough in a folder."""
    return f"{segment}/{kind}/{number // _FILES}/{number % _FILES}"


def publish(
    fresh: Sequence[Indexed], folder: Path, write: Write, *, texts: bool,
    old: Library | None = None, unchanged: Collection[str] = (), run: Runner = map,
) -> Published:  # fmt: skip
    """Write the search of a site.

    `fresh` are the documents that this build wrote, `unchanged` the addresses of those that stay as they are in the
    `old` search, `folder` is the one that the writers of `fresh` were given. The same documents give the same bytes, in
    any order.
    """
    kept = [stored for stored in _struck_out(old, frozenset(unchanged)) if stored.live()]
    part_of_new = _to_merge(kept, len(fresh) > 0)
    left = [stored for stored in kept if stored not in part_of_new]
    entries: list[dict[str, object]] = [{"id": stored.id, "gone": sorted(stored.gone)} for stored in left]
    if fresh or part_of_new:
        name = _write_segment(sorted(fresh, key=_order), part_of_new, folder, write, run)
        entries.append({"id": name, "gone": []})
    line = json.dumps({"format": FORMAT, "texts": texts, "segments": entries}, separators=(",", ":"))
    write(f"{FOLDER}/{_LIST}.js", script(_LIST, line.encode()))
    chunks = (f"{FOLDER}/{chunk_path(name)}.js" for stored in kept for document in stored.live() for name in document.names)
    first = (f"{FOLDER}/{_LIST}.js", *(f"{FOLDER}/{entry['id']}/head.js" for entry in entries))
    return Published(frozenset([*(name for stored in left for name in stored.files()), *chunks]), first)


def _struck_out(old: Library | None, unchanged: frozenset[str]) -> Iterator[Stored]:
    for stored in old.segments if old else ():
        documents = enumerate(stored.head.documents)
        changed = {number for number, document in documents if document.facts.href not in unchanged}
        yield Stored(stored.folder, stored.id, stored.head, stored.gone | changed)


def _to_merge(kept: Sequence[Stored], one_more: bool) -> list[Stored]:  # noqa: FBT001 - or one and the same number
    """The segments that become part of the new one."""
    worn = [stored for stored in kept if 2 * stored.blocks < sum(document.blocks for document in stored.head.documents)]
    if len(kept) - len(worn) + one_more <= MOST:
        return worn
    by_size = sorted(kept, key=lambda stored: (-stored.blocks, stored.id))
    return [stored for stored in kept if stored in worn or stored not in by_size[:_KEPT]]


def _order(document: Indexed) -> tuple[str, str, int, str]:
    """Documents of one project stand together: they share their words, which makes the index smaller."""
    facts = document.listed.facts
    return facts.kind, facts.projects[0] if facts.projects else facts.title, facts.started or 0, facts.href


def _write_segment(fresh: Sequence[Indexed], stored: Sequence[Stored], folder: Path, write: Write, run: Runner) -> str:
    """Write a segment of new documents and of older segments; gives its name."""
    listed = [*(document for each in stored for document in each.live()), *(document.listed for document in fresh)]
    name = _name(fresh, stored)
    starts = list(accumulate((each.blocks for each in stored), initial=0))
    inverted = groups(_placed(fresh, folder, starts[-1]), folder)
    named = sorted(_named(fresh, starts[-1]))
    list(run(invert, inverted))
    older = [each.postings(start) for each, start in zip(stored, starts, strict=False)]
    firsts: list[str] = []
    for number, shard in enumerate(shards(merged_files([group.target for group in inverted], [*older, named]))):
        path = numbered(name, "i", number)
        write(f"{FOLDER}/{path}.js", figures_script(path, shard_sections(shard)))
        firsts.append(shard[0][0])
    for number, data in enumerate(shown_bytes(listed)):
        path = numbered(name, "d", number)
        write(f"{FOLDER}/{path}.js", script(path, data))
    write(f"{FOLDER}/{name}/head.js", figures_script(f"{name}/head", head_sections(Head(tuple(listed), tuple(firsts)))))
    return name


def _name(fresh: Iterable[Indexed], stored: Iterable[Stored]) -> str:
    """A name that tells what is in a segment."""
    digest = blake2b(digest_size=6)
    for document in fresh:
        digest.update(f"{document.digest} {document.listed.facts!r}\n".encode("utf-8", "replace"))
    for each in stored:
        digest.update(f"{each.id} {sorted(each.gone)}\n".encode())
    return digest.hexdigest()


def _placed(documents: Iterable[Indexed], folder: Path, first: int) -> Iterator[PlacedUnit]:
    for document in documents:
        for unit in document.units:
            yield PlacedUnit(folder / document.name, unit, first)
            first += unit.blocks


def _named(documents: Iterable[Indexed], first: int) -> Iterator[Posting]:
    """A term for each document, by which search can be kept to it: a colon and the name of its page."""
    for document in documents:
        if document.listed.blocks:
            yield posting_of_blocks(f":{document.listed.facts.href.rsplit('/', 1)[-1].removesuffix('.html')}", [first])
        first += document.listed.blocks
