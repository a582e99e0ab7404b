"""A page as text that a person can read and compare: what stands where, without how it looks.

    [e-8 tool fail] (failed) **Bash** `pytest -q` exit 1 · 1.0 s [router]
    | FAILED test_total
    | … 12 more lines

A row begins with its anchor and its kind; `(…)` is a mark, `[…]` a badge, `‹…›` a masked value, `{…}` a tooltip, `<…>` where a
link leads, `+` a fold, `·` a step inwards in a table. Long texts are cut: what is in them is held by other tests.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

LINES, WIDTH = 2, 70
"""What is kept of a text: lines, and characters of each."""

_LEFT_OUT = frozenset({"head", "script", "style", "footer", "fieldset", "button"})
_BLOCKS = frozenset(
    {"blockquote", "dd", "details", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "header", "li", "main", "nav", "ol", "p"}
    | {"pre", "section", "summary", "table", "tbody", "thead", "tr", "ul"}
)
_BEFORE = {"h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### ", "li": "- ", "summary": "+ ", "dd": "  : "}
_AROUND = {"b": "**", "strong": "**", "code": "`", "em": "_", "s": "~~"}


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.line = ""
        self.closing: list[tuple[str, str]] = []
        self.silent = 0
        self.pre: list[str] | None = None
        self.row = ""
        self.prose = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        names = found.get("class", "").split()
        if tag in ("br", "input", "img", "meta", "link", "hr"):
            self.line += {"br": " / ", "img": f"({found.get('alt', '')})", "hr": "---"}.get(tag, "")
            return
        self.silent += tag in _LEFT_OUT
        before, after = self._marks(tag, names, found)
        if tag in _BLOCKS:
            self._end_line()
        if "row" in names and "id" in found:
            self.row = found["id"]
            before = f"[{' '.join([self.row, *names[1:]]).strip()}] "
        if tag == "pre":
            self.pre = []
        apart = not self.prose and tag not in _BLOCKS and self.pre is None
        self._say(f" {before}" if apart else before)
        self.prose += "md" in names
        self.closing.append((f"{tag}.md" if "md" in names else tag, after))

    def _marks(self, tag: str, names: list[str], found: dict[str, str]) -> tuple[str, str]:
        """What stands before and after the text of an element."""
        if "dot" in names:
            return "(", ") "
        if "mk" in names:
            return "‹", "›"
        if any(name.startswith("b-") for name in names) or "pill" in names:
            return " [", "]"
        if tag == "a":
            href = found.get("href", "")
            title = f" {{{found['title']}}}" if "title" in found else ""
            return "", title + (f" <{href}>" if href != f"#{self.row}" else "")
        if tag in ("td", "th"):
            return "· " * max((int(name[1:]) for name in names if name[1:].isdigit()), default=0), " | "
        if tag == "span" and "title" in found:
            return "", f" {{{found['title']}}}"
        around = _AROUND.get(tag, "")
        folded = " (packed)" if "data-z" in found else ""
        return _BEFORE.get(tag, around) + folded, around

    def handle_endtag(self, tag: str) -> None:
        if not self.closing:
            return
        opened, after = self.closing.pop()
        assert opened.removesuffix(".md") == tag, f"</{tag}> closes <{opened}>"
        self.prose -= opened.endswith(".md")
        if tag == "pre":
            self._end_text()
        self._say(after)
        self.silent -= tag in _LEFT_OUT
        if tag in _BLOCKS:
            self._end_line()

    def handle_data(self, data: str) -> None:
        self._say(data)

    def _say(self, text: str) -> None:
        if self.silent:
            return
        if self.pre is not None:
            self.pre.append(text)
        else:
            self.line += re.sub(r"\s+", " ", text)

    def _end_text(self) -> None:
        lines = "".join(self.pre or ()).strip("\n").split("\n")
        self.pre = None
        self.lines += [f"| {line[:WIDTH]}".rstrip() for line in lines[:LINES]]
        if len(lines) > LINES:
            self.lines.append(f"| … {len(lines) - LINES} more lines")

    def _end_line(self) -> None:
        line = re.sub(r" +", " ", self.line).strip().removesuffix("|").rstrip()
        self.line = ""
        if line.strip("+- "):
            self.lines.append(line if len(line) <= 2 * WIDTH else f"{line[: 2 * WIDTH]} …")


def outline(page: str) -> str:
    """Write down a page."""
    parser = _Outline()
    parser.feed(page)
    parser.close()
    return "\n".join(parser.lines) + "\n"
