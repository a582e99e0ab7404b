"""The page of a run: everything around its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from lakesite.model import (
    ABSENT,
    Audit,
    Id,
    Key,
    Place,
)
from lakesite.view import address
from lakesite.view.badges import badge
from lakesite.view.failure import SOURCE_WORDS, failure
from lakesite.view.layout import Layout
from lakesite.view.problems import damage_chips, problem_facts, problem_lines
from lakesite.view.run_source import RunSource
from lakesite.view.shapes import Body, Chip, DocumentPage, Fact, Link, NavItem
from lakesite.view.step_tree import step_groups, step_lines
from lakesite.view.summary import Summary, short_id, sources_body
from lakesite.view.timeline import timeline
from lakesite.view.tools import error_body, more_bodies
from lakesite.view.words import duration, number, plural, took, when

_LINK_BADGES = {"one-sided link": "link", "cycle cut here": "cycle", "names itself": "cycle"}


class Relative(NamedTuple):
    """What a page shows of another run."""

    title: str
    href: str
    status: str
    took: str


class Below(NamedTuple):
    """A run below a run."""

    depth: int
    run: Id
    """Perhaps missing."""
    more: int
    """Runs below it that are listed on its own page only."""


class Kin(NamedTuple):
    """The runs around a run."""

    of: dict[Key, Relative]
    """Every relative that is in this archive."""
    above: tuple[Id, ...]
    """Its parents, outermost first."""
    between: int
    """Runs between the outermost and the next of these, which are not listed."""
    below: tuple[Below, ...]
    """What it called and what these called, in order."""
    more_below: int
    """Runs below it that are not listed."""


def link_to(kin: Kin, run: Id) -> Link:
    """A link to a run, or the words that it is not here."""
    relative = kin.of.get(run.key)
    if relative is None:
        return Link(f"{run.shown}, not in this archive", None)
    return Link(relative.title, address.from_page(relative.href))


def run_pages(source: RunSource, summary: Summary, kin: Kin, audit: Audit | None, layout: Layout) -> Callable[[int], DocumentPage]:
    """Gives each part (from 1) of a run's page; what all parts share is made once."""
    facts, chips, tree = _facts(source, summary, kin, summary.place), _chips(summary, layout), _tree(summary, kin)
    index = address.from_page("index.html")
    crumbs = (Link("Archive", index), Link("Runs", f"{index}#list?f=runs"), Link(summary.title, None))
    caller = link_to(kin, summary.place.parent).href if summary.place and summary.place.parent else None
    groups = step_groups(source.run.steps)
    nav, left_out = step_lines(source, groups)
    details = _details(source, summary, audit, kin)
    legend = layout.legend([*_badges_beside(source, summary, details), *(chip.name for chip in chips)])

    def page(here: int) -> DocumentPage:
        return DocumentPage(
            kind="run",
            title=summary.title,
            short_id=short_id(summary.id),
            full_id=summary.id.shown if summary.id else "",
            pill=summary.status,
            pill_status=summary.status,
            crumbs=crumbs,
            facts=(*facts, *problem_facts(summary.problems, layout.link("problems", here))),
            chips=chips,
            failure=failure(source, summary, audit, caller, layout) if summary.status == "failed" and here == 1 else None,
            timeline=timeline(source, groups, lambda anchor: layout.link(anchor, 1)) if here == 1 else None,
            tree=tree,
            nav=tuple(item._replace(href=layout.link(anchor, here)) for anchor, item in nav),
            nav_title="Steps",
            nav_more=left_out,
            parts=layout.part_links(here),
            details=(*details, sources_body(summary)) if here == 1 else (sources_body(summary),),
            problems=problem_lines(summary.problems) if here == 1 else (),
            masked=summary.masked if here == 1 else (),
            legend=legend,
            anchors=layout.anchors(here),
            strays=layout.strays(here),
            root="../",
            packed=layout.packed,
            minimap=layout.minimap(here),
        )

    return page


def _badges_beside(source: RunSource, summary: Summary, details: tuple[Body, ...]) -> Iterator[str]:
    """Names of the badges that stand elsewhere than at rows."""
    if summary.status_source != "recorded":
        yield summary.status_source
    yield from (badge.name for body in details for badge in body.badges)
    if source.state:
        yield "state"
        if any(step.truncated for step in source.state.steps.values()):
            yield "cut"


