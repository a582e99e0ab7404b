"""The one place that makes addresses: pages, their parts, and anchors in them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from lakesite.model import Key, Origin, RunEntry
from lakesite.view.words import slug

Veiled = Callable[[Origin], Key | None]
"""What tells an entry from others by what is shown of it; None where that is all of it."""
RUNS, SESSIONS = "runs", "sessions"


def run_page(name: str, key: Key) -> str:
    """A run's page, from the site's root: `runs/release-gate-1a2b3c4d5e.html`."""
    return f"{RUNS}/{slug(name, key)}.html"


def session_page(runtime: str, name: str, key: Key) -> str:
    """A conversation's page, from the site's root: `sessions/claude-197c6ed6-…-1a2b3c4d5e.html`."""
    return f"{SESSIONS}/{slug(f'{runtime} {name}', key)}.html"


def part(href: str, number: int) -> str:
    """The page of one part of a document, from 1: the first has the document's own address."""
    return href if number == 1 else f"{href.removesuffix('.html')}.p{number}.html"


def aside(href: str, number: int) -> str:
    """A plain text file beside a document's page, from 1."""
    return f"{href.removesuffix('.html')}.t{number}.txt"


def beside(href: str) -> str:
    """The same address as seen from a page in the same folder."""
    return href.rsplit("/", 1)[-1]


def from_page(href: str) -> str:
    """An address from the site's root as seen from a document's page."""
    return f"../{href}"


def run_anchors(entries: Sequence[RunEntry], segments: tuple[int, ...], veiled: Veiled) -> Iterator[str]:
    """An anchor for each entry of a run: `e-<seq>`, `e-<segment>-<seq>` from the second segment on.

    Entries without a `seq`, and different ones with the same, are told apart by their content, as far as that is shown.
    """
    starts = sorted(segments)
    taken: dict[str, int] = {}
    for index, entry in enumerate(entries):
        segment = max(bisect_right(starts, index) - 1, 0)
        place = f"{segment + 1}-" if segment else ""
        anchor = f"e-{place}{entry.seq}" if entry.seq is not None else f"e-{place}x{(veiled(entry.origin) or entry.digest)[:8]}"
        if anchor in taken:
            anchor = f"{anchor}-{(veiled(entry.origin) or entry.digest)[:6]}"
        yield unique(anchor, taken)


def unique(anchor: str, taken: dict[str, int]) -> str:
    """The anchor, or the first numbered one that is free; taken from now on."""
    number = taken.get(anchor, 0) + 1
    taken[anchor] = number
    if number == 1:
        return anchor
    return unique(f"{anchor}-{number}", taken)
