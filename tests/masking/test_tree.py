"""Decoded JSON: every string and key is masked, at any depth, and everything else stays."""

from __future__ import annotations

import base64
import json
import math

import pytest

from lakesite.masking import Masker
from lakesite.model import MARKER, Number
from tests.masking.made import Maker

MAKE = Maker("tree")
TOKEN = "glpat-" + MAKE.of("A-Za-z0-9", 20)
RANDOM = MAKE.of("A-Za-z0-9", 28)
PASSWORD = MAKE.password()


def masked(value: object) -> object:
    return Masker().value(value)


HARMLESS = [None, True, False, 0, 12345678, "", "plain", [], {}, {"a": [1, "b", {"c": None}]}, Number("1e400"), {"tokens": 12345678}]


@pytest.mark.parametrize("value", HARMLESS)
def test_harmless_values_stay(value: object) -> None:
    assert masked(value) == value


@pytest.mark.parametrize(
    ("value", "expected"), [(1.5, "1.5"), (math.inf, "Infinity"), (-math.inf, "-Infinity"), (math.nan, "NaN"), (1e22, "1e+22")]
)
def test_other_numbers_keep_their_spelling(value: float, expected: str) -> None:
    assert masked(value) == Number(expected)


def test_depth_costs_nothing() -> None:
    deep: object = TOKEN
    for level in range(3000):
        deep = [deep] if level % 2 else {"a": deep}
    found = masked(deep)
    for _ in range(3000):
        found = found[0] if isinstance(found, list) else found["a"]  # type: ignore[index]
    assert MARKER.fullmatch(str(found))


def test_keys_are_masked() -> None:
    found = masked({TOKEN: 1, "plain": 2})
    assert isinstance(found, dict)
    assert MARKER.fullmatch(next(iter(found)))
    assert found["plain"] == 2


def test_keys_with_one_marker_stay_apart() -> None:
    keys = [f"password={MAKE.of('A-Za-z', 6)}{number}9" for number in range(4)]
    found = masked(dict.fromkeys(keys, 0))
    assert isinstance(found, dict)
    assert len(found) == 4


@pytest.mark.parametrize(
    "value",
    [
        {"password": "letmein"},
        {"a": {"b": [{"dbPassword": PASSWORD}]}},
        {"X-Api-Key": 12345678901234567890},
        {"x-api-key": Number("12345678901234567890.0")},
        {"Cookie": {"session": RANDOM}},
        {"headers": {"authorization": f"Bearer {RANDOM}"}},
        {"headers": [["authorization", f"Bearer {RANDOM}"]]},
        {"headers": {"Cookie": f"theme=dark; sid={RANDOM}"}},
        {"name": "DB_PASSWORD", "value": PASSWORD},
        {"action": "type", "selector": "input[type=password]", "text": PASSWORD},
        {"secrets": [PASSWORD, PASSWORD]},
        {"arguments": json.dumps({"config": json.dumps({"client_secret": RANDOM})})},
    ],
    ids=str,
)
def test_values_under_secret_names_are_masked(value: object) -> None:
    found = str(masked(value))
    assert "[masked:" in found
    for secret in (PASSWORD, RANDOM, "letmein", "12345678901234567890"):
        assert secret not in found


def test_the_surroundings_of_a_value_stay_readable() -> None:
    found = masked({"headers": {"authorization": f"Bearer {RANDOM}", "cookie": f"theme=dark; sid={RANDOM}; lang=en"}})
    headers = found["headers"]  # type: ignore[index,call-overload]
    assert headers["authorization"].startswith("Bearer [masked:token:28:")
    assert headers["cookie"].startswith("theme=dark; sid=[masked:")
    assert headers["cookie"].endswith("]; lang=en")


