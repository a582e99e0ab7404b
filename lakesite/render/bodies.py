"""Shows one body for what it is: prose as prose, output as output, a long text folded.

| element | class | means |
|---|---|---|
| p | `label` | what stands above a body, with its badges |
| p | `none` | says what was not there |
| div | `err` | around the body of an error |
| details | `more` | a body that is closed until the reader opens it |
| details | `fold` | the middle of a long text; `data-z` holds it, deflated in base64, where it is very long |
| details | `thought` | thinking: its first lines are the summary |
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable
from itertools import groupby
from typing import Final, TypeAlias

from markupsafe import Markup

from lakesite.render import ansi, code, diff, jsontext, markdown, structures
from lakesite.render.escape import attribute, block, link, shown, verbatim, visible
from lakesite.render.fold import Folded, fold, pack, without_payloads
from lakesite.render.picture import measured
from lakesite.render.small import badges, span
from lakesite.view.shapes import Body, MessageRow, Row
from lakesite.view.terminal import strip
from lakesite.view.words import plural, size

Aside: TypeAlias = Callable[[str], str]
"""Writes a long text to a file of its own and gives its address."""
Show: TypeAlias = Callable[[str], Markup]
"""Lays out a text, or a part of it."""

INLINE: Final = 65_536
"""Characters of a folded middle that stand in the page as they are; longer ones are packed."""
IMAGE: Final = 262_144
"""Characters of base64 of an image that is shown; larger ones are only named."""

_GLANCE = 400
_FIRST_LINES = re.compile(r"[^\n]*(?:\n[^\n]*)?")
_CHIP = re.compile(r'<span class="mk"[^>]* title="([^"]*)">[^<]*</span>')
_TAG = re.compile(r"<[^>]*>")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_SIGNED = {"-": "<del>%s</del>", "+": "<ins>%s</ins>"}
_PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def of_row(row: Row, aside: Aside | None = None, budget: code.Budget | None = None) -> Markup:
    """Show all bodies of a row."""
    thinks = isinstance(row, MessageRow) and row.who == "thinking"
    made = [thought(each, aside) if thinks else body(each, aside, budget) for each in row.bodies]
    return Markup("".join(made))  # noqa: S704 -- made of `Markup`


def body(each: Body, aside: Aside | None = None, budget: code.Budget | None = None) -> Markup:
    """Show a body with its label; closed where it is to be closed. `budget` bounds what is coloured in one document."""
    if each.kind == "nothing" and not each.folded:
        words = f"{each.label}: {each.text}" if each.label else each.text
        return Markup(f'<p class="none">{shown(words)}{span(each.times)}{badges(each.badges)}</p>')  # noqa: S704 -- every piece is escaped, here and below
    label = f"{shown(each.label)}{badges(each.badges)}"
    made = _content(each, aside, budget)
    if each.bad:
        made = Markup(f'<div class="err">{made}</div>')  # noqa: S704
    if each.folded:
        return Markup(f'<details class="more"><summary>{label}</summary>{made}</details>')  # noqa: S704
    return Markup(f'<p class="label">{label}</p>{made}') if label else made  # noqa: S704


def thought(each: Body, aside: Aside | None = None) -> Markup:
    """Show thinking: plain, its first lines, the rest folded."""
    if each.kind != "text":
        return body(each, aside)
    glance, rest = _glance(str(each.text).strip("\n"))
    if not rest:
        return verbatim(glance)
    words = plural(rest.count("\n") + 1, "more line")
    made = _long(rest, verbatim, aside)
    return Markup('<details class="thought"><summary>%s<small>%s</small></summary>%s</details>') % (visible(glance), words, made)


def plain(text: str) -> str:
    """A text for a file of its own or a packed middle: no colours, controls by their stand-ins, masked values as markers."""
    return _text_of(shown(strip(text)))


def _text_of(made: str) -> str:
    """What a reader sees of a laid out text, masked values as markers."""
    return html.unescape(_TAG.sub("", _CHIP.sub(r"\1", made)))


def _content(each: Body, aside: Aside | None, budget: code.Budget | None) -> Markup:  # noqa: C901, PLR0912 -- one case a kind
    text, language = without_payloads(str(each.text)), _language(each)
    match each.kind:
        case "markdown":
            return _prose(text, aside)
        case "text":
            return _long(text, verbatim, aside)
        case "output":
            return _long(text, ansi.ansi, aside)
        case "command":
            return _long(text, lambda part: code.highlight(part, "bash", budget), aside)
        case "code":
            return _long(text, lambda part: code.highlight(part, language, budget), aside)
        case "numbered":
            return _long(text, lambda part: code.numbered(part, language, budget), aside)
        case "edit":
            return _laid_out(diff.edit(text, without_payloads(str(each.new))), _signed, aside)
        case "patch":
            made = diff.patch(text)
            return _laid_out(made, _signed, aside) if made else _long(text, ansi.ansi, aside)
        case "json":
            return _laid_out(jsontext.json_text(each.value), lambda part: code.highlight(part, "json", budget), aside)
        case "image":
            return _image(str(each.text))
        case "tasks":
            return structures.tasks(each.value)
        case "table":
            return structures.table(each.value)
        case "found":
            return _long(text, structures.found, aside)
        case "address":
            return _address(text)
        case "nothing":
            return Markup('<p class="none">%s%s</p>') % (visible(text), span(each.times))


def _language(each: Body) -> str | None:
    """The language of a body, which may name it or a file."""
    return code.language_of(each.language) or each.language if each.language else None


def _laid_out(made: Markup, show: Show, aside: Aside | None) -> Markup:
    """Show what is laid out as a whole; where it is long, its text in parts."""
    text = _text_of(made)
    folded = fold(text)
    return _folded(folded, show, text, aside) if folded.middle else made


def _long(text: str, show: Show, aside: Aside | None) -> Markup:
    """Show a text, its middle folded where it is long."""
    folded = fold(text)
    return _folded(folded, show, text, aside) if folded.middle else show(text)


def _folded(folded: Folded, show: Show, text: str, aside: Aside | None) -> Markup:
    """Show the head and the tail of a long text, and its middle folded between them."""
    words = f"… {plural(folded.lines, 'more line')}, {size(folded.bytes)}"
    if len(folded.middle) <= INLINE:
        middle = Markup('<details class="fold"><summary>%s</summary>%s</details>') % (words, show(folded.middle))
    else:
        way = Markup('<a href="%s">all of it as a text file</a>') % attribute(aside(plain(text))) if aside else "opens with scripts only"
        middle = Markup('<details class="fold" data-z="%s"><summary>%s</summary><p>%s</p></details>') % (
            pack(plain(folded.middle)), words, way,
        )  # fmt: skip
    return show(folded.head) + middle + (show(folded.tail) if folded.tail else "")


def _prose(text: str, aside: Aside | None) -> Markup:
    """Show Markdown; a long one in parts, and a fence that a cut goes through is opened again after it."""
    folded = fold(text)
    if not folded.middle:
        return markdown.markdown(text)
    middle = _reopened(folded.head, folded.middle)
    tail = _reopened(middle, folded.tail)
    return _folded(Folded(folded.head, middle, tail, folded.lines, folded.bytes), markdown.markdown, text, aside)


def _reopened(before: str, text: str) -> str:
    """The text, with the line that opened a fence which is still open at the end of `before`."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(before):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            opened = None
    return f"{opened[0]}\n{text}" if opened else text


