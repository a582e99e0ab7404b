"""Makes what lakesite builds now what is expected of it from now on: `python -m tests.golden.promote [SITE ...]`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from tests.golden.sites import EXPECTED, SITES, difference, expected, written


def promote(name: str) -> str:
    """Build a site, write it down as expected, and tell what changed."""
    with tempfile.TemporaryDirectory() as folder:
        texts = written(name, Path(folder) / "site")
    changes = difference(name, expected(name), texts)
    shutil.rmtree(EXPECTED / name, ignore_errors=True)
    for file, text in texts.items():
        target = EXPECTED / name / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    return changes


def main() -> None:
    """Promote the sites that are named, or all."""
    for name in sys.argv[1:] or SITES:
        if name not in SITES:
            sys.exit(f"no golden site {name!r}; there are: {', '.join(SITES)}")
        changes = promote(name)
        sys.stdout.write(f"{changes}\n" if changes else f"{name}: as before\n")


if __name__ == "__main__":
    main()
