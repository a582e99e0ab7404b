"""Masks what is piped through: a text of any length, or lines of JSON.

A text is masked in pieces, so that memory stays flat. It is cut only where masking the two sides alone gives the same as
masking them together, and never nearer to what has not come yet than any rule can reach. Where it is cut depends on the
text alone, not on how it arrives. Nothing is remembered from one piece or line to the next: a filter cannot look back.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import BinaryIO

from lakesite.masking import Findings, Masker, MaskOptions
from lakesite.model import Number, decoder

REACH = 32_768
"""Characters on each side of a cut that are looked at: more than the widest window of any rule."""
PIECE = 1 << 20
"""Characters that are masked at a time, at most."""
_READ = 1 << 18
"""Bytes that are read at a time."""
_NEAR = 4_096
"""Characters before a place to cut in which a break is looked for: lines and words that are longer are rare."""
_CUTS = (PIECE, PIECE * 7 // 8, PIECE * 6 // 8, PIECE * 5 // 8)
"""A cut is looked for up to `_NEAR` before each of these."""
_BREAKS = (re.compile(r"\n"), re.compile(r"[ \t]"), re.compile(r"[^A-Za-z0-9+/=_-]"))
"""What a text is cut behind: the best first."""
_RENEWED = 1 << 26
"""Characters after which the masker is replaced, so that what it remembers stays small."""
_BOM = b"\xef\xbb\xbf"
_LEAF = re.compile(r'"(?:[^"\\]|\\.)*+"|-?[0-9][0-9.eE+-]*+|NaN|-?Infinity', re.DOTALL)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Stream:
    """Masks what comes from one source and counts what it masked."""

    def __init__(self, options: MaskOptions) -> None:
        self._options = options
        self._masker = Masker(options)
        self._masked = 0
        self._earlier = Findings()

    @property
    def findings(self) -> Findings:
        """What was masked so far, without a word of it."""
        found = Findings()
        found.update(self._earlier)
        found.update(self._masker.findings)
        return found

    def text(self, source: BinaryIO) -> Iterator[bytes]:
        """Mask a text. Bytes that are not UTF-8 stay as they are."""
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        held = _Held(self._mask, self._probe())
        for data in iter(lambda: source.read(_READ), b""):
            yield from _encoded(held.add(decoder.decode(data)))
        yield from _encoded(held.add(decoder.decode(b"", final=True)))
        yield from _encoded(held.rest())

    def jsonl(self, source: BinaryIO) -> Iterator[bytes]:
        """Mask the strings in lines of JSON and leave every other byte as it is; what is not JSON is masked as text.

        As on a page, a key that is a secret itself is masked, and so is a number under the name of a secret.
        """
        held = _Held(self._mask, self._probe())  # lines that are not JSON and follow one another are one text
        first = source.readline()
        if first.startswith(_BOM):
            yield _BOM
        for line in chain((first.removeprefix(_BOM),), source):
            masked = self._json_line(line)
            if masked is None:
                yield from _encoded(held.add(line.decode("utf-8", "surrogateescape")))
            else:
                yield from _encoded(held.rest())
                yield masked
        yield from _encoded(held.rest())

    def _json_line(self, line: bytes) -> bytes | None:
        """The line, masked; None where it is not JSON, or nested deeper than it can be read."""
        try:
            text = line.decode("utf-8")
            value = _DECODER.decode(text)
            masked = self._masker_for(len(text)).value(value)
            if masked == value:
                return line
        except (ValueError, RecursionError):
            return None
        out: list[str] = []
        done = 0
        for found, old, new in zip(_LEAF.finditer(text), leaves(value), leaves(masked), strict=True):
            if old != new:
                out += (text[done : found.start()], _spelled(str(new), ascii_only=found[0].isascii()))
                done = found.end()
        out.append(text[done:])
        return "".join(out).encode("utf-8")

    def _mask(self, text: str) -> str:
        return self._masker_for(len(text)).mask(text)

    def _masker_for(self, more: int) -> Masker:
        """The masker for so many characters more, a new one now and then. What `publish` learns of users must not be forgotten."""
        self._masked += more
        if self._masked > _RENEWED and not self._options.publish:
            self._earlier.update(self._masker.findings)
            self._masker, self._masked = Masker(self._options), more
        return self._masker

    def _probe(self) -> Callable[[str], str]:
        """What masks without counting."""
        return lambda text: Masker(self._options).mask(text)


class _Held:
    """A text that comes in parts and goes out masked."""

    def __init__(self, mask: Callable[[str], str], probe: Callable[[str], str]) -> None:
        self._mask = mask
        self._probe = probe
        self._parts: list[str] = []
        self._size = 0

    def add(self, text: str) -> Iterator[str]:
        """Take the next part; gives what can go out."""
        self._parts.append(text)
        self._size += len(text)
        if self._size < PIECE + REACH:
            return
        whole = "".join(self._parts)
        done = 0
        while len(whole) - done >= PIECE + REACH:
            cut = done + place_to_cut(whole[done : done + PIECE + REACH], self._probe)
            yield self._mask(whole[done:cut])
            done = cut
        self._parts, self._size = [whole[done:]], len(whole) - done

    def rest(self) -> Iterator[str]:
        """The end has come: gives all that is left."""
        text = "".join(self._parts)
        self._parts, self._size = [], 0
        if text:
            yield self._mask(text)


def place_to_cut(text: str, mask: Callable[[str], str]) -> int:
    """Where a text of `PIECE + REACH` characters can be cut.

    Where no place is good, that is inside what is masked on both sides: one marker becomes two.
    """
    best = 0
    for kind in _BREAKS:
        for near in _CUTS:
            cut = max((found.end() for found in kind.finditer(text, near - _NEAR, near)), default=0)
            if not cut:
                continue
            before, after = text[cut - REACH : cut], text[cut : cut + REACH]
            if mask(before + after) == mask(before) + mask(after):
                return cut
            best = best or cut
    return best or PIECE - _NEAR // 2


def leaves(value: object) -> Iterator[object]:
    """The keys, texts and numbers of a JSON value in the order in which they are written."""
    levels: list[Iterator[object]] = [iter((value,))]
    while levels:
        for item in levels[-1]:
            if isinstance(item, dict):
                levels.append(chain.from_iterable(item.items()))
                break
            if isinstance(item, list):
                levels.append(iter(item))
                break
            if isinstance(item, str | Number):
                yield item
        else:
            levels.pop()


def in_words(findings: Findings) -> str:
    """How much was masked, by class and rule; nothing of a secret."""
    rows: list[tuple[str, str, int, int]] = [(row.kind, row.rule, row.count, row.characters) for row in findings.rows()]
    rows.append(("all", "", findings.total, findings.characters.total()))
    lines = [f"{kind:<12}{rule:<32}{count:>10,}{characters:>14,}" for kind, rule, count, characters in rows]
    head = f"{'class':<12}{'rule':<32}{'values':>10}{'characters':>14}"
    return "\n".join((head, *lines, "best effort: review before sharing"))


def _encoded(texts: Iterator[str]) -> Iterator[bytes]:
    return (text.encode("utf-8", "surrogateescape") for text in texts)


def _spelled(text: str, *, ascii_only: bool) -> str:
    """A string as JSON, in ASCII where it was written so; half a surrogate pair has no other spelling."""
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=ascii_only))


def _object(pairs: list[tuple[str, object]]) -> object:
    """An object; one that has a key twice as a list of objects, so that nothing of it is lost."""
    table = dict(pairs)
    return table if len(table) == len(pairs) else [{key: value} for key, value in pairs]


_DECODER = decoder(_object, Number)
