"""Sites that whole-product tests look at, each built once."""

from __future__ import annotations

import pytest

from tests import EXAMPLES
from tests.site.builds import Site, build


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The example records that come with lakesite, as a site."""
    return build(tmp_path_factory.mktemp("examples") / "site", EXAMPLES)
