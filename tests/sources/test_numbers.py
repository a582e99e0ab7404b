"""A number that is a known secret is shown nowhere, whether it was named, or caught as a text: not as a counter either."""

from __future__ import annotations

import json

import pytest

from lakesite.masking import Masker, MaskOptions
from lakesite.model import MARKER, Number, Origin
from lakesite.sources import awf, lake
from tests.masking.made import Maker
from tests.site.builds import event, row

NUMBER = int("7" + Maker("numbers").of("0-9", 11))
NAMED = MaskOptions(literals=(str(NUMBER),))


def caught() -> Masker:
    first = Masker()
    first.mask(f"DB_PASSWORD={NUMBER}")
    return first.second_pass()


@pytest.mark.parametrize("masker", [Masker(NAMED), caught()], ids=["named", "caught"])
@pytest.mark.parametrize("value", [{"pin": NUMBER}, {"pins": [[NUMBER, 1]]}, {"a": float(NUMBER)}, {"a": Number(f"{NUMBER}.50")}], ids=str)
def test_a_known_number_is_masked_in_any_json(masker: Masker, value: object) -> None:
    assert not masker.vouch(value)
    assert MARKER.search(str(masker.value(value)))
    assert str(NUMBER) not in str(masker.value(value))


def test_other_numbers_stay_numbers() -> None:
    assert caught().value({"a": 7, "b": NUMBER + 1, "c": True}) == {"a": 7, "b": NUMBER + 1, "c": True}


def test_what_may_be_a_date_or_a_count_is_not_looked_for_elsewhere() -> None:
    masker = Masker()
    masker.mask("DB_PASSWORD=20260608")
    assert not masker.caught


def test_counters_of_a_row_become_a_marker() -> None:
    value = row("user", "x", tokens_in=NUMBER, tokens_out=5, extra={"sequence": NUMBER})
    masker = caught()
    entry = lake.entry(value, Origin(0, 1, 0, 0), masker)
    assert (entry.tokens_in, entry.tokens_out, entry.sequence) == (None, 5, None)
    shown = lake.event(value, masker)
    assert list(shown.more) == ["tokens_in"]
    assert str(NUMBER) not in repr(shown)


def test_places_of_an_event_become_a_marker() -> None:
    value = event(NUMBER, "message.user", {"role": "user", "blocks": []})
    masker = caught()
    assert awf.entry(value, json.dumps(value).encode(), Origin(0, 1, 0, 0), masker).seq is None
    assert MARKER.fullmatch(str(awf.event(value, masker).more[masker.mask("seq")]))
