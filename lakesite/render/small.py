"""The small things that every row is made of, as filters of the templates: macros are slow, and these are written most often."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup

from lakesite.model import offered
from lakesite.render.escape import attribute, visible
from lakesite.view.shapes import Badge, Link, When

_PLACE = re.compile(r"(?!//)[\w.%/-]*(?:#[\w.%?=-]*)?", re.ASCII)


def href(address: str) -> Markup:
    """An address of ours for an attribute: relative, nothing that a browser could take for a scheme or another host."""
    return attribute(inside(address))


def inside(address: str) -> str:
    """The address, which leads to a place inside the site; ValueError for any other."""
    if not _PLACE.fullmatch(address):
        raise ValueError(f"not an address inside the site: {address!r}")
    return address


@lru_cache(1024)
def badges(every: tuple[Badge, ...]) -> Markup:
    """How far something can be trusted, each badge behind a blank."""
    return Markup("").join(map(_badge, every))


def _badge(badge: Badge) -> Markup:
    classes = f"b-{badge.name} err" if badge.bad else f"b-{badge.name}"
    return Markup(' <span class="%s">%s</span>') % (attribute(classes), visible(badge.text))


def clock(when: When | None) -> Markup:
    """A time of day; nothing where none was recorded."""
    if when is None:
        return Markup()
    title = f' title="{attribute(when.original)}"' if when.original else ""
    return Markup(f'<time datetime="{attribute(when.iso)}"{title}>{visible(when.clock)}</time>')  # noqa: S704 -- every piece is escaped


def span(times: Sequence[When]) -> Markup:
    """Days with their times, behind what they belong to, and the zone; a day that stands there already is left out."""
    if not times:
        return Markup()
    first = times[0]
    words = [f"{each.day} {each.clock}" if each is first or each.day != first.day else each.clock for each in times]
    made = (Markup('<time datetime="%s">%s</time>') % (attribute(each.iso), told) for each, told in zip(times, words, strict=True))
    return Markup(' · %s <span class="zone">UTC</span>') % Markup(" – ").join(made)


def link(to: Link) -> Markup:
    """Somewhere to go, or why there is nothing to go to."""
    if to.href is None:
        return Markup("<span>%s</span>") % visible(to.text)
    return Markup('<a href="%s">%s</a>') % (href(to.href), visible(to.text))


@lru_cache(256)
def tool(name: str) -> Markup:
    """The name of a tool; of one that a server offers, `server · tool`, the recorded name on pointing."""
    found = offered(name)
    if not found:
        return Markup("<b>%s</b>") % visible(name)
    server, bare = found
    return Markup('<b title="%s">%s · %s</b>') % (attribute(name), visible(server), visible(bare))


@lru_cache(256)
def recorded(name: str) -> Markup:
    """The recorded name of a tool that is shown by another."""
    return Markup(" <span>%s</span>") % visible(name) if offered(name) else Markup()


@lru_cache(64)
def mark(status: str) -> Markup:
    """The dot that says how something ended."""
    return Markup('<i class="dot %s">%s</i>') % (attribute(status), visible(status))
