"""Looks through a written site for anything that masking would have hidden.

Every byte of every file is read as what the masking engine judged when the site was built: pages as what a reader sees and
piece by piece (`verify_markup`), packed data unpacked (`verify_packed`), all other files as texts. Each piece is masked once
more with the same rules. Masking changes nothing that it has masked already, so whatever it still changes is a leak.

Two differences to the build are known and taken into account. Identities (of runs, conversations, source files) were masked
without the generic rules: what those find is no leak where it is such a name. And digests, anchors and addresses of our own
were never masked at all: those of the policy count as ours only where the page holds what they are of.

Time grows with the size of the site; memory with its largest file. Nothing that is told holds a word of a secret.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from lakesite.errors import UsageError
from lakesite.masking import Findings, Masker, MaskOptions
from lakesite.model import MARKER
from lakesite.site.verify_markup import Piece, Place, pieces
from lakesite.site.verify_packed import inflated, opened

_MARKUP = frozenset({".html", ".htm", ".xhtml", ".xml", ".svg"})
_BATCH = 1 << 17
_DEEPEST = 3
_WALL = "\n[masked:token:1:00000000]\n"
"""Keeps pieces apart that are masked together: no rule reaches across a marker."""
_SCATTERED = "-----BEGIN "
"""A block of a key or certificate may begin in one piece and seem to go on in the next: such a piece is masked alone."""
_RUN = re.compile(r"%[0-9A-F]{2}|[A-Za-z0-9_-]{8,}")
"""Characters of which names are made; an encoded character in an address is none of them."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_SHORTEST_SLUG = 6
_REMEMBERED = 64
_LARGE = 1 << 14
_FEW = 32
"""Secrets of one file that are looked for in the rest of it; where there are more, there is enough to do."""
_OURS = re.compile(r"(?:[a-z0-9-]+/)*[a-z0-9-]+(?:\.[a-z0-9]+)+")
_GZIP = b"\x1f\x8b"
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_TOO_LARGE = "too large to be looked into"
_IDENTITY = "a person's or a machine's name"


@dataclass(frozen=True, slots=True, order=True)
class Leak:
    """Something readable that masking would hide. Nothing here holds a word of it."""

    file: str
    """The file, from the site's root; masked itself."""
    place: Place
    at: str
    """The anchor of what it stands in, masked; empty: none."""
    marker: str
    """What masking would write in its place, or in words what is wrong."""
    rule: str
    """Which rule finds it."""

    def __str__(self) -> str:
        where = f"{self.file}#{self.at}" if self.at else self.file
        return f"{where}: {self.place}: {self.marker}" + (f" ({self.rule})" if self.rule else "")


Look = Callable[[str], tuple[Leak, ...]]
"""Gives the leaks in one file."""


def _one_by_one(look: Look, files: Sequence[str]) -> Iterable[tuple[Leak, ...]]:
    return map(look, files)


def verify(
    site: Path,
    masking: MaskOptions,
    each: Callable[[Look, Sequence[str]], Iterable[tuple[Leak, ...]]] = _one_by_one,
) -> tuple[Leak, ...]:
    """Look through a whole site.

    `each` looks through every file, in processes of its own if it likes. UsageError where there is no such folder, or nothing
    in it, or a file that cannot be read.
    """
    look = partial(verify_file, site=site, masking=masking, names=names_of(site))
    return tuple(sorted({leak for leaks in each(look, files_of(site)) for leak in leaks}))


def files_of(site: Path) -> tuple[str, ...]:
    """Every file of a site, from its root. UsageError where there is no such folder, or nothing in it."""
    if not site.is_dir():
        why = "not a folder; give the folder that a build was told with -o" if site.exists() else "no such folder"
        raise UsageError(f"{site}: {why}")
    found = (Path(folder, name) for folder, _, names in os.walk(site) for name in names)
    files = tuple(sorted(path.relative_to(site).as_posix() for path in found if path.is_file()))
    if not files:
        raise UsageError(f"{site}: no file in it")
    return files


def names_of(site: Path) -> frozenset[str]:
    """The runs of characters in the names of all files of a site, and in all identities that it names."""
    return frozenset(run for name in (*files_of(site), *_identities(site)) for run in _RUN.findall(name))


def _identities(site: Path) -> Iterator[str]:
    """Runs, conversations and source files, as `site.json` names them."""
    try:
        told = json.loads((site / "site.json").read_bytes())
        documents, problems, skipped = (told[part] for part in ("documents", "problems", "skipped"))
        named = [document.get(field) for document in documents for field in ("id", "part", "parent")]
        named += [name for document in documents for field in ("children", "missing", "sources") for name in document[field]]
        named += [item["file"] for item in (*problems, *skipped)]
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return  # not there, or damaged: no name is known
    yield from (name for name in named if isinstance(name, str))


def verify_file(file: str, site: Path, masking: MaskOptions, names: frozenset[str]) -> tuple[Leak, ...]:
    """Look through one file of a site; `names` are those of the site. Files can be looked through in any order, in any process."""
    scanner = _scanner(masking)
    try:
        data = (site / file).read_bytes()
    except OSError as error:
        raise UsageError(f"{scanner.shown(file)}: cannot be read ({error.strerror})") from None
    return tuple(scanner.leaks(file, _opened(_pieces(file, data)), names))


