"""Building again: which documents of the old site can stay as they are, and what this build remembers for the next.

A document stays where all that its pages are made from is what it was: the records in its ranges, its companions, what is
told of it and around it; and where its pages stand as they were written. All else is written anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakesite.masking import Caught, MaskOptions
from lakesite.model import Key, Problem
from lakesite.options import Options
from lakesite.search.library import Library, read_library
from lakesite.site.across import Looked, known_from
from lakesite.site.asked import AllAsked, Scans
from lakesite.site.inputs import Inputs, of_state
from lakesite.site.made import Basis, Made
from lakesite.site.output import MEMORY, Output
from lakesite.site.plain import from_plain, plain
from lakesite.site.run_task import RunBrief
from lakesite.site.sections import Section, Stood
from lakesite.site.unchanged import LastBuild, MadeWith
from lakesite.site.writing import Written
from lakesite.sources.documents import Beginning, Document, Extent, about
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import Spot
from lakesite.sources.rescan import Scanned, status_of, without_path
from lakesite.sources.shelf import Slots
from lakesite.view.summary import Summary

_WHY = {
    "records": "its records changed",
    "labels": "its labels changed",
    "state": "its state file changed",
    "audit": "what the audit trail says of it changed",
    "around": "its title, its status or the runs around it changed",
}
_NEW, _DAMAGED = "it is new", "a file of it is missing or was changed"


@dataclass(frozen=True, slots=True)
class Seen:
    """The records of a document in one file, when they were looked through."""

    about: str
    """Of the file; see `about`."""
    key: Key
    """Identity of the records."""
    end: int
    """Where the last one ended."""
    checksum: int
    """Of all of them."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A document that an earlier build wrote. No text of it that its pages do not show, and no secret."""

    inputs: Inputs
    brief: RunBrief | None
    summary: Summary
    caught: tuple[int, ...]
    """What was caught in it, in order of the values, by their numbers."""
    spots: tuple[Spot, ...]
    """The records in which it was caught."""
    seen: tuple[Seen, ...]
    """Of each of its extents."""
    sections: tuple[Section, ...]
    """What its pages hold."""
    readable: tuple[int, ...]
    """Which of all that was caught anywhere can be read in it, by their numbers."""
    elsewhere: tuple[Problem, ...]
    """The same as problems."""
    too_long: int


@dataclass(frozen=True, slots=True)
class Memory:
    """All that a build remembers of the one before."""

    files: tuple[Scanned, ...]
    documents: tuple[Remembered, ...]
    values: tuple[str, ...]
    """The marker of each value that was looked for in all documents."""


