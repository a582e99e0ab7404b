"""The site that stands in the output folder: what its last build remembers of it, and whether there is anything to do.

`lakesite-memory.json` holds no recorded text that the site does not show, and no secret. It is for the next build alone, and stays
private where the site is public. It has three lines: what the folders are compared with, all that is known of sources and
documents, and a digest of the two. Where it is damaged, or belongs to another site, everything is built.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b, pbkdf2_hmac
from itertools import chain
from pathlib import Path

import lakesite
from lakesite.options import Options, named_secrets
from lakesite.site.output import MANIFEST, MEMORY, STAGING
from lakesite.sources.walk import stamp

INDEX = "index.html"
_FORMAT = 1
_ROUNDS = 100_000
_OTHERS = ("jinja2", "markdown_it", "pygments", "orjson")

Figures = dict[str, int | str]


@dataclass(frozen=True, slots=True)
class MadeWith:
    """What all documents of a site are made with, as digests."""

    program: str
    """Of lakesite, its templates and what it uses."""
    options: str
    """Of the options by which pages differ."""


@dataclass(frozen=True, slots=True)
class AtStart:
    """What was seen before anything was read."""

    setting: MadeWith
    given: str | None
    """Stamp of what was given; None: it was changed too lately to be told by its times."""


@dataclass(frozen=True, slots=True)
class LastBuild:
    """What the folders were like at the end of the last build, and its options: what is there now is compared with it."""

    setting: MadeWith
    lists: str
    """Of the options by which only lists and files as a whole differ."""
    given: str | None
    """Stamp of what was given; None: it was changed too lately to be told by its times."""
    site: str
    """Stamp of the site itself."""
    manifest: str
    """Digest of the manifest that was written with it."""
    figures: Figures


def unchanged(options: Options) -> Figures | None:
    """The figures of the site that stands, where a build would make the same site again; None: there may be something to do."""
    if options.verify or options.full or options.no_memory:
        return None
    found = read_memory(options.out)
    if found is None or found[0].given is None:
        return None
    then = found[0]
    try:
        same = (
            then.site == site_stamp(options.out)
            and then.given == stamp(options.paths, options.out)
            and then.lists == lists_of(options)
            and then.setting == setting_of(options)
        )
    except OSError:  # a file went meanwhile
        return None
    return {**then.figures, "index": str(options.out / INDEX)} if same else None


def read_memory(site: Path) -> tuple[LastBuild, str] | None:
    """What a site remembers: of the last build, and the text of all else. None where there is nothing that can be used."""
    try:
        head, body, digest, end = (site / MEMORY).read_text(encoding="ascii").split("\n")
        if end or digest != digest_of(head, body):
            return None
        value = json.loads(head)
        if value.pop("format") != _FORMAT or not all(isinstance(figure, int | str) for figure in value["figures"].values()):
            return None
        then = LastBuild(**{**value, "setting": MadeWith(**value["setting"])})
        return (then, body) if then.manifest == manifest_digest(site) else None
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None


def memory_of(options: Options, before: AtStart, figures: Figures, body: Iterable[str]) -> Iterator[str]:
    """The text of `lakesite-memory.json` for the site that stands now, piece by piece.

    `body` is all but what the folders are compared with.
    """
    told = {name: value for name, value in figures.items() if name != "index"}
    then = LastBuild(before.setting, lists_of(options), before.given, site_stamp(options.out), manifest_digest(options.out), told)
    head = json.dumps({"format": _FORMAT, **asdict(then)}, separators=(",", ":"))
    digest = _digest()
    for piece in chain((head, "\n"), body):
        digest.update(piece.encode())
        yield piece
    yield f"\n{digest.hexdigest()}\n"


def manifest_digest(site: Path) -> str:
    """Digest of the manifest of a site."""
    return blake2b((site / MANIFEST).read_bytes(), digest_size=16).hexdigest()


def digest_of(*texts: str) -> str:
    """Digest of texts."""
    digest = _digest()
    digest.update("\n".join(texts).encode())
    return digest.hexdigest()


def _digest() -> blake2b:
    return blake2b(digest_size=16)


def site_stamp(site: Path) -> str:
    """A digest that changes whenever a file of a site is changed, comes or goes, told by names, sizes and times alone."""
    digest = blake2b(digest_size=16)
    for folder, folders, names in os.walk(site):
        folders[:] = sorted(name for name in folders if not name.startswith(STAGING))
        for name in sorted(names):
            if name != MEMORY:
                path = os.path.join(folder, name)  # noqa: PTH118 - there are many
                status = os.lstat(path)
                seen = (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                digest.update(repr((os.path.relpath(path, site), seen)).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def lists_of(options: Options) -> str:
    """Digest of the options by which only lists and files as a whole differ."""
    return digest_of(options.title, str(options.public))


def setting_of(options: Options) -> MadeWith:
    """What all documents of a site are made with."""
    return MadeWith(program=digest_of(*program()), options=digest_of(*_options(options)))


def _options(options: Options) -> Iterator[str]:
    mask = options.mask
    yield repr((options.search, options.mask_across, mask.masking, mask.fingerprint, mask.publish, mask.allow_weaker))
    for path in (*mask.rules, *([mask.secret_formats] if mask.secret_formats else ())):
        yield f"{path == mask.secret_formats} {_of_file(path)}"
    if options.templates:
        yield from _of_folder(options.templates)
    named = named_secrets(mask, os.environ)
    if named:  # short enough to be guessed from a fast digest
        yield pbkdf2_hmac("sha256", repr(sorted(named)).encode("utf-8", "surrogateescape"), b"lakesite memory", _ROUNDS).hex()


def _of_folder(root: Path) -> Iterator[str]:
    """The name and the digest of each file in a folder, at any depth."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            yield f"{name} {_of_file(Path(folder, name))}"


def _of_file(path: Path) -> str:
    try:
        return blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def program() -> Iterator[str]:
    """All that is run to make a page, and all that is put into it."""
    yield sys.version
    package = Path(lakesite.__file__).parent
    beside = () if (package / "_templates").is_dir() else (package.parent / "templates", package.parent / "static")
    for root in (package, *beside):
        yield from _of_folder(root)
    for name in _OTHERS:
        found = importlib.util.find_spec(name)
        status = Path(found.origin).stat() if found and found.origin else None
        yield f"{name} {(status.st_size, status.st_mtime_ns) if status else None}"
