"""A build, from the paths that were given to the site in its place."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from lakesite.errors import LakesiteError, LeakError, NothingToReadError, TaskError, UsageError
from lakesite.masking import Masker, MaskOptions
from lakesite.model import Audit, Id, Key, Masked, Place, Problem
from lakesite.options import Options
from lakesite.render.listing import rows_script
from lakesite.resolve.outcome import status
from lakesite.resolve.tree import forest
from lakesite.site.across import known_from, looks, read_again, with_readable
from lakesite.site.beside import Companions, companions
from lakesite.site.maskingjson import masking_json, masking_settings
from lakesite.site.output import MANIFEST, Output, no_output, read_manifest
from lakesite.site.run_task import RunBrief, RunJob, brief_run, catch_run, write_run
from lakesite.site.searching import Searching, write_search
from lakesite.site.session_task import catch_session, write_session
from lakesite.site.settings import mask_options
from lakesite.site.sitejson import site_json
from lakesite.site.verify import Leak, verify
from lakesite.site.writing import Caught, Setting, Written, pages
from lakesite.sources.companions import read_labels
from lakesite.sources.discover import Found, discover
from lakesite.sources.documents import Document, Scan, gather, scan
from lakesite.sources.files import SourceFile
from lakesite.sources.reader import ChangedError
from lakesite.view import address
from lakesite.view.index import index_lists
from lakesite.view.masking import MaskingSettings, masking_page
from lakesite.view.problems import problems_pages
from lakesite.view.run_page import Kin, Relative
from lakesite.view.summary import Summary
from lakesite.view.words import plural, took

_In = TypeVar("_In")
_Out = TypeVar("_Out")
_WAITING = 32
"""Tasks that are handed out at a time: enough to keep every worker busy, few enough to keep memory flat."""
_LISTED_LEAKS = 50
_LISTED_BELOW = 300
"""Runs below a run that its page lists."""

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did."""

    summaries: tuple[Summary, ...]
    homeless: tuple[Problem, ...]
    """Problems that belong to no document."""
    skipped: tuple[tuple[Masked, str], ...]
    """(file, reason)."""
    index: str
    """Address of the index, from the site's root."""


def build(options: Options, progress: Progress) -> Built:
    """Build a site.

    NothingToReadError where nothing readable was given, UsageError where a path or the output folder cannot be used; the
    old site is untouched then.
    """
    masking = mask_options(options.mask)
    found = discover(options.paths, Masker(masking), leave_out=options.out)
    if not any(file.kind in ("runs", "events") for file in found.files):
        raise NothingToReadError(_nothing(found))
    pages(search=options.search != "off", templates=options.templates)  # so that a template that cannot be used is told at once
    output = Output(options.out, public=options.public)
    try:
        with no_output(options.out):
            return _fill(output, found, options, masking, progress)
    except BaseException:
        output.discard()
        raise


def _fill(output: Output, found: Found, options: Options, masking: MaskOptions, progress: Progress) -> Built:
    """Write the site and put it in its place."""
    with _searching(options, output) as searching, _workers(options.jobs) as pool:
        setting = Setting(output.staging, masking, search=searching, templates=options.templates)
        documents, homeless = _gather(found, setting, pool, progress)
        beside = companions(found, documents, setting.masker())
        written = _write_documents(beside, documents, setting, pool, progress, across=options.mask_across)
        summaries, readable = _look_across(written, setting, pool, progress)
        if searching:
            progress("indexing", 0, 1)
            made = pages(search=True, templates=options.templates)
            write_search(searching, output.staging, made, partial(_run_all, pool, done=lambda _done: None))
    skipped = tuple((item.name, item.reason) for item in found.skipped)
    homeless = sorted((*homeless, *beside.problems), key=lambda item: (item.where, item.line or 0, item.kind))
    built = Built(tuple(summaries), (*homeless, *readable), skipped, "index.html")
    _write_lists(output, built, options, masking_settings(options.mask, masking, across=options.mask_across))
    if options.verify:
        _refuse_leaks(_leaks(output.staging, masking, options.jobs, progress))
    output.publish()
    return built


