"""Whole builds: the same bytes everywhere, nothing half-written, nothing of this machine, and what `site.json` says."""

from __future__ import annotations

import getpass
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lakesite.view.anchors import code
from tests import EXAMPLES, ROOT
from tests.site.builds import Site, build, call, event, lakesite, result, row, said, stamp, step, write

# --- the same bytes --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The examples that come with lakesite, built in the ordinary way."""
    return build(tmp_path_factory.mktemp("plain") / "site", EXAMPLES)


@pytest.mark.parametrize(
    ("jobs", "env"),
    [
        ("1", {"TZ": "Asia/Shanghai", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "1"}),
        ("2", {"TZ": "America/St_Johns", "LANG": "C.UTF-8", "PYTHONHASHSEED": "2", "PYTHONIOENCODING": "latin-1"}),
    ],
    ids=["one process", "two processes"],
)
def test_the_same_bytes_everywhere(plain: Site, tmp_path: Path, jobs: str, env: dict[str, str]) -> None:
    """Another folder, another order of files on disk, another time zone, locale and hash seed, other workers, other times of files."""
    elsewhere = tmp_path / "another place" / EXAMPLES.name
    for path in sorted(EXAMPLES.rglob("*"), reverse=True):
        if path.is_file():
            target = elsewhere / path.relative_to(EXAMPLES)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            os.utime(target, (1, 1))
    before = os.umask(0o077)
    try:
        done = lakesite("build", elsewhere, "-o", tmp_path / "out", "--jobs", jobs, "-q", env=env)
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert Site(tmp_path / "out").files == plain.files


def test_a_second_build_changes_nothing(plain: Site, tmp_path: Path) -> None:
    shutil.copytree(plain.folder, tmp_path / "site")
    assert build(tmp_path / "site", EXAMPLES).files == plain.files


def test_paths_in_another_order_are_the_same(tmp_path: Path) -> None:
    parts = [EXAMPLES / "storage", EXAMPLES / "events", EXAMPLES / "labels"]
    assert build(tmp_path / "a", *parts).files == build(tmp_path / "b", *reversed(parts)).files


def test_packed_input_gives_the_same_pages(tmp_path: Path) -> None:
    import gzip  # noqa: PLC0415 -- only here

    write(tmp_path / "plain" / "a.jsonl", [event(1, "step.started", step("a")), event(2, "message.user", said("user", "Hi"))])
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "a.jsonl").write_bytes(gzip.compress((tmp_path / "plain" / "a.jsonl").read_bytes()))
    assert build(tmp_path / "a", tmp_path / "plain").files == build(tmp_path / "b", tmp_path / "packed").files


# --- nothing of this machine -----------------------------------------------------------------------------------------------------


def test_nothing_of_this_machine_is_written(tmp_path: Path) -> None:
    """No path, host, user, time of the build: not of the input, not of the output, not of lakesite itself."""
    secret_place = tmp_path / "place-of-nobody" / "in"
    shutil.copytree(EXAMPLES, secret_place)
    (secret_place / "broken.jsonl").write_bytes(b"garbage\n")
    (secret_place / "link").symlink_to("/")
    site = build(tmp_path / "place-of-nobody" / "site", secret_place)
    told = [b"place-of-nobody", str(tmp_path).encode(), str(ROOT).encode(), sys.prefix.encode(), socket.gethostname().encode()]
    if getpass.getuser() != "root":
        told.append(getpass.getuser().encode())
    told.append(time.strftime("%Y-%m-%dT%H:").encode())
    assert {word: [name for name, data in site.files.items() if word in data] for word in told} == {word: [] for word in told}


@pytest.mark.parametrize("public", [False, True])
def test_modes_of_a_whole_site(plain: Site, tmp_path: Path, *, public: bool) -> None:
    before = os.umask(0o002)
    try:
        site = build(tmp_path / "site", EXAMPLES, public=public)
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (site.folder, *site.folder.rglob("*"))}
    assert modes == ({0o755, 0o644} if public else {0o700, 0o600})
    assert site.files == plain.files


