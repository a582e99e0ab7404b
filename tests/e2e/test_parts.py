"""Long documents in parts, and links that arrive wherever their target stands, now and after the archive has grown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lakesite.site import lay
from tests.e2e.pages import Open
from tests.site.builds import Site, Value, build, call, event, result, row, said, stamp, step, write

TURNS = 120
LOW = 500
"""Elements after which a part ends here, so that few records need several."""


def conversation(turns: int = TURNS, first: int = 0) -> list[Value]:
    """A conversation of many turns, each of a prompt, a call and a reply."""
    made = []
    for turn in range(first, turns):
        made += [
            row("user", f"Prompt number {turn}, please.", turn * 10),
            row("tool_call", f'{{"command": "make part-{turn}"}}', turn * 10 + 1, tool_name="Bash", extra={"tool_call_id": f"c{turn}"}),
            row("tool_result", f"made part {turn}", turn * 10 + 2, extra={"tool_call_id": f"c{turn}"}),
            row("assistant", f"Reply number {turn}.", turn * 10 + 3),
        ]
    return made


def run(steps: int) -> list[Value]:
    """A run of many steps; what the agent of each reports at its end is a call that the router recorded before."""
    made, seq = [], 0
    for number in range(steps):
        use = {"type": "tool_use", "fidelity": "agent_emitted", "tool_name": "Bash", "tool_input": {"command": f"make {number}"}}
        for kind, payload, more in (
            ("step.started", step(f"step-{number}"), {"path": f"step-{number}"}),
            ("message.user", said("user", f"Do step {number}."), {}),
            ("tool.call", call(f"c{number}", given={"command": f"make {number}"}), {}),
            ("tool.result", result(f"c{number}"), {}),
            ("message.assistant", said("assistant", f"Step {number} is done.", blocks=[use]), {}),
            ("step.completed", step(f"step-{number}", result=f"result {number}"), {"path": f"step-{number}"}),
        ):
            seq += 1
            made.append(event(seq, kind, payload, **more))
    return made


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """One long run and one long conversation, each in several parts because the limit is low."""
    folder = tmp_path_factory.mktemp("long")
    write(folder / "in" / "run.jsonl", run(TURNS // 2))
    write(folder / "in" / "part-1.ndjson", conversation())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lay, "PART_ELEMENTS", LOW)
        made = build(folder / "out", folder / "in")
    assert all(len(document["parts"]) >= 4 for document in made.json["documents"])
    return made


def session(site: Site) -> Value:
    return next(document for document in site.json["documents"] if document["kind"] == "session")


def last_in(site: Site, document: Value, part: int) -> str:
    """The last anchor of a row in a part."""
    return [name for name in site.page(document, part).ids if name.startswith("e-")][-1]


@pytest.mark.parametrize("kind", ["run", "session"])
def test_a_link_into_part_three_lands_there(open_page: Open, site: Site, kind: str) -> None:
    document = next(document for document in site.json["documents"] if document["kind"] == kind)
    anchor = last_in(site, document, 3)
    first = site.page(document).path
    seen = open_page(f"{first.as_uri()}#{anchor}")
    third = site.page(document, 3).path.as_uri()
    seen.until(lambda: seen.page.url == f"{third}#{anchor}")
    seen.until(lambda: seen.page.evaluate(f"document.getElementById('{anchor}')?.matches(':target')"))
    box = seen.until(lambda: seen.page.locator(f"[id='{anchor}']").bounding_box())
    seen.until(lambda: 0 <= (seen.page.locator(f"[id='{anchor}']").bounding_box() or box)["y"] < 800)
    assert seen.misdeeds == ()


def test_without_scripts_the_map_leads_to_every_part(open_page: Open, site: Site) -> None:
    document = session(site)
    page = open_page(site.page(document).path, scripts=False).page
    for number in range(2, len(document["parts"]) + 1):
        page.click(f"#nav a:has(small:text-is('{number}'))")
        assert page.url == site.page(document, number).path.as_uri()
        assert page.locator("#nav [aria-current]").first.inner_text().startswith(str(number))


def test_the_list_of_prompts_leads_into_other_parts(open_page: Open, site: Site) -> None:
    document = session(site)
    page = open_page(site.page(document).path, scripts=False).page
    wanted = TURNS - 2
    page.click(f"#nav a:has-text('Prompt number {wanted},')")
    assert page.url.startswith(site.page(document, len(document["parts"])).path.as_uri())
    assert f"Prompt number {wanted}, please." in page.locator(":target").inner_text()


def test_next_and_previous_walk_through_all_parts(open_page: Open, site: Site) -> None:
    for document in site.json["documents"]:
        page = open_page(site.page(document).path, scripts=False).page
        seen = [page.inner_text("main")]
        while page.locator("a[rel=next]").count():
            page.locator("a[rel=next]").last.click()
            seen.append(page.inner_text("main"))
        assert len(seen) == len(document["parts"])
        while page.locator("a[rel=prev]").count():
            page.locator("a[rel=prev]").first.click()
        assert page.url == site.page(document).path.as_uri()


def test_every_part_says_what_begins_in_it(site: Site) -> None:
    document = session(site)
    for number in range(2, len(document["parts"]) + 1):
        rows = site.page(document, number).raw.partition("<section")[2]
        begins = re.search(r"Prompt number \d+, please", rows)
        assert begins
        assert f"<small>{number}</small><span>{begins[0]}" in site.page(document).raw


def test_every_link_inside_the_site_arrives(site: Site) -> None:
    ids = {page.path: set(page.ids) for page in site.pages.values()}
    looked = 0
    for page in site.pages.values():
        for link in page.links:
            place, _, anchor = link.partition("#")
            target = (page.path.parent / place).resolve() if place else page.path
            assert target in ids, link
            assert not anchor or anchor in ids[target] or anchor == "main" or anchor.startswith(("q=", "list?f=")), link
            looked += 1
    assert looked > 1000


# --- permalinks ------------------------------------------------------------------------------------------------------------------


def anchors(site: Site) -> dict[tuple[str, str], str]:
    """The words of each row by its document's address and its anchor."""
    found = {}
    for document in site.json["documents"]:
        for part in document["parts"]:
            for anchor, words in re.findall(
                r'id="(e-[^"]+)"(.*?)(?=<(?:div|details) class="row|</section>)', site.pages[part].raw, re.DOTALL
            ):
                found[document["href"], anchor] = re.sub(r"<p class=\"foot\">.*|<[^>]*>|\s+", "", words)
    return found


