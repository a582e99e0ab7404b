"""What the template of the search page sees."""

from __future__ import annotations

from typing import NamedTuple

NAME = "search.html"
"""The page's address, from the site's root."""


class SearchPage(NamedTuple):
    """The search page."""

    scripts: tuple[str, ...]
    """Addresses of what it loads: its script, and what every query needs of the index."""
    snippets: bool
    """The index holds the texts."""
    too_long: int
    """Words that are not in the index, because they are too long."""
    root: str = ""