def test_names_of_files(plain: Site) -> None:
    for name in plain.files:
        for part in name.split("/"):
            assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", part)
            assert len(part.partition(".")[0]) <= 72
    assert len({name.lower() for name in plain.files}) == len(plain.files)


# --- builds that die -------------------------------------------------------------------------------------------------------------


def processes_of(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(folder) in words:
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_build_that_is_killed_leaves_the_old_site(tmp_path: Path, jobs: str) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("a"))])
    site = build(tmp_path / "site", tmp_path / "in")
    before = site.files
    for number in range(40):
        lines = [event(seq, "message.user", said("user", f"**word** `{seq}` " * 300), run_id=f"r{number}") for seq in range(1, 60)]
        write(tmp_path / "in" / f"{number}.jsonl", lines)
    command = [sys.executable, "-c", "from lakesite.cli import main; main()", "build", str(tmp_path / "in"), "-o", str(tmp_path / "site")]
    process = subprocess.Popen([*command, "--jobs", jobs, "-q"], cwd=ROOT)
    try:
        until(lambda: len(list((tmp_path / "site").glob(".lakesite-*/runs/*"))) >= 3)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = {name: data for name, data in Site(tmp_path / "site").files.items() if not name.startswith(".lakesite-")}
    assert left == before
    until(lambda: not processes_of(tmp_path / "site"), seconds=20)  # nor is any worker left behind
    assert any((tmp_path / "site").glob(".lakesite-*"))
    again = build(tmp_path / "site", tmp_path / "in")
    assert len(again.json["documents"]) == 41
    assert not any((tmp_path / "site").glob(".lakesite-*"))
    assert again.files == build(tmp_path / "other", tmp_path / "in").files


def until(true: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_is_no_longer_in_the_input_goes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / "in" / f"{name}.jsonl", [event(1, "step.started", step("s"), run_id=name)])
    write(tmp_path / "in" / "part-1.ndjson", [row("user", "Hi", 1)])
    first = build(tmp_path / "site", tmp_path / "in")
    leaving = {first.documents["b"]["href"], first.documents["session-a"]["href"]}
    before = first.files.keys()
    (tmp_path / "site" / "CNAME").write_text("mine", encoding="utf-8")
    (tmp_path / "in" / "b.jsonl").unlink()
    (tmp_path / "in" / "part-1.ndjson").unlink()
    second = build(tmp_path / "site", tmp_path / "in")
    assert before - second.files.keys() == leaving
    assert "CNAME" in second.files
    assert not (tmp_path / "site" / "sessions").exists()


# --- long documents --------------------------------------------------------------------------------------------------------------


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
            if anchor:
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


# --- lists -----------------------------------------------------------------------------------------------------------------------


def test_the_index_is_in_order(tmp_path: Path) -> None:
    """Newest first, whatever the kind; roots first, sub-runs nested under theirs and reachable; untimed ones last."""
    for number, name in enumerate(["old", "new", "middle"]):
        at = {"old": 10, "new": 30, "middle": 20}[name]
        lines = [
            event(
                1,
                "step.call_workflow.started",
                step("c", "call_workflow"),
                run_id=name,
                child_run_id=f"child of {name}",
                timestamp=stamp(at),
            )
        ]
        write(tmp_path / "in" / f"{number}.jsonl", lines)
        child = [event(1, "step.started", step("c"), run_id=f"child of {name}", parent_run_id=name, timestamp=stamp(at + 50))]
        write(tmp_path / "in" / f"{number}c.jsonl", child)
    write(tmp_path / "in" / "untimed.jsonl", [event(1, "step.started", step("u"), run_id="untimed", timestamp=None)])
    write(tmp_path / "in" / "p.ndjson", [row("user", "Session between", 25), row("assistant", "x", 26)])
    site = build(tmp_path / "site", tmp_path / "in")
    hrefs = {name: document["href"] for name, document in site.documents.items()}
    index = [link for link in site.page("index.html").links if link in hrefs.values()]
    assert index == [hrefs[name] for name in ("new", "session-a", "middle", "old", "untimed")]
    everything = [link for link in site.page("all.html").links if link in hrefs.values()]
    names = ["new", "child of new", "session-a", "middle", "child of middle", "old", "child of old", "untimed"]
    assert everything == [hrefs[name] for name in names]
    assert "all.html" in site.page("index.html").links
    assert "1 sub-workflow" in site.page("index.html").text