def verify_site(site: Path, masking: MaskOptions, jobs: int, progress: Progress) -> tuple[Leak, ...]:
    """Look through a site that stands. UsageError where the folder holds none."""
    if site.is_dir() and read_manifest(site) is None:
        raise UsageError(f"{site}: not a site of lakesite: no {MANIFEST} of one in it; give the folder that a build was told with -o")
    return _leaks(site, masking, jobs, progress)


def _leaks(site: Path, masking: MaskOptions, jobs: int, progress: Progress) -> tuple[Leak, ...]:
    with _workers(jobs) as pool:
        return verify(
            site, masking, each=lambda look, files: _run_all(pool, look, files, lambda done: progress("verifying", done, len(files)))
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
    looked = f"{len(found.skipped)} other files were looked at" if found.skipped else "there is no file"
    return f"nothing to read: no run file and no partition in what was given ({looked})"


@contextmanager
def _workers(jobs: int) -> Iterator[Executor | None]:
    """A pool of processes, or none for a single job."""
    if jobs <= 1:
        yield None
        return
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    theirs, ours = context.Pipe(duplex=False)
    with ours, theirs, ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with, initargs=(ours, theirs)) as pool:
        try:
            yield pool
        except BaseException as error:
            if not isinstance(error, Exception):  # interrupted: nobody waits for the documents that are being written
                ours.close()
            pool.shutdown(cancel_futures=True)  # what runs still writes: it must have ended before its files are taken away
            if isinstance(error, BrokenProcessPool):
                raise UsageError("a worker process was killed, most often because memory ran out; build with fewer --jobs") from None
            raise


def _end_with(ours: Connection, theirs: Connection) -> None:
    """End this worker when its build is gone: killed, it can tell its workers nothing, but its end of the line closes."""
    ours.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts all processes; the build decides what becomes of its workers

    def watch() -> None:
        theirs.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run_all(pool: Executor | None, task: Callable[[_In], _Out], items: Sequence[_In], done: Callable[[int], None]) -> list[_Out]:
    """The results of a task for every item, in order of the items, with few of them waiting at a time."""
    if pool is None:
        results = []
        for number, item in enumerate(items, 1):
            results.append(task(item))
            done(number)
        return results
    found: dict[int, _Out] = {}
    waiting: dict[Future[_Out], int] = {}
    numbered = iter(enumerate(items))
    while len(found) < len(items):
        for number, item in islice(numbered, _WAITING - len(waiting)):
            waiting[pool.submit(_guarded, task, item)] = number
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            found[waiting.pop(future)] = future.result()
        done(len(found))
    return [found[number] for number in range(len(items))]


def _guarded(task: Callable[[_In], _Out], item: _In) -> _Out:
    """Do a task in a process of its own: of what goes wrong there, only kind and place are told."""
    try:
        return task(item)
    except LakesiteError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not cross over with its words
        raise TaskError(type(error).__name__, tuple(traceback.format_tb(error.__traceback__))) from None


def _gather(found: Found, setting: Setting, pool: Executor | None, progress: Progress) -> tuple[list[Document], list[Problem]]:
    """The first pass: documents, and the problems that belong to none."""
    files = (*found.of("runs"), *found.of("events"))
    scans = _run_all(pool, partial(_scan, setting=setting), files, lambda done: progress("reading", done, len(files)))
    unusable: list[Problem] = []
    labels = read_labels(found.of("labels"), Masker(setting.masking), unusable.append)
    documents, homeless = gather(scans, labels)
    return documents, [*homeless, *unusable]


def _scan(file: SourceFile, setting: Setting) -> Scan:
    return scan(file, Masker(setting.masking))


