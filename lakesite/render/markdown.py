r"""Shows messages that people and models wrote in Markdown.

The block is `<div class="md">`; in it stand `p h3 … h6 ul ol li blockquote hr br em strong s code a table thead tbody tr th td`,
code blocks (see `code`) and:

| element | class | means |
|---|---|---|
| div | `scroll` | holds a table, which may be wider than the page |
| th, td | `r` `m` | right-aligned, centred |
| p | `label` | what a code block says of itself: its language, most often |
| a | `im` | an image, which is not loaded: its description and its host |

Blocks have `dir="auto"` in a text that holds letters written from right to left. A line break is `<br>`; further blanks are
left to `white-space: pre-wrap`.

Nothing that was written may vanish or change, so parts of CommonMark are off: raw HTML, entities, `__bold__` (it is Python's
`__init__`), escapes in Windows paths (`C:\new\*.md`). Definitions of references are shown, and cells beyond a table's last column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

from lakesite.model import MARKER
from lakesite.render.code import Budget, highlight
from lakesite.render.escape import attribute, link, shown, verbatim

_References: TypeAlias = dict[str, dict[str, str]]

_MOST_NESTING: Final = 60
_LONGEST_INLINE: Final = 20_000
_CACHED_TEXT: Final = 16_384
_LOWEST_HEADING: Final = 6

_BLOCK_SYNTAX = re.compile(
    r"""\n(?:
        [ ]{0,3}(?:[#>+=|:-]|\*(?![^\s*]|\*[^\s*])|_[ \t]*_|\d{1,9}[.)](?!\S)|```|~~~)
        |[ ]{4}|[ ]{0,3}\t)""",
    re.VERBOSE,
)
"""What may begin a heading, list, quote, table, rule or code block: a text without any of it is paragraphs only."""

# Each begins with one set of characters, for which the regex engine scans ten times as fast as for alternatives.
_RARE = r"(?<=\\)|(?<=\])\(|(?<=<)\w|(?<=~)~|(?<=_)(?![^\W_])|(?<=_)(?<![^\W_]_)"
_RARE_SYNTAX = re.compile(rf"[\\\]<~_](?:{_RARE})")
_INLINE_SYNTAX = re.compile(rf"[`*\\\]<~_](?:(?<=[`*])|{_RARE})")
_STRONG = re.compile(r"\*\*(?<!\S\*\*)(?=[^\s*])([^*]*[^\s*])\*\*(?![^\s.,:;!?)])")

_PARAGRAPH_END = re.compile(r"\n(?:[ \t]*\n)+")
_DEFINITION = re.compile(r"^[ >]{0,8}\[([^\[\]\\\n]{1,200})\]:[ \t]*<?([a-zA-Z]{1,10}:[^\s<>]+)", re.MULTILINE)
_PATH = re.compile(
    r"""(?:(?:(?<=\A[A-Za-z]:)|(?<=[\s"'(=,;][A-Za-z]:))\\|(?<!\S)\\\\(?=\w))  # C:\, or \\server
        (?:[^\s"'`<>|*\[\]]|\*(?!\*))*""",
    re.VERBOSE,
)
_HOST = re.compile(r"https?://(?:[^/?#]*@)?([^/?#]+)", re.IGNORECASE)

_FROM_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_DIRECTION = "\x00"
"""Stands in tags for the direction until it is known: no escaped text holds it."""

_ALIGNED = {"text-align:right": ' class="r"', "text-align:center": ' class="m"'}


def markdown(text: str, budget: Budget | None = None) -> Markup:
    """Show a message as its Markdown means it, and with its line breaks."""
    text = text.replace("\r\n", "\n")
    coloured = budget is None or not ("```" in text or "~~~" in text) or budget.take(len(text))
    return (_cached if len(text) <= _CACHED_TEXT else _rendered)(text, coloured)


def _rendered(text: str, coloured: bool) -> Markup:  # noqa: FBT001 -- a key of the cache
    found = _DEFINITION.findall(text) if "]:" in text else ()
    references = {normalizeReference(name): {"href": target, "title": ""} for name, target in reversed(found) if link(target)}
    if _BLOCK_SYNTAX.search(f"\n{text}"):
        html = "".join(_blocks(text, references, Budget() if coloured else Budget(0)))
    else:
        html = "".join(_paragraphs(text, references))
    html = html.replace(_DIRECTION, ' dir="auto"' if not text.isascii() and _FROM_RIGHT.search(text) else "")
    return Markup(f'<div class="md">{html}</div>')  # noqa: S704 -- every piece is escaped


_cached = lru_cache(maxsize=256)(_rendered)


def _paragraphs(text: str, references: _References) -> Iterator[str]:
    for paragraph in _PARAGRAPH_END.split(text):
        if content := paragraph.strip(" \t\n"):
            yield f"<p{_DIRECTION}>{_inline(content, references)}</p>"


def _blocks(text: str, references: _References, budget: Budget) -> Iterator[str]:
    """Write a document of blocks; one that is nested deeper than the parser goes is shown as it was written."""
    tokens: list[Token] = []
    parser = _parser("|" in text, ">" in text, "#" in text)
    parser.block.parse(text, parser, {}, tokens)
    if any(token.level >= _MOST_NESTING - 1 for token in tokens):
        yield verbatim(text)
        return
    lines = text.split("\n")
    columns = 0
    for number, token in enumerate(tokens):
        match token.type:
            case "inline":
                yield _inline(token.content, references)
            case "fence" | "code_block":
                yield _fence(token, budget)
            case "list_item_open":
                tight = tokens[number + 1].hidden
                yield f"<li{_DIRECTION}>" if tight else "<li>"
            case "tr_open":
                row, columns = token, 0
                yield "<tr>"
            case "th_open" | "td_open":
                columns += 1
                yield f'<{token.tag}{_DIRECTION}{_ALIGNED.get(str(token.attrGet("style")), "")}>'
            case "tr_close":
                yield from (f"<td{_DIRECTION}>{_inline(cell, references)}</td>" for cell in _further_cells(row, lines, columns))
                yield "</tr>"
            case _ if not token.hidden:
                yield _tag(token)


def _fence(token: Token, budget: Budget) -> str:
    """Write a block of code, with what it says of itself: its language, most often."""
    told = f'<p class="label">{shown(token.info)}</p>' if token.info.strip() else ""
    return f"{told}{highlight(token.content.removesuffix(chr(10)), token.info, budget)}"


def _further_cells(row: Token, lines: list[str], columns: int) -> list[str]:
    """Split off the cells of a table's line for which the table has no column."""
    line = lines[row.map[0]].lstrip("> \t").rstrip() if row.map else ""
    if line.count("|") - line.startswith("|") - line.endswith("|") < columns:
        return []
    return [cell.strip() for cell in escapedSplit(line.removeprefix("|").removesuffix("|"))[columns:]]


def _tag(token: Token) -> str:
    """Write the tag of a block that needs nothing but its name."""
    name = token.tag
    match token.type:
        case "heading_open" | "heading_close":
            name = f"h{min(int(name[1]) + 2, _LOWEST_HEADING)}"
        case "table_open":
            return '<div class="scroll"><table>'
        case "table_close":
            return "</table></div>"
        case "ordered_list_open" if token.attrs:
            return f'<ol start="{int(token.attrs["start"])}">'
    if token.nesting < 0:
        return f"</{name}>"
    return f"<{name}{_DIRECTION}>" if token.type in {"heading_open", "paragraph_open"} else f"<{name}>"


def _inline(text: str, references: _References) -> str:
    """Write the text of one block."""
    html = None if references and "[" in text else _simple_inline(text)
    return _parsed_inline(text, references) if html is None else html


def _parsed_inline(text: str, references: _References) -> str:
    if len(text) > _LONGEST_INLINE:
        return shown(text).replace("\n", "<br>")
    tokens: list[Token] = []
    parser = _parser()
    parser.inline.parse(text, parser, {"references": references}, tokens)
    return "".join(map(_inline_piece, tokens))


def _simple_inline(text: str) -> str | None:
    """Write text that holds at most plain code spans and strong words; None if there is more to it. It saves most of the time."""
    if not _INLINE_SYNTAX.search(text):
        return shown(text).replace("\n", "<br>")
    parts = text.split("`")
    prose, codes = "`".join(parts[::2]), parts[1::2]
    if len(parts) % 2 == 0 or "" in parts[1:-1] or _RARE_SYNTAX.search(prose):
        return None
    html = shown(prose)
    if "*" in html:
        html = _STRONG.sub(r"<strong>\1</strong>", html)
        if "*" in html:
            return None
    first, *others = html.replace("\n", "<br>").split("`")
    return first + "".join(f"<code>{_code(code)}</code>{after}" for code, after in zip(codes, others, strict=True))


def _code(text: str) -> str:
    text = text.replace("\n", " ")
    padded = text.startswith(" ") and text.endswith(" ") and not text.isspace()
    return shown(text[1:-1] if padded else text)


def _inline_piece(token: Token) -> str:
    match token.type:
        case "text" | "text_special":
            return shown(token.content)
        case "softbreak" | "hardbreak":
            return "<br>"
        case "code_inline":
            return f"<code>{shown(token.content)}</code>"
        case "link_open":
            return _anchor(str(token.attrGet("href")), str(token.attrGet("title") or ""))
        case "image":
            target = str(token.attrGet("src"))
            host = _HOST.match(target)
            label = ": ".join(filter(None, ("image", token.content.replace("\n", " ")))) + (f" ({host[1]})" if host else "")
            return f"{_anchor(target, name='im')}{shown(label)}</a>"
        case _:
            return f"<{'/' if token.nesting < 0 else ''}{token.tag}>"


def _anchor(target: str, title: str = "", name: str = "") -> str:
    address = link(target) or Markup()
    named = f' class="{name}"' if name else ""
    titled = f' title="{attribute(title)}"' if title else ""
    outside = "" if address.startswith("#") else ' rel="noopener noreferrer"'
    return f'<a{named} href="{address}"{titled}{outside}>'


class _Parser(MarkdownIt):
    """CommonMark with tables and strikethrough, under the one link policy."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 -- named by markdown-it
        return link(url) is not None

    def normalizeLink(self, url: str) -> str:  # noqa: N802 -- named by markdown-it
        return url

    def normalizeLinkText(self, url: str) -> str:  # noqa: N802 -- named by markdown-it
        return url


def _take(state: StateInline, end: int, *, silent: bool) -> bool:
    """Take everything up to a place as plain text."""
    if not silent:
        state.pending += state.src[state.pos : end]
    state.pos = end
    return True


def _marker(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 -- called by markdown-it
    if silent:  # a link's text may hold one: what is skipped as a whole there counts as a link in a link
        return False
    match = MARKER.match(state.src, state.pos, state.posMax)
    return match is not None and _take(state, match.end(), silent=silent)


def _windows_path(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 -- called by markdown-it
    match = _PATH.match(state.src, state.pos, state.posMax)
    return match is not None and _take(state, match.end(), silent=silent)


def _underscores(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 -- called by markdown-it
    if not state.src.startswith("__", state.pos):
        return False
    end = state.pos
    while end < state.posMax and state.src[end] == "_":
        end += 1
    return _take(state, end, silent=silent)


def _line_break(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 -- called by markdown-it
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        state.push("softbreak", "br", 0)
    state.pos += 1
    return True


@cache
def _parser(tables: bool = True, quotes: bool = True, headings: bool = True) -> _Parser:  # noqa: FBT001, FBT002 -- a key of the cache
    """A parser, without the rules that a text cannot need: each rule is asked at every line."""
    parser = _Parser("commonmark", {"html": False, "maxNesting": _MOST_NESTING})
    parser.enable(["table", "strikethrough"])
    # Raw HTML is off by the option above already; its rules would only cost time.
    parser.disable(["reference", "html_block", "html_inline", "entity"])
    parser.disable([rule for rule, used in (("table", tables), ("blockquote", quotes), ("heading", headings)) if not used])
    rules = parser.inline.ruler
    rules.at("newline", _line_break)
    rules.before("escape", "windows_path", _windows_path)
    rules.before("emphasis", "underscores", _underscores)
    rules.before("link", "marker", _marker)
    return parser
