"""What search finds is what a slow look at every text finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Browser

from lakesite.search.entries import entries, page_entries
from lakesite.site import writing
from lakesite.site.searching import Leaving, Searching, facts
from lakesite.view.shapes import DocumentPage, Row
from lakesite.view.summary import Summary
from tests.browser import Visit, visit
from tests.search.archive import Read
from tests.search.scan import Scanned, queries
from tests.site.builds import build

ASK = """
async queries => {
  const found = [];
  for (const query of queries) {
    const answer = await lakesiteSearch.ask(query);
    const name = async result => (await result.segment.shown(result.document))[1];
    const {sure, at} = await lakesiteSearch.checkMore(answer, 0, 10);
    found.push({
      all: await Promise.all(answer.results.all.map(name)),
      first: await Promise.all(sure.map(check => name(check.result))),
      patient: at === answer.results.length || sure.length === 10,
    });
  }
  return found;
}
"""

Documents = dict[str, tuple[Read, list[Scanned]]]


class Listening(Leaving):
    """Keeps what documents leave, as it was when their pages were final."""

    heard: ClassVar[Documents] = {}

    def __init__(self, searching: Searching, href: str) -> None:
        super().__init__(searching, href)
        self.scanned: list[Scanned] = []

    def rows(self, part: int, rows: Sequence[Row]) -> None:
        super().rows(part, rows)
        self.scanned += [Scanned(entry) for row in rows for entry in entries(row)]

    def end(self, summary: Summary, first: DocumentPage) -> None:
        super().end(summary, first)
        self.scanned += [Scanned(entry) for entry in page_entries(first)]
        self.heard[summary.href] = (Read(facts(summary), ()), self.scanned)


@pytest.fixture(scope="module")
def site(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a site of the shared data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "Leaving", Listening)
        return build(tmp_path_factory.mktemp("genuine") / "site", shared / "data").folder


@pytest.fixture(scope="module")
def documents(site: Path) -> Documents:
    """Give all its documents."""
    assert site.exists()
    return Listening.heard


@pytest.fixture(scope="module")
def page(browser: Browser, site: Path) -> Visit:
    """Give its search page."""
    return visit(browser, site / "search.html")


def test_what_is_found(page: Visit, documents: Documents) -> None:
    asked = list(queries(documents, 500, seed=11))
    answers = page.page.evaluate(ASK, [query.typed() for query in asked])
    expected = [query.found(documents) for query in asked]
    missed, wrong, short = [], [], []
    for query, right, answer in zip(asked, expected, answers, strict=True):
        missed += [(query.typed(), href) for href in sorted(right - set(answer["all"]))[:3]]
        wrong += [(query.typed(), href) for href in answer["first"] if href not in right]
        short += [(query.typed(), len(right))] * (answer["patient"] and len(answer["first"]) < min(10, len(right)))
    assert (missed, wrong, short) == ([], [], [])
    assert sum(map(bool, expected)) > 350
    assert sum(answer["patient"] for answer in answers) > 490
    assert page.misdeeds == ()
