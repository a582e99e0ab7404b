"""Runs made into a forest: which run is shown under which, and what is odd about their links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, TypeAlias

from lakesite.model import Claim, Id, Key, LinkNote, Place, RunEntry, RunLinks

_Note: TypeAlias = tuple[LinkNote, Id | None]


def links(run: Id, entries: Sequence[RunEntry]) -> RunLinks:
    """Gather what the events of a run, in reading order, say about its parents and its children."""
    parents = dict.fromkeys(entry.parent for entry in entries if entry.parent)
    claims: dict[Id, bool | None] = {}
    for entry in entries:
        if entry.child:
            ended = entry.type == "step.call_workflow.completed"
            claims[entry.child] = entry.failed if ended else claims.get(entry.child)
    first = next((entry.time for entry in entries if entry.time is not None), None)
    return RunLinks(run, first, tuple(parents), tuple(Claim(child, failed) for child, failed in claims.items()))


@dataclass(slots=True)
class _Forest:
    """What is known of all runs while their places are found."""

    runs: dict[Key, RunLinks]
    order: dict[Key, int]
    """The place of each run among all, by the time at which it began."""
    claims: dict[Key, dict[Key, Claim]]
    """For each run, its claims by child."""
    claimants: dict[Key, list[Key]]
    """For each run, the others that name it as a child, by time."""
    parent: dict[Key, Key] = field(default_factory=dict)
    cut: dict[Key, Key] = field(default_factory=dict)
    """Runs at which a cycle was cut, with the parent that they lost."""


def forest(links: Sequence[RunLinks]) -> dict[Key, Place]:
    """Find the place of each run, and every run's place once, whatever the links say."""
    found = _survey(links)
    for key in found.order:
        parent = _parent(found, key)
        if parent is not None:
            found.parent[key] = parent
    _cut_cycles(found)
    children: dict[Key, list[Key]] = defaultdict(list)
    for key in found.order:
        if key in found.parent:
            children[found.parent[key]].append(key)
    return {key: _place(found, key, children.get(key, ())) for key in found.order}


def _survey(links: Iterable[RunLinks]) -> _Forest:
    runs = {run.id.key: run for run in links}
    order = sorted(runs, key=lambda key: (runs[key].first is None, runs[key].first or 0, key))
    claimants: dict[Key, list[Key]] = defaultdict(list)
    claims = {key: {claim.child.key: claim for claim in runs[key].claims} for key in order}
    for key in order:
        for child in claims[key]:
            if child in runs and child != key:
                claimants[child].append(key)
    return _Forest(runs, {key: place for place, key in enumerate(order)}, claims, claimants)


def _parent(found: _Forest, key: Key) -> Key | None:
    """The run under which a run is shown.

    Of the parents that it names and that are here, the first that names it too, else the first; else the first run that
    names it.
    """
    named = [parent.key for parent in found.runs[key].parents if parent.key in found.runs and parent.key != key]
    agreed = (parent for parent in named if key in found.claims[parent])
    return next(chain(agreed, named, found.claimants.get(key, ())), None)


def _cut_cycles(found: _Forest) -> None:
    """Make a root of the run that began first in every cycle."""
    done: set[Key] = set()
    for start in found.order:
        path: dict[Key, None] = {}
        key: Key | None = start
        while key is not None and key not in done and key not in path:
            path[key] = None
            key = found.parent.get(key)
        if key is not None and key in path:
            ring = list(path)[list(path).index(key) :]
            first = min(ring, key=found.order.__getitem__)
            found.cut[first] = found.parent.pop(first)
        done.update(path)


def _place(found: _Forest, key: Key, children: Sequence[Key]) -> Place:
    run = found.runs[key]
    parent = found.parent.get(key)
    shown = set(children)
    claimed = found.claims[key]
    present = [child for child in claimed if child in found.runs]
    in_order = [child for child in present if child in shown] + [child for child in children if child not in claimed]
    missing_parents = [named for named in run.parents if named.key not in found.runs]
    return Place(
        parent=found.runs[parent].id if parent else None,
        missing_parent=next(iter(missing_parents), None),
        children=tuple(found.runs[child].id for child in in_order),
        missing=tuple(claim.child for child, claim in claimed.items() if child not in found.runs),
        links=tuple(found.runs[child].id for child in present if child not in shown),
        claimants=tuple(found.runs[other].id for other in found.claimants.get(key, ()) if other != parent),
        notes=tuple(_notes(found, run, parent)),
        word=_word(found.claims[parent].get(key)) if parent else None,
    )


def _notes(found: _Forest, run: RunLinks, parent: Key | None) -> Iterator[_Note]:
    """What is odd about a run's links, each with the other run that it is about."""
    key = run.id.key
    named = {other.key: other for other in run.parents}
    claimants = dict.fromkeys(found.claimants.get(key, ()))
    settled = {key, parent, found.cut.get(key)}
    if key in named or key in found.claims[key]:
        yield "names itself", run.id
    if key in found.cut:
        yield "cycle cut here", found.runs[found.cut[key]].id
    missing = [shown for other, shown in named.items() if other not in found.runs]
    for shown in missing:
        yield "names a missing parent", shown
    if parent and not (parent in claimants and (parent in named or missing)):
        yield "one-sided link", found.runs[parent].id
    for other in claimants:
        if other not in settled:
            yield "also claimed by", found.runs[other].id
    for other, shown in named.items():
        if other in found.runs and other not in claimants and other not in settled:
            yield "shown under another parent", shown


def _word(claim: Claim | None) -> Literal["completed", "failed"] | None:
    if claim is None or claim.failed is None:
        return None
    return "failed" if claim.failed else "completed"