def _write_documents(
    beside: Companions,
    documents: Sequence[Document],
    setting: Setting,
    pool: Executor | None,
    progress: Progress,
    *,
    across: bool,
) -> list[Written]:
    """Write the pages of every document: runs once the forest is known, largest first so that no worker ends late."""
    own: dict[Key, Caught] = {}
    if across:
        read = [(document, beside.states.get(document.identity.key)) for document in documents]
        caught = _run_all(pool, partial(_catch, setting=setting), read, lambda done: progress("searching", done, len(read)))
        setting = replace(setting, known=known_from(caught))
        own = {document.identity.key: found for document, found in zip(documents, caught, strict=True)}
    runs = [document for document in documents if document.identity.kind == "run"]
    sessions = [document for document in documents if document.identity.kind == "session"]
    asked = [(run, beside.states.get(run.identity.key), beside.audits.get(run.identity.key)) for run in runs]
    briefs = _run_all(pool, partial(_brief, setting=setting), asked, lambda done: progress("resolving", done, len(asked)))
    jobs: list[RunJob | Document] = [*_jobs(asked, briefs), *sessions]
    jobs.sort(key=_weight, reverse=True)
    written = _run_all(pool, partial(_write, setting=setting), jobs, lambda done: progress("writing", done, len(jobs)))
    return [replace(each, caught=(*own.get(each.summary.key, ()), *each.caught)) for each in written]


def _catch(read: tuple[Document, SourceFile | None], setting: Setting) -> Caught:
    document, state = read
    return catch_run(document, state, setting) if document.identity.kind == "run" else catch_session(document, setting)


def _look_across(
    written: Sequence[Written], setting: Setting, pool: Executor | None, progress: Progress
) -> tuple[list[Summary], list[Problem]]:
    """Look for what was caught in one document in all others."""
    tasks = looks(written)
    looked = _run_all(pool, partial(read_again, site=setting.staging), tasks, lambda done: progress("comparing", done, len(tasks)))
    return with_readable(written, [found for each in looked for found in each], setting.masking)


def _brief(asked: tuple[Document, SourceFile | None, Audit | None], setting: Setting) -> RunBrief:
    return brief_run(*asked, setting)


def _write(job: RunJob | Document, setting: Setting) -> Written:
    with no_output(setting.staging.parent):
        try:
            return _written(job, setting)
        except ChangedError:
            return _written(job, setting, restless=True)


def _written(job: RunJob | Document, setting: Setting, *, restless: bool = False) -> Written:
    if isinstance(job, RunJob):
        return write_run(job, setting, restless=restless)
    return write_session(job, setting, restless=restless)


def _weight(job: RunJob | Document) -> tuple[int, Key]:
    document = job.document if isinstance(job, RunJob) else job
    return sum(end - first for extent in document.extents for _, first, end in extent.ranges), document.identity.key


def _jobs(asked: Sequence[tuple[Document, SourceFile | None, Audit | None]], briefs: Sequence[RunBrief]) -> Iterator[RunJob]:
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
    for (document, state, audit), brief in zip(asked, briefs, strict=True):
        key = document.identity.key
        kin = _kin(brief.links.id, places, relatives)
        yield RunJob(document, state, audit, brief.title, hrefs[key], places[key], kin, *ends[key])


def _kin(run: Id, places: dict[Key, Place], relatives: dict[Key, Relative]) -> Kin:
    """The runs around a run: all above it, and so many below it as a page lists."""
    above: list[Id] = []
    here = places[run.key].parent
    while here is not None and len(above) < _LISTED_BELOW:
        above.append(here)
        here = places[here.key].parent
    below: list[tuple[int, Id]] = []
    stack = _children(places[run.key], 1)
    while stack and len(below) < _LISTED_BELOW:
        depth, child = stack.pop()
        below.append((depth, child))
        if child.key in places:
            stack += _children(places[child.key], depth + 1)
    place = places[run.key]
    named = (*place.children, *place.links, *(other for _, other in place.notes if other is not None))
    shown = {other.key: relatives[other.key] for other in (*above, *(child for _, child in below), *named) if other.key in relatives}
    return Kin(shown, tuple(reversed(above)), tuple(below), len(stack))


def _children(place: Place, depth: int) -> list[tuple[int, Id]]:
    """What is shown under a run, last first: its children, then those that are not here."""
    return [(depth, child) for child in reversed((*place.children, *place.missing))]


def _refuse_leaks(leaks: tuple[Leak, ...]) -> None:
    if leaks:
        listed = "\n".join(str(leak) for leak in leaks[:_LISTED_LEAKS])
        raise LeakError(f"{plural(len(leaks), 'place')} where something is readable that should be masked; the old site stands\n{listed}")


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