@pytest.mark.parametrize(
    "value",
    [
        ["mysql", "-u", "root", "--password", PASSWORD],
        ["curl", "-u", f"admin:{PASSWORD}", "https://x.example"],
        ["mysql", "-uroot", f"-p{PASSWORD}", "shop"],
        ["redis-cli", "-a", PASSWORD],
        ["tool", "--token", RANDOM, "--verbose"],
        ["net", "user", "bob", PASSWORD, "/add"],
        {"command": "mysql", "args": ["-uroot", f"-p{PASSWORD}"]},
        {"mcpServers": {"db": {"command": "redis-cli", "args": ["-a", PASSWORD]}}},
    ],
    ids=str,
)
def test_a_list_of_words_is_a_command_line_too(value: object) -> None:
    assert not Masker().vouch(value)
    found = json.dumps(masked(value))
    assert MARKER.search(found)
    assert MARKER.sub("?", found) == json.dumps(value).replace(PASSWORD, "?").replace(RANDOM, "?")


@pytest.mark.parametrize(
    "value",
    [
        {"name": "Authorization", "value": f"Basic {base64.b64encode(PASSWORD.encode()).decode()}"},
        {"name": "Authorization", "value": f"Bearer {PASSWORD}"},
        {"Name": "Cookie", "Value": f"session={RANDOM}; a=b"},
        {"name": "Set-Cookie", "value": f"sid={RANDOM}; Path=/"},
        ["Authorization", f"Bearer {PASSWORD}", "Accept", "*/*"],
        ["Host", "x.example", "Authorization", f"Basic {base64.b64encode(PASSWORD.encode()).decode()}"],
        ["Host", "x.example", "Cookie", f"sid={RANDOM}; lang=en"],
        {"key": "DB_PASSWORD", "new_value": PASSWORD},
        {"Key": "DB_PASSWORD", "Value": PASSWORD},
        {"field": "password", "newValue": PASSWORD, "oldValue": ""},
        {"selector": "#login-password", "input": PASSWORD},
    ],
    ids=str,
)
def test_what_a_sibling_names_is_masked(value: object) -> None:
    assert not Masker().vouch(value)
    found = json.dumps(masked(value))
    assert MARKER.search(found)
    for secret in (PASSWORD, RANDOM, base64.b64encode(PASSWORD.encode()).decode()):
        assert secret not in found


@pytest.mark.parametrize(
    "value",
    [
        {"type": "tool_use", "name": "get_secret", "input": "db7/main!x"},
        {"file_name": "password.txt", "content": "one2!\ntwo"},
        ["username", "password", "token", "k8s-prod-2"],
        ["Accept", "*/*", "Content-Type", "text/html2!"],
        {"Name": "PORT", "Value": "a8080!"},
    ],
    ids=str,
)
def test_what_only_stands_beside_a_name_stays(value: object) -> None:
    assert masked(value) == value


NO_COMMANDS: list[object] = [["mkdir", "-p", "src/app2"], ["-p"], ["cp", "-a", "b7"], {"name": "redis-cli", "args": ["-a"]}, ["a b", "-p"]]


@pytest.mark.parametrize("value", NO_COMMANDS)
def test_other_lists_of_words_stay(value: object) -> None:
    assert masked(value) == value


@pytest.mark.parametrize(
    "value",
    [
        {"type": "object", "properties": {"password": {"type": "string", "description": "The password"}, "token": {"type": "string"}}},
        {"usage": {"input_tokens": 12345678, "cache_read_input_tokens": 87654321}},
        {"sessionId": "1f2e3d4c-5b6a-4978-8796-a5b4c3d2e1f0", "parentUuid": "1f2e3d4c-5b6a-4978-8796-a5b4c3d2e1f1"},
        {"pass": 1042, "fail": 0, "secret": False, "token": None},
        {"password": "", "secret": "********", "api_key": "${API_KEY}", "auth": "none"},
        {"name": "Read", "type": "tool_use", "input": {"path": "src/a1.py", "text": "b2"}},
        {"key": "value-number-1", "sortKey": "created_at_2"},
    ],
    ids=str,
)
def test_names_that_only_sound_secret(value: object) -> None:
    assert masked(value) == value


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="not a JSON value"):
        masked({"a": {1, 2}})
