"""Colours source text by the language that its fence or its file name says; a language is never guessed.

The block is `<pre class="code" dir="ltr">`; in it stands `<i>` with the names that Pygments gives its classes, fine ones folded into these:

| class | means | class | means |
|---|---|---|---|
| `k` | keyword | `nt` | tag, key |
| `s` | string | `gp` | prompt |
| `c` | comment | `gh` | heading |
| `nf` | name of a function or class | `ge` `gs` | emphasised, strong |

Numbers, built-in names and the like stay plain: every coloured word costs more bytes than it has letters.

A text with line numbers is `<div class="num">`: `<pre class="ln">` (the numbers, hidden from screen readers) beside the block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile

from markupsafe import Markup
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType

from lakesite.model import MARKER
from lakesite.render.diff import patch
from lakesite.render.escape import block, shown, verbatim
from lakesite.render.lexing import Lexing


@dataclass(frozen=True, slots=True)
class Limits:
    """What is coloured at most; anything beyond is shown plain. They bound the time that a hostile text can take."""

    characters: int = 2_048
    """Of one text."""
    line: int = 1_000
    """Of its longest line."""
    blanks: int = 200
    """In a row, line breaks included."""
    openings: int = 16
    """Block comments that are opened after the last one that is closed."""
    document: int = 100_000
    """Characters of all texts of one document."""


LIMITS = Limits()


@dataclass(slots=True)
class Budget:
    """How much of one document may still be coloured."""

    characters: int = LIMITS.document
    """What is left."""

    def take(self, characters: int) -> bool:
        """Spend as many characters, or say that so many are not left."""
        if characters > self.characters:
            return False
        self.characters -= characters
        return True


_LANGUAGES = """
awk
bash            sh shell zsh ksh shellscript bashrc zshrc profile env
batch           bat cmd
c               h
clojure         clj cljs cljc edn
cmake
console         shell-session sh-session shellsession
cpp             c++ cc cxx hpp hh hxx ino
css
dart
diff            patch udiff
docker          dockerfile containerfile
elixir          ex exs
erlang          erl hrl
fsharp          f# fs fsx
go              golang
graphql         gql
haskell         hs
html            htm xhtml vue svelte astro
http
ini             cfg conf editorconfig gitconfig
javascript      js mjs cjs json5 jsonc
json            jsonl ndjson geojson ipynb webmanifest
jsx             tsx
julia           jl
kotlin          kt kts
latex           tex sty
lua
make            makefile mk mak gnumakefile
markdown        md mdx mdown
nginx
nim
objective-c     objc objectivec m mm
ocaml           ml mli
perl            pl pm
php
powershell      ps1 psm1 pwsh ps
properties
protobuf        proto
pycon
pytb
python          py python3 py3 pyi pyw bzl bazel starlark
r
rst             rest
ruby            rb rake gemspec gemfile rakefile hcl tf tfvars terraform
rust            rs
scala           sc
scss            sass less
sql             psql mysql sqlite postgres postgresql plsql ddl
swift
toml
typescript      ts mts cts java csharp c# cs groovy gradle
vim             viml vimrc
xml             svg xsd xsl plist rss csproj pom
yaml            yml
zig
"""
"""The lexer of Pygments, and what else its language is called in fences and file names. Those of Java, C# and HCL take
quadratic or cubic time; TypeScript's and Ruby's know most of their words and are linear."""

_LEXERS = {name: names[0] for names in map(str.split, _LANGUAGES.strip().splitlines()) for name in names}
_OWN_NAMES = ("bashrc", "containerfile", "dockerfile", "env", "gemfile", "gnumakefile", "makefile", "rakefile", "vimrc", "zshrc")
_FILES = {
    **{name: _LEXERS[name] for name in _OWN_NAMES},
    "cmakelists.txt": "cmake",
    "nginx.conf": "nginx",
    "pipfile.lock": "json",
    "poetry.lock": "toml",
}

_CLASSES = {
    Token.Keyword: "k",
    Token.Operator.Word: "k",
    Token.Literal.String: "s",
    Token.Comment: "c",
    Token.Name.Function: "nf",
    Token.Name.Class: "nf",
    Token.Name.Tag: "nt",
    Token.Generic.Prompt: "gp",
    Token.Generic.Heading: "gh",
    Token.Generic.Subheading: "gh",
    Token.Generic.Emph: "ge",
    Token.Generic.Strong: "gs",
    Token: "",
}

_WORD = re.compile(r"[\w+#-]+")
_NUMBER = re.compile(r" *(\d{1,7})(?:→|\t)", re.ASCII)
_BLANKS = re.compile(rf"\s{{{LIMITS.blanks}}}")
_LONG_LINE = re.compile(rf"[^\n]{{{LIMITS.line}}}")


def highlight(text: str, language: str | None, budget: Budget | None = None) -> Markup:
    """Show source text in a block, coloured if its language is known and it is not too large."""
    text = text.replace("\r\n", "\n")
    lexer = _lexer_named(language or "")
    if lexer == "diff":
        return patch(text) or _plain(text)
    if lexer is None or not _is_moderate(text) or not (budget is None or budget.take(len(text))):
        return _plain(text)
    return block("code", _coloured(text, lexer), ' dir="ltr"')


def numbered(text: str, language: str | None, budget: Budget | None = None) -> Markup:
    """Show a file as it was read, with its line numbers in a column of their own; what follows the last numbered line, below."""
    lines = text.replace("\r\n", "\n").split("\n")
    numbers = list(takewhile(bool, map(_NUMBER.match, lines)))
    values = [int(match[1]) for match in numbers if match]
    if not values or values != list(range(values[0], values[0] + len(values))):
        return highlight(text, language, budget)
    code = "\n".join(line[match.end() :] for line, match in zip(lines, numbers, strict=False) if match)
    rest = "\n".join(lines[len(values) :]).lstrip("\n")
    column = Markup('<pre class="ln" aria-hidden="true">%s</pre>') % "\n".join(map(str, values))
    below = verbatim(rest) if rest.strip() else Markup()
    return Markup('<div class="num">%s%s</div>%s') % (column, highlight(code, language, budget), below)


def language_of(path: str) -> str | None:
    """Give the language of a file by its name."""
    name = re.split(r"[/\\]", path)[-1].lower().lstrip(".")
    first, dot, _ = name.partition(".")
    return _FILES.get(name) or (_LEXERS.get(name.rpartition(".")[2]) if dot else None) or _FILES.get(first)


def _lexer_named(language: str) -> str | None:
    word = _WORD.search(language[:100].lower())
    return _LEXERS.get(word[0]) if word else None


def _plain(text: str) -> Markup:
    return block("code", shown(text), ' dir="ltr"')


def _is_moderate(text: str) -> bool:
    return (
        len(text) <= LIMITS.characters
        and not _LONG_LINE.search(text)
        and not _BLANKS.search(text)
        and text.count("/*", text.rfind("*/") + 1) <= LIMITS.openings
    )


@cache
def _lexer(name: str) -> Lexing:
    return Lexing(get_lexer_by_name(name))


@lru_cache(maxsize=256)
def _coloured(text: str, lexer: str) -> str:
    """Write a text with its classes; a lexer is foreign code on hostile text: if it raises or loses any, the text is plain."""
    try:
        return "".join(_classed(text, lexer))
    except Exception:  # noqa: BLE001 -- whatever it raises, the text is still shown
        return shown(text)


def _classed(text: str, lexer: str) -> Iterator[str]:
    """Write the stretches of each class; blanks go with what stands before them, and a mask marker counts as a word."""
    words = MARKER.sub(lambda match: "x" * len(match[0]), text)
    class_of = _CLASS_OF.__getitem__
    name, start, end = "", 0, 0
    for at, kind, value in _lexer(lexer).tokens(words if words.endswith("\n") else f"{words}\n"):
        if at != end:
            raise _LostError
        end += len(value)
        if not value.isspace() and (new := class_of(kind)) != name:
            yield _stretch(text[start:at], name)
            name, start = new, at
    if end < len(text):
        raise _LostError
    yield _stretch(text[start:], name)


def _stretch(text: str, name: str) -> str:
    html = shown(text)
    return f"<i class={name}>{html}</i>" if name and html else html


class _LostError(Exception):
    """A lexer lost some of the text."""


class _ClassOf(dict[_TokenType, str]):
    """The class of each kind of token: its own, or else that of a more general one."""

    def __missing__(self, kind: _TokenType) -> str:
        general = kind
        while general not in _CLASSES:
            general = general.parent or Token
        return self.setdefault(kind, _CLASSES[general])


_CLASS_OF = _ClassOf()
