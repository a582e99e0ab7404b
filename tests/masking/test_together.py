"""Texts that are masked at once give what each gives alone: no packaged rule sees from one into the next."""

from __future__ import annotations

import time
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakesite.masking import LakeFormats, Masker, MaskOptions, mask_text
from lakesite.masking.engine import engine_for
from lakesite.masking.marker import Hit
from lakesite.masking.masker import divided
from lakesite.masking.memory import CleanTexts
from lakesite.masking.packaged import packaged_rules
from lakesite.masking.rules import BenignRule, CarrierRule, TokenRule, collected
from lakesite.masking.sheet import APART
from lakesite.masking.userrules import UserRules
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


@pytest.mark.parametrize(("file", "title", "given_text", "_expected"), CASES, ids=[f"{case[0]}: {case[1]}" for case in CASES])
def test_a_text_that_is_cut_is_masked_in_its_parts(file: str, title: str, given_text: str, _expected: str) -> None:
    text = Maker(file + title).filled(given_text.replace("\\e", "\x1b").replace("\\r", "\r"))[0]
    for at in range(1, len(text), max(1, len(text) // 12)):
        assert_alike([text[:at], text[at:]])


SECRET = "9fKq2LmZr8TvXw3NpYb7GhJd5SaQe1RuCt6VkMx4BnFzWjHy"
HARMLESS_BEHIND = (
    *("-----BEGIN CERTIFICATE-----\nMIICxx", "-----BEGIN PUBLIC KEY", "-----BEGIN "),
    *('{"type":"image"', "sha256:", '"signature": "'),
)
"""Behind which a secret would look harmless, were it the same text."""


@pytest.mark.parametrize("before", HARMLESS_BEHIND)
@pytest.mark.parametrize("text", [SECRET, f"zzk-{SECRET[:30]}", f',"data":"{SECRET}"', f"CERTIFICATE-----\n{SECRET}"])
def test_nothing_in_one_field_makes_a_secret_in_another_look_harmless(before: str, text: str) -> None:
    for record in ({"a": before, "b": text}, {"a": text, "b": before}, {"a": [[before]], text: 1}):
        engine_for(MaskOptions()).clean = CleanTexts()
        masker = Masker()
        assert not masker.vouch(record)
        assert SECRET[:30] not in str(masker.value(record))


def test_nothing_in_one_encoded_line_makes_a_secret_in_another_look_harmless() -> None:
    text = f'{{"a": "-----BEGIN CERTIFICATE-----\\nMIICxx"}}\nplain\n{{"b": "\\u007azk-{SECRET}"}}\n'
    assert SECRET[:30] not in mask_text(text)


PIECES = st.sampled_from([
    *("\\", "\r", "\n", "\0", "\\\n", "\\\r\n", "\n\0"),
    *(" ", "\t", "'", '"', "=", ": ", ":\n", "# x", "|", "> ", "\x1b", "%41", "&quot;", '" + "'),
    *("password", "password: ", "password for staging: ", "API key", "Falcon@47699", "--password"),
    *("user,password\n", "a,Falcon@47699\n"),
    *("name: DB_PASSWORD", "\n  value: ", "kind: Secret\n", "stringData:\n a: ", "data:\n  a: "),
    *("mysql -p", "echo ", " | sudo -S", "<<EOF\n"),
    *("-----BEGIN PRIVATE KEY-----\n", "Private-Lines: 2\n", "Bearer "),
    *(SECRET, SECRET[:20], f"{SECRET[:15]}\n", *HARMLESS_BEHIND, ',"data":"'),
    *('\ndata: {"delta":"', "[masked:token:9:0a1b2c3d]", "[masked:", "login bob ", "<password>", "</password>", "\n\n", "a"),
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=6).map("".join)


@given(st.lists(TEXTS, min_size=2, max_size=4))
@settings(max_examples=400)
def test_a_text_is_masked_alike_whatever_its_neighbours(texts: list[str]) -> None:
    assert_alike(texts)


@pytest.mark.parametrize("end", ["\\", "\r", "\\\r", "\\\n", "\\\n\0", "\n\0\n"])
@pytest.mark.parametrize("text", ["password for staging: Falcon@476", f"Bearer {SECRET[:32]}\n4/0A", "tool --password Falcon@476"])
def test_how_a_text_ends_says_nothing_of_its_neighbour(text: str, end: str) -> None:
    for other in ("", "value: x", "\n", "  Falcon@47699"):
        assert_alike([text + end, other])
        assert_alike([other, text + end])


DOOR = {"id": "door", "what": "Code of the door"}
OF_THE_USER = (
    CarrierRule(**DOOR, literal=("door code",), pattern=r"door code[^;]{1,80}(?P<secret>[0-9]{4,8})\Z", judge="any"),
    CarrierRule(**DOOR, literal=("door code",), before=r"\A\Z", pattern=r"door code (?P<secret>[0-9]{4,8})", judge="any"),
    TokenRule(**DOOR, lead=r"door[^;]{1,40}:", body="alnum", min=6),
    BenignRule(**DOOR, reason="it opens nothing", before=r"door code[^;]{1,80}\Z"),
)


@pytest.mark.parametrize(
    "options",
    [
        *(MaskOptions(rules=UserRules(added=collected([rule]))) for rule in OF_THE_USER),
        MaskOptions(formats=LakeFormats(entropy=r"door[^;]{1,80}code")),
    ],
)
def test_a_rule_of_the_user_sees_one_text_only(options: MaskOptions) -> None:
    texts = ("x", "door code 123456", "door code is 1234", f"zzk-{SECRET[:30]}", "door", "code", ":123456")
    for pair in permutations(texts, 2):
        assert_alike([*pair], options)


def assert_alike(texts: list[str], options: MaskOptions = MaskOptions()) -> None:  # noqa: B008 -- frozen
    """Texts of one record give what each gives alone, and nothing is vouched for in which something has to be masked."""
    alone = []
    for text in texts:
        engine_for(options).clean = CleanTexts()
        alone.append(Masker(options).mask(text))
    for record in ({f"q{number}": text for number, text in enumerate(each)} for each in (texts, texts[::-1])):
        engine_for(options).clean = CleanTexts()
        masker = Masker(options)
        vouched = masker.vouch(record)
        assert list(map(masker.mask, texts)) == alone
        assert not vouched or alone == texts


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
