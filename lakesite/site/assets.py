"""Templates, stylesheet and script: from the installed package, or from a checkout beside a `pyproject.toml`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from jinja2 import FileSystemLoader

from lakesite.errors import LakesiteError
from lakesite.render.pages import Assets

_STYLES = ("lakesite.css", "index.css", "find.css", "search.css")
_SCRIPTS = ("lakesite.js", "index.js", "find.js")
_SEARCH = ("search-terms.js", "search-files.js", "search-query.js", "search-lookup.js", "search-check.js", "search.js")


@cache
def load_assets(own: Path | None = None) -> Assets:
    """What every page is made with; `own`: a folder of templates that stand in for packaged ones.

    LakesiteError where the installation is incomplete.
    """
    templates, static = folder("templates"), folder("static")
    return Assets(
        css=_together(static, _STYLES),
        js=_together(static, _SCRIPTS),
        loader=FileSystemLoader(str(templates)),
        own=own,
    )


def search_script() -> str:
    """The script of the search page, as it is edited: a file of the site. Its names are its own."""
    return f'(() => {{\n"use strict";\n{_together(folder("static"), _SEARCH)}}})();\n'


def _together(static: Path, names: Iterable[str]) -> str:
    return "".join((static / name).read_text(encoding="utf-8") for name in names)


def folder(name: str) -> Path:
    """The folder `templates` or `static`."""
    package = Path(str(files("lakesite")))
    installed = package / f"_{name}"
    checkout = package.parent
    if installed.is_dir():
        return installed
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    message = f"the installation is incomplete: no {name}; install lakesite again"
    raise LakesiteError(message)
