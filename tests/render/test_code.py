"""What is coloured, what is not, and that it costs no more than it may."""

from __future__ import annotations

import pytest
from pygments.lexer import Lexer

from lakesite.render import code
from lakesite.render.code import LIMITS, Budget, highlight, language_of
from lakesite.render.lexing import Lexing
from tests.render.reading import text_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/app.py", "python"),
        ("C:\\x\\y.TSX", "jsx"),
        ("a/b.test.ts", "typescript"),
        ("Dockerfile", "docker"),
        ("deploy/Dockerfile.prod", "docker"),
        ("Makefile", "make"),
        ("CMakeLists.txt", "cmake"),
        ("/home/me/.bashrc", "bash"),
        (".env.local", "bash"),
        ("notes.txt", None),
        ("bin/go", None),
        ("README", None),
        ("archive.tar.gz", None),
        ("", None),
        (".", None),
        ("dir/", None),
    ],
)
def test_a_file_says_its_language_by_its_name(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    "text",
    [
        "pass\n" * LIMITS.characters,
        "pass # " + "y" * LIMITS.line,
        "pass\n" + "\n" * LIMITS.blanks + "pass\n",
        "pass\n" + "/*\n" * (LIMITS.openings + 1),
    ],
    ids=["long", "long line", "blanks", "openings"],
)
def test_what_is_beyond_a_limit_is_plain(text: str) -> None:
    assert "<i" in highlight("pass\n", "python")
    assert "<i" not in highlight(text, "python")


def test_a_budget_is_spent_alike_whether_or_not_a_text_was_seen_before() -> None:
    text = "x = 1 # twice\n"
    for _ in range(2):
        budget = Budget(len(text) + 1)
        assert "<i" in highlight(text, "python", budget)
        assert budget.characters == 1
        assert "<i" not in highlight(text, "python", budget)


def test_a_lexer_that_raises_leaves_the_text_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Lexer):
        def get_tokens_unprocessed(self, text: str) -> object:
            raise RecursionError(text)

    monkeypatch.setattr(code, "_lexer", lambda _name: Lexing(Broken()))
    html = highlight("def unlike_any_other(): pass", "python")
    assert html == '<pre class="code" dir="ltr">def unlike_any_other(): pass</pre>'


def test_a_lexer_that_loses_text_leaves_it_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lossy(Lexer):
        def get_tokens_unprocessed(self, text: str) -> object:
            return iter([(0, code.Token.Keyword, text[:3])])

    monkeypatch.setattr(code, "_lexer", lambda _name: Lexing(Lossy()))
    assert "<i" not in highlight("def also_unlike(): pass", "python")


def test_every_language_has_its_lexer() -> None:
    names = sorted({name for name in code._LEXERS.values() if name != "diff"})  # noqa: SLF001 -- the table is the thing tested
    assert [name for name in names if text_of(highlight(f"a {name} < 'b'\n", name)) != f"a {name} < 'b'\n"] == []
    assert [name for name in names if code._lexer(name) is None] == []  # noqa: SLF001
