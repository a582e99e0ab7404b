"""The documents of a site: which of the old ones stay as they are, and the pages of all others.

In memory is, until the end of a build, what lists need of each, and what the runs must know of one another. All else is set aside
where there are many, and read when its turn comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from lakesite.masking import Caught
from lakesite.model import Key
from lakesite.resolve.outcome import status
from lakesite.resolve.tree import forest
from lakesite.site.across import known_from
from lakesite.site.asked import AllAsked, Asked
from lakesite.site.inputs import Inputs, own_inputs, with_around
from lakesite.site.kin import Family
from lakesite.site.made import Basis, Made
from lakesite.site.output import no_output
from lakesite.site.run_task import Around, RunBrief, RunJob, brief_run, catch_run, write_run
from lakesite.site.sections import Stood
from lakesite.site.session_task import catch_session, write_session
from lakesite.site.standing import Remembered, Standing, caught_again, files_of, kept
from lakesite.site.workers import Pool, Progress, each_done
from lakesite.site.writing import Setting, Written
from lakesite.sources.documents import Document
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import ChangedError, Survey
from lakesite.sources.shelf import Shelf, Slots
from lakesite.view import address
from lakesite.view.run_page import Relative
from lakesite.view.words import took


class _Outline(NamedTuple):
    """What is in memory of every document from the beginning."""

    key: Key
    is_run: bool
    weight: int
    """Bytes of its records."""
    inputs: Inputs


class _Runs:
    """What is known of all runs before the page of any is written."""

    def __init__(self, asked: AllAsked, briefs: Mapping[int, RunBrief]) -> None:
        """`briefs`: of every run, by its number."""
        self._briefs = briefs
        self._places = forest([brief.links for brief in briefs.values()])
        self._hrefs: dict[Key, str] = {}
        self._ends = {}
        relatives: dict[Key, Relative] = {}
        for number, brief in briefs.items():
            audit, key = asked[number].audit, brief.links.id.key
            word = audit.status.lower() if audit and audit.status else None
            self._hrefs[key] = address.run_page(brief.title, key)
            self._ends[key] = status(brief, self._places[key], brief.state, word)
            relatives[key] = Relative(brief.title, self._hrefs[key], self._ends[key][0], took(brief.started, brief.ended))
        self._family = Family(self._places, relatives)

    def around(self, number: int) -> Around:
        """What is known of a run."""
        brief = self._briefs[number]
        run = brief.links.id
        return Around(brief.title, self._hrefs[run.key], self._places[run.key], self._family.kin(run), *self._ends[run.key])


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is known before the first page is written."""

    setting: Setting
    outlines: list[_Outline]
    caught: Mapping[int, Caught]
    """What is to be masked in all documents, by that in which it was caught."""
    briefs: Mapping[int, RunBrief]
    surveys: dict[int, Survey | None]
    """The secrets of runs that were read for their briefs."""
    runs: _Runs
    stay: Mapping[int, Remembered]
    """The documents that stay, by their numbers."""


def write_documents(
    asked: AllAsked, setting: Setting, pool: Pool | None, progress: Progress, old: Standing, shelf: Shelf, *, across: bool
) -> tuple[list[Made], Slots[Basis]]:
    """Write the pages of every document that cannot stay: runs once the forest is known. What the next build needs goes to `shelf`.

    Gives both of each document, by its number in `asked`.
    """
    plan = _plan(asked, setting, pool, progress, old, across=across)
    if across and old.documents and not old.all_stay:
        old.forget("--mask-across: what is caught in one document is masked in all, and something changed")
        plan = _plan(asked, setting, pool, progress, old, across=True)
    made: dict[int, Made] = {}
    bases = Slots[Basis](shelf, len(asked))

    def take(number: int, written: Written) -> None:
        made[number] = Made(written.summary, (*plan.caught.get(number, ()), *written.caught), written.too_long)
        inputs, brief = plan.outlines[number].inputs, plan.briefs.get(number)
        bases[number] = Basis(inputs, brief, written.spots, written.checksums, written.sections, written.settled)

    for number, written in _kept(asked, plan, pool, old):
        take(number, written)
    old.output.keep(name for each in made.values() for name in files_of(each.summary))
    fresh = [number for number in range(len(asked)) if number not in made]
    for place, written in _written_anew(fresh, asked, plan, pool, old):
        old.output.wrote(written.digests)
        take(fresh[place], written)
        progress("writing", len(made), len(asked))
    return [made[number] for number in range(len(asked))], bases


