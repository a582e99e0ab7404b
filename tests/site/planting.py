"""Secrets of every family of rules, made at run time, and every kind of place in a site that something can be put into by hand."""

from __future__ import annotations

import gzip
import json
import random
import string
import zlib
from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Plant = Callable[[Path], None]

LETTERS = string.ascii_letters + string.digits


def made(length: int, seed: int = 1, alphabet: str = LETTERS) -> str:
    """Characters that look like a secret."""
    chosen = random.Random(seed)  # noqa: S311 -- the same every time
    return "".join(chosen.choice(alphabet) for _ in range(length))


TOKEN = f"ghp_{made(36)}"
PASSWORD = f"{made(6, 3)}!{made(5, 4)}7"
SECRETS = {
    "provider": TOKEN,
    "assignment": f"BUILD_VALUE={made(24, 2)}",
    "entropy": f"{made(30, 5)}/{made(17, 6)}9aZ=",
    "url": f"postgres://app:{PASSWORD}@db.internal:5432/x",
    "flag": f"mysql --user app --password {PASSWORD}",
    "json": json.dumps({"client_secret": made(32, 8)}),
    "header": f"Authorization: Bearer {made(40, 9)}",
    "key": f"-----BEGIN RSA PRIVATE KEY-----\n{made(64, 10)}\n{made(64, 11)}\n-----END RSA PRIVATE KEY-----",
}
"""One text of each family of rules."""

_HARMLESS = (
    *("BUILD_VALUE=", "postgres://app:", "@db.internal:5432/x", "mysql --user app --password ", "client_secret", "Authorization: Bearer "),
    *("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
)


def pieces_of(secret: str) -> list[str]:
    """Every eight characters in a row of what is secret in such a text."""
    for words in _HARMLESS:
        secret = secret.replace(words, "\n")
    bare = [piece for line in secret.split("\n") for piece in line.split('"')]
    return [piece[at : at + 8] for piece in bare for at in range(len(piece) - 7)]


def deflated(text: str) -> str:
    """Raw deflate in base64, as folds and the files of the index have it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(packer.compress(text.encode()) + packer.flush()).decode()


def in_page(html: str) -> Plant:
    """At the end of the main part of a page."""

    def plant(site: Path) -> None:
        (page,) = (site / "runs").glob("*.html")
        page.write_text(page.read_text(encoding="utf-8").replace("</main>", f"{html}</main>"), encoding="utf-8")

    return plant


def in_file(name: str, content: str | bytes) -> Plant:
    """A file, or the end of one that is there."""

    def plant(site: Path) -> None:
        (site / name).parent.mkdir(exist_ok=True)
        with (site / name).open("ab") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)

    return plant


def in_title(text: str) -> Plant:
    """What `site.json` says of a document."""

    def plant(site: Path) -> None:
        told = json.loads((site / "site.json").read_bytes())
        told["documents"][0]["title"] = text
        (site / "site.json").write_text(json.dumps(told, separators=(",", ":")), encoding="utf-8")

    return plant


def _coloured(text: str) -> str:
    return "".join(f"<i class=s>{escape(char)}</i>" if place % 3 else escape(char) for place, char in enumerate(text))


def _fold(text: str) -> str:
    return f'<details class="fold" data-z="{deflated(text)}"><summary>… 9 more lines</summary><p>opens with scripts only</p></details>'


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


PLACES: dict[str, tuple[str, Callable[[str], Plant]]] = {
    "text": ("text", lambda text: in_page(f"<p>before {escape(text)} after</p>")),
    "coloured text": ("text", lambda text: in_page(f'<pre class="code">{_coloured(text)}</pre>')),
    "emphasis": ("text", lambda text: in_page(f'<div class="md"><p>It is <strong>{escape(text)}</strong></p></div>')),
    "forged chip": ("text", lambda text: in_page(f'<span class="mk" title="[masked:token:9:00c0ffee]">{escape(text)}</span>')),
    "attribute": ("attribute", lambda text: in_page(f'<p title="{escape(text)}">x</p>')),
    "bare attribute": ("attribute", lambda text: in_page(f"<p data-x='{escape(text)}' hidden>x</p>")),
    "address": ("attribute", lambda text: in_page(f'<a href="https://example.com/?q={escape(text)}">x</a>')),
    "closing tag": ("attribute", lambda text: in_page(f"<p>x</p {escape(text)}>")),
    "comment": ("comment", lambda text: in_page(f"<!-- {text} -->")),
    "declaration": ("declaration", lambda text: in_page(f"<?php {escape(text)} ?>")),
    "script": ("script", lambda text: in_page(f"<script>{text}</script>")),
    "data in a script": ("script", lambda text: in_page(f'<script type="application/json">{json.dumps({"a": text})}</script>')),
    "style": ("style", lambda text: in_page(f"<style>/* {text} */</style>")),
    "packed fold": ("packed text", lambda text: in_page(_fold(text))),
    "packed attribute": ("packed text", lambda text: in_page(f'<div data-z="{deflated(text)}"></div>')),
    "search shard": ("packed text", lambda text: in_file("search/0.js", f'lakesiteSearch("0","{deflated(text)}")\n')),
    "zlib in JSON": ("packed text", lambda text: in_file("more.json", json.dumps({"x": _base64(zlib.compress(text.encode()))}))),
    "gzip in a script": ("packed text", lambda text: in_file("a.js", f"f('{_base64(gzip.compress(text.encode()))}')")),
    "packed twice": ("packed text", lambda text: in_file("b.js", f'f("{deflated(f"{deflated(text)} and more")}")')),
    "packed file": ("packed text", lambda text: in_file("pages.gz", gzip.compress(text.encode()))),
    "title in JSON": ("file", in_title),
    "data file": ("file", lambda text: in_file("data/x.json", json.dumps([{"a": [text]}], indent=1))),
    "text file": ("file", lambda text: in_file("runs/a.txt", f"\ufeffsome text\n{text}\n")),
    "wide text file": ("file", lambda text: in_file("a.txt", text.encode("utf-16"))),
    "wide text without a mark": ("file", lambda text: in_file("a.txt", text.encode("utf-16-le"))),
    "style sheet": ("file", lambda text: in_file("extra.css", f"/* {text} */")),
    "unknown file": ("file", lambda text: in_file("core", b"\0\1\2\n" + text.encode() + b"\n\xff\xfe")),
}
"""How a leak there is called, and how a text gets there."""
