"""Hostile texts: for every rule a worst one is made and grown fourfold, which may cost fivefold at most."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from lakesite.masking import mask_text
from lakesite.masking.packaged import packaged_rules
from lakesite.masking.rules import CarrierRule, CommandRule, TokenRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.masking.rules import Rule

GROWTH = 4
MOST = 5.0
NOISE = 0.004
"""Seconds below which a measurement says nothing."""
TRIES = 6


def pieces_of(rule: Rule) -> Iterator[str]:
    """What a hostile text for a rule is made of: its beginning again and again, alone and with what may follow."""
    match rule:
        case TokenRule():
            start = (*rule.prefix, *rule.inside, rule.example)[0]
            yield start
            yield f"{start}{'aB3-' * 3}"
        case CarrierRule():
            yield rule.literal[0]
            yield rule.example.partition("{")[0]
            yield rule.example.replace("{", "").replace("}", "9!") + "\n"
        case CommandRule():
            yield f"{rule.tools[0]} {rule.flags[0]}"
            yield f"{rule.tools[-1]} {rule.flags[-1]} 'a1!"


PIECES = [
    *("a", "aB3", "aB3/", "A_", "AAA=", "ab-", "ab_cd_", "x.", "x:", "Zm9vOmJhcjEh", "0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"),
    *("\\", "\\n", '\\"', '\\\\\\"', "%41", "&quot;", "\x1b[31m", "\x1b]", '" + "', "\\\n", '{"a":"\\n",'),
    *("'", '"', "<", "| ", "$", "-p ", "-----BEGIN ", "://", "a:b@", "=>", "(", "<<", "пароль: ", "密码", "secret access key "),
    *("[masked:token:9:0a1b2c3d]", "[masked:token:9:0a1b2c3d]aB3dE5gH7jK9mN1pQ3 ", "[masked:", "aB3dE5gH7jK9mN1pQ3" * 3 + "\n"),
    *("\x1b", "\x9b", "a\r", "ab\r\x1b[K", "a\0", "a**bc", "a\\_"),
    *("│ ghp_aB3dE5gH7jK9mN1pQ3 │\n", "ghp_aB3dE5gH7jK9mN1pQ3\n  aB3dE5gH7jK9\n"),
    *("password,x\n", "password,x\n-\n", "password,x\npassword,x,y\n", "password|a1!b\n---\n", '["mysql", "-p", ', "password: |\n "),
]
"""What hostile texts for no rule in particular are made of."""
NAMES = ("pass", "key", "cookie", "DB_SECRET")
FOLLOWERS = (
    *("", "=", "='", ": ", ' = "', "('", "', '", "'>", " ", " is ", " | ", "':['", '", "value": "'),
    *("?: x = ", "').fill('", "\n  value: ", "=......", "={{"),
)


def cost(piece: str, length: int) -> float:
    text = (piece * (length // len(piece) + 1))[:length]
    start = time.process_time()
    mask_text(text)
    return time.process_time() - start


def grows_too_fast(piece: str, length: int) -> bool:
    """Measure a text and its fourfold, again as long as chance might be at work."""
    short, long = cost(piece, length), cost(piece, length * GROWTH)
    for _ in range(TRIES):
        if long <= MOST * max(short, NOISE):
            return False
        short, long = max(short, cost(piece, length)), min(long, cost(piece, length * GROWTH))
    return True


@pytest.mark.parametrize("rule", packaged_rules().all, ids=lambda rule: rule.id)
def test_rule(rule: Rule) -> None:
    length = 4_000 if isinstance(rule, TokenRule) else 12_000  # beyond the longest window that it may look through
    assert [piece for piece in pieces_of(rule) if grows_too_fast(piece, length)] == []


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_text(piece: str) -> None:
    assert not grows_too_fast(piece, 12_000)


@pytest.mark.parametrize("follower", FOLLOWERS, ids=repr)
def test_name(follower: str) -> None:
    assert [name for name in NAMES if grows_too_fast(name + follower, 12_000)] == []
