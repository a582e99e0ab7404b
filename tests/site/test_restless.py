"""Files that change while a site is built from them: a problem of their document, and no loss of any other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lakesite.masking import Masker
from lakesite.site import build as building
from lakesite.site import documents, run_task, session_task
from tests.site.builds import Site, build, event, row, said, step, write
from tests.site.planting import made

LINES = 40


def archive(folder: Path) -> Path:
    for name in ("a", "b"):
        events = [event(seq, "message.user", said("user", f"word {seq} of {name}"), run_id=name) for seq in range(2, LINES)]
        told = event(LINES, "message.user", said("user", f"password: {made(20)}"), run_id=name)
        write(folder / f"{name}.jsonl", [event(1, "step.started", step("s"), run_id=name), *events, told])
        rows = [row("user", f"row {number} of {name}", number, session_id=f"s-{name}") for number in range(LINES)]
        rows.append(row("user", f"password: {made(20)}", LINES, session_id=f"s-{name}"))
        write(folder / f"part-{name}.ndjson", rows)
    return folder


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def inside_a_record(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def garbled(path: Path) -> None:
    path.write_bytes(b"x" * path.stat().st_size)


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def shifted(path: Path) -> None:
    path.write_bytes(b"\n\n" + path.read_bytes())


def exchanged(path: Path) -> None:
    """Another run, another conversation, in its place: that is no part of this one."""
    path.write_bytes(path.read_bytes().replace(b'"run_id": "a"', b'"run_id": "z"').replace(b'"s-a"', b'"s-z"'))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


CHANGES: list[Callable[[Path], None]] = [halved, inside_a_record, garbled, zeroed, shifted, exchanged, emptied, Path.unlink, a_folder]
MOMENTS = [
    (building, "companions"),  # between the scan and all that follows
    (Masker, "second_pass"),  # between what is caught and where it is looked for
    (documents, "forest"),  # between a run's first reading and its page
    (run_task, "resolve_run"),  # between a run's entries and its events
    (session_task, "resolve_session"),
]


def build_while(moment: tuple[object, str], change: Callable[[], None], monkeypatch: pytest.MonkeyPatch, out: Path, given: Path) -> Site:
    """Build, and let something happen when a certain part of lakesite is called."""
    module, name = moment
    kept = getattr(module, name)

    def changing(*arguments: object, **named: object) -> object:
        change()
        return kept(*arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(module, name, changing)
        return build(out, given)


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment[1])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", ["a.jsonl", "part-a.ndjson"])
def test_a_file_that_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, moment: tuple[object, str], change: Callable[[Path], None]
) -> None:
    given = archive(tmp_path / "in")
    control = build(tmp_path / "control", given)
    done: list[bool] = []

    def once() -> None:
        if not done:
            done.append(True)
            change(given / name)

    site = build_while(moment, once, monkeypatch, tmp_path / "out", given)
    for other in {"a", "b", "s-a", "s-b"} - {"a" if name == "a.jsonl" else "s-a"}:
        assert site.text(site.documents[other]) == control.text(control.documents[other])
    ours = site.documents["a" if name == "a.jsonl" else "s-a"]
    missed = [number for number in range(2, LINES) if f"{number} of a" not in site.text(ours)]
    told = [problem for problem in site.json["problems"] if problem["document"] == ours["href"] and problem["kind"] == "unreadable"]
    assert bool(missed) <= bool(told), "what is missing is told"
    assert all("build again" in problem["what"] and problem["file"] == name for problem in told)
    assert "changed while the site was built" in site.text(ours) or "cannot be read again" in site.text(ours) or not told


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_file_that_changes_while_what_is_caught_goes_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    given, out = archive(tmp_path / "in"), tmp_path / "out"
    build(out, given, mask_across=True)
    with (given / "a.jsonl").open("a") as stream:
        stream.write(json.dumps(event(LINES + 1, "message.user", said("user", "more"), run_id="a")) + "\n")
    companions = building.companions

    def changing(*arguments: object) -> object:
        change(given / "a.jsonl")
        return companions(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(building, "companions", changing)
    site = build(out, given, mask_across=True)
    assert {"a", "b", "s-a", "s-b"} <= site.documents.keys()
    assert "row 7 of b" in site.text(site.documents["s-b"])
    ours = [problem["kind"] for problem in site.json["problems"] if problem["document"] == site.documents["a"]["href"]]
    assert "unreadable" in ours


def test_a_file_that_does_not_stop_changing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records are whole whenever its entries are read, and gone when their events are."""
    given = archive(tmp_path / "in")
    whole = (given / "a.jsonl").read_bytes()
    events = run_task.Reader.run_event

    def blinking(self: run_task.Reader, *arguments: object) -> object:
        (given / "a.jsonl").write_bytes(b"y" * len(whole))
        return events(self, *arguments)  # type: ignore[arg-type]

    resolve = run_task.resolve_run

    def whole_again(*arguments: object, **named: object) -> object:
        (given / "a.jsonl").write_bytes(whole)
        return resolve(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(run_task.Reader, "run_event", blinking)
    monkeypatch.setattr(run_task, "resolve_run", whole_again)
    (given / "b.jsonl").unlink()
    site = build(tmp_path / "out", given)
    assert "changed while the site was built" in site.text(site.documents["a"])
    assert [problem["kind"] for problem in site.json["problems"]] == ["unreadable"]
    assert "row 7 of b" in site.text(site.documents["s-b"])


def test_a_file_that_grows_is_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = archive(tmp_path / "in")
    control = build(tmp_path / "control", given)

    def grow() -> None:
        for path in given.iterdir():
            with path.open("ab") as stream:
                stream.write(b'{"seq": 99, "ru')

    for moment in MOMENTS:
        site = build_while(moment, grow, monkeypatch, tmp_path / "out", given)
        assert not [problem for problem in site.json["problems"] if problem["kind"] == "unreadable"]
        for name, document in control.documents.items():
            assert [word for word in control.text(document).split() if word not in site.text(site.documents[name])] == []
        shutil.rmtree(given)
        archive(given)


def test_no_text_of_the_first_attempt_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long texts stand in files of their own: those of an attempt that came to nothing go."""
    given = tmp_path / "in"
    long = "\n".join(f"line {number}" for number in range(60_000))
    events = [event(seq, "message.user", said("user", f"word {seq}\n{long}"), run_id="a") for seq in (1, 2, 3)]
    write(given / "a.jsonl", events)
    loads: list[int] = []
    read = run_task.Reader.run_event

    def reading(self: run_task.Reader, *arguments: object) -> object:
        loads.append(1)
        if len(loads) == 3:
            write(given / "a.jsonl", [event(3, "message.user", said("user", "all that is left"), run_id="a")])
        return read(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run_task.Reader, "run_event", reading)
    site = build(tmp_path / "out", given)
    assert not list(site.folder.rglob("*.txt"))
    assert "changed while the site was built" in site.text()
