"""The browser of the tests must see what it is there to see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser import Visit

POLICY = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
HEAD = "<!doctype html><meta charset=utf-8><link rel=icon href='data:,'><title>t</title>"


def write(folder: Path, body: str) -> Path:
    page = folder / "page.html"
    page.write_text(HEAD + body, encoding="utf-8")
    return page


def test_a_good_page_has_no_misdeeds(tmp_path: Path, open_page: Callable[..., Visit]) -> None:
    seen = open_page(write(tmp_path, f"{POLICY}<h1>quiet</h1>"))
    assert seen.page.inner_text("h1") == "quiet"
    assert seen.misdeeds == ()
    assert seen.requests == [(tmp_path / "page.html").as_uri()]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("<img src='https://host.invalid/a.png'>", "foreign"),
        ("<script>fetch('https://host.invalid/a')</script>", "foreign"),
        (f"{POLICY}<img src='https://host.invalid/a.png'>", "foreign"),
        (f"{POLICY}<script>1</script>", "violations"),
        (f"{POLICY}<p style='color:red'>", "violations"),
        ("<script>alert('here')</script>", "dialogs"),
        ("<script>nothing_of_this_name()</script>", "errors"),
        ("<script>console.log('here')</script>", "console"),
        ("<a id=a target=_blank href='#x'>x</a><script>document.getElementById('a').click()</script>", "popups"),
    ],
)
def test_a_misdeed_is_seen(tmp_path: Path, open_page: Callable[..., Visit], body: str, field: str) -> None:
    seen = open_page(write(tmp_path, body))
    assert seen.until(lambda: getattr(seen, field))
    assert seen.misdeeds


def test_scripts_off_leaves_the_page_readable_for_the_test(tmp_path: Path, open_page: Callable[..., Visit]) -> None:
    seen = open_page(write(tmp_path, "<h1>text</h1><script>document.querySelector('h1').remove()</script>"), scripts=False)
    assert seen.page.evaluate("document.querySelector('h1').textContent") == "text"


def test_settings_reach_the_page(tmp_path: Path, open_page: Callable[..., Visit]) -> None:
    seen = open_page(write(tmp_path, ""), scheme="dark", size=(320, 500))
    assert seen.page.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]") == [320, True]


def test_waiting_ends(tmp_path: Path, open_page: Callable[..., Visit]) -> None:
    seen = open_page(write(tmp_path, POLICY))
    with pytest.raises(AssertionError, match="still 0"):
        seen.until(lambda: 0, seconds=0.1)
