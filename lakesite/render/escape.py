"""Turns any recorded text into HTML that shows exactly that text: the one escaping path.

| element | class | means |
|---|---|---|
| span | `cc` | a character that must not act (direction marks), that nobody would see, or that cannot be shown, named by its code point |
| span | `mk` | a masked value, see `marker` |
"""

from __future__ import annotations

import re

from markupsafe import Markup

from lakesite.model import OPENING
from lakesite.render.marker import chips

_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSEEN = (
    "\u115f\u1160\u180e\u2060-\u2064\u206a-\u206f\u3164\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
"""Characters that nobody sees, in which a text can be hidden. Joiners, blanks without width and the byte-order mark have their use."""
_NO_CHARACTER = "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_UNSHOWABLE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_DIRECTION}{_UNSEEN}{_NO_CHARACTER}]")
_BLANKS = re.compile(f"[\\s\x00-\x1f\x7f-\x9f\u200b\u2060\ufeff{_DIRECTION}{_NO_CHARACTER}]+")
_ALLOWED_LINK = re.compile(r"https?://[^/?#\\]|mailto:[^?]|#", re.IGNORECASE)
_PICTURES = 0x2400
_SPACE, _DELETE = 0x20, 0x7F
_FIRST_ABOVE_CONTROLS = 0xA0


def visible(text: str) -> Markup:
    """Show a text as it is: escaped once, controls and direction marks by a visible stand-in, masked values as chips."""
    return Markup(shown(text))  # noqa: S704 -- escaped


def shown(text: str) -> str:
    """Do the work of `visible`; for the other renderers, which put many such pieces together before they make `Markup`."""
    html = _escaped(text)
    if _holds_unshowable(text):
        html = _UNSHOWABLE.sub(_stand_in, html.replace("\r\n", "\n"))
    return chips(html) if OPENING in html else html


def verbatim(text: str) -> Markup:
    """Show a text as preformatted output, every blank and line break in place."""
    return block("out", visible(text))


def attribute(text: str) -> Markup:
    """Escape a text for an attribute, a title or an option: no tags in it, controls removed."""
    return Markup(_escaped(plain(text)).replace('"', "&#34;").replace("'", "&#39;"))  # noqa: S704 -- escaped


def plain(text: str) -> str:
    """A text for a script that puts it into a page as text: nothing in it acts, controls removed."""
    return _UNSHOWABLE.sub(_name_or_nothing, text) if _holds_unshowable(text) else text


def link(target: str) -> Markup | None:
    """Give the escaped address to link to, or None unless it is http, https, mailto or a place in this page."""
    address = _BLANKS.sub("", target.strip().replace(" ", "%20"))
    return attribute(address) if _ALLOWED_LINK.match(address) else None


def block(name: str, html: str, attributes: str = "") -> Markup:
    """Wrap escaped text in `<pre>` of one class; HTML drops a line break that opens a `<pre>`, so that one is doubled."""
    guard = "\n" if html.startswith("\n") else ""
    return Markup(f'<pre class="{name}"{attributes}>{guard}{html}</pre>')  # noqa: S704


def _holds_unshowable(text: str) -> bool:
    """Whether a text holds anything but what it shows; of one that is ASCII that is known three times as fast."""
    return (_CONTROL if text.isascii() else _UNSHOWABLE).search(text) is not None


def _escaped(text: str) -> str:
    # Passes in C are four times as fast as markupsafe.escape on short texts, and as fast on long ones.
    # Quotes mean nothing between tags, and code is full of them: only attributes pay for them.
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _stand_in(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < _SPACE:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "\u2421"
    return f'<span class="cc">U+{code:04X}</span>'


def _name_or_nothing(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "" if code < _FIRST_ABOVE_CONTROLS else f"U+{code:04X}"