def test_the_problems_page_names_file_line_and_reason(tmp_path: Path) -> None:
    good = event(1, "step.started", step("a"))
    write(tmp_path / "in" / "a.jsonl", [good, "garbage", b"\x00" * 9, "[]", event(2, "step.paused", step("a")), {"x": 1}])
    write(tmp_path / "in" / "notes.txt", ["words"])
    (tmp_path / "in" / "link").symlink_to("a.jsonl")
    site = build(tmp_path / "site", tmp_path / "in")
    text = site.page("problems.html").text
    for kind, file, line in site.problems():
        assert f"{file}:{line}" in text, kind
    assert site.problems() == [
        ("malformed-line", "a.jsonl", 2), ("zero-bytes", "a.jsonl", 3), ("not-an-object", "a.jsonl", 4), ("not-an-event", "a.jsonl", 6),
        ("unknown-type", "a.jsonl", 5),
    ]  # fmt: skip
    assert "notes.txt" in text
    assert "a symbolic link" in text
    assert [(item["file"], bool(item["reason"])) for item in site.json["skipped"]] == [("link", True), ("notes.txt", True)]
    own = site.page().text
    assert "a.jsonl:2" in own


def test_thousands_of_problems_are_counted_not_listed(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "step.started", step("a")), *["garbage"] * 5000])
    site = build(tmp_path / "site", tmp_path / "in")
    assert site.only["counts"]["problems"] == 5000
    assert len(site.json["problems"]) == 5000
    assert "4,8" in site.page().text
    assert all(len(data) < 900_000 for name, data in site.files.items() if name.endswith(".html"))


# --- site.json -------------------------------------------------------------------------------------------------------------------

COUNTS = {
    "events", "repeated", "steps", "messages", "calls", "results", "paired", "exchanges", "router", "agent", "merged", "no_result",
    "no_call", "extra_result", "positional", "errors", "hook_decisions", "hook_blocks", "receipts", "unfinished", "masked", "problems",
}  # fmt: skip
FIELDS = {
    "kind", "id", "href", "parts", "title", "status", "status_source", "started", "ended", "parent", "children", "missing",
    "interruption", "models", "project", "counts", "tokens",
}  # fmt: skip
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z")


def test_the_shape_of_site_json(plain: Site) -> None:
    found = plain.json
    assert set(found) == {"format", "documents", "problems", "skipped"}
    assert found["format"] == 1
    runs = {document["id"] for document in found["documents"] if document["kind"] == "run"}
    for document in found["documents"]:
        own = FIELDS | ({"runtime"} if document["kind"] == "session" else set()) | ({"part"} if document["id"] is None else set())
        assert set(document) == own
        assert document["kind"] in ("run", "session")
        assert document["status"] in ("completed", "failed", "cancelled", "unfinished", "unknown")
        assert document["status_source"] in ("recorded", "state", "audit", "parent", "derived")
        assert document["interruption"] in ("unanswered", "cut_off_mid_tool", None)
        assert set(document["counts"]) == COUNTS
        assert all(type(count) is int and count >= 0 for count in document["counts"].values())
        assert set(document["tokens"]) == {"in", "out", "reported", "of"}
        assert (document["tokens"]["reported"] == 0) == (document["tokens"]["in"] is document["tokens"]["out"] is None)
        assert document["href"] == document["parts"][0]
        assert all(part in plain.files for part in document["parts"])
        assert all(time is None or TIME.fullmatch(time) for time in (document["started"], document["ended"]))
        assert set(document["children"]) <= runs
        assert document["parent"] is None or document["parent"] in runs
        assert not set(document["missing"]) & runs
        assert document["title"]
    for problem in found["problems"]:
        assert set(problem) == {"kind", "note", "file", "line", "what", "about", "document"}
        assert problem["document"] is None or problem["document"] in plain.files
    assert all(set(item) == {"file", "reason"} for item in found["skipped"])


