"""The tokens are those that Pygments gives, whatever the text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexers import get_lexer_by_name

from lakesite.render.code import _LEXERS
from lakesite.render.lexing import Lexing, Token

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(set(_LEXERS.values()))
SOURCES = [
    *(ROOT / name for name in ("README.md", "pyproject.toml", "tests/run.sh", "lakesite/render/code.py", "lakesite/masking/shapes.py")),
    *(ROOT / "static" / name for name in ("lakesite.css", "search-query.js")),
    *(ROOT / "templates" / name for name in ("rows.html", "shell.html")),
    ROOT / "tests" / "render" / "code.txt",
]
OWN_WAY = (
    "c", "console", "cpp", "elixir", "http", "json", "lua", "make", "objective-c", "php", "pycon", "ruby", "swift", "vim", "yaml",
)  # fmt: skip
"""Languages whose lexers read in a way of their own."""
TEXTS = [path.read_text(encoding="utf-8") for path in SOURCES]
PIECES = (
    "\n",
    " ",
    "\t",
    "'",
    '"',
    "'''",
    "`",
    "#",
    "//",
    "/*",
    "*/",
    "<",
    ">",
    "{{",
    "}}",
    "${",
    "$(",
    "\\",
    "0x1f",
    "é",
    "def f(",
    "<<EOF\n",
    "EOF\n",
)


def piece(at: int) -> str:
    """Some characters of the sources."""
    text = TEXTS[at % len(TEXTS)]
    return text[at % len(text) :][: at % 37]


@cache
def both(name: str) -> tuple[Lexing, Lexing]:
    """A lexer as lakesite runs it from its first character on, and as Pygments does."""
    return Lexing(get_lexer_by_name(name), worth_it=0), Lexing(get_lexer_by_name(name), worth_it=1 << 60)


def differing(name: str, text: str) -> list[tuple[Token, Token]]:
    """Where the tokens of a text differ; empty ones mean nothing."""
    fast, plain = ([token for token in each.tokens(text) if token[2]] for each in both(name))
    return [pair for pair in zip(fast, plain, strict=True) if pair[0] != pair[1]]


def test_all_other_lexers_are_run_with_their_rules_joined() -> None:
    """Else what follows would compare Pygments with itself."""
    assert [name for name in NAMES if not both(name)[0].joins_rules] == list(OWN_WAY)


@pytest.mark.parametrize("name", NAMES)
def test_whole_sources_read_alike_in_every_language(name: str) -> None:
    assert all(differing(name, text) == [] for text in TEXTS)


@given(
    st.sampled_from(NAMES),
    st.lists(st.one_of(st.sampled_from(PIECES), st.integers(0, 60_000).map(piece), st.text(max_size=5))),
)
@settings(max_examples=300)
def test_any_mixture_reads_alike(name: str, pieces: list[str]) -> None:
    assert differing(name, f"{''.join(pieces)}\n") == []
