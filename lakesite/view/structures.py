"""Values that read better than as JSON: lists of tasks, and lists of objects that repeat their keys."""

from __future__ import annotations

from itertools import chain
from typing import TypeGuard, cast

from lakesite.model import Json
from lakesite.view.shapes import Body

_ROWS, _COLUMNS, _CELL = 1_000, 12, 200
"""Beyond these a table is no help."""
_TASKS = (("todos", "content"), ("plan", "step"), ("todos", "description"), ("items", "content"))
"""Where a list of tasks stands, and what names a task in it."""


def task_bodies(fields: dict[str, Json]) -> tuple[Body, ...]:
    """A list of tasks with their marks, and folded what else is recorded of them; nothing where the fields hold none."""
    for name, text in _TASKS:
        tasks = fields.get(name)
        if _is_objects(tasks) and all(isinstance(task.get(text), str) and isinstance(task.get("status"), str) for task in tasks):
            shown = cast("Json", [{"status": task["status"], "text": task[text]} for task in tasks])
            more = [{key: item for key, item in task.items() if key not in (text, "status")} for task in tasks]
            rest = {key: item for key, item in fields.items() if key != name and item is not None}
            kept = cast("Json", {**rest, **({name: more} if any(more) else {})})
            return (Body("tasks", value=shown), *((Body("json", label="more", value=kept, folded=True),) if kept else ()))
    return ()


def json_bodies(label: str, value: Json, *, bad: bool = False) -> tuple[Body, ...]:
    """A value as JSON; what is a table in it as one."""
    if _is_table(value):
        return (Body("table", label=label, value=value, bad=bad),)
    fields = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
    tables = [name for name, item in fields.items() if _is_table(item)]
    if not tables:
        return (Body("json", label=label, value=value, bad=bad),)
    rest = {name: item for name, item in fields.items() if name not in tables}
    first = (Body("json", label=label, value=cast("Json", rest), bad=bad),) if rest else ()
    return (*first, *(Body("table", label=f"{label} · {name}" if label else name, value=fields[name], bad=bad) for name in tables))


def _is_objects(value: Json) -> TypeGuard[list[dict[str, Json]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _is_table(value: Json) -> bool:
    """Whether a value is a list of objects that share most of their keys and hold nothing deep or long."""
    if not _is_objects(value) or not 1 < len(value) <= _ROWS:
        return False
    columns = set(chain.from_iterable(value))
    return (
        0 < len(columns) <= _COLUMNS
        and 2 * sum(map(len, value)) >= len(columns) * len(value)
        and all(_is_cell(item) for row in value for item in row.values())
    )


def _is_cell(value: Json) -> bool:
    return not value if isinstance(value, list | dict) else not isinstance(value, str) or (len(value) <= _CELL and "\n" not in value)
