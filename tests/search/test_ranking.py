"""The order of results, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import Visit, visit
from tests.search.site import write_search


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """Give a search page over nothing."""
    out: Path = tmp_path_factory.mktemp("empty")
    write_search([], out)
    seen = visit(browser, out / "search.html")
    yield seen
    seen.page.context.close()


RANKED = """
(count, different) => {
  const segment = {id: "s", day: [1], minute: [2]};
  const make = document => ({segment: {...segment, day: {[document]: 1}, minute: {[document]: document % 5}}, document,
    near: document % 3 ? 0 : 1, score: document * 7919 % different});
  const found = Array.from({length: count}, (_, document) => make(document));
  const ranking = new lakesiteSearch.Ranking(found);
  const taken = [];
  while (taken.length < count) taken.push(...ranking.slice(taken.length, taken.length + 10));
  return taken.map(({near, score, segment, document}) => [near, score, segment.minute[document], -document]);
}
"""


@pytest.mark.parametrize("different", [1, 7, 90, 5000])
@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 1200])
def test_all_results_are_in_order_however_many_are_shown(page: Visit, count: int, different: int) -> None:
    taken = page.page.evaluate(f"([count, different]) => ({RANKED})(count, different)", [count, different])
    assert taken == sorted(taken, reverse=True)
    assert len({document for *_, document in taken}) == count