def _plan(asked: AllAsked, setting: Setting, pool: Pool | None, progress: Progress, old: Standing, *, across: bool) -> _Plan:
    outlines = [_outline(each) for each in asked]
    caught: dict[int, Caught] = {}
    if across and not old.documents:
        caught = _caught_first(asked, outlines, setting, pool, progress)
        setting = replace(setting, known=known_from(caught.values()))
    briefs, surveys = _briefs(asked, outlines, setting, pool, progress, old)
    runs = _Runs(asked, briefs)
    for number in briefs:
        outlines[number] = outlines[number]._replace(inputs=with_around(outlines[number].inputs, runs.around(number)))
    stay = {number: found for number, each in enumerate(outlines) if (found := old.stays(each.key, each.inputs))}
    old.settle(len(stay), len(asked))
    return _Plan(setting, outlines, caught, briefs, surveys, runs, stay)


def _outline(asked: Asked) -> _Outline:
    document = asked.document
    weight = sum(end - first for extent in document.extents for _, first, end in extent.ranges)
    return _Outline(document.identity.key, document.identity.kind == "run", weight, own_inputs(*asked))


def _caught_first(asked: AllAsked, outlines: list[_Outline], setting: Setting, pool: Pool | None, progress: Progress) -> dict[int, Caught]:
    """What is caught in each document, before a page of any is written."""
    found = {}
    weights = [each.weight for each in outlines]
    for number, caught in each_done(pool, partial(_catch, setting=setting), lambda number: asked[number][:2], weights):
        found[number] = caught
        progress("catching", len(found), len(asked))
    return {number: found[number] for number in range(len(asked))}


def _briefs(
    asked: AllAsked, outlines: list[_Outline], setting: Setting, pool: Pool | None, progress: Progress, old: Standing
) -> tuple[dict[int, RunBrief], dict[int, Survey | None]]:
    """What must be known of every run before the page of any can be written, and the secrets of those that were read for it."""
    runs = [number for number, each in enumerate(outlines) if each.is_run]
    known = {number: found.brief for number in runs if (found := old.same(outlines[number].key, outlines[number].inputs)) and found.brief}
    fresh = [number for number in runs if number not in known]
    weights = [outlines[number].weight for number in fresh]
    surveys: dict[int, Survey | None] = {}
    for place, (brief, survey) in each_done(pool, partial(_brief, setting=setting), lambda place: asked[fresh[place]], weights):
        known[fresh[place]], surveys[fresh[place]] = brief, survey
        progress("resolving", len(surveys), len(fresh))
    return {number: known[number] for number in runs}, surveys


def _kept(asked: AllAsked, plan: _Plan, pool: Pool | None, old: Standing) -> Iterator[tuple[int, Written]]:
    """The documents that stay. What was caught in them is caught once more, where it is to be looked for in others."""
    if old.all_stay and not old.catch_again:
        yield from ((number, kept(found)) for number, found in plan.stay.items())
        return
    dirty = [number for number, found in plan.stay.items() if found.caught]

    def look(place: int) -> tuple[Document, SourceFile | None]:
        document, state, _ = asked[dirty[place]]
        return caught_again(document, plan.stay[dirty[place]].spots), state

    weights = [len(plan.stay[number].spots) for number in dirty]
    again = {dirty[place]: caught for place, caught in each_done(pool, partial(_catch, setting=plan.setting), look, weights)}
    for number, found in plan.stay.items():
        caught = again.get(number, ())
        if old.is_caught(found, caught, plan.setting.masking):
            yield number, kept(found, caught)


def _written_anew(fresh: list[int], asked: AllAsked, plan: _Plan, pool: Pool | None, old: Standing) -> Iterator[tuple[int, Written]]:
    """The documents that cannot stay, by their places in `fresh`."""

    def job(place: int) -> tuple[RunJob | Document, Stood]:
        number = fresh[place]
        stood = old.stood(plan.outlines[number].key)
        if number not in plan.briefs:
            return asked[number].document, stood
        return RunJob(*asked[number], plan.runs.around(number), plan.surveys.pop(number, None)), stood

    return each_done(pool, partial(_write, setting=plan.setting), job, [plan.outlines[number].weight for number in fresh])


def _catch(read: tuple[Document, SourceFile | None], setting: Setting) -> Caught:
    try:
        return _caught(*read, setting)
    except ChangedError:
        return _caught(*read, setting, restless=True)


def _caught(document: Document, state: SourceFile | None, setting: Setting, *, restless: bool = False) -> Caught:
    if document.identity.kind == "run":
        return catch_run(document, state, setting, restless=restless)
    return catch_session(document, setting, restless=restless)


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
