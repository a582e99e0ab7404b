"""A build makes its site searchable: all that its pages say, where they say it, and nothing that masking hides."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakesite.masking import MaskOptions
from lakesite.options import MaskSettings
from lakesite.search.codec import script, unpacked
from lakesite.search.library import read_library
from lakesite.site import lay
from lakesite.site.verify import verify
from tests import EXAMPLES
from tests.e2e.test_parts import conversation, run
from tests.site.builds import Site, build, call, event, lakesite, result, row, said, step, write
from tests.site.planting import made

LOW = 500
"""Elements after which a part ends here."""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A run and a conversation, each in several parts."""
    folder = tmp_path_factory.mktemp("long")
    write(folder / "in" / "run.jsonl", run(60))
    write(folder / "in" / "part-1.ndjson", conversation())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lay, "PART_ELEMENTS", LOW)
        return build(folder / "out", folder / "in")


def entries(site: Site, href: str) -> Iterator[tuple[int, str, str]]:
    """(part, anchor, text) of all that can be found in a document."""
    library = read_library(site.folder)
    assert library
    (document,) = (each for stored in library.segments for each in stored.live() if each.facts.href == href)
    for name in document.names:
        head, *texts = unpacked(site.files[f"search/t/{name[:2]}/{name}.js"].decode()).decode().split("\x1e")
        places = [place for block in json.loads(head) for place in zip(block[1::3], block[2::3], strict=True)]
        yield from ((part, anchor, text) for (part, anchor), text in zip(places, texts, strict=True))


def searched(site: Site) -> bytes:
    """Everything that the files of the search hold."""
    names = [name for name in site.files if name.startswith("search/") and name != "search/search.js"]
    return b"\n".join(unpacked(site.files[name].decode()) for name in names)


def test_every_row_can_be_found_in_its_part(long: Site) -> None:
    for document in long.json["documents"]:
        found = {(part, anchor) for part, anchor, _ in entries(long, document["href"]) if anchor}
        rows = {
            (number, anchor)
            for number, part in enumerate(document["parts"], 1)
            for anchor in long.pages[part].ids
            if anchor.startswith("e-")
        }
        assert len(document["parts"]) >= 3
        assert found == rows


def test_what_is_known_of_a_document(tmp_path: Path) -> None:
    site = build(tmp_path / "site", EXAMPLES)
    library = read_library(site.folder)
    assert library
    facts = {each.facts.href: each.facts for stored in library.segments for each in stored.live()}
    assert facts.keys() == {document["href"] for document in site.json["documents"]}
    for document in site.json["documents"]:
        known = facts[document["href"]]
        assert (known.title, known.kind, known.models) == (document["title"], document["kind"], tuple(document["models"]))
        assert known.runtime == (document.get("runtime") or "")
        assert known.status == document["status"]
        assert (known.projects[0] if known.projects else None) == document["project"]
        assert (known.started is None) == (document["started"] is None)