@dataclass(slots=True)
class Standing:
    """The old site, as far as it can stay."""

    output: Output
    setting: MadeWith
    note: str | None = None
    """Why nothing of a site that stands can stay, where that is odd."""
    why_all: str = _NEW
    """Why everything is written."""
    library: Library | None = None
    values: tuple[str, ...] = ()
    files: dict[str, Scanned] = field(default_factory=dict)
    documents: dict[Key, Remembered] = field(default_factory=dict)
    reasons: dict[Key, str] = field(default_factory=dict)
    """Why a document is written."""
    all_stay: bool = False
    """All documents stay, and none is gone."""
    catch_again: bool = False
    """What was caught in documents that stay is looked for elsewhere, even if all stay."""

    def known(self, file: SourceFile) -> Scanned | None:
        """What an earlier scan found that is about the same file."""
        return self.files.get(about(file))

    def forget(self, why: str) -> None:
        """Let nothing of the old site stay."""
        self.documents.clear()
        self.reasons.clear()
        self.library = None
        self.why_all = why

    def same(self, key: Key, inputs: Inputs) -> Remembered | None:
        """What is remembered of a document, where what it is made from is what it was."""
        found = self.documents.get(key)
        if found is None:
            self.reasons.setdefault(key, self.why_all)
            return None
        pairs = zip(inputs._fields, inputs, found.inputs, strict=True)
        changed = next((name for name, now, then in pairs if now is not None and now != then), None)
        if changed:
            self.reasons.setdefault(key, _WHY[changed])
        return None if changed else found

    def stays(self, key: Key, inputs: Inputs) -> Remembered | None:
        """What is remembered of a document that stays as it is."""
        found = self.same(key, inputs)
        if found and not all(map(self.output.stands, files_of(found.summary))):
            self.reasons.setdefault(key, _DAMAGED)
            return None
        return found

    def known_of(self, document: Document) -> dict[int, Beginning]:
        """What was found in the records of a document that are what they were when it was written, by its extents."""
        found = self.documents.get(document.identity.key)
        seen = {(each.about, each.key): (number, each) for number, each in enumerate(found.seen)} if found else {}
        known = {}
        for source, extent in enumerate(document.extents):
            number, then = seen.get((about(extent.file), extent.key), (0, None))
            if found and then and 0 < then.end == extent.known:
                dirty = frozenset(first for place, _, first, _ in found.spots if place == number)
                known[source] = Beginning(then.end, then.checksum, dirty)
        return known

    def stood(self, key: Key) -> Stood:
        """What a document that is written anew can take over."""
        found = self.documents.get(key)
        if found is None or not all(map(self.output.stands, found.summary.parts)):
            return Stood()
        return Stood(tuple(self.output.folder / name for name in found.summary.parts), found.sections)

    def settle(self, staying: int, count: int) -> None:
        """Note whether all of `count` documents stay, and no other was there."""
        self.all_stay = staying == count == len(self.documents)

    def is_caught(self, found: Remembered, caught: Caught, masking: MaskOptions) -> bool:
        """Whether the same was caught in a document as when it was written."""
        same = [self.values[number] for number in found.caught] == [masking.marker(*each) for each in sorted(caught)]
        if not same:
            self.reasons.setdefault(found.summary.key, "what is masked in it is to be looked for anew")
        return same

    def looked(self, built: Sequence[Made]) -> Looked:
        """What was looked for in documents that stay; `built` are all documents of this build."""
        stay = {number: self.documents[each.key] for number, each in enumerate(built) if each.key not in self.reasons}
        values = {
            place: value
            for number, found in stay.items()
            for place, value in zip(found.caught, sorted(dict(built[number].caught)), strict=True)
        }
        found = {number: frozenset(values[place] for place in each.readable if place in values) for number, each in stay.items()}
        return Looked(frozenset(values.values()), found)


def standing(output: Output, options: Options, setting: MadeWith, remembered: tuple[LastBuild, str] | None) -> Standing:
    """The site that stands in an output folder. `remembered`: what it remembers, see `read_memory`."""
    found = Standing(output, setting)
    if options.full:
        found.why_all = "--full was asked for"
    elif not output.had_site:
        pass
    elif remembered is None:
        if not options.no_memory:  # else it is what was asked for
            found.note = f"{MEMORY} of the old site is missing or damaged, or not of this site: everything is built anew"
        found.why_all = f"{MEMORY} cannot be used"
    else:
        _recall(found, *remembered, searched=options.search != "off")
    return found


def _recall(found: Standing, then: LastBuild, body: str, *, searched: bool) -> None:
    if then.setting != found.setting:
        found.why_all = "lakesite changed" if then.setting.program != found.setting.program else "the options changed"
        return
    try:
        memory = from_plain(Memory, json.loads(body))
    except (ValueError, RecursionError, IndexError):
        found.note = f"{MEMORY} of the old site cannot be used: everything is built anew"
        found.why_all = f"{MEMORY} cannot be used"
        return
    found.files = {scanned.about: scanned for scanned in memory.files if _is_sane(scanned)}
    if searched:
        found.library = _library(found.output)
        if found.library is None:
            found.why_all = "the search of the old site is missing or was changed"
            return
    listed = {document.facts.href for stored in found.library.segments for document in stored.live()} if found.library else None
    found.values = memory.values
    found.documents = {
        each.summary.key: each for each in memory.documents if _fits(each, memory) and (listed is None or each.summary.href in listed)
    }


def _fits(each: Remembered, memory: Memory) -> bool:
    return all(0 <= number < len(memory.values) for number in (*each.caught, *each.readable)) and all(
        min(place) >= 0 for place in (*each.spots, *((section.part, section.start, section.size) for section in each.sections))
    )


