"""Reads a TOML file of the user, and knows where in it something stands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from lakesite.errors import UsageError

_LINE = re.compile(r"at line (\d+)")


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
        told = _LINE.search(str(error))
        raise UsageError(f"{path}:{told[1] if told else source.count(chr(10)) + 1}: {error}") from error


def line_of(source: str, key: str, occurrence: int = 0) -> int:
    """The line of a key or of the heading of a table; of those that stand several times, one of them."""
    found = [match.start() for match in re.finditer(rf"^[ \t]*[\"'\[ \t]*{re.escape(key)}(?![\w-])", source, re.MULTILINE)]
    return source.count("\n", 0, found[min(occurrence, len(found) - 1)]) + 1 if found else 1
