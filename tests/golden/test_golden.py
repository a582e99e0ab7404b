"""Whole sites say what they said before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.outline import outline
from tests.golden.sites import EXPECTED, FOLDER, SITES, difference, expected, written

SHOWN = 150
"""Lines of a difference that are shown."""


@pytest.mark.parametrize("name", SITES)
def test_a_site_says_what_it_said_before(tmp_path: Path, name: str) -> None:
    lines = difference(name, expected(name), written(name, tmp_path / "site")).splitlines()
    if lines:
        more = [f"… {len(lines) - SHOWN} more lines"] if len(lines) > SHOWN else []
        how = f"\nIf all of it is meant: python -m tests.golden.promote {name}"
        pytest.fail("\n".join([f"the site {name} differs:", *lines[:SHOWN], *more, how]), pytrace=False)


def test_nothing_is_expected_of_a_site_that_is_not_built() -> None:
    assert {path.name for path in EXPECTED.iterdir()} == set(SITES)


def test_golden_sites_stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file() and path.suffix != ".pyc") < 350_000


def test_a_page_is_written_down_as_it_is_read() -> None:
    page = """<html><head><title>not this</title></head><body><main><h2 class="x">One &amp; two</h2>
      <details class="row tool fail" id="e-8"><summary><i class="dot failed">failed</i><b>Bash</b><code>pytest  -q</code>
      <span class="at">exit 1<span class="b-router">router</span></span></summary><pre class="out">
a
b
c
</pre><p class="foot"><a href="#e-8" title="line 3">link</a> <a href="b.html#e-9">go</a></p></details>
      <table><tr><td>1</td><td>2</td></tr></table><ul><li>x <span class="mk">token · 9 characters</span></li></ul></main>
      <script>not(this)</script></body></html>"""
    assert outline(page).splitlines() == [
        "## One & two",
        "[e-8 tool fail]",
        "+ (failed) **Bash** `pytest -q` exit 1 [router]",
        "| a",
        "| b",
        "| … 1 more lines",
        "link {line 3} go <b.html#e-9>",
        "1 | 2",
        "- x ‹token · 9 characters›",
    ]


def test_a_difference_is_shown_line_by_line() -> None:
    shown = difference("x", {"a.txt": "one\ntwo\n", "gone.txt": "x\n"}, {"a.txt": "one\n2\n", "new.txt": "y\n"})
    assert shown.splitlines() == [
        "--- expected/x/a.txt", "+++ built/a.txt", "@@ -1,2 +1,2 @@", " one", "-two", "+2",
        "--- expected/x/gone.txt", "+++ built/gone.txt", "@@ -1 +0,0 @@", "-x",
        "--- expected/x/new.txt", "+++ built/new.txt", "@@ -0,0 +1 @@", "+y",
    ]  # fmt: skip
    assert difference("x", {"a.txt": "one\n"}, {"a.txt": "one\n"}) == ""