def _signed(text: str) -> Markup:
    """Show lines that begin with their sign: a part of a diff that was cut."""
    runs = groupby(text.splitlines(keepends=True), key=lambda line: line[:1])
    return block("diff", "".join(_SIGNED.get(sign, "%s") % shown("".join(lines)) for sign, lines in runs))


def _glance(text: str) -> tuple[str, str]:
    """The first lines of a text and the rest; where these lines are long, a cut after a sentence."""
    first = _FIRST_LINES.match(text)
    end = first.end() if first else 0
    if end > _GLANCE:
        end = text.rfind(". ", 0, _GLANCE) + 1 or text.rfind(" ", 0, _GLANCE) + 1 or end
    return text[:end].rstrip(), text[end:].strip("\n").removeprefix(" ")


def _address(text: str) -> Markup:
    """Show an address of the web as a link, where it is one that may be followed."""
    target = link(text)
    words = visible(text)
    return Markup('<p><a href="%s" rel="noopener noreferrer">%s</a></p>') % (target, words) if target else Markup("<p>%s</p>") % words


def _image(data: str) -> Markup:
    """Show a picture of a kind that its first bytes prove; name any other."""
    bare = "".join(data.split())
    try:
        content = base64.b64decode(bare, validate=True)
    except (binascii.Error, ValueError):
        return Markup('<p class="none">an image that cannot be read, %s</p>') % size(len(bare))
    kind = next((kind for start, kind in _PICTURES.items() if content.startswith(start)), None)
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is None or len(bare) > IMAGE:
        return Markup('<p class="none">an image that is not shown, %s</p>') % size(len(content))
    wide, high = measured(content) or (0, 0)
    sized = Markup(' width="%d" height="%d"') % (wide, high) if wide and high else ""
    words = f"{wide} × {high}, {size(len(content))}" if sized else size(len(content))
    return Markup('<img src="data:%s;base64,%s"%s alt="image, %s">') % (kind, bare, sized, words)
