"""The Lake's formats file: read as strictly as the Lake reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lakesite.errors import UsageError
from lakesite.masking import LakeFormats, Masker, MaskOptions, load_formats

if TYPE_CHECKING:
    from pathlib import Path

GOOD = {"assignment": None, "token": r"ACME-[0-9]{6,20}", "entropy": {"pattern": r"[a-f0-9]{32}", "min_distinct": 8, "min_groups": 2}}


def written(folder: Path, content: object) -> Path:
    path = folder / "formats.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_file_replaces_the_three_rules(tmp_path: Path) -> None:
    formats = load_formats(written(tmp_path, GOOD))
    masker = Masker(MaskOptions(mode="strict", formats=formats))
    text = "ACME-123456 PATH_TO=/usr/local/lib/python3/site 0123456789abcdef0123456789abcdef aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5dE7fG9"
    masked = masker.mask(text)
    assert "ACME" not in masked
    assert "0123456789abcdef" not in masked
    assert "PATH_TO=/usr/local/lib/python3/site" in masked
    assert "aB3dE5gH7jK9" in masked


def test_all_three_may_be_switched_off(tmp_path: Path) -> None:
    formats = load_formats(written(tmp_path, {"assignment": None, "token": None, "entropy": None}))
    assert formats == LakeFormats(None, None, None)
    assert Masker(MaskOptions(formats=formats)).mask("A_B=" + "/usr" * 12) == "A_B=" + "/usr" * 12


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({}, "lacks the key assignment"),
        ({**GOOD, "extra": 1}, "unknown key extra"),
        ({**GOOD, "token": 5}, "token must be a pattern or null"),
        ({**GOOD, "token": "("}, "token does not compile"),
        ({**GOOD, "token": "a*"}, "matches an empty text"),
        ({**GOOD, "entropy": {"pattern": "a"}}, "entropy lacks the key min_distinct"),
        ({**GOOD, "entropy": {"pattern": "a", "min_distinct": "9", "min_groups": 1}}, "min_distinct must be a whole number"),
        ({**GOOD, "entropy": {"pattern": "a", "min_distinct": True, "min_groups": 1}}, "min_distinct must be a whole number"),
        ({**GOOD, "token": "a{99999999999}"}, "token does not compile"),
        ({**GOOD, "token": "(a+)+b"}, "the pattern of token would be tried in too many ways"),
        ([], "must be an object"),
        ("{", "is not JSON"),
        ("[" * 99_999, "is not JSON"),
    ],
)
def test_anything_else_stops_the_command(tmp_path: Path, content: object, says: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(UsageError) as refused:
        load_formats(path)
    assert says in str(refused.value)
    assert str(refused.value).startswith(f"secret formats {path}: ")


def test_a_missing_file_stops_the_command(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_formats(tmp_path / "nowhere.json")
