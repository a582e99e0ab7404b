"""Templates, stylesheet and script: from the installed package, or from a checkout beside a `pyproject.toml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from jinja2 import FileSystemLoader

from lakesite.errors import LakesiteError
from lakesite.render.pages import Assets

STYLE, SCRIPT = "lakesite.css", "lakesite.js"


@cache
def load_assets() -> Assets:
    """What every page is made with. LakesiteError where the installation is incomplete."""
    templates, static = folder("templates"), folder("static")
    return Assets(
        css=(static / STYLE).read_text(encoding="utf-8"),
        js=(static / SCRIPT).read_text(encoding="utf-8"),
        loader=FileSystemLoader(str(templates)),
    )


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
