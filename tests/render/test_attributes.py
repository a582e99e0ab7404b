"""Attributes hold nothing but what `attribute` or `link` made: quotes are escaped only there, for between tags they mean nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT

ESCAPING = frozenset({"attribute", "href", "link", "int", "len"})
"""What may be called for an attribute: it escapes quotes, or gives a number."""
KNOWN = {
    ("ansi.py", "classes"),  # of ours
    ("ansi.py", "target"),  # made by `link`
    ("bodies.py", "bare"),  # base64 that was decoded
    ("bodies.py", "kind"),  # one of our own media types
    ("bodies.py", "pack(plain(folded.middle))"),  # base64 of ours
    ("bodies.py", "high"),  # a number
    ("bodies.py", "target"),  # made by `link`
    ("bodies.py", "wide"),  # a number
    ("bodies.py", "words"),  # our own words
    ("code.py", "name"),  # a class of ours
    ("escape.py", "name"),  # a class of ours
    ("markdown.py", "address"),  # made by `link`
    ("markdown.py", "name"),  # a class of ours
    ("marker.py", "match[0]"),  # a marker: no quote in it
    ("marker.py", "fingerprint"),  # eight hex digits
}
"""Everything else that stands in an attribute, each with the reason why it may."""
_OPEN = re.compile(r"""=\s*(?:"[^"]*|'[^']*|[^\s"'<>]*)\Z""")
_TAG = re.compile(r"<[a-zA-Z/][^<>]*\Z|\A\s[a-z-]+=[^<>]*\Z")


def in_attributes(source: str) -> Iterator[str]:
    """Every expression that a module puts into an attribute: in f-strings, with `%`, with `+`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.JoinedStr(values=pieces):
                yield from _printed([(_text(piece), _expression(piece)) for piece in pieces])
            case ast.BinOp(left=left, op=ast.Mod(), right=right) if (text := _format_of(left)) is not None:
                given = [*(right.elts if isinstance(right, ast.Tuple) else [right]), None]
                pairs = zip(re.split(r"%[sd]", text), given, strict=False)
                yield from _printed([each for part, value in pairs for each in ((part, None), (None, value))])
            case ast.BinOp(left=left, op=ast.Add(), right=right) if (text := _constant(left)) is not None:
                yield from _printed([(text, None), (None, right)])


def _printed(pieces: list[tuple[str | None, ast.expr | None]]) -> Iterator[str]:
    before = ""
    for text, expression in pieces:
        before += text or ""
        if expression is not None:
            if _TAG.search(before) and _OPEN.search(before) and not _is_escaping(expression):
                yield ast.unparse(expression)
            before += "x"


def _text(piece: ast.expr) -> str | None:
    return str(piece.value) if isinstance(piece, ast.Constant) else None


def _expression(piece: ast.expr) -> ast.expr | None:
    return piece.value if isinstance(piece, ast.FormattedValue) else None


def _constant(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _format_of(node: ast.expr) -> str | None:
    """The text that is formatted: alone, or as markup."""
    return _constant(node.args[0]) if isinstance(node, ast.Call) and len(node.args) == 1 else _constant(node)


def _is_escaping(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ESCAPING


@pytest.mark.parametrize(("source", "found"), [
    ("""f'<a href="{visible(x)}">{y}</a>'""", ["visible(x)"]),
    ("""f'<a href="{attribute(x)}" title="{shown(z)}">{y}</a>'""", ["shown(z)"]),
    ("""f'<a href={x}>{y}</a>'""", ["x"]),
    ("""f"<a href='{x}'>" """, ["x"]),
    ("""f'<p>a="{x}"</p>'""", []),
    ("""f' class="{x}"'""", ["x"]),
    ("""Markup('<a href="%s" id="%d">%s</a>') % (visible(x), int(y), z)""", ["visible(x)"]),
    ("""Markup('<a href="%s">') % x""", ["x"]),
    ("""'<p>%s</p>' % x""", []),
    ("""'<a href="' + x + '">'""", ["x"]),
])  # fmt: skip
def test_what_stands_in_attributes_is_found(source: str, found: list[str]) -> None:
    assert list(in_attributes(source)) == found


def test_python_escapes_every_attribute() -> None:
    modules = [path for path in sorted((ROOT / "lakesite").rglob("*.py")) if "verify" not in path.name]
    found = {(path.name, expression) for path in modules for expression in in_attributes(path.read_text(encoding="utf-8"))}
    assert found == KNOWN


@pytest.mark.parametrize("path", sorted((ROOT / "templates").glob("*.html")), ids=lambda path: path.name)
def test_no_template_calls_anything_safe(path: Path) -> None:
    """What a template prints goes through the one escaping path; nothing in it can switch that off."""
    source = path.read_text(encoding="utf-8")
    assert re.findall(r"\|\s*(?:safe|forceescape|xmlattr|tojson|e)\b|autoescape|\bMarkup\b", source) == []