def _pieces(file: str, data: bytes) -> Iterator[Piece]:
    inner = inflated(data) if data.startswith(_GZIP) else None
    if inner:
        yield from (Piece("packed text", each.text, name=each.binary, whole=each.whole) for each in inner)
        return
    text = data.decode(next((codec for bom, codec in _BOMS if data.startswith(bom)), "utf-8"), "replace")
    if Path(file).suffix.lower() in _MARKUP:
        yield from pieces(text)
    else:
        yield Piece("file", text.replace("\0", ""))  # so that wide characters can be read, too


def _opened(found: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, and everything that is packed in them."""
    for piece in found:
        pending = [(piece, 0)]
        while pending:
            outer, depth = pending.pop()
            text, inside = opened(outer.text) if depth < _DEEPEST else (outer.text, [])
            yield outer._replace(text=text) if inside else outer
            pending += ((Piece("packed text", inner.text, piece.at, inner.binary, inner.whole), depth + 1) for inner in inside)


class _Scanner:
    """Masks pieces again, and tells what that changes."""

    def __init__(self, masking: MaskOptions) -> None:
        self._masking = masking
        self._sieve = Masker(masking)
        self._clean: set[str] = set()  # scripts and styles without a leak: most pages have the same
        self._slugs = {slug: literal for literal in masking.literals if len(slug := _slug(literal)) >= _SHORTEST_SLUG}

    def leaks(self, file: str, found: Iterable[Piece], names: frozenset[str]) -> Iterator[Leak]:
        """What leaks in one file. A secret found in one place is a leak wherever else in the file it stands."""
        shown = self.shown(file)
        found = tuple(dict.fromkeys(found))
        masker = Masker(self._masking)
        yield from (Leak(shown, "file name", "", marker, "") for marker in _new_markers(file, shown))
        suspects = list(self._suspects(found))
        if not suspects:
            return
        known = names.union(run for piece in found if piece.name for run in _RUN.findall(piece.text))
        told = dict.fromkeys(leak for piece in suspects for leak in _leaks(masker, shown, piece, known))
        yield from told
        if 0 < len(masker.caught) <= _FEW:
            again = Masker(self._masking, caught=masker.caught)
            places = {(leak.place, leak.at, leak.marker) for leak in told}
            more = (leak for piece in found for leak in _leaks(again, shown, piece, known))
            yield from (leak for leak in more if (leak.place, leak.at, leak.marker) not in places)

    def shown(self, file: str) -> str:
        """The name of a file, masked. Names in our own manner are addresses; in them values stand in lower case, words joined."""
        shown: str = self._sieve.name(file) if _OURS.fullmatch(file) else self._sieve.mask(file)
        for slug, literal in self._slugs.items():
            shown = shown.replace(slug, self._sieve.mask(literal))
        return shown

    def _suspects(self, found: Iterable[Piece]) -> Iterator[Piece]:
        """The pieces that masking may change, and some that only stand beside one."""
        for mask, group in (
            (self._sieve.mask, [piece for piece in found if not (piece.name or (piece.whole and piece.text in self._clean))]),
            (self._sieve.name, [piece for piece in found if piece.name]),
        ):
            for batch in _batches(group):
                together = _WALL.join(piece.text for piece in batch)
                if mask(together) != together or not all(piece.whole for piece in batch):
                    yield from batch
                elif batch[0].place in ("script", "style") and len(self._clean) < _REMEMBERED:
                    self._clean.add(batch[0].text)


@lru_cache(maxsize=2)
def _scanner(masking: MaskOptions) -> _Scanner:
    return _Scanner(masking)


def _batches(found: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces that are masked together; what is large, or the same in many files, is on its own."""
    batch: list[Piece] = []
    size = 0
    for piece in found:
        if len(piece.text) > _LARGE or piece.place in ("script", "style") or _SCATTERED in piece.text:
            yield [piece]
            continue
        batch.append(piece)
        size += len(piece.text)
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _leaks(masker: Masker, file: str, piece: Piece, known: frozenset[str]) -> Iterator[Leak]:
    """What masking a piece changes: with the generic rules where it is no name, and then without the names in it."""
    at = masker.mask(piece.at)
    if not piece.whole:
        yield Leak(file, piece.place, at, _TOO_LARGE, "")
    readings = [(masker.name, piece.text)]
    if not piece.name:
        readings.append((masker.mask, _RUN.sub(lambda run: "\n" if run[0] in known else run[0], piece.text)))
    for mask, text in readings:
        masker.findings = Findings()
        masked = mask(text)
        if masked != text:
            rows = masker.findings.rows()
            for marker in _new_markers(text, masked):
                yield Leak(file, piece.place, at, marker, next((row.rule for row in rows if f":{row.kind}:" in marker), ""))


def _new_markers(text: str, masked: str) -> Iterator[str]:
    """The markers that masking wrote; in words where it changed the text otherwise."""
    new = Counter(found[0] for found in MARKER.finditer(masked)) - Counter(found[0] for found in MARKER.finditer(text))
    if new:
        yield from new
    elif masked != text:
        yield _IDENTITY


def _slug(literal: str) -> str:
    """A value as it would stand in an address."""
    return _NOT_IN_NAMES.sub("-", literal.lower()).strip("-")
