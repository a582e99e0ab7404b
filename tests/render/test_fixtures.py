"""Every case in the text files of this folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lakesite.model import Number
from lakesite.render.ansi import ansi
from lakesite.render.code import highlight, numbered
from lakesite.render.diff import edit, patch
from lakesite.render.escape import visible
from lakesite.render.jsontext import json_text
from lakesite.render.markdown import markdown
from tests.render.reading import assert_sound
from tests.sources.fixtures import cases, content

HERE = Path(__file__).parent


def text(part: str) -> str:
    return content(part).decode("utf-8").removesuffix("\n")


def inside(html: str, start: str = '<pre class="', end: str = "</pre>") -> str:
    """What is in a block."""
    assert html.startswith(start)
    assert html.endswith(end)
    return html[html.index(">") + 1 : -len(end)]


def as_recorded(spelled: str) -> object:
    return json.loads(spelled, parse_float=Number, parse_int=Number, parse_constant=Number)


def patched(given: str) -> str:
    html = patch(given)
    return "" if html is None else inside(html)


RENDERERS: dict[str, Callable[..., str]] = {
    "escape": visible,
    "markdown": lambda given: inside(markdown(given), '<div class="md">', "</div>"),
    "ansi": lambda given: inside(ansi(given)),
    "edit": lambda old, new: inside(edit(old, new)),
    "patch": patched,
    "json": lambda given: inside(json_text(as_recorded(given))),
    "code": lambda language, given: inside(highlight(given, language)),
    "numbered": lambda given: numbered(given, None),
}
TWO_INPUTS = {"edit", "code"}


def every_case() -> list[object]:
    found = []
    for name in RENDERERS:
        for title, *parts in cases(HERE / f"{name}.txt", 3 if name in TWO_INPUTS else 2):
            found.append(pytest.param(name, tuple(parts[:-1]), parts[-1], id=f"{name}: {title}"))
    return found


@pytest.mark.parametrize(("name", "given", "expected"), every_case())
def test_case(name: str, given: tuple[str, ...], expected: str) -> None:
    html = str(RENDERERS[name](*map(text, given)))
    assert html == expected
    assert_sound(html)
