"""What the template of the search page sees."""

from __future__ import annotations

from dataclasses import dataclass

NAME = "search.html"
"""The page's address, from the site's root."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The search page."""

    script: str
    """Address of its script."""
    root: str = ""
