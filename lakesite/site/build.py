"""A build, from the paths that were given to the site in its place."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lakesite.errors import LeakError, NothingToReadError, OutputError, UsageError
from lakesite.masking import Caught, Masker, MaskOptions
from lakesite.model import Audit, Key, Masked, Problem
from lakesite.options import Options
from lakesite.render.listing import rows_script
from lakesite.resolve.outcome import status
from lakesite.resolve.tree import forest
from lakesite.site.across import elsewhere, known_from, looks, read_again, readable, unlooked, with_problems
from lakesite.site.again import Made, Remembered, Standing, caught_again, files_of, kept, memory_body, standing
from lakesite.site.beside import Companions, companions
from lakesite.site.figures import figures
from lakesite.site.kin import Family
from lakesite.site.maskingjson import masking_json, masking_settings
from lakesite.site.output import MANIFEST, Output, no_output, read_manifest
from lakesite.site.parts import Parts, all_parts, own_parts
from lakesite.site.run_task import RunBrief, RunJob, brief_run, catch_run, write_run
from lakesite.site.searching import Searching, write_search
from lakesite.site.sections import Stood
from lakesite.site.session_task import catch_session, write_session
from lakesite.site.settings import mask_options
from lakesite.site.sitejson import site_json
from lakesite.site.standing import INDEX, Before, Figures, memory_of, read_memory, setting_of, site_stamp
from lakesite.site.verify import Leak, verify
from lakesite.site.workers import Pool, run_all, workers
from lakesite.site.writing import Setting, Written, pages
from lakesite.sources.again import Scanned, scan_again
from lakesite.sources.companions import GivenAway, read_labels
from lakesite.sources.discover import Found, discover
from lakesite.sources.documents import Document, gather
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import ChangedError, Survey
from lakesite.sources.walk import root_of, stamp
from lakesite.view import address
from lakesite.view.index import index_lists
from lakesite.view.masking import MaskingSettings, masking_page
from lakesite.view.problems import problems_pages
from lakesite.view.run_page import Relative
from lakesite.view.summary import Summary
from lakesite.view.words import plural, took

_LISTED_LEAKS = 50
_NAMED = 3
_ALONE = {"labels": "labels", "audit": "an audit trail", "state": "the state file of a run"}
"""What is read beside runs and conversations, and makes no page by itself."""

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""


class Asked(NamedTuple):
    """A document, and what stands beside it."""

    document: Document
    state: SourceFile | None
    audit: Audit | None

    @property
    def key(self) -> Key:
        """Of the document."""
        return self.document.identity.key


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did."""

    summaries: tuple[Summary, ...]
    homeless: tuple[Problem, ...]
    """Problems that belong to no document."""
    skipped: tuple[tuple[Masked, str], ...]
    """(file, reason)."""
    figures: Figures
    """What is told of it at its end."""
    note: str | None = None
    """Why nothing of the old site could stay, where that is odd."""
    rebuilt: tuple[tuple[str, str], ...] = ()
    """(address, reason) of each document that was written anew."""
    gone: tuple[str, ...] = ()
    """The addresses of pages that were taken away."""


def build(options: Options, progress: Progress) -> Built:
    """Build a site.

    NothingToReadError where nothing readable was given, UsageError where a path or the output folder cannot be used; the
    old site is untouched then.
    """
    _keep_apart(options.paths, options.out)
    made_with = setting_of(options)  # before what it tells of is read: what changes meanwhile is noticed by the next build
    masking = mask_options(options.mask)
    given = stamp(options.paths, options.out)
    found = discover(options.paths, Masker(masking), leave_out=options.out)
    if not any(file.kind in ("runs", "events") for file in found.files):
        raise NothingToReadError(_nothing(found))
    pages(search=options.search != "off", templates=options.templates)  # so that a template that cannot be used is told at once
    output = Output(options.out, public=options.public)
    try:
        with no_output(options.out):
            return _fill(output, found, options, masking, Before(made_with, given), progress)
    except BaseException:
        output.discard()
        raise


