"""Tells random text from words, and a value from a stand-in for one."""

from __future__ import annotations

import re

_PAIRS = (
    "te st es in er re on le at se en ti co de or ar al et it nt me ed li ng as ec ro ra tr th ge an pa ne io ta lo nd is ri ex ea ct un pe "
    "fi ma ad ss ce ve si ac il ca na od di la to ck am ch no he om ic rs nc pr ha ll ut ns el rt mp ts ou oc ul op ur su rr ba cl pt im pl "
    "em mo ke wi ot ig ef fo po ai ep ab ni ty va id ff lt ho do py ol da bl ag ue so sp ap up os tt us sh fa ir ip tu bu xt mi fr cr qu oo "
    "rg ow um sc du yp ze sa ld ru nf pi ub ie gs ee ry au lu fe wa hi rm iz ia xc nu ev fu pp ls rc iv cu ob rd sy aa ly dd eg dl rn ds nv "
    "fl be tc bo ci ew gr bi eq wr ib if av oa ey ui yt ak gi nn mm mu by gn vi sl ok ov og uc tp wo"
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
