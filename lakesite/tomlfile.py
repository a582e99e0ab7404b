"""Reads a TOML file of the user, and knows where in it something stands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from lakesite.errors import UsageError

_PLACE = re.compile(r" \(at line (\d+), (column \d+)\)")


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """A file's text, and what it says. UsageError, with `file:line` where it is not TOML."""
    try:
        source = path.read_text(encoding="utf-8-sig")  # some editors on Windows write a mark of order in front
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8 text; write the file as UTF-8") from error
    try:
        return source, tomllib.loads(source)
    except RecursionError as error:
        raise UsageError(f"{path}: nested too deeply") from error
    except ValueError as error:
        place = _PLACE.search(str(error))
        line = int(place[1]) if place else source.count("\n") + 1
        told = _PLACE.sub(r" (\2)", str(error))  # the line stands in front
        raise UsageError(f"{path}:{line}: {told}") from error


def line_of(source: str, key: str, occurrence: int = 0) -> int:
    """The line of a key or of the heading of a table; of those that stand several times, one of them."""
    found = [match.start() for match in re.finditer(rf"^[ \t]*[\"'\[ \t]*{re.escape(key)}(?![\w-])", source, re.MULTILINE)]
    return source.count("\n", 0, found[min(occurrence, len(found) - 1)]) + 1 if found else 1
