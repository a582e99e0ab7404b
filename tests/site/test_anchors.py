"""An anchor is made from what is shown: it gives nobody a value to try, and stays where nothing is masked."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import orjson
import pytest

from tests.site.builds import Page, Value, build, event, row, said, write
from tests.site.planting import PASSWORD, TOKEN, made

OTHER = f"{made(6, 91)}!{made(5, 92)}7"
SECRETS: list[tuple[str, str]] = [
    (f"the new db_password={PASSWORD}", f"the new db_password={OTHER}"),
    ("the new db_password=abc12!", "the new db_password=xyz12!"),
    (f"DB_PASSWORD={PASSWORD}", f"DB_PASSWORD={OTHER}"),
    ("[masked:credential:9:0a1b2c3d]", "[masked:credential:9:1a1b2c3d]"),
]
assert len(PASSWORD) == len(OTHER)


def rows(text: str) -> list[Value]:
    return [row("user", "hello", 1), row("user", text, 2, extra={"ratio": 1.5}), row("assistant", "bye", 3, extra={"ratio": 1.5})]


def events(text: str) -> list[Value]:
    texts = ("hello", text, "bye")
    return [{**event(number, "message.user", said("user", each)), "seq": None} for number, each in enumerate(texts, 1)]


def anchors(page: Page) -> list[str]:
    return [each for each in page.ids if each.startswith("e-")]


@pytest.mark.parametrize("records", [rows, events])
@pytest.mark.parametrize(("one", "other"), SECRETS, ids=range(len(SECRETS)))
def test_another_secret_has_the_same_anchor(tmp_path: Path, records: object, one: str, other: str) -> None:
    found = []
    for name, text in (("one", one), ("other", other), ("clean", "nothing")):
        write(tmp_path / name / "a.ndjson", records(text))  # type: ignore[operator]
        found.append(anchors(build(tmp_path / f"{name}-out", tmp_path / name).page()))
    assert found[0] == found[1]
    assert [each in found[2] for each in found[0]] == [True, False, True], "the others stay"


def test_a_secret_that_another_row_gives_away(tmp_path: Path) -> None:
    found = []
    for name, secret in (("one", PASSWORD), ("other", OTHER)):
        write(tmp_path / name / "a.ndjson", [row("user", f"use {secret}", 1), row("user", f"DB_PASSWORD={secret}", 2)])
        found.append(anchors(build(tmp_path / f"{name}-out", tmp_path / name).page()))
    assert found[0] == found[1]


def test_a_row_in_which_nothing_is_masked_is_known_by_all_that_it_says(tmp_path: Path) -> None:
    plain = row("user", "hello", 1, extra={})
    write(tmp_path / "in" / "a.ndjson", [plain, row("user", f"it is {TOKEN}", 2)])
    said_there = {name: item for name, item in plain.items() if name not in ("project", "model")}
    digest = blake2b(orjson.dumps(said_there, option=orjson.OPT_SORT_KEYS), digest_size=12).hexdigest()
    assert anchors(build(tmp_path / "out", tmp_path / "in").page())[0] == f"e-{digest[:8]}"
