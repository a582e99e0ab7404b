"""The order of a run's page: every step holds what happened in it, and steps nest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from lakesite.model import Called, Closes, Opens, Resumes, Row, Said
from lakesite.resolve.stage import Draft, Sure
from lakesite.resolve.walk import Mark, Places


def rows(orders: Sequence[Sequence[int]], places: Places, steps: Sequence[Draft], heads: dict[int, int]) -> Iterator[Row]:
    """Yield rows in page order. `heads` names the exchange that begins with an event."""
    inside = _inside(orders, places, steps, heads)
    stack = [(iter(inside.pop(None, ())), -1)]
    while stack:
        around, step = stack[-1]
        row = next(around, None)
        if row is None:
            stack.pop()
            if stack:
                yield Closes(step)
            continue
        yield row
        if isinstance(row, Opens):
            stack.append((iter(inside.pop(row.step, ())), row.step))


def _inside(
    orders: Sequence[Sequence[int]], places: Places, steps: Sequence[Draft], heads: dict[int, int]
) -> dict[int | None, list[Row]]:
    """What stands directly in each step, and in none, in the order of the events."""
    inside: dict[int | None, list[Row]] = defaultdict(list)
    for segment, order in enumerate(orders):
        if segment:
            inside[None].append(Resumes(segment))
        for index in order:
            mark, step = places.marks[index], places.steps[index]
            if mark == Mark.OPENS and step is not None:
                inside[steps[step].parent].append(Opens(step))
            elif mark == Mark.SAID:
                inside[step].append(Said(index, places.sure[index] == Sure.UNCLEAR))
            elif mark == Mark.TOOL and index in heads:
                inside[step].append(Called(heads[index], places.sure[index] == Sure.UNCLEAR))
    return inside
