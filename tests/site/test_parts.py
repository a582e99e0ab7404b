"""Long documents: their parts, and links that land in the right one."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lakesite.view.anchors import anchor_map, code, strays
from tests.site.builds import Site, build, call, event, result, row, said, stamp, step, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser import Visit


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A run and a conversation of several parts, with links between rows that are far apart."""
    folder = tmp_path_factory.mktemp("long")
    words = "some *words* of a `long` conversation\n\n" * 30
    lines = [event(1, "step.started", step("outer"), path="outer")]
    lines += [event(2, "tool.call", call("far", "Read", {"path": "x"})), event(3, "tool.result", result("far"))]
    lines += [event(seq, "message.assistant", said("assistant", words, words), path="flow") for seq in range(4, 900)]
    block = {"type": "tool_use", "fidelity": "agent_emitted", "tool_name": "Read", "tool_id": "t", "tool_input": {"path": "x"}}
    lines += [event(900, "message.assistant", said("assistant", "done", blocks=[block]), path="flow")]
    lines += [event(901, "step.completed", step("outer", error="the last word"), path="outer")]
    write(folder / "in" / "a.jsonl", lines)
    rows = [row("tool_call", '{"path":"x"}', 0, tool_name="Read", extra={"tool_call_id": "c", "eventId": "far", "recordType": "x"})]
    rows += [row("user" if at % 4 == 1 else "assistant", f"{at} {words}", at) for at in range(1, 1500)]
    write(folder / "in" / "part-1.ndjson", rows)
    return build(folder / "site", folder / "in")


def test_long_documents_have_parts(long: Site) -> None:
    for document in long.json["documents"]:
        assert len(document["parts"]) >= 2
        assert document["parts"][0] == document["href"]
        assert document["parts"][1] == document["href"].replace(".html", ".p2.html")
        for part in document["parts"]:
            data = long.files[part]
            assert len(data) < 8_000_000
            assert len(re.findall(rb"<[a-z]", data)) < 30_000


def test_every_link_lands(long: Site) -> None:
    """Every link of every page leads to a file that is there, and to an anchor that stands in it."""
    for name, page in long.pages.items():
        for link in page.links:
            address, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), address)) if address else name  # noqa: PTH118, PTH120
            assert target in long.files, (name, link)
            if anchor and not anchor.startswith(("q=", "list?")):  # what scripts are told
                assert anchor in long.pages[target].ids, (name, link)


def test_each_row_is_in_one_part(long: Site) -> None:
    for document in long.json["documents"]:
        ids = [anchor for part in document["parts"] for anchor in long.pages[part].ids if anchor.startswith("e-")]
        assert len(ids) == len(set(ids)) > 800


def test_a_deep_link_finds_its_part(long: Site) -> None:
    """The first part, whose address is the document's, knows the part of each anchor."""
    for document in long.json["documents"]:
        first = long.pages[document["href"]]
        (found,) = re.findall(r'<script type="application/json" id="anchors">(.*?)</script>', first.raw)
        told = json.loads(found)
        assert [f"{document['href'].rpartition('/')[0]}/{href}" for href in told["hrefs"]] == document["parts"]
        for part, digits in zip(document["parts"], told["map"].split("|"), strict=True):
            known = [digits[at : at + 4] for at in range(0, len(digits), 4)]
            ids = [anchor for anchor in long.pages[part].ids if anchor.startswith("e-")]
            assert {code(anchor) for anchor in ids} <= set(known)
        for part in document["parts"][1:]:
            assert 'id="anchors"' not in long.files[part].decode()


def test_a_link_over_parts(long: Site) -> None:
    """The agent's report of a call, parts behind the call, leads back to it; the failure on top leads to its step."""
    run = next(document for document in long.json["documents"] if document["kind"] == "run")
    assert run["counts"]["merged"] == 1
    last = long.pages[run["parts"][-1]]
    assert f"{run['href'].rpartition('/')[2]}#e-2" in last.links
    assert run["status"] == "failed"
    assert "the last word" in long.pages[run["href"]].text


def test_a_marker_is_whole_in_every_title(tmp_path: Path) -> None:
    secret = "sk-proj-" + "Ab3" * 14
    for length in range(25, 62, 3):
        write(
            tmp_path / "in" / f"{length}.ndjson",
            [row("user", "x" * length + " " + secret, 1, session_id=f"s{length}"), row("assistant", "Hi", 2)],
        )
    site = build(tmp_path / "site", tmp_path / "in")
    for page in site.pages.values():
        assert not re.search(r"\[mas?k?e?d?(?:[^k]|:?[a-z]*:?[0-9]*:?[0-9a-f]{0,7})…", page.text)


def test_anchors_with_the_same_digits_land_apart(tmp_path: Path, open_page: Callable[..., Visit]) -> None:
    """Two numbers whose anchors have the same four digits, the later one in a later part: a link to it lands there."""
    known: dict[str, int] = {}
    pairs = ((known.setdefault(code(f"e-{seq}"), seq), seq) for seq in range(1, 60_000))
    first, second = next(pair for pair in pairs if pair[1] - pair[0] > 1_000)
    words = "some *words* of a `long` conversation\n\n" * 60
    numbers = [*range(first, first + 900), second]
    lines = [event(seq, "message.assistant", said("assistant", words, words), timestamp=stamp(0)) for seq in numbers]
    write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    assert len(site.only["parts"]) > 1
    for target, part in ((f"e-{first}", 0), (f"e-{second}", len(site.only["parts"]) - 1)):
        seen = open_page(f"{(site.folder / site.only['href']).as_uri()}#{target}")
        seen.until(lambda seen=seen, part=part: seen.page.url.partition("#")[0].endswith(site.only["parts"][part]))
        assert seen.page.evaluate(f"document.getElementById({target!r}) !== null")
        assert seen.misdeeds == ()


def test_a_map_of_many_anchors_leads_each_to_its_part() -> None:
    parts = [[f"e-{seq:x}" for seq in range(start, start + 4_000)] for start in range(0, 80_000, 4_000)]
    told, odd = anchor_map(parts).split("|"), strays(parts)
    digits = [{codes[at : at + 4] for at in range(0, len(codes), 4)} for codes in told]
    first = {code_: place for place, codes in reversed(list(enumerate(digits))) for code_ in codes}
    assert all(odd.get(anchor, first[code(anchor)]) == place for place, part in enumerate(parts) for anchor in part)
    assert 0 < len(odd) < 600