def test_f042_f099_all_that_is_visible_can_be_found(tmp_path: Path) -> None:
    """Names of steps and tools, ids, inputs, outputs, errors, facts of the page."""
    lines = [
        event(1, "run.started", {"name": "the-workflow"}),
        event(2, "step.started", step("the-step")),
        event(3, "message.user", said("user", "the prompt")),
        event(4, "tool.call", call("c1", "TheTool", {"the-name": ["the-argument"]})),
        event(5, "tool.result", result("c1", None, name="TheTool", error="the-error of the call")),
        event(6, "tool.call", call("c2", "Bash", {"command": "make"})),
        event(7, "tool.result", result("c2", "\x1b[31mthe-colour\x1b[0m \x1b]0;hidden-title\x07 done")),
        event(8, "message.assistant", said("assistant", "half \ud83d a smile")),
        event(9, "step.completed", step("the-step", error="the-error of the step")),
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    text = "\n".join(text for _, _, text in entries(site, site.only["href"]))
    wanted = ["the-workflow", "the-step", "the prompt", "TheTool", "the-name", "the-argument", "the-error of the call"]
    wanted += ["the-error of the step", "the-colour", "run-a", "half \ufffd a smile", "a.jsonl"]
    assert [word for word in wanted if word not in text] == []
    assert "\x1b" not in text
    assert "hidden-title" not in text


# --- masking ---------------------------------------------------------------------------------------------------------------------


def test_what_is_caught_late_was_never_written(tmp_path: Path) -> None:
    """A value is recognised at the end of a document only: of what was indexed before, nothing may stay."""
    secret = made(14, 3)
    lines = [
        event(1, "message.user", said("user", f"Try {secret} first. " + "Then some words. " * 9_000)),
        event(2, "message.user", said("user", "And more words. " * 9_000)),
        event(3, "tool.call", call("c1", "Bash", {"command": f"mysql --password={secret}"})),
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    write(tmp_path / "in" / "b.jsonl", [{**line, "run_id": "run-b"} for line in lines[1:2]])
    site = build(tmp_path / "site", tmp_path / "in")
    found = searched(site)
    assert secret.encode() not in found
    assert secret.lower().encode() not in found
    assert b"[masked:credential:14:" in found
    library = read_library(site.folder)
    assert library
    named = {name for stored in library.segments for each in stored.live() for name in each.names}
    assert {Path(name).stem for name in site.files if name.startswith("search/t/")} == named, "no text is left of the first writing"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_secret_in_a_shard_is_found(tmp_path: Path, jobs: int) -> None:
    """Each kind of file of the search: what is planted there is a leak."""
    write(tmp_path / "in" / "a.jsonl", [event(1, "run.started", {"name": "Some words"})])
    site = build(tmp_path / "site", tmp_path / "in", jobs=jobs)
    assert verify(site.folder, MaskOptions()) == ()
    secret = f"ghp_{made(36, 5)}"
    for name in [name for name in site.files if re.fullmatch(r"search/(t|\w+/d)/.*\.js", name)]:
        path = site.folder / name
        inner = name.removeprefix("search/").removesuffix(".js")
        data = unpacked(path.read_text(encoding="ascii")).replace(b"Some words", f"Some words {secret}".encode())
        path.write_text("".join(script(inner, data)), encoding="ascii")
        (leak, *_) = verify(site.folder, MaskOptions())
        assert (leak.file, leak.place, leak.marker[:16]) == (name, "packed text", "[masked:token:40")
        path.write_bytes(site.files[name])


def test_names_of_source_files_are_no_leak(tmp_path: Path) -> None:
    """A partition is called by a digest: an identity, spared by the rules for random runs, in the search as on its page."""
    name = f"part-{made(32, 4, '0123456789abcdef')}"
    write(tmp_path / "in" / "runtime=claude" / "date=2026-09-14" / f"{name}.ndjson", [row("user", "Hi", 1)])
    site = build(tmp_path / "site", tmp_path / "in")
    assert name.encode() in searched(site)
    assert site.only["sources"] == [f"runtime=claude/date=2026-09-14/{name}.ndjson"]
    assert verify(site.folder, MaskOptions(mode="strict")) == ()


# --- options ---------------------------------------------------------------------------------------------------------------------


def test_off_leaves_no_trace(tmp_path: Path) -> None:
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "Hi", 1)])
    build(tmp_path / "site", tmp_path / "in")
    site = build(tmp_path / "site", tmp_path / "in", search="off")
    assert [name for name in site.files if "search" in name] == []
    assert [name for name, page in site.pages.items() if "search.html" in page.raw or "search/" in page.raw] == []
    assert not (tmp_path / "site" / "search").exists()


def test_without_snippets(tmp_path: Path) -> None:
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "Hi", 1)])
    site = build(tmp_path / "site", tmp_path / "in", search="no-snippets")
    library = read_library(site.folder)
    assert library
    assert not library.texts
    assert [name for name in site.files if name.startswith("search/t/")] == []
    assert "built without snippets" in site.pages["search.html"].text


@pytest.mark.parametrize(
    ("arguments", "environment", "settings", "pages"),
    [
        ([], {}, "", True),
        (["--search", "off"], {"LAKESITE_SEARCH": "full"}, "", False),
        ([], {"LAKESITE_SEARCH": "off"}, 'search = "full"', False),
        ([], {}, 'search = "off"', False),
    ],
)
def test_where_the_option_comes_from(
    tmp_path: Path, arguments: list[str], environment: dict[str, str], settings: str, *, pages: bool,
) -> None:  # fmt: skip
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "Hi", 1)])
    (tmp_path / "lakesite.toml").write_text(settings, encoding="utf-8")
    done = lakesite("build", "in", "-o", "site", *arguments, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "search.html").exists() is pages
    told = lakesite("config", env=environment, cwd=tmp_path).stdout.decode()
    assert re.search(r"^search = ", told, re.MULTILINE)


def test_words_that_are_too_long_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "in" / "part-1.ndjson", [row("user", f"Hi\n{'very' * 30} long, {'so' * 60} long", 1)])
    site = build(tmp_path / "site", tmp_path / "in")
    assert "longer than 64 characters are not in the index: 2 of them" in site.pages["search.html"].text


def test_the_same_bytes_whatever_the_jobs(tmp_path: Path) -> None:
    one, two = (build(tmp_path / str(jobs), EXAMPLES, jobs=jobs).files for jobs in (1, 3))
    assert {name: data for name, data in one.items() if name.startswith("search")} == {
        name: data for name, data in two.items() if name.startswith("search")
    }
    assert [name for name in one if "work" in name or name.endswith(("left", "units", ".postings"))] == []


def test_f059_what_publishing_hides_is_hidden_in_the_search(tmp_path: Path) -> None:
    lines = [
        row("user", "look into /home/marlowe/clients/acme", 1, machine="marlowe-pc.corp", project="/home/marlowe/clients/acme"),
        row("assistant", "marlowe-pc.corp has it", 2, machine="marlowe-pc.corp"),
    ]
    write(tmp_path / "in" / "part-1.ndjson", lines)
    assert b"marlowe" in searched(build(tmp_path / "open", tmp_path / "in"))
    found = searched(build(tmp_path / "site", tmp_path / "in", mask=MaskSettings(publish=True)))
    assert b"marlowe" not in found
    assert b"clients" in found
