"""Text fixtures: files of cases that a person can add to without Python.

A case is a title and its parts, each ended by a line with a single dot. Lines that begin with `#` before a title are remarks.
Inside a part, `<<ef bb bf>>` stands for bytes in hexadecimal, `<<00*4096>>` for one byte repeated, and `<<eof>>` at the very end
for a file whose last line has no line end.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from lakesite.model import Number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BYTES = re.compile(r"<<([0-9a-f]{2}(?: [0-9a-f]{2})*)(?:\*(\d+))?>>")
_EOF = "<<eof>>"


def cases(path: Path, parts: int = 2) -> Iterator[tuple[str, ...]]:
    """Yield the title and the parts of each case."""
    found: list[str] = []
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line != ".":
            lines.append(line)
            continue
        found.append("\n".join(lines))
        lines.clear()
        if len(found) == parts + 1:
            title = [text for text in found[0].split("\n") if text and not text.startswith("#")]
            yield title[-1], *found[1:]
            found.clear()
    assert not found, f"{path.name}: the last case is not finished"
    assert not "".join(lines).strip(), f"{path.name}: something stands behind the last case"


def content(part: str) -> bytes:
    """The bytes of a file that a part describes: its lines, each with a line end."""
    whole = not part.endswith(_EOF)
    pieces = _BYTES.split(part.removesuffix(_EOF))
    out = bytearray()
    for number in range(0, len(pieces), 3):
        out += pieces[number].encode()
        if number + 2 < len(pieces):
            out += bytes.fromhex(pieces[number + 1]) * int(pieces[number + 2] or 1)
    return bytes(out) + (b"\n" if whole and part else b"")


def spelled(value: object) -> str:
    """A decoded value as compact JSON in ASCII, its numbers as they were spelled."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{spelled(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(spelled, value)) + "]"
    return value.spelling if isinstance(value, Number) else json.dumps(value)
