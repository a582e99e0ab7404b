"""A site that can be searched, and its search page in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Visit
from tests.search.pages import DOCUMENTS, Open, settle
from tests.search.site import write_documents, write_search


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a small site that can be searched."""
    out = tmp_path_factory.mktemp("site")
    write_search(DOCUMENTS, out)
    write_documents(DOCUMENTS, out)
    return out


@pytest.fixture
def search(open_page: Open, site: Path) -> Callable[..., Visit]:
    """Open the search page with a query."""

    def opener(query: str = "", at: Path | str = site, **settings: Any) -> Visit:  # noqa: ANN401
        root = at if isinstance(at, str) else at.as_uri()
        seen = open_page(f"{root}/search.html{f'#q={query}' if query else ''}", **settings)
        settle(seen)
        return seen

    return opener
