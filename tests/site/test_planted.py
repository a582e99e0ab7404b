"""No secret that was planted in the genuine data is readable: not whole, not in part, in no byte of a site, in no word of a build."""

from __future__ import annotations

import base64
import html
import re
import zlib
from typing import TYPE_CHECKING

import pytest

from lakesite.masking import mask_text
from lakesite.model import MARKER
from tests.site.builds import Site, lakesite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PART = 8
"""Characters in a row of which none must be readable."""
_TAG = re.compile(r'<[^>"]*+(?:"[^"]*+"[^>"]*+)*+>')


@pytest.fixture(scope="module")
def texts(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """All that a build of the genuine data wrote, by where, in every reading of it."""
    folder = tmp_path_factory.mktemp("planted") / "site"
    done = lakesite("build", shared / "data", "-o", folder, "--json", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    files = {name: "\0".join([name, *readings(data.decode("utf-8", "replace"))]) for name, data in Site(folder).files.items()}
    return {**files, "standard output": done.stdout.decode(), "standard error": done.stderr.decode()}


def readings(text: str) -> Iterator[str]:
    """A text as it is, without escapes, without elements, and what is packed in it."""
    yield text
    yield html.unescape(text)
    yield html.unescape(_TAG.sub("", text))
    for piece in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text):
        try:
            yield zlib.decompressobj(-15).decompress(base64.b64decode(piece)).decode("utf-8", "replace")
        except (ValueError, zlib.error):
            continue


@pytest.fixture(scope="module")
def planted(shared: Path) -> list[str]:
    found = {line for path in (shared / "data").glob("*/planted-secrets.txt") for line in path.read_text(encoding="utf-8").splitlines()}
    return sorted(found - {""})


def secret_part(line: str) -> str:
    """What the engine masks of a value; all of it where it cannot tell without its surroundings."""
    masked = mask_text(line)
    markers = list(MARKER.finditer(masked))
    if len(markers) != 1:
        return line
    (found,) = markers
    return line[found.start() : len(line) - len(masked) + found.end()]


def parts(secret: str) -> set[str]:
    return {secret[at : at + PART] for at in range(len(secret) - PART + 1)}


def readable(wanted: set[str], texts: dict[str, str]) -> dict[str, list[str]]:
    """Which of some pieces of eight characters stand where."""
    found: dict[str, list[str]] = {}
    for name, text in texts.items():
        for run in {run for run in text.split() if len(run) >= PART}:
            for piece in wanted.intersection(run[at : at + PART] for at in range(len(run) - PART + 1)):
                found.setdefault(piece, []).append(name)
    return found


def counted(found: Iterable[str]) -> str:
    """Where something is, without a word of it."""
    return ", ".join(sorted(set(found)))


def test_none_is_readable_as_a_whole(planted: list[str], texts: dict[str, str]) -> None:
    assert len(planted) > 150
    assert {f"value {number}": counted(name for name, text in texts.items() if value in text)
            for number, value in enumerate(planted) if any(value in text for text in texts.values())} == {}  # fmt: skip


def test_no_part_of_one_is_readable(planted: list[str], texts: dict[str, str]) -> None:
    pieces = {piece: number for number, value in enumerate(planted) for piece in parts(secret_part(value))}
    assert len(pieces) > 3_000
    found = readable(set(pieces), texts)
    assert {f"value {pieces[piece]}": counted(names) for piece, names in found.items()} == {}


def test_a_part_would_be_seen(planted: list[str]) -> None:
    value = max(planted, key=len)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = base64.b64encode(packer.compress(f"so much of it: {value[:12]}, and more".encode()) + packer.flush()).decode()
    for written in (value[3:11], f"<b>{value[3:7]}</b>{value[7:11]}", f'<i data-z="{packed}"></i>', f"x{html.escape(value[:9])}y"):
        assert readable(parts(value), {"a": "\0".join(readings(written))})
