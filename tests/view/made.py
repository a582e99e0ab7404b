"""Documents in short, made up."""

from __future__ import annotations

from typing import Any

from lakesite.model import Counts, Id, Key, Masked, Tokens
from lakesite.view.summary import DAY, Summary

MONDAY = 20_423 * DAY
"""1 December 2025."""


def made(name: str, day: float | None = 0, **more: Any) -> Summary:  # noqa: ANN401 -- of every field its own
    """A document that began so many days after a Monday, with any of its fields as told."""
    counts = Counts(**{field: more.pop(field) for field in ("exchanges", "errors") if field in more})
    base: dict[str, Any] = {
        "kind": "run", "key": Key(name), "id": Id(Key(name), Masked(name)), "runtime": None, "part": None, "href": f"runs/{name}.html",
        "parts": (), "title": name, "status": "completed", "status_source": "recorded", "ended": None, "place": None, "interruption": None,
        "models": (), "projects": (), "tokens": Tokens(None, None, 0, 0), "problems": (), "masked": (), "rules": (), "sources": (),
    }  # fmt: skip
    if more.get("kind") == "session":
        base["status"] = "unknown"
    return Summary(**{**base, "started": None if day is None else MONDAY + int(day * DAY), "counts": counts, **more})
