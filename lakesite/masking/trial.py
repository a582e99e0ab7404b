"""Tries a rule by itself, on texts of which its author says what it does to them."""

from __future__ import annotations

import base64
import re
from itertools import cycle, islice
from typing import TYPE_CHECKING

from lakesite.masking.anchors import anchors
from lakesite.masking.carriers import CarrierFinder
from lakesite.masking.rules import CarrierRule, TokenRule
from lakesite.masking.sheet import SHORTEST_RUN, Sheet
from lakesite.masking.tokens import TokenFinder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakesite.masking.marker import Hit
    from lakesite.masking.rules import Rule

_RANDOM = "g7Kx2mQvZ9tB4wCr8Rj3HnY6fD5GpLs1XeW0kaTzUbVhJdNqMyPcFiSuEoAl"
_USUAL_LENGTH = 24
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


def _hits(rule: TokenRule | CarrierRule, text: str) -> Iterator[Hit]:
    if isinstance(rule, TokenRule):
        return TokenFinder([rule]).hits(Sheet(text, anchors(())))
    finder = CarrierFinder([rule])
    sheet = Sheet(text, anchors(finder.literals))
    return (hit for at, literal in sheet.places for hit in finder.hits_at(sheet.text, at, literal))


def _filled(rule: TokenRule | CarrierRule, text: str) -> str:
    """An example with something made up in place of its blanks."""
    made = {"password": "Copper+4711", "base64": base64.b64encode(_RANDOM[:36].encode()).decode(), "token": _RANDOM[:32]}
    if isinstance(rule, TokenRule):
        body = [char for char in _RANDOM if re.match(f"[{rule.alphabet}]", char)]
        length = max(rule.min, min(rule.max or _USUAL_LENGTH, _USUAL_LENGTH))
        made["token"] = "".join(islice(cycle(body), length))
    made["pem"] = "\n".join([base64.b64encode(_RANDOM[:48].encode()).decode()] * 6)
    return _BLANK.sub(lambda blank: made[blank[1]], text)
