"""The words that a text is found by. `static/search-terms.js` holds the same rules; `tests/search/tokens.txt` tests both.

| text | found by |
|---|---|
| `keyboardNavigation`, `check_tool_call`, `utf8` | the whole word, and its parts of two letters or more |
| `os.path.join`, `src/main.rs:42` | each word, and each two neighbours that one of `. / : -` or `::` joins: `os.path`, `path.join` |
| `sha256:9f86…`, `foo.bar検索` | the same, the first 64 characters of a long one, without what has no blanks: `foo.bar` |
| `Café`, `ＡＢＣ` | the same without accents and without width: `cafe`, `abc` |
| `検索する` | each two neighbouring characters, and the last one alone |

A text falls into *runs*, which stand between blanks and punctuation. Texts repeat their runs: a text is cut into runs at
once, and the terms of each different run are worked out later, once for many texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import filterfalse, pairwise

LONGEST = 64
"""Characters of the longest terms: longer words are not indexed, and of longer pairs so many."""
JOINTS = frozenset({".", "/", ":", "-", "::"})

ONLY_TERM = re.compile(r"[a-z]{1,64}|[0-9][0-9a-z]{,63}")
"""A plain word that is found by itself alone."""

LONG_WORD = re.compile(r"[^./:\-]{65,}")
"""Within a run: a word of more than `LONGEST` characters."""

_JOINT = re.compile(r"([./:\-]+)")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_FOREIGN_PARTS = re.compile(r"[^\W\d_]+|\d+")
_MANY, _SHORT = 4, 3
_BETWEEN = re.compile(r"[^\w./:\-]+")
_BLANKED = bytes(ord(" ") if code < 128 and _BETWEEN.match(chr(code)) else code for code in range(256))  # noqa: PLR2004 - plain ones

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff"
)
"""Scripts that are written without blanks between words, and Korean, whose words carry endings."""
_SCRIPTS = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")

_DIGITS = frozenset("0123456789")
_ABOVE_DIGITS = ":"
_VOICING = frozenset("\u3099\u309a")
_LETTERS = {
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H", "ı": "i",
}  # fmt: skip
"""Letters that people type without what sets them apart, though to Unicode it is no accent."""


class _Plain(dict[int, str]):
    """For `str.translate`: each character without accents, width and ligature; its case stays."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        bare = (each for each in unicodedata.normalize("NFKD", char) if each in _VOICING or unicodedata.category(each)[0] != "M")
        self[code] = plain = unicodedata.normalize("NFC", "".join(_LETTERS.get(each, each) for each in bare))
        return plain


_PLAIN = _Plain()


def fold(text: str) -> str:
    """A text as it is compared: without accents, width, ligatures and case."""
    return _lower(_plain(text))


def _plain(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_PLAIN)


def _lower(text: str) -> str:
    """Lower case, with one sigma wherever it stands."""
    return text.lower() if text.isascii() else text.lower().replace("ς", "σ")


def runs(text: str) -> set[str]:
    """The runs of a text: words, and words with joints between and around them."""
    # bytes, because they are translated fast whatever stands between those of plain characters
    found = set(text.encode("utf-8", "surrogatepass").translate(_BLANKED).decode("utf-8", "surrogatepass").split())
    if not text.isascii():
        foreign = list(filterfalse(str.isascii, found))
        found.difference_update(foreign)
        found.update(_BETWEEN.sub(" ", _plain(" ".join(foreign))).split())
    return found


def words_and_pairs(run: str) -> tuple[list[str], list[str]]:
    """The words of a run, in their own case, and each two neighbours that a joint joins, in lower case."""
    bare = run.strip("./:-")
    if bare.isidentifier() or bare.isalnum() or not bare:
        return ([bare] if bare else []), []
    pieces = _JOINT.split(bare)
    words = pieces[::2]
    joined = "".join if bare.isascii() and len(bare) <= LONGEST else _pair
    pairs = (
        joined((left, joint, right))
        for left, joint, right in zip(words, pieces[1::2], words[1:], strict=False)
        if joint in JOINTS and (left > _ABOVE_DIGITS or right > _ABOVE_DIGITS)
    )
    return words, [_lower(pair)[:LONGEST] for pair in pairs if pair]


def _pair(around: tuple[str, str, str]) -> str:
    """Two words and what joins them, without what is written without blanks; empty where that stands beside the joint."""
    left, joint, right = around
    ends, begins = _SCRIPTS.findall(left)[-1], _SCRIPTS.findall(right)[0]
    if _IS_UNSPACED.search(ends + begins) or len(ends) + len(joint) >= LONGEST:
        return ""
    return f"{ends}{joint}{begins}"


def terms(word: str) -> Iterable[str]:
    """The word in lower case, then its parts; none of one that is too long."""
    if not word.isascii():
        return _foreign_word(word)
    if len(word) > LONGEST:
        return ()
    whole = word.lower()
    if (word[0] in _DIGITS and "_" not in word) or (word.isalpha() and (word == whole or word.istitle())):
        return (whole,)
    return (whole, *_parts(_PARTS.findall(word), word))


def _foreign_word(word: str) -> Iterator[str]:
    """The same for letters beyond a to z; what is written without blanks falls into pairs of characters."""
    for piece in _SCRIPTS.findall(_lower(word)):
        if _IS_UNSPACED.match(piece):
            yield from map("".join, pairwise(piece))
            yield piece[-1]
        elif len(piece) <= LONGEST:
            yield piece
            yield from _parts(_FOREIGN_PARTS.findall(piece), piece)


def _parts(parts: list[str], word: str) -> list[str]:
    """The parts that are words, of a word of some length: none of what looks random, such as a digest or base64."""
    if word[:1] in _DIGITS and "_" not in word:
        return []
    if len(parts) >= _MANY and sum(map(len, parts)) < _SHORT * len(parts):
        return []
    return [part.lower() for part in parts if 1 < len(part) < len(word)]