def _fill(output: Output, found: Found, options: Options, masking: MaskOptions, before: Before, progress: Progress) -> Built:
    """Write the site and put it in its place."""
    with _searching(options, output) as searching, workers(options.jobs) as pool:
        setting = Setting(output.staging, masking, search=searching, templates=options.templates)
        old = _standing(output, options, before)
        given_away: GivenAway = defaultdict(dict)
        read, documents, homeless = _gather(found, setting, pool, progress, old, given_away)
        beside = companions(found, documents, setting.masker(), given_away)
        documents = [replace(each, given_away=tuple(given_away[each.identity.key].items()), known=old.known_of(each)) for each in documents]
        made = _write_documents(beside, documents, setting, pool, progress, old, across=options.mask_across)
        made, more = _look_across(made, setting, pool, progress, old)
        if searching:
            progress("indexing", 0, 1)
            made = _search(made, setting, pool, old)
    summaries = tuple(with_problems(each.written.summary, each.elsewhere) for each in made)
    skipped = tuple((item.name, item.reason) for item in found.skipped)
    rebuilt = tuple(sorted((each.written.summary.href, old.reasons[each.key]) for each in made if each.key in old.reasons))
    homeless = [*sorted((*homeless, *beside.problems), key=lambda item: (item.where, item.line or 0, item.kind)), *more]
    told = figures(summaries, homeless, len(skipped), options.out / INDEX)
    pages_now = {page for summary in summaries for page in summary.parts}
    gone = tuple(name for name in output.old_below(address.RUNS, address.SESSIONS) if name.endswith(".html") and name not in pages_now)
    built = Built(summaries, tuple(homeless), skipped, told, old.note, rebuilt, gone)
    _write_lists(output, built, options, masking_settings(options.mask, masking, across=options.mask_across))
    if options.verify:
        _refuse_leaks(_leaks(output.staging, masking, options.jobs, progress))
    body = None if more or options.no_memory else memory_body(read, made, old, masking)
    output.publish(partial(memory_of, options, before, told, body) if body else None)
    return built


def _standing(output: Output, options: Options, before: Before) -> Standing:
    """The old site; where its files are as they were written, none of them is read to tell that."""
    remembered = read_memory(output.folder) if output.had_site and not options.full else None
    if remembered:
        with suppress(OSError):  # a file went meanwhile
            output.untouched = site_stamp(output.folder) == remembered[0].site
    return standing(output, options, before.setting, remembered)


def _keep_apart(paths: Sequence[Path], out: Path) -> None:
    """Refuse an output folder in which the input stands: whoever gets the site would get that, too."""
    try:
        folder = out.resolve()
    except RuntimeError:
        raise OutputError(f"{out}: a symbolic link that leads to itself; give the folder itself") from None
    for path in paths:
        if (root := root_of(path)).is_relative_to(folder):
            raise OutputError(f"{out}: {'is' if root == folder else 'holds'} the input {path}; give another folder with -o")


def verify_site(site: Path, masking: MaskOptions, jobs: int, progress: Progress) -> tuple[Leak, ...]:
    """Look through a site that stands. UsageError where the folder holds none."""
    if site.is_dir() and read_manifest(site) is None:
        raise UsageError(f"{site}: not a site of lakesite: no {MANIFEST} of one in it; give the folder that a build was told with -o")
    return _leaks(site, masking, jobs, progress)


def _leaks(site: Path, masking: MaskOptions, jobs: int, progress: Progress) -> tuple[Leak, ...]:
    with workers(jobs) as pool:
        return verify(
            site, masking, each=lambda look, files: run_all(pool, look, files, lambda done: progress("verifying", done, len(files)))
        )


@contextmanager
def _searching(options: Options, output: Output) -> Iterator[Searching | None]:
    """How the site is made searchable, as long as there is a folder for it."""
    if options.search == "off":
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="search-", dir=output.staging) as work:
        yield Searching(Path(work), snippets=options.search == "full")


def _nothing(found: Found) -> str:
    """Why there is nothing to read: what was looked at, and why each of the first is nothing by itself."""
    looked = [(item.name, item.reason) for item in found.skipped]
    looked += [(file.name, f"only {_ALONE[file.kind]}") for file in found.files if file.kind in _ALONE]
    named = "; ".join(f"{name}: {why}" for name, why in looked[:_NAMED])
    more = f"; and {len(looked) - _NAMED} more" if len(looked) > _NAMED else ""
    return f"nothing to read: no run file and no partition in what was given ({named + more or 'there is no file'})"


