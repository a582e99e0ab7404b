"""What search finds is what a slow look at every text finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import Visit, visit
from tests.search.archive import Read, read_archive
from tests.search.scan import Scanned, queries
from tests.search.site import write_search

ASK = """
async queries => {
  const found = [];
  for (const query of queries) {
    const answer = await lakesiteSearch.ask(query);
    const name = async result => (await result.segment.shown(result.document))[1];
    const {sure} = await lakesiteSearch.checkMore(answer, 0, 10);
    found.push({
      all: await Promise.all(answer.results.map(name)),
      first: await Promise.all(sure.map(check => name(check.result))),
      notes: answer.asked.notes,
    });
  }
  return found;
}
"""

Documents = dict[str, tuple[Read, list[Scanned]]]


@pytest.fixture(scope="module")
def documents(shared: Path) -> Documents:
    """Give all documents of the shared data."""
    return {read.facts.href: (read, [Scanned(entry) for _, entry in read.entries()]) for read in read_archive(shared / "data")}


@pytest.fixture(scope="module")
def page(browser: object, documents: Documents, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """Give a search page over all documents."""
    out = tmp_path_factory.mktemp("search")
    write_search([read for read, _ in documents.values()], out)
    return visit(browser, out / "search.html")  # type: ignore[arg-type]


def test_what_is_found(page: Visit, documents: Documents) -> None:
    asked = list(queries(documents, 500, seed=11))
    answers = page.page.evaluate(ASK, [query.typed() for query in asked])
    expected = [query.found(documents) for query in asked]
    missed, wrong, short = [], [], []
    for query, right, answer in zip(asked, expected, answers, strict=True):
        missed += [(query.typed(), href) for href in sorted(right - set(answer["all"]))[:3]]
        wrong += [(query.typed(), href) for href in answer["first"] if href not in right]
        short += [(query.typed(), len(right))] * (len(answer["first"]) < min(10, len(right)))
    assert (missed, wrong, short) == ([], [], [])
    assert sum(map(bool, expected)) > 350
    assert page.misdeeds == ()
