"""What holds for every text: masking again changes nothing, nothing else changes, and encodings hide nothing."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from lakesite.masking import Masker, MaskOptions, mask_text
from lakesite.model import MARKER
from tests.masking.made import Maker

PLAIN = (
    *("The tests pass. ", "def f(key, token=None):\n", "\n", " ", "x = 1; ", "https://example.com/a?b=c ", "| a | b |\n"),
    *("日本語 ", "'", '"', "\\", "\x1b[0m"),
)
CARRIERS = (
    "password: {password}\n",
    'password = "{password}"\n',
    '{"client_secret": "{password}"}',
    "PGPASSWORD={password} psql\n",
    "postgres://u:{password}@h/db ",
    "mysql -u root -p{password} x\n",
    "curl -u bob:{password} https://x.example\n",
    "echo {password} | sudo -S true\n",
    "Authorization: Bearer {token}\n",
    "Cookie: sid={token}; theme=dark\n",
    "the key ghp_{token} is old ",
    "xoxb-{digits 12}-{token} ",
    "export API_KEY={token}\n",
    "{base64 48} ",
    "the password is {password}, he said. ",
    "-----BEGIN PRIVATE KEY-----\n{pem 2}\n-----END PRIVATE KEY-----\n",
)
MARKERS = ("[masked:token:40:0a1b2c3d]", "[masked:credential:9:0a1b2c3d]", "[masked:entropy:4", "[masked:")
FRAGMENTS = st.lists(st.sampled_from([*PLAIN, *CARRIERS, *MARKERS]) | st.text(max_size=8), max_size=12)
CARRYING = st.lists(st.sampled_from(CARRIERS), min_size=1, max_size=4)
KEEP = MaskOptions(fingerprint="lake")


def filled(fragments: list[str]) -> str:
    """The fragments as one text, each with secrets of its own."""
    return "".join(Maker(f"{number}{fragment}").filled(fragment)[0] for number, fragment in enumerate(fragments))


@given(FRAGMENTS)
def test_masking_again_changes_nothing(fragments: list[str]) -> None:
    masked = mask_text(filled(fragments))
    assert mask_text(masked) == masked


@given(FRAGMENTS)
def test_masking_is_deterministic(fragments: list[str]) -> None:
    text = filled(fragments)
    masker = Masker()
    assert masker.mask(text) == masker.mask(text) == Masker().mask(text)


@given(FRAGMENTS)
def test_everything_else_stays_as_it_is(fragments: list[str]) -> None:
    text = filled(fragments)
    at = 0
    kept = [piece for number, piece in enumerate(MARKER.split(mask_text(text))) if number % 4 == 0]  # the others are groups of markers
    for piece in kept:
        found = text.find(piece, at)
        assert found >= 0
        at = found + len(piece)
    assert len(kept) > 1 or kept == [text]
    assert text.startswith(kept[0])
    assert text.endswith(kept[-1])


@given(CARRYING)
@example(["password: {password}\n", "-----BEGIN PRIVATE KEY-----\n{pem 2}\n-----END PRIVATE KEY-----\n"])
def test_json_in_a_string_in_json_hides_nothing(fragments: list[str]) -> None:
    text = filled(fragments)
    nested = json.dumps({"a": json.dumps({"b": text})})
    plain, deep = Masker(KEEP), Masker(KEEP)
    plain.mask(text)
    masked = deep.mask(nested)
    assert set(deep.caught) >= set(plain.caught)
    assert [secret for secret in plain.caught if json.dumps(json.dumps(secret))[2:-2] in masked] == []
    json.loads(json.loads(masked)["a"])


@given(FRAGMENTS, st.sampled_from(["", "key", "password", "X-Api-Key", "text"]))
def test_a_json_value_loses_what_its_texts_lose(fragments: list[str], name: str) -> None:
    text = filled(fragments)
    masker = Masker()
    masker.mask(text)
    found = json.dumps(Masker(caught=masker.caught).value({name: [text, {text: text}]}), ensure_ascii=False)
    assert [secret for secret in masker.caught if secret in found and secret not in "[masked:credential]"] == []


@given(FRAGMENTS)
def test_strict_masks_at_least_as_much(fragments: list[str]) -> None:
    text = filled(fragments)
    strict, precise = Masker(MaskOptions(mode="strict")), Masker()
    strict.mask(text)
    precise.mask(text)
    assert sum(strict.findings.characters.values()) >= sum(precise.findings.characters.values())
