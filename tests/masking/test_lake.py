"""The Lake's own rules: to the letter when strict, wherever the fast way of looking for them looks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking.anchors import anchors
from lakesite.masking.benign import BenignShapes
from lakesite.masking.lake import LakeRules
from lakesite.masking.options import LakeFormats
from lakesite.masking.sheet import Sheet
from tests.masking.made import Maker

FORMATS = LakeFormats()
STRICT, PRECISE = (LakeRules(FORMATS, BenignShapes(()), precise=precise) for precise in (False, True))
NOTHING = anchors([])
PIECES = st.sampled_from(
    [
        *("A_B", "KEY", "=", "ab-", "abcdefgh-", "sk-", "-", "_", "/", "+", " ", "\n", ".", "é", "日"),
        *("aB3dE5gH7jK9mN1pQ3rS", "0123456789abcdef", "/usr/local/lib/python3", "xxxxxxxxxxxxxxxxxxxx", "AAAAAAAAAAAAAAAAAAAA", "Zz9+/=_-"),
    ]
)


def to_the_letter(text: str) -> set[tuple[int, int, str]]:
    """The three rules as the Lake describes them."""
    found = {(*hit.span(), "assignment") for hit in re.finditer(str(FORMATS.assignment), text)}
    found |= {(*hit.span(), "token") for hit in re.finditer(str(FORMATS.token), text)}
    for hit in re.finditer(str(FORMATS.entropy), text):
        groups = [re.search(group, hit[0]) for group in ("[a-z]", "[A-Z]", "[0-9]", "[+/=_-]")]
        if len(set(hit[0])) >= FORMATS.min_distinct and sum(map(bool, groups)) >= FORMATS.min_groups:
            found.add((*hit.span(), "entropy"))
    return found


@pytest.mark.parametrize("lead", ["", " ", "\n"])
def test_a_run_at_the_very_start_is_judged_like_any_other(lead: str) -> None:
    value = Maker("start").of("A-Za-z0-9", 24)
    hits = PRECISE.hits(Sheet(f"{lead}=BUILD={value}", NOTHING))
    assert [(hit.start, hit.kind) for hit in hits] == [(len(lead) + 1, "assignment")]


@given(st.lists(PIECES, max_size=14).map("".join))
def test_strict_is_the_lake_to_the_letter(text: str) -> None:
    hits = STRICT.hits(Sheet(text, NOTHING))
    assert {(hit.start, hit.end, hit.kind) for hit in hits if hit.rule.startswith("lake-")} == to_the_letter(text)
