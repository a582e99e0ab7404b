"""Texts that are masked at once give what each gives alone: no packaged rule sees from one into the next."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking import Masker, mask_text
from lakesite.masking.marker import Hit
from lakesite.masking.masker import divided
from lakesite.masking.packaged import packaged_rules
from lakesite.masking.rules import CarrierRule
from lakesite.masking.sheet import APART
from tests.masking.made import Maker
from tests.sources.fixtures import cases

HERE = Path(__file__).parent
CASES = [(path.stem, *case) for path in sorted(HERE.glob("*.txt")) for case in cases(path)]
APART_WIDE = len(APART)


@pytest.mark.parametrize("rule", packaged_rules().carrier, ids=lambda rule: rule.id)
def test_no_rule_sees_from_one_text_into_the_next(rule: CarrierRule) -> None:
    text, _ = Maker(rule.id).filled(rule.example)
    for at in range(1, len(text), max(1, len(text) // 24)):
        pieces = [text[:at], text[at:]]
        assert mask_text(APART.join(pieces)) == APART.join(map(mask_text, pieces))


@pytest.mark.parametrize(("file", "title", "given_text", "_expected"), CASES, ids=[f"{case[0]}: {case[1]}" for case in CASES])
def test_the_texts_of_a_record_are_masked_as_they_are_alone(file: str, title: str, given_text: str, _expected: str) -> None:
    lines = Maker(file + title).filled(given_text.replace("\\e", "\x1b"))[0].splitlines()
    record = [*lines, "\n".join(lines), {"of": "all"}]
    masker = Masker()
    masker.vouch(record)
    assert masker.value([*record[:-1], 0]) == [*map(mask_text, lines), mask_text("\n".join(lines)), 0]


@given(st.lists(st.text("ab", max_size=4), max_size=5), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=4))
def test_hits_are_divided_over_the_texts(texts: list[str], spans: list[tuple[int, int]]) -> None:
    whole = APART.join(texts)
    hits, at = [], 0
    for start, length in spans:
        if start >= at and start + length <= len(whole):
            hits.append(Hit(start, start + length, "token", "x"))
            at = start + length
    covered = {place for hit in hits for place in range(hit.start, hit.end)}
    found, start = set(), 0
    for text, own in zip(texts, divided(hits, map(len, texts)), strict=True):
        assert all(0 <= hit.start < hit.end <= len(text) for hit in own)
        found |= {start + place for hit in own for place in range(hit.start, hit.end)}
        start += len(text) + APART_WIDE
    between = {place for place in range(len(whole)) if whole[place] in APART}
    assert found == covered - between


def test_what_is_masked_in_a_text_that_is_not_used_is_not_caught() -> None:
    token = "ghp_" + Maker("together").of("A-Za-z0-9", 36)
    masker = Masker()
    assert not masker.vouch({"a": token, "b": f"{token} b"})
    assert not masker.caught
    assert masker.findings.total == 0
    masker.mask(f"{token} b")
    assert set(masker.caught) == {token}


def test_an_object_of_many_secret_names_takes_no_longer_for_each() -> None:
    maker = Maker("many")
    took = []
    for count in (2_000, 8_000):
        record = {f"DB_PASSWORD={maker.password()}{number}": 1 for number in range(count)}
        masker = Masker()
        start = time.process_time()
        masker.vouch(record)
        shown = masker.value(record)
        took.append(time.process_time() - start)
        assert isinstance(shown, dict)
        assert len(shown) == count
    assert took[1] < 8 * took[0] + 0.2
