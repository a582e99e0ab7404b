"""Says where to cut a long text, and packs what is cut out so that a page can hold it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
import zlib
from base64 import b64encode
from typing import NamedTuple

from lakesite.model import MARKER
from lakesite.model.terminal import LONGEST, SEQUENCE
from lakesite.render import marker

_CONTINUATION = bytes(range(0x80, 0xC0))
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NEVER_FIRST = re.compile("[\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\udc00-\udfff]")
_LONGEST_CLUSTER = 64
_PAYLOAD = re.compile(r"data:([\w.+-]{1,64}/[\w.+-]{1,64})(?:;[\w=.+-]{1,64}){0,4};base64,([A-Za-z0-9+/_-]{256,}+={0,2})")


class Folded(NamedTuple):
    """A text in three pieces that are the whole when put together; a text within the limits is all head."""

    head: str
    """What is shown first."""
    middle: str
    """What is folded away."""
    tail: str
    """What is shown last."""
    lines: int
    """Lines of the middle; one that is cut counts."""
    bytes: int
    """Bytes of the middle in UTF-8."""


def fold(text: str, limit_bytes: int = 16_384, limit_lines: int = 200) -> Folded:
    """Cut a text that is over a limit: half as much is head, a quarter tail. It is cut at line ends, or else between characters."""
    if len(text) <= limit_bytes and _size(text) <= limit_bytes and _lines(text) <= limit_lines:
        return Folded(text, "", "", 0, 0)
    start = _end_of_head(text, limit_bytes // 2, max(1, limit_lines // 2))
    end = _start_of_tail(text, limit_bytes // 4, max(1, limit_lines // 4))
    if end <= start:  # what may not be cut reaches from one to the other
        return Folded(text, "", "", 0, 0)
    middle = text[start:end]
    return Folded(text[:start], middle, text[end:], _lines(middle), _size(middle))


def pack(text: str) -> str:
    """Deflate a text (raw, as `DecompressionStream('deflate-raw')` reads it) and write it in base64."""
    deflater = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = deflater.compress(_LONE_SURROGATE.sub("\ufffd", text).encode("utf-8"))
    return b64encode(data + deflater.flush()).decode("ascii")


def without_payloads(text: str) -> str:
    """Name type, size and digest of each file that stands in the text as a base64 address, in place of its characters."""
    return _PAYLOAD.sub(_payload_named, text) if ";base64," in text else text


def _payload_named(match: re.Match[str]) -> str:
    kind, payload = match.groups()
    size = len(payload.rstrip("=")) * 3 // 4
    digest = hashlib.sha256(payload.encode("ascii")).hexdigest()[:8]
    return f"data:{kind};base64,… ({size} bytes, sha256 of the base64 text {digest}…)"


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _end_of_head(text: str, limit_bytes: int, limit_lines: int) -> int:
    piece = text[:limit_bytes]
    encoded = piece.encode("utf-8", "surrogatepass")
    while limit_bytes < len(encoded) and encoded[limit_bytes] in _CONTINUATION:
        limit_bytes -= 1
    at = _characters(encoded[:limit_bytes])
    lines = piece[:at].split("\n", limit_lines)
    if len(lines) > limit_lines:
        return at - len(lines[-1])
    line_end = piece.rfind("\n", at // 2, at)
    return line_end + 1 if line_end >= 0 else _between(text, at)


def _start_of_tail(text: str, limit_bytes: int, limit_lines: int) -> int:
    encoded = text[len(text) - min(len(text), limit_bytes) :].encode("utf-8", "surrogatepass")
    length = _characters(encoded[-limit_bytes:] if limit_bytes else b"")
    at = len(text) - length
    lines = text[at:].removesuffix("\n").rsplit("\n", limit_lines)
    if len(lines) > limit_lines:
        return at + len(lines[0]) + 1
    line_end = text.find("\n", at, at + length // 2)
    return line_end + 1 if line_end >= 0 else _between(text, at)


def _characters(encoded: bytes) -> int:
    """Count the characters that begin in a piece of UTF-8."""
    return len(encoded.translate(None, _CONTINUATION))


def _between(text: str, at: int) -> int:
    """Move a cut to the left until it is inside nothing: no marker, no control sequence, no character of several parts."""
    at = _before(text, at, SEQUENCE, LONGEST)
    at = _before(text, at, MARKER, marker.LONGEST)
    for left in range(at, max(0, at - _LONGEST_CLUSTER), -1):
        if left == len(text) or not _is_joined(text[left - 1], text[left]):
            return left
    return at


def _before(text: str, at: int, pattern: re.Pattern[str], longest: int) -> int:
    """Give the start of the match that the cut is in, or the cut."""
    start = max(0, at - longest)
    matches = pattern.finditer(text, start, at + longest)
    return next((match.start() for match in matches if match.start() < at < match.end()), at)


def _is_joined(before: str, after: str) -> bool:
    return (
        (before, after) == ("\r", "\n")
        or before == "\u200d"
        or _NEVER_FIRST.match(after) is not None
        or unicodedata.category(after).startswith("M")
    )