def _is_sane(scanned: Scanned) -> bool:
    """Whether all places in a file are such as can be."""
    return all(0 <= first <= end <= sys.maxsize for extent in scanned.scan.extents.values() for _, first, end in extent.ranges)


def _library(output: Output) -> Library | None:
    """The search of the old site, where every file of it is as it was written."""
    return read_library(output.folder) if all(map(output.stands, output.old_below("search"))) else None


def files_of(summary: Summary) -> tuple[str, ...]:
    """All files of a document."""
    return *summary.parts, *summary.asides


# --- documents that stay -----------------------------------------------------------------------------------------------------------


def kept(found: Remembered, caught: Caught = ()) -> Written:
    """A document that stays, as if it were just written."""
    checksums = tuple(seen.checksum for seen in found.seen)
    return Written(found.summary, caught, found.spots, checksums, found.sections, too_long=found.too_long)


def caught_again(document: Document, spots: Sequence[Spot]) -> Document:
    """A document that holds nothing but the records in which something was caught: enough to catch it once more."""
    extents = [Extent(extent.file, extent.key) for extent in document.extents]
    for source, line, first, end in spots:
        if source < len(extents):  # what another build wrote
            extents[source].ranges.append((line, first, end))
    return replace(document, extents=tuple(extents), known={})


# --- what is remembered ------------------------------------------------------------------------------------------------------------


def memory_body(
    scans: Scans,
    asked: AllAsked,
    built: Sequence[Made],
    bases: Slots[Basis],
    old: Standing,
    masking: MaskOptions,
) -> Iterator[str]:
    """What the next build is to know, as text, piece by piece. Left out is what hangs on a file that changed while the site was built."""
    sure = {file.path for file, scanned in scans if scanned.status and scanned.status == status_of(file)}
    telling: set[str] = set()
    told: list[int] = []
    for number, (document, state, _) in enumerate(asked):
        paths = [extent.file.path for extent in document.extents]
        if _tells(document, built[number].summary):
            telling.update(paths)
        basis = bases[number]
        if basis.settled and sure.issuperset(paths) and (not state or of_state(state) == basis.inputs.state):
            told.append(number)
    files = (without_path(scanned) for file, scanned in scans if file.path in sure - telling)
    if old.all_stay:
        return _pieces(files, (old.documents[built[number].key] for number in told), old.values)
    values = known_from(each.caught for each in built)
    numbers = {value: number for number, (value, _) in enumerate(values)}
    documents = (_remember(asked[number].document, built[number], bases[number], numbers) for number in told)
    return _pieces(files, documents, (masking.marker(*each) for each in values))


def _tells(document: Document, shown: Summary) -> bool:
    """Whether a scan names a document by something that was caught in it."""
    identity = document.identity
    names = (identity.id and identity.id.shown, identity.runtime, identity.part)
    files = tuple(extent.file.name for extent in document.extents)
    return names != (shown.id and shown.id.shown, shown.runtime, shown.part) or files != shown.sources


def _pieces(*parts: Iterable[object]) -> Iterator[str]:
    """The parts of a `Memory` as JSON: all of it at once would be the most that a build holds."""
    for number, part in enumerate(parts):
        yield ",[" if number else "[["
        for place, each in enumerate(part):
            yield f"{',' * (place > 0)}{json.dumps(plain(each), separators=(',', ':'))}"
        yield "]"
    yield "]"


def _remember(document: Document, made: Made, basis: Basis, numbers: Mapping[str, int]) -> Remembered:
    return Remembered(
        inputs=basis.inputs,
        brief=basis.brief,
        summary=made.summary,
        caught=tuple(numbers[value] for value in sorted(dict(made.caught))),
        spots=basis.spots,
        seen=tuple(
            Seen(about(extent.file), extent.key, extent.end, checksum)
            for extent, checksum in zip(document.extents, basis.checksums, strict=True)
        ),
        sections=basis.sections,
        readable=tuple(sorted(numbers[value] for value in made.readable if value in numbers)),
        elsewhere=made.elsewhere,
        too_long=made.too_long,
    )
