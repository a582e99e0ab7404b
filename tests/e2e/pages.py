"""Words that whole-product tests share: how pages are opened and read."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser import Visit

Open = Callable[..., Visit]
"""The fixture `open_page`."""

OPEN_ALL = """() => {
  for (const each of document.querySelectorAll("details")) each.open = true;
  for (const each of document.querySelectorAll("section")) each.style.contentVisibility = "visible";
}"""
"""Do what a reader does who opens every fold and scrolls through the page: what is far off screen has no text to the browser."""
READ = "document.body.innerText"
"""All text that can be seen."""