def test_site_json_is_read_line_by_line(plain: Site) -> None:
    """One document a line, so that it can be looked at with ordinary tools."""
    lines = plain.files["site.json"].decode().splitlines()
    documents = [json.loads(line.rstrip(",")) for line in lines if line.startswith('{"kind":') and '"href"' in line]
    assert documents == plain.json["documents"]


def test_counts_add_up(plain: Site) -> None:
    for document in plain.json["documents"]:
        counts = document["counts"]
        if document["kind"] == "run":
            assert counts["router"] + counts["agent"] - counts["merged"] <= counts["exchanges"]
        assert counts["paired"] <= min(counts["calls"], counts["results"]) or document["kind"] == "run"
        own = [problem for problem in plain.json["problems"] if problem["document"] == document["href"]]
        assert counts["problems"] == len(own)


# --- counted by others -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def genuine(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site of all genuine and hand-made data beside the checkout."""
    folder = tmp_path_factory.mktemp("genuine") / "site"
    done = lakesite("build", shared / "data", "-o", folder, "-q", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    return Site(folder)


def test_the_site_agrees_with_what_others_counted(genuine: Site, shared: Path) -> None:
    facts = [shared / "data" / kind / more / "facts.json" for kind in ("awf", "lake") for more in ("", "spec-samples")]
    command = [
        sys.executable,
        str(shared / "tools" / "compare_site.py"),
        str(genuine.folder),
        *map(str, facts),
        "--texts",
        str(shared / "data"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert [line for line in lines[:-1] if "not readable" not in line] == []
    agree, differ = re.match(r"(\d+) counts agree, (\d+) differ", lines[-1]).groups()  # type: ignore[union-attr]
    assert (int(agree) > 3000, differ, done.returncode) == (True, "0", 0)


def test_without_companions_the_parent_and_the_steps_decide(shared: Path, tmp_path: Path) -> None:
    shutil.copytree(shared / "data" / "awf" / "storage" / "transcripts", tmp_path / "in" / "runs")
    build(tmp_path / "site", tmp_path / "in")
    command = [
        sys.executable,
        str(shared / "tools" / "compare_site.py"),
        str(tmp_path / "site"),
        str(shared / "data" / "awf" / "facts.json"),
    ]
    done = subprocess.run([*command, "--transcripts-only"], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[:-1] == []


LAKE_RULES = (
    re.compile(r"\b[A-Z][A-Z0-9_]{2,}=[A-Za-z0-9+/=_-]{16,}"),
    re.compile(r"\b[a-z]{2,7}-[A-Za-z0-9_-]{20,}"),
    re.compile(r"[A-Za-z0-9+/=_-]{40,}"),
)


def caught_by_the_lake(secret: str) -> bool:
    """Whether one of the Lake's three rules catches a secret by itself, whole."""
    if any(rule.fullmatch(secret) for rule in LAKE_RULES[:2]):
        return True
    groups = {"a" if c.islower() else "A" if c.isupper() else "0" if c.isdigit() else "-" for c in secret}
    return bool(LAKE_RULES[2].fullmatch(secret)) and len(set(secret)) >= 16 and len(groups) >= 3


def test_no_planted_secret_of_the_lakes_rules_is_in_any_byte(genuine: Site, shared: Path) -> None:
    planted = {
        line for path in (shared / "data").glob("*/planted-secrets.txt") for line in path.read_text(encoding="utf-8").splitlines() if line
    }
    caught = {secret for secret in planted if caught_by_the_lake(secret)}
    assert len(caught) > 30
    everything = "\n".join([*genuine.files, *(data.decode("utf-8") for data in genuine.files.values())])
    everything += "\n".join(unpacked(everything))
    assert [secret[:6] for secret in sorted(caught) if secret in everything] == []


def unpacked(text: str) -> list[str]:
    """What is packed in pages: the middles of long texts."""
    import base64  # noqa: PLC0415 -- only here
    import zlib  # noqa: PLC0415 -- only here

    return [zlib.decompress(base64.b64decode(piece), -15).decode("utf-8") for piece in re.findall(r'data-z="([^"]+)"', text)]
