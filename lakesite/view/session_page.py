"""The page of a conversation: everything around its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import cast

from lakesite.model import Json, Key, Label
from lakesite.view import address
from lakesite.view.layout import Layout
from lakesite.view.problems import damage_chips, problem_facts, problem_lines
from lakesite.view.session_rows import SessionSource
from lakesite.view.shapes import Body, Chip, DocumentPage, Fact, Link, NavItem
from lakesite.view.summary import Summary, short_id, sources_body
from lakesite.view.words import first_line, number, plural, short_number, took, when

_NAV_LIMIT = 400
_TOOLS = 4
_NAMED = 3
"""Projects, machines and models that the header names; where there are more, all are listed below it."""
_PILLS = {"unanswered": "unanswered", "cut_off_mid_tool": "cut off mid-tool", None: ""}


def session_pages(source: SessionSource, summary: Summary, labels: tuple[Label, ...], layout: Layout) -> Callable[[int], DocumentPage]:
    """Gives each part (from 1) of a conversation's page; what all parts share is made once."""
    runtime = summary.runtime or "runtime not recorded"
    index = address.from_page("index.html")
    facts, chips, nav = _facts(source, summary), _chips(source, summary, labels, layout), list(_nav(source))
    details = (*_named_bodies(source), *_source_bodies(source), *_label_bodies(labels))

    def page(here: int) -> DocumentPage:
        return DocumentPage(
            kind="session",
            title=summary.title,
            short_id=" · ".join(word for word in (runtime, short_id(summary.id) or summary.part) if word),
            full_id=summary.id.shown if summary.id else summary.part or "",
            pill=_PILLS[summary.interruption],
            pill_status="warn" if summary.interruption else "",
            crumbs=(Link("Archive", index), Link("Sessions", f"{index}#list?f=sessions"), Link(runtime, None)),
            facts=(*facts, *problem_facts(summary.problems, layout.link("problems", here))),
            chips=chips,
            failure=None,
            tree=(),
            nav=tuple(item._replace(href=layout.link(anchor, here)) for anchor, item in nav),
            nav_title="Prompts",
            nav_more=max(len(source.session.prompts) - _NAV_LIMIT, 0),
            parts=layout.part_links(here),
            details=(*details, sources_body(summary)) if here == 1 else (sources_body(summary),),
            problems=problem_lines(summary.problems) if here == 1 else (),
            masked=summary.masked if here == 1 else (),
            legend=layout.legend([chip.name for chip in chips]),
            anchors=layout.anchors(here),
            strays=layout.strays(here),
            root="../",
            packed=layout.packed,
            minimap=layout.minimap(here),
        )

    return page


def _facts(source: SessionSource, summary: Summary) -> tuple[Fact, ...]:
    first, last = when(summary.started), when(summary.ended)
    if first and last:
        facts = [Fact(f"{first.day} {first.clock}", "UTC", when=first, until=last)]
        if spent := took(summary.started, summary.ended):
            facts.append(Fact(spent, before="took"))
    else:
        facts = [Fact("no time recorded")]
    counted = summary.counts
    facts += [
        Fact(number(count), unit if count == 1 else f"{unit}s")
        for count, unit in ((len(source.session.prompts), "turn"), (counted.exchanges, "call"), (counted.errors, "error"))
    ]
    facts.append(_tokens(summary))
    facts += [Fact("", name) for name in (*source.session.projects[:_NAMED], *source.session.machines[:_NAMED])]
    if counted.repeated:
        facts.append(Fact(number(counted.repeated), "repeated row folded" if counted.repeated == 1 else "repeated rows folded"))
    return tuple(facts)


def _tokens(summary: Summary) -> Fact:
    tokens = summary.tokens
    if not tokens.reported:
        return Fact("tokens", "not reported")
    sums = [f"{short_number(value)} {word}" for value, word in ((tokens.tokens_in, "in"), (tokens.tokens_out, "out")) if value is not None]
    note = f"sum of recorded counters, may repeat; {number(tokens.reported)} of {plural(tokens.of, 'event')} report any"
    return Fact(" · ".join(sums), note=note)


