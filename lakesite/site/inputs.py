"""What a document is made from, as digests: it stays as it is where they are what they were."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from lakesite.model import Audit
from lakesite.site.run_task import Around
from lakesite.sources.documents import Document, about
from lakesite.sources.files import SourceFile


class Inputs(NamedTuple):
    """What a document is made from: a digest of each part of that, empty where there is none of it."""

    records: str
    labels: str
    state: str
    audit: str
    around: str | None = None
    """What is told of it around it; None: not known yet, or it is a conversation."""


def own_inputs(document: Document, state: SourceFile | None, audit: Audit | None) -> Inputs:
    """What a document is made from, but for what stands around it."""
    extents = [
        (about(extent.file), extent.key, extent.ranges, extent.count, extent.first, extent.torn, extent.digest)
        for extent in document.extents
    ]
    return Inputs(
        records=_digest((document.identity, extents, document.problems, document.unsure_hooks)),
        labels=_digest((document.labels, document.given_away)) if document.labels else "",
        state=of_state(state) if state else "",
        audit=_digest((audit, document.given_away)) if audit else "",
    )


def of_state(state: SourceFile) -> str:
    """Digest of a state file; of its name alone where it cannot be read."""
    try:
        return _digest((state.name, state.beside, Path(state.path).read_bytes()))
    except OSError:
        return _digest((state.name, state.beside))


def with_around(own: Inputs, around: Around) -> Inputs:
    """The same, and what is known of a run when all were read far enough."""
    return own._replace(around=_digest(tuple(around)))


def _digest(value: object) -> str:
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
