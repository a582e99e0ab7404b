"""Recorded times as instants."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.sources.times import instant
from tests.sources.fixtures import cases

CASES = [pytest.param(*parts, id=title) for title, *parts in cases(Path(__file__).parent / "times.txt")]
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- of UTC


def in_utc(value: int | None) -> str:
    if value is None:
        return "none"
    seconds, rest = divmod(value, 1_000_000_000)
    return f"{(EPOCH + timedelta(seconds=seconds)).isoformat()}.{rest:09}Z"


@pytest.mark.parametrize(("given", "wanted"), CASES)
def test_case(given: str, wanted: str) -> None:
    assert in_utc(instant(given)) == wanted


@pytest.mark.parametrize("value", [None, 0, 1780906482, 1.5, True, [], {}, "\ud800", "2026-06-08T08:14:42Z\n\x00"])
def test_what_is_no_text_is_no_time(value: object) -> None:
    assert instant(value) is None


ZONES = st.builds(lambda minutes: timezone(timedelta(minutes=minutes)), st.integers(-23 * 60 - 59, 23 * 60 + 59))


@given(st.datetimes(datetime(2, 1, 3), datetime(9999, 12, 30)), ZONES)  # noqa: DTZ001 -- a zone is put on it
def test_any_time_in_any_zone(time: datetime, zone: timezone) -> None:
    local = time.replace(tzinfo=zone)
    delta = local.replace(tzinfo=None) - zone.utcoffset(None) - EPOCH
    assert instant(local.isoformat()) == (delta.days * 86_400 + delta.seconds) * 10**9 + delta.microseconds * 1000


@given(st.from_regex(r"(000[0-9]|[0-9]{4})-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{1,9})?Z", fullmatch=True))
def test_a_usual_time_is_what_another_spelling_of_it_says(text: str) -> None:
    assert instant(text) == instant(text.replace("Z", "+00:00"))
