"""The page about masking: how much, by which rule, where; and nothing of what it was."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lakesite.masking import MaskOptions, named_literals
from lakesite.model import Counts, Id, Key, Tokens
from lakesite.options import MaskSettings
from lakesite.site.maskingjson import masking_json, masking_settings
from lakesite.site.settings import mask_options
from lakesite.site.verify import verify
from lakesite.site.writing import pages
from lakesite.view import masking
from lakesite.view.masking import MaskingSettings, masked_documents, masking_page
from lakesite.view.summary import Summary
from tests.site.builds import Page

if TYPE_CHECKING:
    from pathlib import Path

Rules = tuple[tuple[str, str, int, int], ...]
"""(class, rule, values, characters)."""
SETTINGS = MaskingSettings("precise", "zero", publish=False, named=0, digest="0a1b" * 16, weaker=())


def summary(name: str, rules: Rules = (), title: str = "Review <of> a “release”") -> Summary:
    """A document of some name in which something was masked."""
    return Summary(
        kind="run", key=Key(name), id=Id(Key(name), name), runtime=None, part=None, href=f"runs/{name}-0a1b2c3d4e.html",  # type: ignore[arg-type]
        parts=(), title=title, status="completed", status_source="recorded", started=None, ended=None, place=None, interruption=None,
        models=(), projects=(), counts=Counts(), tokens=Tokens(None, None, 0, 0), problems=(),
        masked=tuple((kind, values, characters) for kind, _, values, characters in rules), rules=tuple((*rule, "") for rule in rules),
        sources=(),
    )  # fmt: skip


MANY = [
    summary("b", (("credential", "name-flag", 2, 18), ("token", "github-pat", 5, 200))),
    summary("c"),
    summary("a", (("token", "github-pat", 30, 1_200), ("token", "jwt", 1, 90))),
]


def test_the_most_masked_come_first() -> None:
    page = masking_page(MANY, SETTINGS)
    assert [document.href[5] for document in page.documents] == ["a", "b"]
    assert [(row.rule, row.values, row.characters) for row in page.totals] == [
        ("github-pat", 35, 1_400),
        ("name-flag", 2, 18),
        ("jwt", 1, 90),
    ]
    assert [(fact.figure, fact.unit) for fact in page.facts] == [("38", "values masked"), ("1,508", "characters"), ("2", "of 3 documents")]
    assert page.facts[0].note == "best effort: review before sharing"
    assert page.more == 0


def test_whole_documents_are_listed_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masking, "LISTED", 3)
    found = [summary(f"d{number}", (("token", "jwt", 9 - number, 40), ("entropy", "lake-entropy", 1, 50))) for number in range(4)]
    page = masking_page(found, SETTINGS)
    assert ([document.id for document in page.documents], page.more) == (["d0"], 3)
    assert page.totals[0].values == 30
    one = masking_page([summary("e", tuple(("token", f"rule-{number}", 1, 1) for number in range(9)))], SETTINGS)
    assert (len(one.documents), one.more) == (1, 0)


def test_the_page(tmp_path: Path) -> None:
    settings = replace(SETTINGS, mode="strict", fingerprint="lake", publish=True, named=1_234, weaker=("aws-<key>", "allow:b"))
    (tmp_path / "masking.html").write_text(pages().masking(masking_page(MANY, settings)), encoding="utf-8")
    page = Page(tmp_path / "masking.html")
    for words in (
        *("38 values masked best effort: review before sharing", "Review <of> a “release”", "aws-<key>", "allow:b", "1,234"),
        *("spare nothing", "keep their fingerprint", "hidden", SETTINGS.digest, "github-pattoken351,400"),
    ):
        assert words in page.text
    assert page.links.count("runs/a-0a1b2c3d4e.html") == 1
    assert verify(tmp_path, MaskOptions(mode="strict")) == ()


def test_the_page_of_a_site_without_secrets(tmp_path: Path) -> None:
    (tmp_path / "masking.html").write_text(pages().masking(masking_page([summary("c")], SETTINGS)), encoding="utf-8")
    text = Page(tmp_path / "masking.html").text
    assert "Nothing was masked." in text
    assert "Weaker" not in text


def test_the_same_for_programs(tmp_path: Path) -> None:
    text = "".join(masking_json(MANY, SETTINGS))
    told = json.loads(text)
    assert told["format"] == 1
    assert told["review"] == "best effort: review before sharing"
    assert told["settings"]["digest"] == SETTINGS.digest
    assert told["documents"][1] == {
        "kind": "run", "id": "b", "href": "runs/b-0a1b2c3d4e.html",
        "masked": [
            {"field": None, "class": "credential", "rule": "name-flag", "count": 2, "characters": 18},
            {"field": None, "class": "token", "rule": "github-pat", "count": 5, "characters": 200},
        ],
    }  # fmt: skip
    assert [document["id"] for document in told["documents"]] == ["a", "b"]
    assert "".join(masking_json(reversed(MANY), SETTINGS)) == text
    assert len(text.splitlines()) == 2 + len(told["documents"])
    assert json.loads("".join(masking_json([], SETTINGS)))["documents"] == []
    (tmp_path / "masking.json").write_text(text, encoding="utf-8")
    assert verify(tmp_path, MaskOptions(mode="strict")) == ()


def test_documents_in_which_nothing_was_masked_are_left_out() -> None:
    assert [document.id for document in masked_documents(MANY)] == ["a", "b"]


def test_named_values_are_only_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    value = "quiet harbor lights"
    monkeypatch.setenv("HARBOR", value)
    rules = tmp_path / "rules.toml"
    rules.write_text('disable = ["github-pat"]\n', encoding="utf-8")
    chosen = MaskSettings(mask_env=("HARBOR",), rules=(rules,), allow_weaker=True, fingerprint="lake")
    settings = masking_settings(chosen, mask_options(chosen))
    assert settings.named == len(named_literals([("HARBOR", value)])) == 1
    assert settings.weaker == ("fingerprint lake", "github-pat")
    written = "".join(masking_json(MANY, settings)) + pages().masking(masking_page(MANY, settings))
    assert not any(word in written for word in value.split())
