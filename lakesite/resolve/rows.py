"""The order of a run's page: every step holds what happened in it, and steps nest."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence

from lakesite.model import Called, Closes, Opens, Resumes, Row, Said
from lakesite.resolve.stage import Draft, Sure
from lakesite.resolve.walk import Mark, Places


def rows(orders: Sequence[Sequence[int]], places: Places, steps: Sequence[Draft], heads: Sequence[int]) -> Iterator[Row]:
    """Yield rows in page order. `heads` names the exchange that begins with an event, for each entry; -1: none."""
    inside = _inside(orders, places, steps, heads)
    stack = [(iter(inside.pop(None, ())), -1)]
    while stack:
        around, step = stack[-1]
        index = next(around, None)
        if index is None:
            stack.pop()
            if stack:
                yield Closes(step)
            continue
        if index < 0:
            yield Resumes(-index)
        elif places.marks[index] == Mark.OPENS and (opened := places.steps[index]) is not None:
            yield Opens(opened)
            stack.append((iter(inside.pop(opened, ())), opened))
        elif places.marks[index] == Mark.SAID:
            yield Said(index, places.sure[index] == Sure.UNCLEAR)
        else:
            yield Called(heads[index], places.sure[index] == Sure.UNCLEAR)


def _inside(
    orders: Sequence[Sequence[int]], places: Places, steps: Sequence[Draft], heads: Sequence[int]
) -> dict[int | None, Sequence[int]]:
    """The entries that stand directly in each step, and in none, in the order of the events; below 0: where a segment begins."""
    inside: dict[int | None, array[int]] = defaultdict(lambda: array("i"))
    for segment, order in enumerate(orders):
        if segment:
            inside[None].append(-segment)
        for index in order:
            mark, step = places.marks[index], places.steps[index]
            if mark == Mark.OPENS and step is not None:
                inside[steps[step].parent].append(index)
            elif mark == Mark.SAID or (mark == Mark.TOOL and heads[index] >= 0):
                inside[step].append(index)
    return dict(inside)
