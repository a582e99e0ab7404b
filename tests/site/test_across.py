"""What was caught in one document and stands in another: told without a word of it, or masked there, too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lakesite.options import MaskSettings
from lakesite.site.across import Look, read_again
from tests.site.builds import Site, build, call, event, lakesite, result, row, said, step, write
from tests.site.planting import made

if TYPE_CHECKING:
    from pathlib import Path

PASSWORD = f"{made(5, 21)}!{made(5, 22)}7"
TOKEN = f"ghp_{made(36, 23)}"
LOGIN = f"psql postgres://app:{PASSWORD}@db.internal/x"

SHOWN = {
    "text": [event(1, "message.user", said("user", f"I typed {PASSWORD} and it worked"))],
    "Markdown": [event(1, "message.assistant", said("assistant", f"It is **{PASSWORD[:4]}**{PASSWORD[4:]}, *I think*"))],
    "code": [event(1, "message.assistant", said("assistant", f"```python\nx = open('{PASSWORD}')\n```"))],
    "JSON": [event(1, "tool.call", call("c1", "Type", {"keys": f"{PASSWORD}\n"}))],
    "a fold": [
        event(1, "tool.call", call("c1")),
        event(2, "tool.result", result("c1", "\n".join(f"line {n} {PASSWORD if n == 2_000 else n * n}" for n in range(4_000)))),
    ],
    "a long line": [event(1, "tool.call", call("c1")), event(2, "tool.result", result("c1", f"{'abc, ' * 200_000}{PASSWORD}"))],
    "an unknown field": [event(1, "message.user", said("user", "hi"), note=f"typed {PASSWORD} there")],
}
"""Ways in which a page shows a text."""


def records(events: list[dict[str, object]], run: str) -> list[dict[str, object]]:
    return [{**each, "run_id": run} for each in events]


def two(folder: Path, shown: list[dict[str, object]], login: str = LOGIN) -> Path:
    """A run that uses a password where syntax says what it is, and one that shows it."""
    write(folder / "a.jsonl", records([event(1, "message.user", said("user", login))], "run-a"))
    write(folder / "b.jsonl", records(shown, "run-b"))
    return folder


def told(site: Site) -> list[dict[str, object]]:
    return [problem for problem in site.json["problems"] if problem["kind"] == "readable-elsewhere"]


def everything(site: Site) -> bytes:
    return b"\0".join([*site.files.values(), *(name.encode() for name in site.files)])


@pytest.mark.parametrize("how", SHOWN)
def test_it_is_told(how: str, tmp_path: Path) -> None:
    site = build(tmp_path / "site", two(tmp_path / "in", SHOWN[how]))
    (problem,) = told(site)
    assert problem["document"] == site.documents["run-b"]["href"]
    assert problem["note"] is False
    assert f"[masked:credential:{len(PASSWORD)}:00000000] is masked in {site.documents['run-a']['href']} and readable in" in problem["what"]
    assert PASSWORD not in json.dumps(site.json)
    assert site.documents["run-b"]["counts"]["problems"] == 1
    assert f"masked in {site.documents['run-a']['href']}" in site.page("problems.html").text


@pytest.mark.parametrize("how", SHOWN)
@pytest.mark.parametrize("jobs", [1, 3])
def test_or_it_is_masked_there_too(how: str, jobs: int, tmp_path: Path) -> None:
    site = build(tmp_path / "site", two(tmp_path / "in", SHOWN[how]), mask_across=True, jobs=jobs, verify=True)
    assert [problem["document"] for problem in told(site)] == ([site.documents["run-b"]["href"]] if how == "Markdown" else [])
    assert PASSWORD.encode() not in everything(site)
    assert site.documents["run-b"]["counts"]["masked"] == (how != "Markdown")  # emphasis stands inside of it: seen, yet not masked


@pytest.mark.parametrize("count", [3, 300], ids=["few", "many"])
def test_few_values_are_found_as_many_are(count: int, tmp_path: Path) -> None:
    secrets = [f"{made(6, seed)}!{made(4, seed + 1000)}7" for seed in range(count)]
    masked = [event(number, "message.user", said("user", f"password: {each}")) for number, each in enumerate(secrets, 1)]
    texts = (f"I typed <{secrets[0]}>", f"```python\nlogin('{secrets[1]}')\n```", "<script>", f"{secrets[2]}</SCRIPT>")
    shown = [event(number, "message.assistant", said("assistant", text)) for number, text in enumerate(texts, 1)]
    write(tmp_path / "in/a.jsonl", records(masked, "run-a"))
    write(tmp_path / "in/b.jsonl", records(shown, "run-b"))
    site = build(tmp_path / "site", tmp_path / "in")
    assert [problem["document"] for problem in told(site)] == [site.documents["run-b"]["href"]] * 3


@pytest.mark.parametrize("others", [0, 300], ids=["few", "many"])
def test_values_of_which_one_reads_as_the_other_does_in_json_are_both_found(others: int, tmp_path: Path) -> None:
    shown = {"a.html": r'<p>ab"cdefg12</p>', "b.html": r'<p>"ab\"cdefg12"</p>', "c.html": r'<p>"ab\\\"cdefg12"</p>'}
    for name, page in shown.items():
        (tmp_path / name).write_text(page, encoding="utf-8")
    values = ('ab"cdefg12', r"ab\"cdefg12", *(f"other-{number:03}" for number in range(others)))
    look = Look(values, tuple((number, (name,)) for number, name in enumerate(shown)))
    assert read_again(look, tmp_path) == [(0,), (0, 1), (1,)]


def test_a_conversation_is_searched_too(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "message.user", said("user", f"the key {TOKEN}, ok"))])
    bare = TOKEN[:20]
    write(tmp_path / "in" / "part-1.ndjson", [row("user", f"export GH={TOKEN} {bare}", 1)])
    site = build(tmp_path / "site", tmp_path / "in")
    assert told(site) == []  # both catch it themselves
    write(tmp_path / "in" / "part-2.ndjson", [row("assistant", f"It took {PASSWORD}, and went on.", 1, session_id="session-b")])
    write(tmp_path / "in" / "part-3.ndjson", [row("user", LOGIN, 1, session_id="session-c")])
    site = build(tmp_path / "more", tmp_path / "in")
    assert [problem["document"] for problem in told(site)] == [site.documents["session-b"]["href"]]


def test_every_document_that_masks_it_is_counted(tmp_path: Path) -> None:
    folder = two(tmp_path / "in", SHOWN["text"])
    write(folder / "c.jsonl", records([event(1, "message.user", said("user", f"again {LOGIN}"))], "run-c"))
    (problem,) = told(build(tmp_path / "site", folder))
    assert "and 1 more document and readable in" in str(problem["what"])


def test_short_and_plain_values_are_not_looked_for(tmp_path: Path) -> None:
    folder = two(tmp_path / "in", [event(1, "message.user", said("user", "the password is sunflower, says ab1!"))], "--password sunflower")
    write(folder / "c.jsonl", records([event(1, "message.user", said("user", "mysql --password ab1!"))], "run-c"))
    assert told(build(tmp_path / "site", folder)) == []


@pytest.mark.parametrize("more", [{}, {"mask_across": True}], ids=["told", "masked"])
def test_the_same_bytes_with_any_number_of_jobs(more: dict[str, bool], tmp_path: Path) -> None:
    folder = two(tmp_path / "in", [each for shown in SHOWN.values() for each in shown])
    for number in range(40):
        write(folder / f"{number}.jsonl", records([event(1, "message.user", said("user", f"{PASSWORD} {number}"))], f"run-{number}"))
    one, several = (build(tmp_path / f"site{jobs}", folder, jobs=jobs, **more) for jobs in (1, 4))
    assert one.files == several.files
    assert len(told(one)) == (1 if more else 41)


def test_strict_fails(tmp_path: Path) -> None:
    folder = two(tmp_path / "in", SHOWN["text"])
    done = lakesite("build", folder, "-o", tmp_path / "site", "--strict")
    assert done.returncode == 1
    assert PASSWORD.encode() not in done.stdout + done.stderr
    assert lakesite("build", folder, "-o", tmp_path / "site", "--strict", "--mask-across").returncode == 0


def test_a_secret_in_a_title_goes_with_the_rest(tmp_path: Path) -> None:
    shown = [event(1, "message.user", said("user", LOGIN), path=f"flow {PASSWORD}"), event(2, "message.user", said("user", "x"))]
    write(tmp_path / "in" / "a.jsonl", shown)
    site = build(tmp_path / "site", tmp_path / "in")
    assert PASSWORD not in json.dumps(site.json)
    assert PASSWORD not in site.pages["index.html"].raw


def test_with_homes_and_machines_hidden_too(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "message.user", said("user", LOGIN))])
    rows = [row("user", f"cd /home/marguerite/x; typed {PASSWORD} on harbor-nine", 1, machine="harbor-nine.corp")]
    write(tmp_path / "in" / "part-1.ndjson", rows)
    site = build(tmp_path / "site", tmp_path / "in", mask_across=True, mask=MaskSettings(publish=True))
    assert told(site) == []
    assert [word for word in (PASSWORD, "marguerite", "harbor-nine") if word.encode() in everything(site)] == []


def test_what_is_in_a_state_file_and_in_the_audit_trail_counts(tmp_path: Path) -> None:
    write(tmp_path / "storage" / "transcripts" / "a.jsonl", records([event(1, "step.started", step("a"))], "run-a"))
    write(tmp_path / "storage" / "transcripts" / "b.jsonl", records([event(1, "message.user", said("user", "hi"))], "run-b"))
    steps = {"a": {"Status": "failed", "Output": LOGIN}}
    write(tmp_path / "storage" / "states" / "run-a.json", [{"WorkflowID": "run-a", "WorkflowName": "flow", "States": steps}])
    ended = {"event": "workflow.completed", "execution_id": "run-b", "status": "failure", "error": f"it said {PASSWORD} again"}
    write(tmp_path / "storage" / "audit.jsonl", [ended])
    site = build(tmp_path / "told", tmp_path / "storage")
    assert [problem["document"] for problem in told(site)] == [site.documents["run-b"]["href"]]
    site = build(tmp_path / "masked", tmp_path / "storage", mask_across=True)
    assert told(site) == []
    assert PASSWORD.encode() not in everything(site)
