"""The step tree at the left of a run's page: all turns of a step in one line."""

from __future__ import annotations

from typing import NamedTuple

from lakesite.model import Step
from lakesite.view.run_source import RunSource
from lakesite.view.shapes import NavItem
from lakesite.view.state import lone_steps, state_anchor, state_status, step_status
from lakesite.view.words import number, took

_LINES = 400
_KINDS = ("parallel", "for_each", "while", "call_workflow")


class Group(NamedTuple):
    """The steps of one name in one place: turns of a loop, attempts."""

    depth: int
    members: tuple[int, ...]
    """Indexes of its steps, in order of start."""
    around: bool
    """Other steps stand in it."""


def step_groups(steps: tuple[Step, ...]) -> list[Group]:
    """Steps folded by name and place, each group followed by those inside it, in order of first start."""
    members: dict[tuple[int | None, str], tuple[int, list[int]]] = {}
    group_of: list[int] = []
    for index, step in enumerate(steps):
        around = group_of[step.parent] if step.parent is not None else None
        at, same = members.setdefault((around, step.name), (len(members), []))
        same.append(index)
        group_of.append(at)
    inside: dict[int | None, list[tuple[int, list[int]]]] = {}
    for (outer, _), group in members.items():
        inside.setdefault(outer, []).append(group)
    made: list[Group] = []
    waiting = [(0, group) for group in reversed(inside.get(None, []))]
    while waiting:
        depth, (at, same) = waiting.pop()
        within = inside.get(at, [])
        made.append(Group(depth, tuple(same), bool(within)))
        waiting += [(depth + 1, group) for group in reversed(within)]
    return made


def group_status(steps: list[Step]) -> str:
    """How the steps of a group ended: the worst of them."""
    statuses = set(map(step_status, steps))
    return next(word for word in ("failed", "unfinished", "cancelled", "completed") if word in statuses)


def group_kind(steps: list[Step]) -> str:
    """What holds others, and how often it ran: `for_each`, `× 24`."""
    kind = steps[0].kind
    words: list[str] = [kind] if kind in _KINDS else []
    if len(steps) > 1:
        words.append(f"× {number(len(steps))}")
    return " ".join(words)


def group_failures(steps: list[Step]) -> str:
    """How many of a group failed: `22 failed`, of a single step `failed`; empty: none."""
    count = sum(step.status == "failed" for step in steps)
    if not count:
        return ""
    return "failed" if len(steps) == 1 else f"{number(count)} failed"


def step_lines(source: RunSource, groups: list[Group]) -> tuple[list[tuple[str, NavItem]], int]:
    """The anchor of each line and the line; and how many were left out."""
    lone = lone_steps(source)
    lines = [_line(source, group) for group in groups[:_LINES]]
    lines += [
        (state_anchor(name), NavItem(name or "name not recorded", None, 0, state_status(state), kind="state file"))
        for name, state in lone[: _LINES - len(lines)]
    ]
    return lines, len(groups) + len(lone) - len(lines)


def _line(source: RunSource, group: Group) -> tuple[str, NavItem]:
    steps = [source.run.steps[member] for member in group.members]
    first = steps[0]
    ended = source.entries[first.completed].time if first.completed is not None else None
    spent = took(source.entries[first.started].time, ended)
    item = NavItem(
        text=first.name or "name not recorded",
        href=None,
        depth=group.depth,
        status=group_status(steps),
        note=spent if len(steps) == 1 else group_failures(steps),
        kind=group_kind(steps),
    )
    return source.anchors[first.started], item
