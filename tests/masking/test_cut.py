"""Values that were cut or hidden in part, or that pretend to be markers."""

from __future__ import annotations

import pytest

from lakesite.masking import mask_text
from tests.masking.made import Maker

KNOWN = "Tr0ub4dor-" + Maker("cut").of("A-Za-z0-9", 8)
FORMS = ["password: {}", '{{"password": "{}"}}', "DB_PASSWORD={} [truncated 12 characters]", "run --password {} now", "https://u:{}@host/"]
CUT = [KNOWN + end for end in ("…", "....", "[…]", "*****", "xxxxx", "[masked", "[masked:token:5:zz]", "[masked:credential:9:00000000]")]
HIDDEN = [f"{KNOWN[:9]}{middle}{KNOWN[9:]}" for middle in ("…", "....", "*****", "xxxxx")]


@pytest.mark.parametrize("value", [*CUT, *HIDDEN])
@pytest.mark.parametrize("form", FORMS)
def test_what_is_left_of_a_value_is_masked(form: str, value: str) -> None:
    masked = mask_text(form.format(value))
    assert KNOWN[:9] not in masked
    assert KNOWN[9:] not in masked
    assert mask_text(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "password: …",
        'api_key: "sk-…"',
        "api_key: sk-ab…wxyz",
        'password: "your-key-here"',
        "password: ........",
        "password: me@example.com",
        "password: [masked:credential:9:00000000]",
        'password = "[masked:tok',
        "password_file: …/secrets/prod.env",
        'token: "xxxxx-xxxxx-xxxxx"',
        "token: <your token here>",
    ],
)
def test_what_only_stands_for_a_value_is_not_masked(text: str) -> None:
    assert mask_text(text) == text
