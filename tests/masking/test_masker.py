"""The door itself: what it counts, remembers, spares in names, and hands on to the second pass."""

from __future__ import annotations

import hashlib
import pickle

import pytest

from lakesite.masking import Masker, MaskOptions
from lakesite.masking.anchors import anchors
from lakesite.masking.engine import united
from lakesite.masking.marker import Hit
from lakesite.masking.sheet import Sheet
from lakesite.model import MARKER
from tests.masking.made import Maker

MAKE = Maker("masker")
TOKEN = "ghp_" + MAKE.of("A-Za-z0-9", 36)
PASSWORD = MAKE.password()


NOTHING = anchors([])


def test_a_marker_names_class_length_and_fingerprint() -> None:
    assert Masker().mask(f"key {TOKEN}") == f"key [masked:token:{len(TOKEN)}:{hashlib.sha256(TOKEN.encode()).hexdigest()[:8]}]"


def test_a_short_password_has_no_fingerprint_unless_asked_for() -> None:
    text = f'{{"password": "{PASSWORD}"}} [masked:credential:9:0a1b2c3d]'
    assert Masker().mask(text) == f'{{"password": "[masked:credential:{len(PASSWORD)}:00000000]"}} [masked:credential:9:00000000]'
    kept = Masker(MaskOptions(fingerprint="lake")).mask(text)
    assert hashlib.sha256(PASSWORD.encode()).hexdigest()[:8] in kept
    assert "[masked:credential:9:0a1b2c3d]" in kept


def test_what_is_spared_as_a_name_is_masked_as_a_text() -> None:
    """In whatever order the two are asked, by one masker or by two of the same rules."""
    for seed in range(8):
        key = Maker(f"spared {seed}").of("A-Za-z0-9", 48)
        before, after = Masker(), Masker()
        shown = before.name(key), before.mask(key), after.mask(key), after.name(key)
        assert shown == (key, shown[1], shown[1], key)
        assert shown[1].startswith("[masked:entropy:48:")


def test_findings_count_every_time_without_a_word_of_the_secret() -> None:
    masker = Masker()
    for _ in range(3):
        masker.mask(f"key {TOKEN}")
    (row,) = masker.findings.rows()
    assert (row.kind, row.rule, row.count, row.characters) == ("token", "github-pat", 3, 3 * len(TOKEN))
    assert masker.findings.total == 3
    assert TOKEN[4:12] not in repr(masker.findings)


def test_findings_add_up() -> None:
    one, two = Masker(), Masker()
    one.mask(TOKEN)
    two.mask(TOKEN)
    one.findings.update(two.findings)
    assert one.findings.total == 2
    assert pickle.loads(pickle.dumps(one.findings)) == one.findings  # noqa: S301 -- our own


NAMES = ["a" * 44, "run-" + MAKE.of("A-Za-z0-9", 40), "session_1f2e3d4c-5b6a-4978-8796-a5b4c3d2e1f0", MAKE.of("A-Za-z0-9_-", 44)]


@pytest.mark.parametrize("name", NAMES)
def test_names_keep_long_ids(name: str) -> None:
    assert Masker().name(name) == name


def test_names_lose_secrets() -> None:
    masked = Masker(MaskOptions(literals=("correct-horse-9",))).name(f"nightly-{TOKEN}-postgres://u:{PASSWORD}@h/correct-horse-9")
    assert len(MARKER.findall(masked)) == 3
    assert TOKEN[4:] not in masked
    assert PASSWORD not in masked


def test_what_was_caught_once_is_gone_in_the_whole_document() -> None:
    first = Masker()
    texts = [f"the value {PASSWORD} again", f"PGPASSWORD={PASSWORD} psql", f'{{"a": "x{PASSWORD}y"}}']
    assert PASSWORD in first.mask(texts[0])
    first.mask(texts[1])
    second = first.second_pass()
    assert [text for text in texts if PASSWORD in second.mask(text)] == []
    assert second.findings.total == 3
    assert first.findings.total == 1


def test_plain_words_and_numbers_are_not_chased() -> None:
    first = Masker()
    first.mask('PASSWORD=letmein and password="12345678" and --password secretword')
    assert first.caught == {}


def test_the_lake_to_the_letter() -> None:
    path = "src/main/java/com/example/ApplicationConfig/Http2/ProxyFactoryBean3"
    assert Masker().mask(path) == path
    assert MARKER.fullmatch(Masker(MaskOptions(mode="strict")).mask(path))


def test_options_can_be_sent_to_another_process() -> None:
    options = MaskOptions(mode="strict", literals=("correct-horse-9",), publish=True)
    assert pickle.loads(pickle.dumps(options)) == options  # noqa: S301 -- our own


def test_the_digest_tells_options_apart() -> None:
    several = [
        MaskOptions(),
        MaskOptions(mode="strict"),
        MaskOptions(literals=("correct-horse-9",)),
        MaskOptions(literals=("correct-horse-8",)),
        MaskOptions(publish=True),
        MaskOptions(fingerprint="lake"),
    ]
    assert len({options.digest for options in several}) == len(several)
    assert MaskOptions().digest == MaskOptions().digest


def test_hits_that_overlap_are_united_under_the_more_telling_rule() -> None:
    sheet = Sheet("x" * 60, NOTHING)
    hits = [Hit(0, 20, "entropy", "lake-entropy"), Hit(10, 30, "token", "github-pat"), Hit(40, 50, "credential", "name-bare")]
    assert [(hit.start, hit.end, hit.kind, hit.rule) for hit in united([*hits, Hit(30, 35, "token", "npm")], sheet)] == [
        (0, 30, "token", "github-pat"),
        (30, 35, "token", "npm"),
        (40, 50, "credential", "name-bare"),
    ]


def test_a_hit_is_cut_at_the_markers_in_it() -> None:
    marker = "[masked:token:9:0a1b2c3d]"
    sheet = Sheet(f"abc{marker}--{marker}def", NOTHING)
    whole = Hit(0, len(sheet.text), "credential", "name-quoted")
    assert [sheet.text[hit.start : hit.end] for hit in united([whole], sheet)] == ["abc", "def"]


def test_the_value_of_an_assignment_is_caught_where_its_name_says_that_it_is_secret() -> None:
    value, harmless = MAKE.of("A-Za-z0-9", 24), MAKE.of("A-Za-z0-9", 24)
    masker = Masker()
    masker.mask(f"DB_PASSWORD={value}\nBUILD_VALUE={harmless}")
    assert masker.caught == {value: "credential"}
    assert masker.second_pass().mask(f"use {value}") == f"use [masked:credential:{len(value)}:00000000]"
