"""Imports inside lakesite point one way only, and text becomes `Masked` or `Markup` in one place each."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = ROOT / "lakesite"
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = {
    "errors": (),
    "model": ("errors",),
    "options": ("errors",),
    "tomlfile": ("errors",),
    "settingsfile": ("errors", "tomlfile"),
    "masking": ("errors", "model", "options", "tomlfile"),
    "sources": ("errors", "model", "options", "masking"),
    "resolve": ("model",),
    "view": ("model",),
    "render": ("errors", "model", "view"),
    "search": ("errors", "model", "view"),
    "site": ("errors", "model", "options", "masking", "sources", "resolve", "view", "render", "search"),
    "cli": ("errors", "model", "options", "settingsfile", "masking", "sources", "resolve", "view", "render", "search", "site"),
    "__init__": (),
    "__main__": ("cli",),
}
"""What each layer may import, beside itself and the version."""

ONE_PLACE = [
    (r"\bMasked\(|\bcast\(\s*[\"']?Masked\b", ("masking/", "model/")),
    (r"\bMarkup\(|\bcast\(\s*[\"']?Markup\b", ("render/",)),
]
"""What may be called only there."""


def imported(source: str, package: str) -> Iterator[str]:
    """Yield every name of lakesite that a module of `package` imports, as `layer.name`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            start = ".".join([*above, *filter(None, [node.module])])
            names = [f"{start}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("lakesite.") for name in names if name.startswith("lakesite."))


def wrong_arrows(layer: str, names: Iterator[str]) -> list[str]:
    """Names that a module of this layer may not import."""
    allowed = (layer, "__version__", *LAYERS[layer])
    return [name for name in names if not any(f"{name}.".startswith(f"{way}.") for way in allowed)]


def test_every_layer_is_there() -> None:
    assert set(LAYERS) == {path.relative_to(PACKAGE).with_suffix("").parts[0] for path in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    package = ".".join(("lakesite", *parts[:-1]))
    assert parts[0] in LAYERS, f"say in {__name__}.LAYERS what lakesite/{parts[0]} may import"
    assert wrong_arrows(parts[0], imported(path.read_text(encoding="utf-8"), package)) == []


@pytest.mark.parametrize(("pattern", "places"), ONE_PLACE, ids=["Masked", "Markup"])
def test_made_in_one_place(pattern: str, places: tuple[str, ...]) -> None:
    where = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in MODULES}
    makers = [name for name, source in where.items() if re.search(pattern, source) and not name.startswith(places)]
    assert makers == []


def test_no_template_switches_escaping_off() -> None:
    templates = (path for path in (ROOT / "templates").rglob("*") if path.is_file())
    assert [path.name for path in templates if re.search(r"\|\s*safe\b|autoescape\s+false", path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("from lakesite.model import Key", []),
        ("from lakesite import __version__, masking", ["masking"]),
        ("from lakesite.masking import mask_text", ["masking.mask_text"]),
        ("import lakesite.site.build", ["site.build"]),
        ("def f():\n    from ..sources import lines", ["sources.lines"]),
        ("from . import code\nfrom .code import paint\nfrom ..view import href", []),
    ],
)
def test_a_wrong_arrow_is_seen(source: str, wrong: list[str]) -> None:
    assert wrong_arrows("render", imported(source, "lakesite.render")) == wrong
