"""The documents of a site: which of the old ones stay as they are, and the pages of all others.

Of each only what lists need is in memory until the end of a build. All else is set aside, and read when its turn comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from lakesite.masking import Caught
from lakesite.model import Audit, Key
from lakesite.resolve.outcome import status
from lakesite.resolve.tree import forest
from lakesite.site.across import known_from
from lakesite.site.again import Remembered, Standing, caught_again, files_of, kept
from lakesite.site.kin import Family
from lakesite.site.made import Made, MadeFrom
from lakesite.site.output import no_output
from lakesite.site.parts import Parts, all_parts, own_parts
from lakesite.site.run_task import RunBrief, RunJob, brief_run, catch_run, write_run
from lakesite.site.sections import Stood
from lakesite.site.session_task import catch_session, write_session
from lakesite.site.workers import Pool, Progress, each_done, run_all
from lakesite.site.writing import Setting, Written
from lakesite.sources.documents import Document
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import ChangedError, Survey
from lakesite.sources.shelf import Shelf
from lakesite.view import address
from lakesite.view.run_page import Relative
from lakesite.view.words import took


class Asked(NamedTuple):
    """A document, and what stands beside it."""

    document: Document
    state: SourceFile | None
    audit: Audit | None


class _Outline(NamedTuple):
    """What is in memory of every document from the beginning."""

    key: Key
    is_run: bool
    weight: int
    """Bytes of its records."""
    parts: Parts


class Documents(NamedTuple):
    """All documents of a site, in one order."""

    made: list[Made]
    origins: Sequence[MadeFrom]
    """What each was made from."""


class _Runs:
    """What is known of all runs before the page of any is written."""

    def __init__(self, asked: Sequence[Asked], briefs: Mapping[int, RunBrief]) -> None:
        """`briefs`: of every run, by its number."""
        self._asked = asked
        self._briefs = briefs
        self._places = forest([brief.links for brief in briefs.values()])
        self._hrefs = {brief.links.id.key: address.run_page(brief.title, brief.links.id.key) for brief in briefs.values()}
        self._ends = {}
        for number, brief in briefs.items():
            audit, key = asked[number].audit, brief.links.id.key
            word = audit.status.lower() if audit and audit.status else None
            self._ends[key] = status(brief, self._places[key], brief.state, word)
        relatives = {
            key: Relative(brief.title, self._hrefs[key], self._ends[key][0], took(brief.started, brief.ended))
            for brief in briefs.values()
            for key in (brief.links.id.key,)
        }
        self._family = Family(self._places, relatives)

    def job(self, number: int, found: Survey | None = None) -> RunJob:
        """What is needed to write a run. `found`: what its secrets are, where that is known already."""
        document, state, audit = self._asked[number]
        brief, key = self._briefs[number], document.identity.key
        kin = self._family.kin(brief.links.id)
        return RunJob(document, state, audit, brief.title, self._hrefs[key], self._places[key], kin, *self._ends[key], found)


def write_documents(
    asked: Sequence[Asked], setting: Setting, pool: Pool | None, progress: Progress, old: Standing, shelf: Shelf, *, across: bool
) -> Documents:
    """Write the pages of every document that cannot stay: runs once the forest is known. What they are made from goes to `shelf`."""
    outlines = [_outline(each) for each in asked]
    own: dict[int, Caught] = {}
    if across and not old.documents:
        own = _caught_first(asked, outlines, setting, pool, progress)
        setting = replace(setting, known=known_from(own.values()))
    briefs, surveys = _briefs(asked, outlines, setting, pool, progress, old)
    runs = _Runs(asked, briefs)

    def job(number: int) -> RunJob | Document:
        return runs.job(number, surveys.get(number)) if outlines[number].is_run else asked[number].document

    outlines = [each._replace(parts=all_parts(each.parts, job(number))) for number, each in enumerate(outlines)]
    stay = {number: found for number, each in enumerate(outlines) if (found := old.stays(each.key, each.parts))}
    old.settle(len(stay), len(asked))
    if across and old.documents and not old.all_stay:
        old.forget("--mask-across: what is caught in one document is masked in all, and something changed")
        return write_documents(asked, setting, pool, progress, old, shelf, across=True)
    made: dict[int, Made] = {}
    origins = shelf.slots(len(asked))

    def take(number: int, written: Written) -> None:
        document, state, _ = asked[number]
        parts = outlines[number].parts
        made[number] = Made(written.summary, (*own.get(number, ()), *written.caught), written.too_long)
        origins[number] = MadeFrom(
            document, state, parts, briefs.get(number), written.spots, written.checksums, written.sections, written.settled
        )

    for number, written in _kept(asked, stay, setting, pool, old):
        take(number, written)
    old.output.keep(name for each in made.values() for name in files_of(each.summary))
    fresh = [number for number in range(len(asked)) if number not in made]
    weights = [outlines[number].weight for number in fresh]

    def to_write(place: int) -> tuple[RunJob | Document, Stood]:
        return job(fresh[place]), old.stood(outlines[fresh[place]].key)

    for count, (place, written) in enumerate(each_done(pool, partial(_write, setting=setting), to_write, weights), 1):
        old.output.wrote(dict(zip(written.summary.parts, written.digests, strict=True)))
        take(fresh[place], written)
        progress("writing", count, len(fresh))
    return Documents([made[number] for number in range(len(asked))], origins)


def _outline(asked: Asked) -> _Outline:
    document = asked.document
    weight = sum(end - first for extent in document.extents for _, first, end in extent.ranges)
    return _Outline(document.identity.key, document.identity.kind == "run", weight, own_parts(*asked))


def _caught_first(
    asked: Sequence[Asked], outlines: Sequence[_Outline], setting: Setting, pool: Pool | None, progress: Progress
) -> dict[int, Caught]:
    """What is caught in each document, before a page of any is written."""
    task = each_done(pool, partial(_catch, setting=setting), lambda number: asked[number][:2], [each.weight for each in outlines])
    found = {}
    for number, caught in task:
        found[number] = caught
        progress("searching", len(found), len(asked))
    return {number: found[number] for number in range(len(asked))}


def _briefs(
    asked: Sequence[Asked], outlines: Sequence[_Outline], setting: Setting, pool: Pool | None, progress: Progress, old: Standing
) -> tuple[dict[int, RunBrief], dict[int, Survey | None]]:
    """What must be known of every run before the page of any can be written, and the secrets of those that were read for it."""
    runs = [number for number, each in enumerate(outlines) if each.is_run]
    known = {number: found.brief for number in runs if (found := old.same(outlines[number].key, outlines[number].parts)) and found.brief}
    fresh = [number for number in runs if number not in known]
    weights = [outlines[number].weight for number in fresh]
    surveys = {}
    for count, (place, (brief, survey)) in enumerate(
        each_done(pool, partial(_brief, setting=setting), lambda place: asked[fresh[place]], weights), 1
    ):
        known[fresh[place]], surveys[fresh[place]] = brief, survey
        progress("resolving", count, len(fresh))
    return {number: known[number] for number in runs}, surveys


def _kept(
    asked: Sequence[Asked], stay: dict[int, Remembered], setting: Setting, pool: Pool | None, old: Standing
) -> Iterator[tuple[int, Written]]:
    """The documents that stay. What was caught in them is caught once more, where it is to be looked for in others."""
    again: dict[int, Caught] = {}
    if not old.all_stay:
        dirty = [number for number, found in stay.items() if found.caught]
        look = [(caught_again(asked[number].document, stay[number].spots), asked[number].state) for number in dirty]
        again = dict(zip(dirty, run_all(pool, partial(_catch, setting=setting), look, lambda _done: None), strict=True))
    for number, found in stay.items():
        caught = again.get(number, ())
        if old.all_stay or old.is_caught(found, caught, setting.masking):
            yield number, kept(found, caught)


def _catch(read: tuple[Document, SourceFile | None], setting: Setting) -> Caught:
    document, state = read
    return catch_run(document, state, setting) if document.identity.kind == "run" else catch_session(document, setting)


def _brief(asked: Asked, setting: Setting) -> tuple[RunBrief, Survey | None]:
    try:
        return brief_run(*asked, setting)
    except ChangedError:
        return brief_run(*asked, setting, restless=True)


def _write(asked: tuple[RunJob | Document, Stood], setting: Setting) -> Written:
    with no_output(setting.staging.parent):
        try:
            return _written(*asked, setting)
        except ChangedError:
            return _written(*asked, setting, restless=True)


def _written(job: RunJob | Document, stood: Stood, setting: Setting, *, restless: bool = False) -> Written:
    if isinstance(job, RunJob):
        return write_run(job, setting, stood, restless=restless)
    return write_session(job, setting, stood, restless=restless)