@pytest.mark.parametrize("elements", [LOW, 12_000], ids=["many parts", "few parts"])
def test_f068_links_stay_when_an_archive_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elements: int) -> None:
    monkeypatch.setattr(lay, "PART_ELEMENTS", LOW)
    records = tmp_path / "in"
    write(records / "run.jsonl", run(40))
    write(records / "part-5.ndjson", conversation(40))
    before = anchors(build(tmp_path / "before", records))
    assert len(before) > 300

    write(records / "run.jsonl", run(60))
    write(records / "part-5.ndjson", conversation(60))
    write(records / "part-1.ndjson", [row("user", "Long ago.", "2020-01-01T00:00:00Z"), row("user", "Elsewhere.", 5, session_id="older")])
    write(records / "other.jsonl", [{**each, "run_id": "older", "timestamp": stamp(0)} for each in run(3)])
    monkeypatch.setattr(lay, "PART_ELEMENTS", elements)
    after = anchors(build(tmp_path / "after", records))
    assert {place: words for place, words in before.items() if after.get(place) != words} == {}
    assert len(after) > len(before)


def test_f068_equal_times_and_equal_words_have_links_of_their_own(tmp_path: Path) -> None:
    same = [row("assistant", "the same", None), row("assistant", "the same", None), row("assistant", "other", 1), row("user", "other", 1)]
    site = build(tmp_path / "out", write(tmp_path / "part-1.ndjson", same))
    ids = [name for name in site.page().ids if name.startswith("e-")]
    assert len(ids) == len(set(ids)) == 4


def test_a_link_is_copied_by_a_click(open_page: Open, site: Site) -> None:
    page = open_page(site.page(session(site)).path, permissions=["clipboard-read", "clipboard-write"]).page
    page.evaluate("navigator.clipboard.writeText = text => { window.copied = text }")
    page.locator(".say .l a").nth(2).click()
    assert page.evaluate("window.copied") == page.url
    assert "#e-" in page.url
