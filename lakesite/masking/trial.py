"""Tries a rule by itself, on texts of which its author says what it does to them."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import cycle, islice
from typing import TYPE_CHECKING

from lakesite.masking.anchors import anchors
from lakesite.masking.benign import BenignShapes
from lakesite.masking.carriers import CarrierFinder
from lakesite.masking.marker import Hit
from lakesite.masking.rules import CarrierRule, TokenRule
from lakesite.masking.sheet import SHORTEST_RUN, Sheet
from lakesite.masking.tokens import TokenFinder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.masking.rules import BenignRule, Rule

_RANDOM = "g7Kx2mQvZ9tB4wCr8Rj3HnY6fD5GpLs1XeW0kaTzUbVhJdNqMyPcFiSuEoAl"
_USUAL_LENGTH = 24
_KEYS = 32
"""Random keys of each kind on which a harmless shape is tried."""
_LENGTHS = (20, 24, 32, 36, 40, 43, 44, 48, 64, 86)
_SURROUNDINGS = (
    *("{}", "value {} end", "\n{}\n", "key: {}", "key={}", 'key = "{}"', "'{}'", '{{"value":"{}"}}', '{{"value": "{}"}}', "`{}`"),
    *("({})", "[{}]", "<{}>", "https://host.example/{}", "https://host.example/?q={}"),
    *("--key {}", "a,{},b", "a|{}", "a\t{}", "a;{}", "a:{}", "x.{}", "$ {}"),
)  # fmt: skip
_LETTERS = str.maketrans("0123456789", "abcdefghij")
_BLANK = re.compile(r"\{(token|password|base64|pem)\}")


def try_out(rule: Rule) -> None:
    """A ValueError says which text of a rule shows that it finds nothing where it should, or something where it should not."""
    if not isinstance(rule, TokenRule | CarrierRule):
        return
    for prefix in rule.prefix if isinstance(rule, TokenRule) else ():
        if not any(_hits(rule, _filled(rule, prefix + "{token}"))):
            raise ValueError(f"it finds nothing that begins with {prefix!r}: a token has {SHORTEST_RUN} letters, digits and +/=_- in a row")
    if rule.example and not any(_hits(rule, _filled(rule, rule.example))):
        raise ValueError("it finds nothing in its 'example'")
    for number, text in enumerate(rule.counter, 1):
        if any(_hits(rule, text)):
            raise ValueError(f"it finds something in the text {number} of its 'counter'")


def spares_keys(rule: BenignRule) -> bool:
    """Whether a harmless shape holds what is nothing but random, in surroundings where anything can stand."""
    shape, nothing = BenignShapes([rule]), BenignShapes([])
    for key in _random_keys():
        for surrounding in _SURROUNDINGS:
            text = surrounding.format(key)
            at = text.index(key)
            for start in {at, at + key.rfind("-") + 1}:
                hit = Hit(start, at + len(key), "entropy", rule.id)
                if shape.hold(text, hit) and not nothing.hold(text, hit):
                    return True
    return False


def _random_keys() -> Iterator[str]:
    """Made up, the same ones every time."""
    for number in range(_KEYS):
        digest = b"".join(hashlib.sha256(f"{number} {part}".encode()).digest() for part in range(3))
        length = _LENGTHS[number % len(_LENGTHS)]
        code = base64.b64encode(digest).decode()
        plain = code.replace("+", "").replace("/", "")
        prefix = plain.lower()[-2 - number % 6 :].translate(_LETTERS)
        for body in (code, plain, plain.lower(), plain.upper(), digest.hex()):
            yield from (body[:length], f"{prefix}-{body[:length]}", f"{prefix}_{body[:length]}")


def _hits(rule: TokenRule | CarrierRule, text: str) -> Iterator[Hit]:
    if isinstance(rule, TokenRule):
        return TokenFinder([rule]).hits(Sheet(text, anchors(())))
    finder = CarrierFinder([rule])
    sheet = Sheet(text, anchors(finder.literals))
    return (hit for at, literal in sheet.places() for hit in finder.hits_at(sheet.text, at, literal))


def _filled(rule: TokenRule | CarrierRule, text: str) -> str:
    """An example with something made up in place of its blanks."""
    made = {"password": "Copper+4711", "base64": base64.b64encode(_RANDOM[:36].encode()).decode(), "token": _RANDOM[:32]}
    if isinstance(rule, TokenRule):
        body = [char for char in _RANDOM if re.match(f"[{rule.alphabet}]", char)]
        length = max(rule.min, min(rule.max or _USUAL_LENGTH, _USUAL_LENGTH))
        made["token"] = "".join(islice(cycle(body), length))
    made["pem"] = "\n".join([base64.b64encode(_RANDOM[:48].encode()).decode()] * 6)
    return _BLANK.sub(lambda blank: made[blank[1]], text)
