"""The golden sites: what is built from what, and how a built site is written down."""

from __future__ import annotations

import json
import re
from difflib import unified_diff
from pathlib import Path

from tests import EXAMPLES
from tests.golden.outline import outline
from tests.site.builds import Site, build

FOLDER = Path(__file__).parent
EXPECTED = FOLDER / "expected"
"""A folder a site, with a text a page."""
SITES = {EXAMPLES.name: EXAMPLES, **{case.name: case for case in sorted((FOLDER / "cases").iterdir())}}
"""The records of each site, by its name."""

_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
"""Of rules and options: another with every change of a rule."""
Texts = dict[str, str]
"""What a site says, by the name of the file that holds it."""


def written(name: str, out: Path) -> Texts:
    """Build a site, and write it down without what may change: version, style, script, and their hashes."""
    site = build(out, SITES[name])
    pages = {f"{address.removesuffix('.html')}.txt": _DIGEST.sub("(a digest)", outline(page.raw)) for address, page in site.pages.items()}
    return {**pages, "site.txt": _data(site)}


def expected(name: str) -> Texts:
    """What a site is to say."""
    folder = EXPECTED / name
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.txt"))}


def difference(name: str, wanted: Texts, got: Texts) -> str:
    """What differs, file by file; empty where nothing does."""
    lines: list[str] = []
    for file in sorted({*wanted, *got}):
        before, after = wanted.get(file, ""), got.get(file, "")
        lines += unified_diff(before.splitlines(), after.splitlines(), f"expected/{name}/{file}", f"built/{file}", n=2, lineterm="")
    return "\n".join(lines)


def _data(site: Site) -> str:
    """`site.json` with a field a line; counts that are 0 left out."""
    lines = [f"format {site.json['format']}"]
    for kind in ("documents", "problems", "skipped"):
        for item in site.json[kind]:
            lines += ["", kind, *(f"  {field}: {_short(value)}" for field, value in item.items())]
    return "\n".join(lines) + "\n"


def _short(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {json.dumps(count)}" for name, count in value.items() if count != 0)
    return json.dumps(value, ensure_ascii=False)
