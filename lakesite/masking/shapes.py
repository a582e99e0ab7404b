"""Tells random text from words, and a value from a stand-in for one."""

from __future__ import annotations

import re
from functools import lru_cache

_PAIRS = (
    "te st es in er re on le at se en ti co de or ar al et it nt me ed li ng as ec ro ra tr th ge an pa ne io ta lo nd is ri "
    "ex ea ct un pe fi ma ad ss ce ve si ac il ca na od di la to ck am ch no he om ic rs nc pr ha ll ut ns el rt mp ts ou oc "
    "ul op ur su rr ba cl pt im pl em mo ke wi ot ig ef fo po ai ep ab ni ty va id ff lt ho do py ol da bl ag ue so sp ap up "
    "os tt us sh fa ir ip tu bu xt mi fr cr qu oo rg ow um sc du yp ze sa ld ru nf pi ub ie gs ee ry au lu fe wa hi rm iz ia "
    "xc nu ev fu pp ls rc iv cu ob rd sy aa ly dd eg dl rn ds nv fl be tc bo ci ew gr bi eq wr ib if av oa ey ui yt ak gi nn "
    "mm mu by gn vi sl ok ov og uc tp wo "
)
_COMMON_PAIRS = frozenset(_PAIRS.split())
"""Pairs of letters that make up nine tenths of English words and of the names in source code."""

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DIGIT = re.compile(r"[0-9]")


def wordiness(text: str) -> float:
    """How much of a text is made of pairs of letters that stand in words: about 0.7 for names, 0.2 for random text."""
    common = 0
    for piece in _PIECES.findall(text):
        low = piece.lower()
        common += sum(low[i : i + 2] in _COMMON_PAIRS for i in range(len(low) - 1))
    return common / max(1, len(text) - 1)


def looks_random(text: str) -> bool:
    """Tell a made-up token from words: digits or mixed case, and few pairs of letters that words have."""
    mixed = _DIGIT.search(text) or (text != text.lower() and text != text.upper())
    return bool(mixed) and wordiness(text) < WORDS_FROM and not is_filler(text)


WORDS_FROM = 0.5
"""From this wordiness on a text counts as words."""


def is_filler(text: str) -> bool:
    """Tell a stand-in such as xxxx, 0000 or ******** by its few different characters."""
    return len(set(text.lower()) - set("-_.:")) <= 2  # noqa: PLR2004 (two: `xX`, `0.`)


_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SEPARATORS = re.compile(r"[/_=+-]+")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_DIGITS = re.compile(r"[0-9]+")
_LONGEST_WORDED = 1024
_LONGEST_ODD = 10
_MOST_ODD = 2
_WORD_FROM = 0.4
_SHORT = 2


@lru_cache(maxsize=4096)
def is_worded(run: str) -> bool:
    """Tell a slug, a path, an identifier, a UUID or a numbered name from a random run, by its parts."""
    if len(run) > _LONGEST_WORDED:
        return False
    words = hexes = odd = 0
    rest, uuids = _UUID.subn("", run)
    for part in filter(None, _SEPARATORS.split(rest)):
        if _is_word(part):
            words += 1
        elif _HEX.fullmatch(part):
            hexes += 1
        elif len(part) <= _LONGEST_ODD:
            odd += 1
        else:
            return False
    if not words:
        return not odd or (bool(uuids) and odd + hexes == 1)
    return odd <= _MOST_ODD and words > odd and (words > 1 or not hexes)


def _is_word(part: str) -> bool:
    if len(part) <= _SHORT or part.isdigit():
        return True
    body = part.rstrip("0123456789")
    numbers = _DIGITS.findall(body)
    few = len(numbers) <= len(part) // 12 + 1 and all(len(number) <= _SHORT for number in numbers)
    return few and wordiness(body) >= _WORD_FROM
