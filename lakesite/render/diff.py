"""Shows what changed: lines with their signs, and the changed words in them.

The block is `<pre class="diff">`; in it:

| element | class | means |
|---|---|---|
| del, ins | | lines removed or added, each with its sign; one element for a run of them |
| b | | in those: words that changed |
| i | `u` | where a hunk stands (`@@ … @@`) |
| i | `h` | which files (`diff --git`, `---`, `+++`, `***`) |
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal

from markupsafe import Markup

from lakesite.model import MARKER
from lakesite.render.escape import block, shown

Kind = Literal[" ", "-", "+", "u", "h", ""]
Line = tuple[Kind, str]

_ELEMENTS: dict[Kind, str] = {"-": "<del>%s</del>", "+": "<ins>%s</ins>", "u": "<i class=u>%s</i>", "h": "<i class=h>%s</i>"}
_DEPTH = 12
_SMALL = 4096
_LONG_LINE = 1000
_WORD = re.compile(rf"{MARKER.pattern}|\w+|\s+|.", re.DOTALL)

_UNIFIED = re.compile(r"^--- .*\n\+\+\+ .*\n@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)
_ENVELOPE = re.compile(r"^\*\*\* Begin Patch$", re.MULTILINE)
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_HEADER = re.compile(r"diff --git |index [0-9a-f]+\.\.|--- |\+\+\+ |(?:new|deleted) file mode |(?:old|new) mode |rename |similarity index ")


def edit(old: str, new: str) -> Markup:
    """Show how a text became another, line by line."""
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if all(text.endswith("\n") for text in (old, new) if text):
        old, new = old[:-1], new[:-1]
    return _written(_compared(_lines(old), _lines(new)))


def patch(text: str) -> Markup | None:
    """Show a unified diff or a patch in an apply_patch envelope; None if the text is neither."""
    text = text.replace("\r\n", "\n")
    if _UNIFIED.search(text):
        classed = _unified
    elif _ENVELOPE.search(text):
        classed = _enveloped
    else:
        return None
    return _written(classed(_lines(text.removesuffix("\n"))))


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _unified(lines: list[str]) -> Iterator[Line]:
    """Class the lines of a unified diff; inside a hunk its counts decide, so that a removed `-- x` is no header."""
    removed = added = 0
    for line in lines:
        sign = line[:1] or " "
        if (removed > 0 or added > 0) and sign in " -+\\":
            removed -= sign in " -"
            added -= sign in " +"
            yield _signed(line)
        elif hunk := _HUNK.match(line):
            removed, added = (int(count or 1) for count in hunk.groups())
            yield "u", line
        else:
            removed = added = 0
            yield "h" if _HEADER.match(line) else "", line


def _enveloped(lines: list[str]) -> Iterator[Line]:
    inside = False
    for line in lines:
        if line.startswith("*** "):
            inside = line != "*** End Patch"
            yield "h", line
        elif not inside:
            yield "", line
        elif line.startswith("@@"):
            yield "u", line
        else:
            yield _signed(line)


def _signed(line: str) -> Line:
    match line[:1]:
        case "-":
            return "-", line[1:]
        case "+":
            return "+", line[1:]
        case " ":
            return " ", line[1:]
        case _:
            return "", line


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    at_old = at_new = 0
    for in_old, in_new in (*_matches(old, new), (len(old), len(new))):
        yield from (("-", line) for line in old[at_old:in_old])
        yield from (("+", line) for line in new[at_new:in_new])
        if in_old < len(old):
            yield " ", old[in_old]
        at_old, at_new = in_old + 1, in_new + 1


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pair equal lines, in order in both: ends first, then lines that are unique in both, then what lies between, to a fixed depth."""
    pairs: list[tuple[int, int]] = []
    spans = [(0, len(old), 0, len(new), _DEPTH)]
    while spans:
        first, last, other_first, other_last, depth = spans.pop()
        while first < last and other_first < other_last and old[first] == new[other_first]:
            pairs.append((first, other_first))
            first, other_first = first + 1, other_first + 1
        while first < last and other_first < other_last and old[last - 1] == new[other_last - 1]:
            last, other_last = last - 1, other_last - 1
            pairs.append((last, other_last))
        if first == last or other_first == other_last:
            continue
        if (last - first) * (other_last - other_first) <= _SMALL:
            pairs += _longest(old, new, (first, last, other_first, other_last))
        elif depth and (anchors := _anchors(old, new, (first, last, other_first, other_last))):
            for anchor, other in anchors:
                spans.append((first, anchor + 1, other_first, other + 1, depth - 1))
                first, other_first = anchor + 1, other + 1
            spans.append((first, last, other_first, other_last, depth - 1))
    return sorted(pairs)