def _facts(source: RunSource, summary: Summary, kin: Kin, place: Place | None) -> tuple[Fact, ...]:
    began = when(summary.started)
    ended = when(summary.ended)
    until = ended if began and ended and ended.day != began.day else None
    facts = [Fact(f"{began.day} {began.clock}", "UTC", when=began, until=until) if began else Fact("no time recorded")]
    if duration := took(summary.started, summary.ended):
        facts.append(Fact(duration, before="took"))
    counted = summary.counts
    again = sum(step.attempt > 1 for step in source.run.steps)
    for count, unit in ((counted.steps - again, "step"), (counted.exchanges, "tool call"), (counted.errors, "error")):
        attempts = f"in {plural(counted.steps, 'attempt')}" if again and unit == "step" else None
        facts.append(Fact(number(count), unit if count == 1 else f"{unit}s", note=attempts))
    if source.state and source.state.terminal:
        facts.append(Fact(source.state.terminal, before="ended at", note="(state file)"))
    if source.state and source.state.exit_code is not None:
        facts.append(Fact(str(source.state.exit_code), before="exit", note="(state file)"))
    if place and (parent := place.parent or place.missing_parent):
        found = link_to(kin, parent)
        facts.append(Fact(found.text, before="called by", href=found.href))
    tokens = [step.tokens_out for step in source.state.steps.values() if step.tokens_out is not None] if source.state else []
    if tokens:
        facts.append(Fact(number(sum(tokens)), "tokens out", note="(state file; of loops, the last turn)"))
    return tuple(facts)


def _chips(summary: Summary, layout: Layout) -> tuple[Chip, ...]:
    chips = [Chip(summary.status_source, "status from", SOURCE_WORDS[summary.status_source]), *layout.chips()]
    chips += damage_chips(summary.problems)
    if summary.counts.errors:
        chips.append(Chip("errors", "errors", number(summary.counts.errors), bad=True))
    if summary.counts.masked:
        chips.append(Chip("masked", "masked", number(summary.counts.masked), masked=True))
    return tuple(chips)


def _tree(summary: Summary, kin: Kin) -> tuple[NavItem, ...]:
    if (not kin.above and not kin.below) or summary.id is None:
        return ()
    items = [_tree_item(kin, run, depth) for depth, run in enumerate(kin.above)]
    if kin.between:
        items.insert(1, _more_item(kin, kin.above[1], kin.between, "between", 1))
    top = len(items)
    items.append(NavItem(summary.title, None, top, summary.status, took(summary.started, summary.ended), here=True))
    for each in kin.below:
        items.append(_tree_item(kin, each.run, top + each.depth))
        if each.more:
            items.append(_more_item(kin, each.run, each.more, "below", top + each.depth + 1))
    if kin.more_below:
        items.append(NavItem(f"{number(kin.more_below)} more in the archive's index", address.from_page("index.html"), top + 1, "none"))
    return tuple(items)


def _more_item(kin: Kin, run: Id, count: int, where: str, depth: int) -> NavItem:
    """How many runs are not listed here, with the run on whose page they are."""
    return NavItem(f"{number(count)} more {where}", link_to(kin, run).href, depth, "none")


def _tree_item(kin: Kin, run: Id, depth: int) -> NavItem:
    relative = kin.of.get(run.key)
    if relative is None:
        return NavItem("not in this archive", None, depth, "missing", short_id(run))
    return NavItem(relative.title, address.from_page(relative.href), depth, relative.status, relative.took)


def _details(source: RunSource, summary: Summary, audit: Audit | None, kin: Kin) -> tuple[Body, ...]:
    """Folded facts: inputs, environment, what the companions say, and what is odd about the links."""
    bodies: list[Body] = []
    state = source.state
    given = state.inputs if state else None
    if given:
        bodies.append(Body("json", label="inputs", value=given, folded=True, badges=(badge("state"),)))
    if audit and audit.inputs and audit.inputs != given:
        bodies.append(Body("json", label="inputs", value=audit.inputs, folded=True, badges=(badge("audit"),)))
    if state and state.env:
        bodies.append(Body("json", label="environment", value=state.env, folded=True, badges=(badge("state"),)))
    if state and state.status and state.status.lower() != summary.status:
        bodies.append(Body("nothing", state.status, label="outcome", badges=(badge("state"),)))
    if audit:
        bodies += _audit_bodies(audit, summary)
    for name, more in (("state", state.more if state else {}), ("audit", audit.more if audit else {})):
        bodies += [body._replace(badges=(badge(name),)) for body in more_bodies(more)]
    for note, other in summary.place.notes if summary.place else ():
        about = link_to(kin, other).text if other else ""
        odd = _LINK_BADGES.get(note)
        text = about if odd else f"{note}: {about}"
        bodies.append(Body("nothing", text, label="link", badges=(badge(odd, note),) if odd else ()))
    return tuple(bodies)


def _audit_bodies(audit: Audit, summary: Summary) -> Iterator[Body]:
    words = [
        audit.status or "no end recorded",
        f"exit {audit.exit_code}" if audit.exit_code is not None else "",
        f"workflow {audit.name}" if audit.name and audit.name != summary.title else "",
        f"run by {audit.user}" if audit.user else "",
        f"took {duration(audit.duration_ms * 1_000_000)}" if audit.duration_ms is not None and audit.duration_ms >= 0 else "",
    ]
    times = tuple(shown for time in (audit.started, audit.completed) if (shown := when(time)))
    yield Body("nothing", " · ".join(word for word in words if word), label="outcome", badges=(badge("audit"),), times=times)
    yield from (body._replace(badges=(badge("audit"),)) for body in error_body(audit.error or ABSENT, "error"))
