"""The packaged rules: each does what it says, and none is slow, blind or boundless."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from itertools import product

import pytest

from lakesite.masking import Masker, mask_text
from lakesite.masking.names import Secrecy, secrecy
from lakesite.masking.packaged import NAMES, RULE_FILES, packaged_rules
from lakesite.masking.rules import CarrierRule, CommandRule, Rule, TokenRule
from lakesite.masking.trial import try_out
from lakesite.masking.userrules import check
from tests.masking.made import Maker

RULES = packaged_rules()
KNOWN_IN_JSON_ONLY = {
    "contrasena", "contraseña", "mnemonic", "otp", "totp", "clave", "salasana", "heslo", "geslo", "adgangskode", "kodeord", "losenord",
    "haslo", "sifre",
}  # fmt: skip
"""Too rare to be searched for in every text."""
SURROUNDINGS = ("I tried SECRET, but it says 401.", "(SECRET)", "k: 'SECRET'\n", '{"text":"one\\nSECRET\\ntwo"}', "x=SECRET", "> SECRET")


def by_id(rule: object) -> str:
    return getattr(rule, "id", str(rule))


def found_by(text: str) -> set[str]:
    masker = Masker()
    masker.mask(text)
    return {row.rule for row in masker.findings.rows()}


def token(rule: TokenRule, beginning: str, length: int) -> str:
    return beginning + Maker(rule.id + beginning).of(rule.alphabet, length)


def test_there_are_enough_rules_and_each_has_its_own_id() -> None:
    tables = [tomllib.loads((files("lakesite.masking") / "rules" / name).read_text(encoding="utf-8")) for name in RULE_FILES]
    ids = [rule["id"] for table in tables for rules in table.values() for rule in rules]
    assert len(ids) == len(set(ids)) == len(RULES.all)
    assert len(RULES.token) >= 200


@pytest.mark.parametrize("rule", RULES.all, ids=by_id)
def test_a_rule_is_bounded_and_says_where_it_is_from(rule: Rule) -> None:
    check(rule)
    try_out(rule)
    if isinstance(rule, TokenRule | CarrierRule | CommandRule):
        assert rule.source.startswith("https://")


@pytest.mark.parametrize("rule", RULES.token, ids=by_id)
def test_a_token_is_masked_wherever_it_stands(rule: TokenRule) -> None:
    for prefix in rule.prefix:
        secret = token(rule, prefix, rule.length)
        for surrounding in SURROUNDINGS:
            masked = mask_text(surrounding.replace("SECRET", secret))
            assert secret[len(prefix) :] not in masked
            assert secret[-8:] not in masked


@pytest.mark.parametrize("rule", RULES.token, ids=by_id)
def test_a_token_that_was_cut_off_is_masked_too(rule: TokenRule) -> None:
    for prefix in rule.prefix:
        run = prefix[max(map(prefix.rfind, ".:|$")) + 1 :]
        secret = token(rule, prefix, rule.length if rule.max else max(rule.min, rule.length * 2 // 3, 16 - len(run)))
        assert secret[len(prefix) :] not in mask_text(f"output: {secret}")


@pytest.mark.parametrize("rule", [rule for rule in RULES.token if rule.lead or rule.inside], ids=by_id)
def test_a_token_without_a_literal_beginning_is_masked(rule: TokenRule) -> None:
    if rule.lead:
        secret = token(rule, rule.example.removesuffix("{token}"), rule.length)
    else:
        half = (rule.length - len(rule.inside[0])) // 2
        secret = Maker(rule.id).of(rule.alphabet, half) + rule.inside[0] + Maker(rule.id + "2").of(rule.alphabet, half)
    assert secret[-10:] not in mask_text(f"the key {secret} is old")


@pytest.mark.parametrize("rule", [rule for rule in RULES.token if rule.prefix and not rule.prefix[0][0].isdigit()], ids=by_id)
def test_words_behind_a_beginning_are_no_token(rule: TokenRule) -> None:
    if rule.weak:
        text = f"see {rule.prefix[0]}some-ordinary-words-in-a-row and {rule.prefix[0]}other_words_in_a_name"
        assert rule.id not in found_by(text)


@pytest.mark.parametrize("rule", RULES.token, ids=by_id)
def test_fillers_are_no_token(rule: TokenRule) -> None:
    for prefix in rule.prefix:
        assert rule.id not in found_by(f"put {prefix}{'x' * rule.length} here, or {prefix}...")


@pytest.mark.parametrize("rule", RULES.carrier, ids=by_id)
def test_a_carrier_gives_its_secret_away(rule: CarrierRule) -> None:
    maker = Maker(rule.id)
    text, _ = maker.filled(rule.example)
    masker = Masker()
    masked = masker.mask(text)
    assert maker.made
    assert [secret for secret in maker.made if secret[-8:] in masked] == []
    assert masker.mask(masked) == masked


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule in RULES.carrier for text in rule.counter], ids=by_id)
def test_a_carrier_without_a_secret_stays(rule: CarrierRule, text: str) -> None:
    assert mask_text(text) == text, rule.id


@pytest.mark.parametrize("rule", RULES.command, ids=by_id)
def test_a_flag_gives_its_password_away(rule: CommandRule) -> None:
    gap = "" if rule.form == "glued" else " "
    for tool, flag in product(rule.tools, rule.flags):
        maker = Maker(rule.id + tool)
        secret = maker.value("token", 24) if rule.form == "cookies" else maker.password()
        value = {"pair": f"bob{rule.separator}{secret}", "cookies": f"sid={secret}"}.get(rule.form, secret)
        for command in (f"{tool} -v {flag}{gap}{value} x", f"sudo /usr/bin/{tool} {flag}{gap}'{value}' x"):
            masked = mask_text(json.dumps({"command": command}))
            assert secret not in masked
            assert tool in masked


def test_every_word_for_a_password_is_searched_for() -> None:
    unsought = {word for word in NAMES.password | NAMES.token if not any(anchor in word for anchor in NAMES.anchors)}
    assert unsought == KNOWN_IN_JSON_ONLY


@pytest.mark.parametrize(
    ("expected", "names"),
    [
        (Secrecy.PASSWORD, "password DB_PASSWORD dbPassword2 PGPASSWORD client-secret password_prod passphrase pw secret requirepass"),
        (Secrecy.TOKEN, "api_key X-Api-Key accessKeyId authorization refreshToken client-key-data GITHUB_TOKEN some2_key authKey jwt"),
        (Secrecy.SESSION, "sessionId session PHPSESSID"),
        (Secrecy.NONE, "key primary_key max_tokens token_type nextPageToken password_field author monkey bypass cacheKey tokens keyboard"),
    ],
)
def test_names(expected: Secrecy, names: str) -> None:
    assert {name: secrecy(name) for name in names.split()} == dict.fromkeys(names.split(), expected)
    assert secrecy("") is Secrecy.NONE


def test_a_name_that_stands_twice_is_as_secret_as_once() -> None:
    assert secrecy("password (repeated, 1)") is Secrecy.PASSWORD
