"""Field cases: scale and memory. The large ones are made small enough for every day; the bench makes them large."""

from __future__ import annotations

import base64
import os
import re
import resource
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import ROOT
from tests.site.builds import Site, build, call, event, result, row, said, stamp, step, write

if TYPE_CHECKING:
    from tests.site.builds import Value

PAGE_BYTES, PAGE_ELEMENTS = 8_000_000, 30_000


def pages_are_bounded(site: Site) -> None:
    for name, page in site.pages.items():
        assert len(page.raw) <= PAGE_BYTES, name
        assert len(re.findall("<[a-z]", page.raw)) <= PAGE_ELEMENTS, name


def unfolded(site: Site, document: Value) -> str:
    """All that the pages of a document and the texts beside it hold, packed pieces unpacked in their place."""
    packed = re.compile(r'data-z="([^"]+)"')
    out = [packed.sub(lambda found: ">" + inflated(found[1]) + "<", site.pages[part].raw) for part in document["parts"]]
    stem = document["href"].removesuffix(".html")
    return "\n".join([*out, *(data.decode() for name, data in site.files.items() if name.startswith(stem) and name.endswith(".txt"))])


def inflated(packed: str) -> str:
    return zlib.decompress(base64.b64decode(packed), -15).decode()


def lines_of_noise(count: int, seed: int) -> str:
    return "".join(f"{seed}-{number:06} {number * 7919 % 104729:x} made of words\n" for number in range(count))


def test_f019_many_large_outputs(tmp_path: Path) -> None:
    """Outputs of 450 KB each: pages stay bounded, and so does the site."""
    lines: list[Value] = []
    for number in range(24):
        lines += [event(2 * number + 1, "tool.call", call(f"c{number}", "Bash", {"command": f"make {number}"}))]
        lines += [event(2 * number + 2, "tool.result", result(f"c{number}", lines_of_noise(12_000, number)))]
    source = write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    pages_are_bounded(site)
    assert sum(len(data) for name, data in site.files.items() if not name.startswith("search/")) <= 1.3 * source.stat().st_size
    whole = unfolded(site, site.only)
    for number in range(24):
        assert f"{number}-000000 " in whole
        assert f"{number}-011999 " in whole
        assert f"{number}-006000 " in whole


