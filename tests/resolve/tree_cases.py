"""Short spellings of links between runs for tests: what runs say of each other in, the forest out.

A case in a `tree*.txt` file is a title, one line a run, and the forest, each ended by a line with a single dot.

A run is `NAME [TIME] [of PARENT …] [calls CHILD …]`. TIME is a number; without one the run has no usable time. `CHILD!` says
that the call failed, `CHILD?` that its end was not recorded.

The forest has a line for each run, indented under the run that it is shown under: its name, the word of that run for it, and
after a colon what is odd about its links, by the name of the other run. After its children stand `CHILD not here` and
`CHILD elsewhere`. Where a run names a parent that is not here, `called by NAME` follows its name, and `also of NAME` names runs
that claim it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakesite.masking import Masker
from lakesite.model import Claim, Id, Key, RunLinks
from lakesite.resolve.tree import forest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.model import Place


def named(name: str) -> Id:
    return Id(Key(name), Masker().name(name))


def read(text: str) -> list[RunLinks]:
    """Read the links of some runs in their short spelling."""
    return [_links(line.split()) for line in text.splitlines()]


def _links(words: list[str]) -> RunLinks:
    times = [int(word) for word in words[1:2] if word.isdecimal()]
    groups: dict[str, list[str]] = {"of": [], "calls": []}
    group: list[str] = []
    for word in words[1 + len(times) :]:
        group = groups.get(word, group)
        if word not in groups:
            group.append(word)
    claims = [Claim(named(child.rstrip("!?")), {"!": True, "?": None}.get(child[-1], False)) for child in groups["calls"]]
    return RunLinks(named(words[0]), *times or [None], tuple(map(named, groups["of"])), tuple(claims))


def described(text: str) -> str:
    """Describe the forest that some runs make."""
    runs = read(text)
    places = forest(runs)
    order = sorted(runs, key=lambda run: (run.first is None, run.first or 0, run.id.key))
    return "\n".join(line for run in order if places[run.id.key].parent is None for line in _branch(places, run.id))


def _branch(places: dict[Key, Place], root: Id) -> Iterator[str]:
    stack = [(root, 0)]
    while stack:
        run, depth = stack.pop()
        place = places[run.key]
        yield "  " * depth + _run(run, place)
        yield from ("  " * (depth + 1) + f"{child.shown} not here" for child in place.missing)
        yield from ("  " * (depth + 1) + f"{child.shown} elsewhere" for child in place.links)
        stack += [(child, depth + 1) for child in reversed(place.children)]


def _run(run: Id, place: Place) -> str:
    words = [run.shown, *([place.word] if place.word else [])]
    words += [f"called by {place.missing_parent.shown}"] if place.missing_parent else []
    words += [f"also of {' '.join(other.shown for other in place.claimants)}"] if place.claimants else []
    notes = "; ".join(f"{note} {other.shown}" if other else note for note, other in place.notes)
    return " ".join(words) + (f": {notes}" if notes else "")