def _gather(
    found: Found, setting: Setting, pool: Pool | None, progress: Progress, old: Standing, given_away: GivenAway
) -> tuple[list[tuple[SourceFile, Scanned]], list[Document], list[Problem]]:
    """The first pass: what was read, documents, and the problems that belong to none."""
    files = [(file, old.known(file)) for file in (*found.of("runs"), *found.of("events"))]
    scans = run_all(pool, partial(_scan, setting=setting), files, lambda done: progress("reading", done, len(files)))
    unusable: list[Problem] = []
    labels = read_labels(found.of("labels"), Masker(setting.masking), unusable.append, given_away)
    documents, homeless = gather([scanned.scan for scanned in scans], labels)
    read = [(file, scanned) for (file, _), scanned in zip(files, scans, strict=True)]
    return read, documents, [*homeless, *unusable]


def _scan(file: tuple[SourceFile, Scanned | None], setting: Setting) -> Scanned:
    return scan_again(file[0], Masker(setting.masking), file[1])


def _write_documents(
    beside: Companions,
    documents: Sequence[Document],
    setting: Setting,
    pool: Pool | None,
    progress: Progress,
    old: Standing,
    *,
    across: bool,
) -> list[Made]:
    """Write the pages of every document that cannot stay: runs once the forest is known, largest first so that no worker ends late."""
    own: dict[Key, Caught] = {}
    asked = [Asked(each, beside.states.get(each.identity.key), beside.audits.get(each.identity.key)) for each in documents]
    if across and not old.documents:
        read = [(document, state) for document, state, _ in asked]
        caught = run_all(pool, partial(_catch, setting=setting), read, lambda done: progress("searching", done, len(read)))
        setting = replace(setting, known=known_from(caught))
        own = {document.identity.key: found for document, found in zip(documents, caught, strict=True)}
    parts = {each.key: own_parts(*each) for each in asked}
    runs = [each for each in asked if each.document.identity.kind == "run"]
    briefs, surveys = _briefs(runs, parts, setting, pool, progress, old)
    sessions = (document for document in documents if document.identity.kind == "session")
    jobs: list[RunJob | Document] = [*_jobs(runs, briefs, surveys), *sessions]
    parts = {_key(job): all_parts(parts[_key(job)], job) for job in jobs}
    stay = {key: found for key in parts if (found := old.stays(key, parts[key]))}
    old.settle(stay, len(jobs))
    if across and old.documents and not old.all_stay:
        old.forget("--mask-across: what is caught in one document is masked in all, and something changed")
        return _write_documents(beside, documents, setting, pool, progress, old, across=True)
    written = _kept(asked, stay, setting, pool, old)
    fresh = sorted((job for job in jobs if _key(job) not in written), key=_weight, reverse=True)
    to_write = [(job, old.stood(_key(job))) for job in fresh]
    made = run_all(pool, partial(_write, setting=setting), to_write, lambda done: progress("writing", done, len(fresh)))
    old.output.keep(name for each in written.values() for name in files_of(each.summary))
    written |= {each.summary.key: replace(each, caught=(*own.get(each.summary.key, ()), *each.caught)) for each in made}
    known = dict(zip((run.key for run in runs), briefs, strict=True))
    return [Made(each.document, each.state, parts[each.key], known.get(each.key), written[each.key]) for each in asked]


def _kept(
    asked: Sequence[Asked], stay: dict[Key, Remembered], setting: Setting, pool: Pool | None, old: Standing
) -> dict[Key, Written]:
    """The documents that stay. What was caught in them is caught once more, where it is to be looked for in others."""
    if old.all_stay:
        return {key: kept(found) for key, found in stay.items()}
    look = [(caught_again(each.document, found.spots), each.state) for each in asked if (found := stay.get(each.key)) and found.caught]
    caught = run_all(pool, partial(_catch, setting=setting), look, lambda _done: None)
    again = {document.identity.key: found for (document, _), found in zip(look, caught, strict=True)}
    return {
        key: kept(found, again.get(key, ())) for key, found in stay.items() if old.is_caught(found, again.get(key, ()), setting.masking)
    }


def _search(made: Sequence[Made], setting: Setting, pool: Pool | None, old: Standing) -> list[Made]:
    """Make the site searchable; documents that stay are so already."""
    assert setting.search is not None  # noqa: S101 - or there is nothing to do
    stay = {each.written.summary.href: each.written.too_long for each in made if each.key not in old.reasons}
    run = partial(run_all, pool, done=lambda _done: None)
    renderer = pages(search=True, templates=setting.templates)
    found = write_search(setting.search, old.output.staging, renderer, run, old.library, stay)
    old.output.keep(found.kept)
    counts = {**stay, **found.too_long}
    return [replace(each, written=replace(each.written, too_long=counts[each.written.summary.href])) for each in made]


