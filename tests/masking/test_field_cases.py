"""What went wrong elsewhere (group "secrets" of the field cases), as far as the engine can prevent it."""

from __future__ import annotations

import json

import pytest

from lakesite.masking import Masker, MaskOptions, alias, mask_text
from lakesite.model import MARKER
from tests.masking.made import Maker

MAKE = Maker("field cases")
PASSWORD = MAKE.password()
KEY_ID = "AKIA" + MAKE.of("A-Z2-7", 16)
TOKEN = "glpat-" + MAKE.of("A-Za-z0-9", 20)
LAKE_MISSES = [
    (f"aws_access_key_id = {KEY_ID}", KEY_ID),
    (f'"password": "{PASSWORD}"', PASSWORD),
    (f"postgres://user:{PASSWORD}@db/app", PASSWORD),
    (f"Server=db;Password={PASSWORD};Encrypt=true", PASSWORD),
    (f"eyJhbGciOiJIUzI1NiJ9.{MAKE.of('A-Za-z0-9', 24)}.{TOKEN[6:]}", TOKEN[6:]),
    (f"Authorization: Bearer {TOKEN[6:]}", TOKEN[6:]),
]


@pytest.mark.parametrize(("text", "secret"), LAKE_MISSES, ids=[text[:16] for text, _ in LAKE_MISSES])
def test_f050_what_the_lake_lets_pass(text: str, secret: str) -> None:
    masker = Masker()
    assert secret not in masker.mask(f"some output\n{text}\nmore")
    assert secret not in json.dumps(masker.value({"event": [{"text": text, "input": json.dumps({"stdout": text})}]}))
    assert masker.findings.total >= 2


def test_f052_values_are_masked_not_lines() -> None:
    env = f"HOST=db\nDB_PASSWORD={PASSWORD}\nSMTP_PASSWORD={PASSWORD}\nDEBUG=true\n"
    record = {
        "output": env,
        "tool_input": json.dumps({"client_secret": TOKEN[6:], "port": 1}),
        "Cookie": {"session": TOKEN[6:]},
        "X-Api-Key": 12345678901234567890,
        "count": 12345678901234567890,
    }
    found = Masker().value(record)
    assert isinstance(found, dict)
    assert found["output"] == env.replace(PASSWORD, f"[masked:credential:{len(PASSWORD)}:00000000]")
    assert json.loads(str(found["tool_input"]))["port"] == 1
    assert MARKER.fullmatch(json.loads(str(found["tool_input"]))["client_secret"])
    assert MARKER.fullmatch(found["Cookie"]["session"])  # type: ignore[index,call-overload,arg-type]
    assert MARKER.fullmatch(str(found["X-Api-Key"]))
    assert found["count"] == 12345678901234567890


def test_f052_the_same_in_the_serialised_line() -> None:
    env = f"HOST=db\nDB_PASSWORD={PASSWORD}\nSMTP_PASSWORD={PASSWORD}\nDEBUG=true\n"
    masked = mask_text(json.dumps({"output": env, "next": "stays"}))
    assert json.loads(masked) == {"output": env.replace(PASSWORD, f"[masked:credential:{len(PASSWORD)}:00000000]"), "next": "stays"}


@pytest.mark.parametrize("beginning", ["sb_secret_", "xoxb-", "glpat-", "npm_", "AIza", "hf_"])
def test_f055_known_beginnings_need_no_entropy(beginning: str) -> None:
    secret = f"{beginning}Harbor7Meadow12Castle345Orchid6789Falcon"
    assert "Meadow" not in mask_text(f"use {secret} here")


NO_VALUES = ['if (apiKey == "") return;', "API_KEY=$(cmd)", "<YOUR_TOKEN>", "sk-ant-...", "token === undefined", "api_key = None"]


@pytest.mark.parametrize("text", NO_VALUES)
def test_f055_code_and_placeholders_stay(text: str) -> None:
    assert mask_text(text) == text


def test_f056_ids_and_urls_keep_what_identifies_them() -> None:
    url = "https://portal.example/subscriptions/1f2e3d4c-5b6a-4978-8796-a5b4c3d2e1f0/resource"
    assert mask_text(url) == url
    marker = "[masked:token:41:1a2b3c4d]"
    assert Masker().name(marker) == Masker().mask(marker) == marker
    run = MAKE.of("A-Za-z0-9", 44)
    assert Masker().name(run) == run


def test_f057_half_a_token_and_half_a_marker() -> None:
    half = f"the end sk-proj-{MAKE.of('A-Za-z0-9', 12)}"
    assert MARKER.search(mask_text(half))
    assert mask_text("the end [masked:entropy:4") == "the end [masked:entropy:4"
    assert mask_text("the end sk-proj-AB") == "the end sk-proj-AB"


def test_f059_published_pages_name_nobody() -> None:
    masker = Masker(MaskOptions(publish=True), machines=["alice-laptop.corp"])
    record = {
        "machine": "alice-laptop.corp",
        "project": "/Users/alice/clients/acme",
        "output": "/home/alice/x C:\\Users\\alice\\y ~/.claude/projects/-Users-alice-clients-acme",
    }
    found = json.dumps(masker.value(record))
    assert "alice" not in found
    assert alias("alice-laptop.corp") in found
    assert masker.name("-Users-alice-clients-acme") == "-~-clients-acme"


def test_f060_the_count_of_hits_is_there_to_be_shown() -> None:
    masker = Masker()
    masker.value({"a": f"{TOKEN} and password: {PASSWORD}"})
    assert [(row.kind, row.count) for row in masker.findings.rows()] == [("credential", 1), ("token", 1)]
