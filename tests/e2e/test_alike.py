"""Equal masked values light up together; without scripts they are told apart by their fingerprints as ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.site.builds import build, call, event, result, said, write
from tests.site.planting import made

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser import Visit

ONE, OTHER = f"ghp_{made(36, 41)}", f"ghp_{made(36, 42)}"
LIT = "[...document.querySelectorAll('.mk')].map(chip => chip.style.outline != '')"
TITLES = "[...document.querySelectorAll('.mk')].map(chip => chip.title)"
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alike")
    site = build(folder / "site", write(folder / "a.jsonl", [
        event(1, "message.user", said("user", f"first {ONE}, then {OTHER}")),
        event(2, "tool.call", call("c1", "Bash", {"command": f"curl -H 'x: {ONE}' x.test", "password": "Tulip77#"})),
        event(3, "tool.result", result("c1", f"ok {ONE}\nmysql --password Badger9!")),
    ]))  # fmt: skip
    return site.page().path


def test_all_equal_ones_light_up(open_page: Callable[..., Visit], path: Path) -> None:
    page = open_page(path).page
    page.evaluate(OPEN_ALL)
    titles = page.evaluate(TITLES)
    same = [title == titles[0] for title in titles]
    assert 1 < sum(same) < len(same)
    chips = page.locator(".mk")
    for at in (0, max(place for place, equal in enumerate(same) if equal)):
        chips.nth(at).hover()
        assert page.evaluate(LIT) == same
    page.mouse.move(0, 0)
    assert not any(page.evaluate(LIT))
    chips.nth(0).focus()
    assert page.evaluate(LIT) == same
    page.evaluate("document.activeElement.blur()")
    assert not any(page.evaluate(LIT))


def test_only_what_stands_there_again_is_a_stop_for_the_keyboard(open_page: Callable[..., Visit], path: Path) -> None:
    page = open_page(path).page
    reachable = page.evaluate("[...document.querySelectorAll('.mk')].map(chip => chip.tabIndex == 0)")
    titles = page.evaluate(TITLES)
    again = [title in titles[:place] for place, title in enumerate(titles)]
    assert reachable == [repeated and not title.endswith(":00000000]") for title, repeated in zip(titles, again, strict=True)]


def test_passwords_of_one_length_are_not_called_equal(open_page: Callable[..., Visit], path: Path) -> None:
    page = open_page(path).page
    page.evaluate(OPEN_ALL)
    titles = page.evaluate(TITLES)
    passwords = [place for place, title in enumerate(titles) if title.endswith(":00000000]")]
    assert len({titles[place] for place in passwords}) < len(passwords)
    page.locator(".mk").nth(passwords[0]).hover()
    assert not any(page.evaluate(LIT))


def test_nothing_is_lost_without_scripts(open_page: Callable[..., Visit], path: Path) -> None:
    seen = open_page(path, scripts=False)
    seen.page.evaluate(OPEN_ALL)
    titles = seen.page.evaluate(TITLES)
    assert len(set(titles)) >= 3
    assert seen.page.locator(".mk").nth(0).inner_text() == "token · 40 characters"
    assert seen.page.locator(".mk[tabindex]").count() == 0
    assert seen.violations == []