def _briefs(
    runs: Sequence[Asked], parts: dict[Key, Parts], setting: Setting, pool: Pool | None, progress: Progress, old: Standing
) -> tuple[list[RunBrief], dict[Key, Survey | None]]:
    """What must be known of every run before the page of any can be written, and the secrets of those that were read for it."""
    known = {run.key: found.brief for run in runs if (found := old.same(run.key, parts[run.key])) and found.brief}
    asked = [run for run in runs if run.key not in known]
    briefs = run_all(pool, partial(_brief, setting=setting), asked, lambda done: progress("resolving", done, len(asked)))
    known |= {brief.links.id.key: brief for brief, _ in briefs}
    return [known[run.key] for run in runs], {brief.links.id.key: survey for brief, survey in briefs}


def _key(job: RunJob | Document) -> Key:
    return (job.document if isinstance(job, RunJob) else job).identity.key


def _catch(read: tuple[Document, SourceFile | None], setting: Setting) -> Caught:
    document, state = read
    return catch_run(document, state, setting) if document.identity.kind == "run" else catch_session(document, setting)


def _look_across(
    made: Sequence[Made], setting: Setting, pool: Pool | None, progress: Progress, old: Standing
) -> tuple[list[Made], tuple[Problem, ...]]:
    """Look for what was caught in one document in all others."""
    if old.all_stay:
        return [replace(each, elsewhere=old.documents[each.key].elsewhere) for each in made], ()
    written = [each.written for each in made]
    before = old.looked(made)
    tasks = looks(written, before)
    looked = run_all(pool, partial(read_again, site=setting.staging), tasks, lambda done: progress("comparing", done, len(tasks)))
    found = readable(len(written), tasks, looked, before)
    problems = elsewhere(written, found, setting.masking)
    return [
        replace(each, readable=seen, elsewhere=told) for each, seen, told in zip(made, found, problems, strict=True)
    ], unlooked(written, setting.masking)


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


def _weight(job: RunJob | Document) -> tuple[int, Key]:
    document = job.document if isinstance(job, RunJob) else job
    return sum(end - first for extent in document.extents for _, first, end in extent.ranges), document.identity.key


def _jobs(asked: Sequence[Asked], briefs: Sequence[RunBrief], surveys: Mapping[Key, Survey | None]) -> Iterator[RunJob]:
    places = forest([brief.links for brief in briefs])
    hrefs = {brief.links.id.key: address.run_page(brief.title, brief.links.id.key) for brief in briefs}
    ends = {}
    for (document, _, audit), brief in zip(asked, briefs, strict=True):
        word = audit.status.lower() if audit and audit.status else None
        ends[document.identity.key] = status(brief, places[document.identity.key], brief.state, word)
    relatives = {
        brief.links.id.key: Relative(brief.title, hrefs[brief.links.id.key], ends[brief.links.id.key][0], took(brief.started, brief.ended))
        for brief in briefs
    }
    family = Family(places, relatives)
    for (document, state, audit), brief in zip(asked, briefs, strict=True):
        key = document.identity.key
        kin = family.kin(brief.links.id)
        yield RunJob(document, state, audit, brief.title, hrefs[key], places[key], kin, *ends[key], surveys.get(key))


def _refuse_leaks(leaks: tuple[Leak, ...]) -> None:
    if leaks:
        message = f"{plural(len(leaks), 'place')} where something is readable that should be masked; the old site stands"
        raise LeakError(message, tuple(map(str, leaks[:_LISTED_LEAKS])))


def _write_lists(output: Output, built: Built, options: Options, settings: MaskingSettings) -> None:
    """The index, the pages of problems and of masking, `site.json`, `masking.json` and the stylesheet."""
    renderer = pages(search=options.search != "off", templates=options.templates)
    summaries = sorted(built.summaries, key=lambda item: (item.kind, item.href))
    for each in index_lists(options.title, summaries, built.homeless):
        for name, page in each.pages:
            output.write(name, [renderer.index(page)])
        if each.rows_file:
            output.write(each.rows_file, rows_script(each.rows))
    for name, listed in problems_pages(summaries, built.homeless, built.skipped):
        output.write(name, [renderer.problems(listed)])
    output.write("masking.html", [renderer.masking(masking_page(summaries, settings))])
    output.write("masking.json", masking_json(summaries, settings))
    output.write("site.json", site_json(summaries, built.homeless, built.skipped))
    output.write(renderer.shell.style_name, [renderer.shell.style])