def built_apart(source: Path, site: Path, *options: str) -> tuple[Site, int]:
    """Build in a process of its own; gives the site, and the most memory that the process ever had, in MiB."""
    code = (
        "import atexit, re\n"
        "from pathlib import Path\n"
        "from lakesite.cli import main\n"
        "status = Path('/proc/self/status')\n"
        "atexit.register(lambda: print(re.search(r'VmHWM:\\s*(\\d+)', status.read_text())[1] if status.exists() else 0))\n"
        "main()\n"
    )
    command = [sys.executable, "-c", code, "build", str(source), "-o", str(site), "--jobs", "1", "-q", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return Site(site), int(done.stdout) // 1024


def test_f020_fourteen_thousand_events(tmp_path: Path) -> None:
    """Pages are bounded and linked, on and back; memory is that of a part, not of the file."""
    lines = [event(1, "step.started", step("all"))]
    lines += [event(seq, "message.assistant", said("assistant", f"event-{seq}."), timestamp=stamp(seq / 10)) for seq in range(2, 14_001)]
    write(tmp_path / "in" / "a.jsonl", lines)
    site, peak = built_apart(tmp_path / "in", tmp_path / "site")
    assert peak < 150
    pages_are_bounded(site)
    parts = [site.pages[part] for part in site.only["parts"]]
    assert len(parts) >= 2
    assert [int(number) for part in parts for number in re.findall(r"event-(\d+)\.", part.text)] == list(range(2, 14_001))
    names = [part.path.name for part in parts]
    for place, part in enumerate(parts):
        assert set(names[max(place - 1, 0) : place] + names[place + 1 : place + 2]) <= set(part.links)


def test_f020_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    """Four times as many documents, and as many rows in each: the same memory but for what the index holds."""

    def peak(documents: int) -> int:
        for number in range(documents):
            rows = [row("user" if at % 2 else "assistant", f"{at} " + "word " * 400, at, session_id=f"s{number}") for at in range(40)]
            write(tmp_path / f"in-{documents}" / f"{number}.ndjson", rows)
        return built_apart(tmp_path / f"in-{documents}", tmp_path / f"site-{documents}")[1]

    assert peak(80) - peak(20) < 15


def small_event(number: int, kind: str) -> Value:
    """One of many: said, asked of a tool, answered by it, in turn."""
    identity = number // 3
    if kind == "run":
        payload = (said("assistant", f"Word {number}."), call(identity, "Bash", number), result(identity, number))[number % 3]
        return event(number + 1, ("message.assistant", "tool.call", "tool.result")[number % 3], payload, timestamp=stamp(number / 10))
    extra = {"tool_call_id": identity} if number % 3 else {}
    return row(("assistant", "tool_call", "tool_result")[number % 3], f"word {number}", number / 10, extra=extra)


@pytest.mark.parametrize("kind", ["run", "session"])
def test_f020_memory_hardly_grows_with_the_events_of_a_document(tmp_path: Path, kind: str) -> None:
    """Both documents are too long for all of their entries to be in memory; what is left are indexes, and where each row is."""

    def peak(events: int) -> int:
        name = "a.jsonl" if kind == "run" else "a.ndjson"
        write(tmp_path / f"in-{events}" / name, (small_event(number, kind) for number in range(events)))
        return built_apart(tmp_path / f"in-{events}", tmp_path / f"site-{events}", "--search", "off")[1]

    assert (peak(18_000) - peak(6_000)) * 2**20 / 12_000 < 500, "bytes an event"


@pytest.mark.parametrize("count", [5_001, 400_000])
def test_f021_one_huge_output(tmp_path: Path, count: int) -> None:
    output = "".join(f"line-{number}\n" for number in range(count))
    lines = [
        event(1, "tool.call", call("c", "Bash", {"command": "make"})),
        event(2, "tool.result", result("c", output)),
        event(3, "message.user", said("user", "after-it")),
    ]
    write(tmp_path / "in" / "a.jsonl", lines)
    site = build(tmp_path / "site", tmp_path / "in")
    pages_are_bounded(site)
    page = site.page()
    assert "line-0" in page.text
    assert f"line-{count - 1}" in page.text
    assert "after-it" in page.text
    assert len(page.raw) < 4_000_000
    (left_out,) = re.findall(r"… ([\d,]+) more lines", page.text)
    around = re.sub(r'<details class="fold".*?</details>', "", page.raw, flags=re.DOTALL)
    shown = re.findall(r"line-(\d+)\b", re.sub("<[^>]*>", " ", around.partition("<main")[2]))
    assert len(shown) + int(left_out.replace(",", "")) == count, "how many lines are folded is told to the line"
    assert set(map(int, re.findall(r"line-(\d+)", unfolded(site, site.only)))) == set(range(count))


def test_f021_a_cut_splits_nothing(tmp_path: Path) -> None:
    """Wherever the fold begins and ends, no entity, escape code or mask marker is cut in two."""
    secret = "sk-proj-" + "Zq8" * 14
    for pad in range(0, 120, 17):
        piece = f"\x1b[31m&<{secret}>\x1b[0m é"
        output = "x" * pad + piece * 700
        write(tmp_path / "in" / f"{pad}.jsonl", [event(1, "tool.result", result("c", output), run_id=f"r{pad}")])
    site = build(tmp_path / "site", tmp_path / "in")
    for document in site.json["documents"]:
        whole = unfolded(site, document)
        assert secret not in whole
        text = re.sub(r"<[^>]*>", "", site.page(document).raw.partition("<main")[2])
        assert not re.search(r"\[masked:[^\]]{0,40}(?:$|\n)|\[3[01]?(?:$|\n)|&(?:am|l|g)?$", text)
        assert not re.search(r"\[31m|\[0m", text)


@pytest.mark.parametrize("where", ["block", "text", "svg", "odd type", "broken"])
def test_f022_base64_is_no_text(tmp_path: Path, where: str) -> None:
    data = base64.b64encode(os.urandom(3_000_000)).decode()
    media = {"svg": "image/svg+xml", "odd type": 'image/png" onerror="x'}.get(where, "image/png")
    if where == "broken":
        data = "%%%" + data
    output: object = [{"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}]
    if where == "text":
        output = f"before data:image/png;base64,{data} after"
    write(
        tmp_path / "in" / "a.jsonl",
        [
            event(1, "tool.call", call("c", "Read", {"path": "x.png"})),
            event(2, "tool.result", result("c", output)),
            event(3, "message.user", said("user", "after-it")),
        ],
    )
    site, peak = built_apart(tmp_path / "in", tmp_path / "site")
    assert peak < 80 + 12 * len(data) // 2**20, "a small multiple of the line"
    pages_are_bounded(site)
    page = site.page()
    assert "after-it" in page.text
    assert not re.search("<[a-z][^>]*onerror", page.raw)
    assert max(map(len, page.text.split(" "))) < 20_000, "no run of base64 stands in the text"


def test_f023_many_small_documents(tmp_path: Path) -> None:
    """Building is linear in the number of documents, and no list is large."""

    def seconds(count: int) -> float:
        for number in range(count):
            rows = [
                row("user", f"Ask {number}", number, session_id=f"s{number}"),
                row("assistant", "Yes", number + 1, session_id=f"s{number}"),
            ]
            write(tmp_path / f"in-{count}" / f"date-{number % 40}" / f"{number // 40}.ndjson", rows)
        start = time.process_time()
        site = build(tmp_path / f"site-{count}", tmp_path / f"in-{count}")
        spent = time.process_time() - start
        assert len(site.documents) == count
        lists = [page for name, page in site.pages.items() if "/" not in name]
        assert all(len(page.raw) < 1_000_000 for page in lists)
        linked = {link for page in lists for link in page.links}
        assert {document["href"] for document in site.documents.values()} <= linked
        return spent

    small, large = seconds(100), seconds(400)
    assert large < 8 * small


def test_a_conversation_in_more_files_than_can_be_open(tmp_path: Path) -> None:
    """A part file a day for years, or a hook segment an hour."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for day in range(300):
        write(tmp_path / "in" / f"date={day:03}" / "part-1.ndjson", [row("user" if day % 2 else "assistant", f"day-{day}.", day)])
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    try:
        site = build(tmp_path / "site", tmp_path / "in")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert set(map(int, re.findall(r"day-(\d+)\.", site.text()))) == set(range(300))
    assert site.only["counts"]["events"] == 300


def test_many_problems_and_many_files_that_are_nothing(tmp_path: Path) -> None:
    """The page of problems goes on on further pages."""
    for number in range(2_500):
        write(tmp_path / "in" / f"{number}.txt", ["words"])
    for number in range(120):
        write(tmp_path / "in" / f"{number}.jsonl", [event(1, "step.started", step("s"), run_id=f"r{number}"), *["garbage"] * 30])
    site = build(tmp_path / "site", tmp_path / "in")
    pages_are_bounded(site)
    lists = [page for name, page in site.pages.items() if name.startswith("problems")]
    assert len(lists) > 2
    text = " ".join(page.text for page in lists)
    assert all(f" {number}.txt" in text and f"{number % 120}.jsonl:31" in text for number in range(2_500))
    assert {f"problems.p{part}.html" for part in range(2, len(lists) + 1)} <= {link for page in lists for link in page.links}


def test_f025_a_page_is_light(tmp_path: Path) -> None:
    """What stands around the content of a page is small, however large the archive is."""
    for number in range(300):
        write(tmp_path / "in" / f"{number}.jsonl", [event(1, "message.user", said("user", "Hi"), run_id=f"r{number}")])
    site = build(tmp_path / "site", tmp_path / "in")
    assert max(len(site.pages[document["href"]].raw) for document in site.json["documents"]) < 45_000


def test_depth_and_width_of_trees(tmp_path: Path) -> None:
    """A chain of runs that is deeper than any stack, and a run with many children."""
    deep, wide = 1_020, 120
    for number in range(deep):
        links = {"child_run_id": f"d{number + 1}", "parent_run_id": f"d{number - 1}"}
        links = {name: run for name, run in links.items() if run not in ("d-1", f"d{deep}")}
        write(
            tmp_path / "deep" / f"{number}.jsonl",
            [event(1, "step.call_workflow.started", step("c", "call_workflow"), run_id=f"d{number}", **links)],
        )
    calls = [
        event(seq, "step.call_workflow.started", step("c", "call_workflow"), run_id="w", child_run_id=f"w{seq}")
        for seq in range(1, wide + 1)
    ]
    write(tmp_path / "wide" / "w.jsonl", calls)
    for number in range(1, wide + 1):
        write(tmp_path / "wide" / f"{number}.jsonl", [event(1, "step.started", step("s"), run_id=f"w{number}", parent_run_id="w")])
    site = build(tmp_path / "site", tmp_path / "deep", tmp_path / "wide", jobs=2)
    assert len(site.json["documents"]) == deep + wide + 1
    assert site.documents[f"d{deep - 1}"]["parent"] == f"d{deep - 2}"
    assert len(site.documents["w"]["children"]) == wide
    assert sum(document["parent"] is None for document in site.json["documents"]) == 2
    pages_are_bounded(site)
    hrefs = {name: Path(document["href"]).name for name, document in site.documents.items()}
    middle = site.page(site.documents["d500"])
    links = {Path(link).name for link in middle.links}
    assert "483 more between" in middle.text
    assert "513 more below" in middle.text
    assert set(map(hrefs.get, ("d0", "d484", "d499", "d506"))) <= links
    assert not {hrefs["d483"], hrefs["d507"]} & links
    assert "more between" not in site.page(site.documents["d17"]).text
    assert "1 more between" in site.page(site.documents["d18"]).text
    assert "more below" not in site.page(site.documents[f"d{deep - 7}"]).text
    assert "1 more below" in site.page(site.documents[f"d{deep - 8}"]).text
    assert all(len(site.page(document).raw) < 35_000 for name, document in site.documents.items() if name != "w")