def _chips(source: SessionSource, summary: Summary, labels: tuple[Label, ...], layout: Layout) -> tuple[Chip, ...]:
    tools = Counter(exchange.name for exchange in source.session.exchanges if exchange.name)
    chips = [Chip("model", model, "") for model in source.session.models[:_NAMED]]
    ranked = sorted(tools.items(), key=lambda item: (-item[1], item[0]))
    chips += [Chip("tool", name, number(count)) for name, count in ranked[:_TOOLS]]
    if len(ranked) > _TOOLS:
        chips.append(Chip("more", plural(len(ranked) - _TOOLS, "more tool"), ""))
    chips += [*layout.chips(), *damage_chips(summary.problems)]
    counted = summary.counts
    if counted.errors:
        chips.append(Chip("errors", "errors", number(counted.errors), bad=True))
    if source.session.chains:
        chips.append(Chip("chain", "side chains", number(len(source.session.chains))))
    if counted.masked:
        chips.append(Chip("masked", "masked", number(counted.masked), masked=True))
    chips += [Chip("label", f"label {label.aspect}", label.value) for label in labels]
    return tuple(chips)


def _nav(source: SessionSource) -> Iterator[tuple[str, NavItem]]:
    """The person's prompts, each with its anchor and the number of tool calls that followed."""
    session = source.session
    starts = session.prompts
    for place, start in enumerate(starts[:_NAV_LIMIT]):
        end = starts[place + 1] if place + 1 < len(starts) else len(session.rows)
        rows = (session.rows[at] for at in range(start, end))
        failures = [session.exchanges[row.exchange].failed for row in rows if row.what == "exchange" and row.exchange is not None]
        entry = session.rows[start].entry
        yield (
            source.anchors[entry],
            NavItem(
                text=first_line(source.entries[entry].start, 80) or "no text recorded",
                href=None,
                depth=0,
                status="failed" if any(failures) else "none",
                note=number(len(failures)) if failures else "",
            ),
        )


def _source_bodies(source: SessionSource) -> Iterator[Body]:
    """What the writer calls the files from which it took the rows."""
    first: dict[Key, int] = {}
    for index in chain((row.entry for row in source.session.rows), range(len(source.entries))):
        if (stem := source.entries[index].stem) is not None:
            first.setdefault(stem, index)
    found = (cast("dict[str, Json]", source.load(index).extra).get("source_stem_hash") for index in first.values())
    if names := [name for name in found if isinstance(name, str)]:
        yield Body("text", "\n".join(names), label=f"{plural(len(names), 'file')} that the writer read, by alias", folded=True)


def _named_bodies(source: SessionSource) -> Iterator[Body]:
    """Projects, machines and models, where there are more than the header names."""
    session = source.session
    for what, names in (("projects", session.projects), ("machines", session.machines), ("models", session.models)):
        if len(names) > _NAMED:
            yield Body("text", "\n".join(names), label=f"all {number(len(names))} {what}", folded=True)


def _label_bodies(labels: tuple[Label, ...]) -> tuple[Body, ...]:
    """Labels in full: what was said of the conversation afterwards, by whom and when."""
    bodies = []
    for label in labels:
        words = [label.value, label.note or "", f"by {label.source}" if label.source else ""]
        said = " · ".join(word for word in words if word)
        at = when(label.time)
        bodies.append(Body("nothing", said, label=f"label {label.aspect}", folded=True, times=(at,) if at else ()))
        if label.more:
            bodies.append(Body("json", label=f"label {label.aspect} · more", value=cast("Json", label.more), folded=True))
    return tuple(bodies)


def session_title(source: SessionSource, summary_id: str, part: str | None) -> str:
    """The first thing that the person asked; else what identifies the conversation."""
    for row in source.session.prompts:
        if words := first_line(source.entries[source.session.rows[row].entry].start, 80):
            return words
    if part is not None:
        return f"rows without a session id · {part}"
    return f"{source.speaker} session {summary_id}"
