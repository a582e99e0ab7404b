"""Reads rendered HTML back: what a reader sees in it, and whether it is made of nothing but our own tags."""

from __future__ import annotations

import re
from html.parser import HTMLParser

NAMES = "span|i|b|a|p|div|pre|code|em|strong|s|br|hr|h3|h4|h5|h6|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|del|ins"
ATTRIBUTES = "class|dir|href|rel|title|data-fp|start|aria-hidden"
TAG = re.compile(rf"""</(?:{NAMES})>|<(?:{NAMES})(?: (?:{ATTRIBUTES})(?:="[^"<>]*"|=[a-z0-9]+))*>""")
ENTITY = re.compile(r"&(?:amp|lt|gt|#34|#39);")
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u115f\u1160\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\uffa0\ufdd0-\ufdef\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
OPENING_BREAK = re.compile(r"(<pre [^>]*>)\n")
"""A line break that opens a `<pre>`: browsers drop it."""
BLOCKS = {"p", "pre", "li", "td", "th", "h3", "h4", "h5", "h6", "ul", "ol", "div"}


class Reader(HTMLParser):
    """Collects the text of HTML, and takes note of tags that do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.open: list[str] = []
        self.chip: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "br":
            self.text.append("\n")
        elif tag != "hr":
            self.open.append(tag)
        if tag in {"ul", "ol", "pre"} and self.text:
            self.text.append("\v")
        if known.get("class") == "mk":
            self.chip = known["title"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag in BLOCKS:
            self.text.append("\v")

    def handle_data(self, data: str) -> None:
        self.text.append(data if self.chip is None else self.chip)
        self.chip = None


def text_of(html: str) -> str:
    """What a reader sees: blocks apart by line breaks, masked values by their markers."""
    reader = Reader()
    reader.feed(OPENING_BREAK.sub(r"\1", str(html)))
    reader.close()
    assert reader.open == []
    return "".join(reader.text).strip("\v").replace("\v", "\n")


def assert_sound(html: str) -> None:
    """Our own tags, balanced; no other angle bracket, no character that acts; valid UTF-8."""
    rest = TAG.sub("", html)
    assert not set("<>") & set(rest)
    assert "&" not in ENTITY.sub("", rest)
    assert HIDDEN.search(html) is None
    html.encode("utf-8")
    assert not [href for href in re.findall(r' href="([^"]*)"', html) if not re.match(r"https?://|mailto:|#", href, re.IGNORECASE)]
    text_of(html)


def seen(text: str) -> str:
    """A recorded text as it must appear: every character, those that cannot be shown by their stand-in."""

    def stand_in(character: str) -> str:
        code = ord(character)
        if not HIDDEN.match(character):
            return character
        if code < 0x20:
            return chr(0x2400 + code)
        return "\u2421" if code == 0x7F else f"U+{code:04X}"

    return "".join(map(stand_in, text.replace("\r\n", "\n")))