def _anchors(old: Sequence[str], new: Sequence[str], span: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Pair the lines that stand once on either side, as many as are in the same order: patience sorting."""
    first, last, other_first, other_last = span
    once, other_once = Counter(old[first:last]), Counter(new[other_first:other_last])
    places = {new[index]: index for index in range(other_first, other_last) if other_once[new[index]] == 1}
    both = [(index, places[old[index]]) for index in range(first, last) if once[old[index]] == 1 and old[index] in places]
    tops: list[int] = []
    piles: list[int] = []
    below: list[int] = []
    for number, (_, other) in enumerate(both):
        pile = bisect_left(tops, other)
        tops[pile : pile + 1] = [other]
        piles[pile : pile + 1] = [number]
        below.append(piles[pile - 1] if pile else -1)
    number = piles[-1] if piles else -1
    chain = []
    while number >= 0:
        chain.append(both[number])
        number = below[number]
    return chain[::-1]


def _longest(old: Sequence[str], new: Sequence[str], span: tuple[int, int, int, int]) -> Iterator[tuple[int, int]]:
    """Yield a longest common subsequence of two short runs of lines."""
    first, last, other_first, other_last = span
    if set(old[first:last]).isdisjoint(new[other_first:other_last]):
        return
    width = other_last - other_first + 1
    rows = [[0] * width]
    for index in range(last - 1, first - 1, -1):
        row, under, line, right = [0] * width, rows[-1], old[index], 0
        for column in range(width - 2, -1, -1):
            if line == new[other_first + column]:
                right = under[column + 1] + 1
            elif right < under[column]:
                right = under[column]
            row[column] = right
        rows.append(row)
    rows.reverse()
    index, column = 0, 0
    while index < last - first and column < width - 1:
        if old[first + index] == new[other_first + column]:
            yield first + index, other_first + column
            index, column = index + 1, column + 1
        elif rows[index + 1][column] >= rows[index][column + 1]:
            index += 1
        else:
            column += 1


def _written(lines: Iterator[Line]) -> Markup:
    """Write classed lines, runs of one kind in one element; removed lines are compared with the added ones that follow."""
    runs = [(kind, [text for _, text in run]) for kind, run in groupby(lines, key=lambda line: line[0])]
    marked: dict[int, tuple[str, ...]] = {}
    for number, ((kind, texts), (next_kind, others)) in enumerate(pairwise(runs)):
        if (kind, next_kind) == ("-", "+"):
            marked[number], marked[number + 1] = zip(*map(_changed_words, texts, others), strict=True)
    pieces: list[str] = []
    for number, (kind, texts) in enumerate(runs):
        compared = marked.get(number, ())
        html = "".join(f"{kind}{line}\n" for line in compared) + _unmarked(kind, texts[len(compared) :])
        pieces.append(_ELEMENTS.get(kind, "%s") % html)
    return block("diff", "".join(pieces).removesuffix("\n"))


def _unmarked(kind: Kind, texts: list[str]) -> str:
    sign = "" if kind in {"u", "h"} else kind
    return shown("".join(f"{sign}{text}\n" for text in texts))


def _changed_words(old: str, new: str) -> tuple[str, str]:
    """Mark in two lines what lies between the words that they have in common at either end, if that is not nearly all."""
    length = max(len(old), len(new))
    least = length // 6  # one of the ends, for both to make a third
    if length > _LONG_LINE or (old[:least] != new[:least] and old[-least:] != new[-least:]):
        return shown(old), shown(new)
    words, others = ([match[0] for match in _WORD.finditer(line)] for line in (old, new))
    shortest = min(len(words), len(others))
    start = next((index for index in range(shortest) if words[index] != others[index]), shortest)
    end = next((index for index in range(shortest - start) if words[-1 - index] != others[-1 - index]), shortest - start)
    common = "".join((*words[:start], *words[len(words) - end :])).strip()
    if len(common) < length / 3:
        return shown(old), shown(new)
    return _marked(words, start, len(words) - end), _marked(others, start, len(others) - end)


def _marked(words: list[str], start: int, end: int) -> str:
    head, middle, tail = ("".join(part) for part in (words[:start], words[start:end], words[end:]))
    return f"{shown(head)}<b>{shown(middle)}</b>{shown(tail)}" if middle else shown(head + tail)
