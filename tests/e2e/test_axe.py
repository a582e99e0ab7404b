"""Every kind of page passes axe-core, light and dark.

axe-core is an npm package, and needed here alone: LAKESITE_AXE names its `axe.min.js`; else npm is asked for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.e2e.pages import OPEN_ALL, Open
from tests.site.builds import Site

RUN = """async () => {
  const rules = {"scrollable-region-focusable": {enabled: false}, "heading-order": {enabled: false}};
  const {violations} = await axe.run(document, {resultTypes: ["violations"], rules});
  return violations.map(({id, nodes}) => `${id}: ${nodes.length} × ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`);
}"""
"""Chromium and Firefox let the keyboard reach blocks that scroll; headings inside a message are in the order of its writer."""
PAGES = ("index", "parallel-review", "release-gate", "triage-ticket", "claude-", "search", "problems", "masking")


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script."""
    named = os.environ.get("LAKESITE_AXE")
    if named:
        return Path(named).read_text(encoding="utf-8")
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("no npm to get axe-core with; LAKESITE_AXE may name axe.min.js")
    folder = tmp_path_factory.mktemp("axe")
    try:
        subprocess.run([npm, "pack", "axe-core@4", "--silent"], cwd=folder, check=True, capture_output=True, timeout=60)
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            script = archive.extractfile("package/axe.min.js")
            assert script
            return script.read().decode()
    except (subprocess.SubprocessError, OSError, StopIteration) as error:
        pytest.skip(f"npm has no axe-core: {type(error).__name__}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_violations(open_page: Open, examples: Site, axe: str, name: str, scheme: Literal["light", "dark"]) -> None:
    path = next(page.path for address, page in examples.pages.items() if f"/{name}" in f"/{address}")
    page: Any = open_page(path, scheme=scheme).page
    page.evaluate(OPEN_ALL)
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
