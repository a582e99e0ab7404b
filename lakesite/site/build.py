"""A build, from the paths that were given to the site in its place."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lakesite.errors import LeakError, NothingToReadError, OutputError
from lakesite.masking import Masker, MaskOptions
from lakesite.model import Masked, Problem
from lakesite.options import Options
from lakesite.render.listing import rows_script
from lakesite.site.across import (
    Listed,
    elsewhere,
    looks,
    masked_in_lists,
    read_again,
    readable,
    readable_in_lists,
    unlooked,
    with_problems,
)
from lakesite.site.asked import AllAsked, Asked, Scans
from lakesite.site.beside import companions
from lakesite.site.documents import write_documents
from lakesite.site.figures import figures
from lakesite.site.made import Made
from lakesite.site.maskingjson import masking_json, masking_settings
from lakesite.site.output import Output, no_output
from lakesite.site.searching import Searching, write_search
from lakesite.site.settings import mask_options
from lakesite.site.sitejson import site_json
from lakesite.site.standing import Standing, memory_body, standing
from lakesite.site.unchanged import INDEX, AtStart, Figures, memory_of, read_memory, setting_of, site_stamp
from lakesite.site.verify import Leak
from lakesite.site.verify_site import leaks_in
from lakesite.site.workers import Pool, Progress, each_done, run_all, workers
from lakesite.site.writing import Setting, pages
from lakesite.sources.companions import GivenAway, read_labels
from lakesite.sources.discover import Found, discover
from lakesite.sources.documents import gather
from lakesite.sources.files import SourceFile, bytes_of
from lakesite.sources.rescan import Scanned, scan_again
from lakesite.sources.shelf import Shelf
from lakesite.sources.walk import root_of, stamp
from lakesite.view import address
from lakesite.view.index import index_lists
from lakesite.view.masking import MaskingSettings, masking_page
from lakesite.view.problems import problems_pages
from lakesite.view.summary import Summary
from lakesite.view.words import plural

_LISTED_LEAKS = 50
_NAMED = 3
_ALONE = {"labels": "labels", "audit": "an audit trail", "state": "the state file of a run"}
"""What is read beside runs and conversations, and makes no page by itself."""


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
    with Output(options.out, public=options.public) as output, no_output(options.out):
        return _fill(output, found, options, masking, AtStart(made_with, given), progress)


def _fill(output: Output, found: Found, options: Options, masking: MaskOptions, before: AtStart, progress: Progress) -> Built:
    """Write the site and put it in its place."""
    with Shelf(output.staging) as shelf:
        old = _standing(output, options, before)
        with _searching(options, output) as searching, workers(options.jobs) as pool:
            setting = Setting(output.staging, masking, search=searching, templates=options.templates)
            scans, asked, homeless = _gather(found, setting, pool, progress, old, shelf)
            listed = Listed(tuple(homeless), tuple((item.name, item.reason) for item in found.skipped))
            old.catch_again = any(listed)
            made, bases = write_documents(asked, setting, pool, progress, old, shelf, across=options.mask_across)
            more = _look_across(made, setting, pool, progress, old)
            if options.mask_across:
                listed = masked_in_lists(listed, made, masking)
            more += readable_in_lists(listed, made, masking)
            if searching:
                progress("indexing", 0, 1)
                _search(made, setting, pool, old, shelf)
                progress("indexing", 1, 1)
        built = _built(made, listed._replace(homeless=(*listed.homeless, *more)), old, options.out / INDEX)
        _write_lists(output, built, options, masking_settings(options.mask, masking, across=options.mask_across))
        if options.verify:
            _refuse_leaks(leaks_in(output.staging, masking, options.jobs, progress))
        body = None if more or options.no_memory else memory_body(scans, asked, made, bases, old, masking)
        output.publish(partial(memory_of, options, before, built.figures, body) if body else None)
    return built


def _built(made: Sequence[Made], listed: Listed, old: Standing, index: Path) -> Built:
    """What is told of a build."""
    summaries = tuple(with_problems(each.summary, each.elsewhere) for each in made)
    pages_now = {page for summary in summaries for page in summary.parts}
    return Built(
        summaries,
        *listed,
        figures(summaries, listed.homeless, len(listed.skipped), index),
        old.note,
        tuple(sorted((each.summary.href, old.reasons[each.key]) for each in made if each.key in old.reasons)),
        tuple(name for name in old.output.old_below(address.RUNS, address.SESSIONS) if name.endswith(".html") and name not in pages_now),
    )


def _standing(output: Output, options: Options, before: AtStart) -> Standing:
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
    found: Found, setting: Setting, pool: Pool | None, progress: Progress, old: Standing, shelf: Shelf
) -> tuple[Scans, AllAsked, list[Problem]]:
    """The first pass: what was read, documents with what stands beside them, and the problems that belong to none."""
    files = (*found.of("runs"), *found.of("events"))
    scans = Scans(files, shelf)
    task = partial(_scan, setting=setting)
    weights = [bytes_of(file) for file in files]
    for count, (number, scanned) in enumerate(each_done(pool, task, lambda number: (files[number], old.known(files[number])), weights), 1):
        scans[number] = scanned
        progress("reading", count, len(files))
    homeless: list[Problem] = []
    given_away: GivenAway = defaultdict(dict)
    labels = read_labels(found.of("labels"), Masker(setting.masking), homeless.append, given_away)
    documents, more = gather((scanned.scan for _, scanned in scans), labels)
    beside = companions(found, documents, setting.masker(), given_away)
    asked = AllAsked(shelf, len(documents))
    for number, each in enumerate(documents):
        key = each.identity.key
        document = replace(each, given_away=tuple(given_away[key].items()), known=old.known_of(each))
        asked[number] = Asked(document, beside.states.get(key), beside.audits.get(key))
    homeless += [*more, *beside.problems]
    return scans, asked, sorted(homeless, key=lambda item: (item.where, item.line or 0, item.kind))


def _scan(file: tuple[SourceFile, Scanned | None], setting: Setting) -> Scanned:
    return scan_again(file[0], Masker(setting.masking), file[1])


def _search(made: Sequence[Made], setting: Setting, pool: Pool | None, old: Standing, shelf: Shelf) -> None:
    """Make the site searchable; documents that stay are so already."""
    assert setting.search is not None  # noqa: S101 - or there is nothing to do
    stay = {each.summary.href: each.too_long for each in made if each.key not in old.reasons}
    run = partial(run_all, pool, done=lambda _done: None)
    renderer = pages(search=True, templates=setting.templates)
    summaries = shelf.keep(each.summary for each in made)
    for each in made:
        del each.summary  # of many: an index is made in the memory that they take
    found = write_search(setting.search, old.output, renderer, run, old.library, stay)
    old.output.keep(found.kept)
    for each, summary in zip(made, summaries, strict=True):
        each.summary = summary
        each.too_long = found.too_long.get(summary.href, each.too_long)


def _look_across(made: Sequence[Made], setting: Setting, pool: Pool | None, progress: Progress, old: Standing) -> tuple[Problem, ...]:
    """Look for what was caught in one document in all others."""
    if old.all_stay:
        for each in made:
            each.elsewhere = old.documents[each.key].elsewhere
        return ()
    before = old.looked(made)
    tasks = looks(made, before)
    looked = run_all(pool, partial(read_again, site=setting.staging), tasks, lambda done: progress("comparing", done, len(tasks)))
    found = readable(len(made), tasks, looked, before)
    for each, seen, told in zip(made, found, elsewhere(made, found, setting.masking), strict=True):
        each.readable, each.elsewhere = seen, told
    return unlooked(made, setting.masking)


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
