"""Looking through a written site: what was put into it by hand is found wherever it stands, and nothing of it is told."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from lakesite.errors import UsageError
from lakesite.masking import MaskOptions, mask_text, named_literals
from lakesite.site import verify_packed
from lakesite.site.verify import Leak, verify
from tests.site.builds import build, call, event, lakesite, result, said, step, write
from tests.site.planting import PASSWORD, PLACES, SECRETS, TOKEN, deflated, in_file, in_page, made, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MASKING = MaskOptions()
STRICT = MaskOptions(mode="strict")


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site without a leak."""
    folder = tmp_path_factory.mktemp("clean")
    write(folder / "in" / "a.jsonl", [
        event(1, "step.started", step("review")),
        event(2, "message.user", said("user", "Look at `a.py` and tell what is wrong.")),
        event(3, "tool.call", call("c1", given={"command": "ls -la"})),
        event(4, "tool.result", result("c1", "a.py\nb.py")),
        event(5, "step.completed", step("review")),
    ])  # fmt: skip
    return build(folder / "site", folder / "in").folder


@pytest.fixture
def site(clean: Path, tmp_path: Path) -> Path:
    """A copy of it, to put something into."""
    return shutil.copytree(clean, tmp_path / "site")


def told(leaks: Iterable[Leak]) -> str:
    return "\n".join(map(str, leaks))


def naming(*values: str) -> MaskOptions:
    return replace(MASKING, literals=named_literals(("here", value) for value in values))


# --- planting --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", SECRETS)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_planted_is_found(site: Path, place: str, family: str) -> None:
    kind, plant = PLACES[place]
    plant(SECRETS[family])(site)
    leaks = verify(site, MASKING)
    assert kind in {leak.place for leak in leaks}
    assert all(leak.marker.startswith("[masked:") for leak in leaks)
    assert [part for part in pieces_of(SECRETS[family]) if part in told(leaks)] == []


def test_a_leak_says_where_it_is_and_what_masking_would_write(site: Path) -> None:
    (page,) = (site / "runs").glob("*.html")
    html = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r'(id="e-3".*?<code>)', rf"\1{TOKEN} ", html, count=1, flags=re.DOTALL), encoding="utf-8")
    (leak,) = verify(site, MASKING)
    assert leak == Leak(f"runs/{page.name}", "text", "e-3", mask_text(TOKEN), leak.rule)
    assert leak.rule
    assert str(leak) == f"runs/{page.name}#e-3: text: {mask_text(TOKEN)} ({leak.rule})"


def test_a_secret_found_in_one_place_is_a_leak_wherever_it_stands_in_the_file(site: Path) -> None:
    in_page(f"<p>mysql --password {PASSWORD}</p><p>it said {PASSWORD} again</p><!-- {PASSWORD} -->")(site)
    assert {leak.place for leak in verify(site, MASKING)} == {"text", "comment"}


def test_a_forged_marker_hides_nothing(site: Path) -> None:
    in_page(f"<p>[masked:token:{TOKEN}:00000000]</p>")(site)
    (leak,) = verify(site, MASKING)
    assert TOKEN[4:12] not in str(leak)


def test_the_middle_of_a_text_is_read_with_its_head(site: Path) -> None:
    """The name of a value stands in the head of a fold, the value in its middle, and its end in the tail."""
    head, middle, tail = PASSWORD[:3], PASSWORD[3:9], PASSWORD[9:]
    plain = f'<details class="fold"><summary>… 1 more line</summary><pre class="out">{middle}</pre></details>'
    packed = f'<details class="fold" data-z="{deflated(middle)}"><summary>… 1 more line</summary><p>scripts only</p></details>'
    for fold, place in ((plain, "text"), (packed, "packed text")):
        other = shutil.copytree(site, site.with_name(place.replace(" ", "-")))
        in_page(f'<pre class="out">mysql --password {head}</pre>{fold}<pre class="out">{tail} -h db</pre>')(other)
        assert [(leak.place, leak.marker) for leak in verify(other, MASKING)] == [(place, f"[masked:credential:{len(PASSWORD)}:00000000]")]


def test_more_than_can_be_unpacked_is_told(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_packed, "LARGEST", 10_000)
    in_file("search/0.js", f'f("{deflated("words " * 9_000)}")')(site)
    assert told(verify(site, MASKING)) == "search/0.js: packed text: too large to be looked into"


@pytest.mark.parametrize(
    ("before", "at"),
    [("</title>", ""), ("</h1>", ""), ("Keys <kbd>", "help"), ("a.py\nb.py", "e-3"), ("</main>", "main"), ("</footer>", "")],
)
def test_where_it_stands_is_told_by_the_element_around_it(site: Path, before: str, at: str) -> None:
    (page,) = (site / "runs").glob("*.html")
    html = page.read_text(encoding="utf-8")
    assert html.count(before) == 1
    page.write_text(html.replace(before, f"{TOKEN} {before}"), encoding="utf-8")
    assert {(leak.place, leak.at) for leak in verify(site, MASKING)} == {("text", at)}


# --- names -----------------------------------------------------------------------------------------------------------------------


def test_the_name_of_a_file(site: Path) -> None:
    name = f"runs/{TOKEN}-a.txt"
    in_file(name, TOKEN)(site)
    leaks = verify(site, MASKING)
    assert {leak.place for leak in leaks} == {"file name", "file"}
    assert TOKEN[4:] not in told(leaks)


def test_a_named_value_in_the_name_of_a_file_is_in_lower_case(site: Path) -> None:
    value = "Harbor Lights 99"
    in_file("runs/review-harbor-lights-99-0a1b2c3d4e.html", "<p>nothing</p>")(site)
    assert verify(site, MASKING) == ()
    (leak,) = verify(site, naming(value))
    assert leak.place == "file name"
    assert "lights" not in str(leak)


def test_identities_take_no_generic_rules(tmp_path: Path) -> None:
    """Ids that look like tokens, in every place where a page names them; the strict mode masks their like anywhere else."""
    odd = [f"task-{made(24, seed)}" for seed in range(3)]
    runs = [event(1, "run.started", run_id=odd[0]), event(2, "run.started", run_id=odd[1], parent_run_id=odd[0])]
    write(tmp_path / "in" / f"{odd[0]}.jsonl", [runs[0], event(2, "step.started", step("a"), run_id=odd[0], child_run_id=odd[2])])
    write(tmp_path / "in" / f"part-{made(30, 7)}.jsonl", [runs[1], "garbage"])
    site = build(tmp_path / "site", tmp_path / "in", mask=replace_mode("strict"))
    assert all(run in str(site.json) for run in odd)
    assert verify(site.folder, STRICT) == ()
    in_file("more.txt", f"task-{made(24, 99)}")(site.folder)
    assert len(verify(site.folder, STRICT)) == 1


def replace_mode(mode: str) -> object:
    from lakesite.options import MaskSettings  # noqa: PLC0415 -- only here

    return MaskSettings(masking=mode)  # type: ignore[arg-type]


def test_digests_in_the_policy_are_those_of_the_page(site: Path) -> None:
    assert verify(site, STRICT) == ()
    (page,) = (site / "runs").glob("*.html")
    html = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"(script-src \S+?sha256-)", rf"\g<1>{made(43, 5)}=' 'sha256-", html, count=1), encoding="utf-8")
    assert [leak.place for leak in verify(site, STRICT)] == ["attribute"]


# --- what was chosen -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        lambda value: f"<p>{value}</p>",
        lambda value: f'<p title="{value}">x</p>',
        lambda value: f"<p>{quote(value)}</p>",
        lambda value: f"<p>{value.encode().hex()}</p>",
        lambda value: f"<p>{json.dumps(json.dumps(value))}</p>",
        lambda value: f'<p data-z="{deflated(f"so {value} it is")}"></p>',
        lambda value: f"<p>{value[:6]}<i class=s>{value[6:]}</i></p>",
    ],
    ids=["text", "attribute", "URL", "hex", "JSON", "packed", "coloured"],
)
def test_named_values_in_all_their_spellings(site: Path, written: object) -> None:
    value = "quiet harbor é lights"
    in_page(written(value))(site)  # type: ignore[operator]
    assert verify(site, MASKING) == ()
    leaks = verify(site, naming(value))
    assert leaks
    assert "harbor" not in told(leaks)


def test_homes_and_users_where_they_are_to_be_hidden(site: Path) -> None:
    in_page("<p>/home/marguerite/a</p>")(site)
    assert verify(site, MASKING) == ()
    (leak,) = verify(site, replace(MASKING, publish=True))
    assert "marguerite" not in str(leak)


def test_the_fingerprint_of_a_short_password_is_a_leak(site: Path) -> None:
    in_page("<p>[masked:credential:9:0a1b2c3d]</p>")(site)
    (leak,) = verify(site, MASKING)
    assert leak.marker == "[masked:credential:9:00000000]"
    assert verify(site, replace(MASKING, fingerprint="lake")) == ()


# --- what cannot be read ---------------------------------------------------------------------------------------------------------


def test_there_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        verify(tmp_path / "site", MASKING)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="file: not a folder; give the folder that a build was told with -o"):
        verify(tmp_path / "file", MASKING)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no file in it"):
        verify(tmp_path / "empty", MASKING)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_stops_it(site: Path) -> None:
    (site / "index.html").chmod(0)
    with pytest.raises(UsageError, match=r"index\.html: cannot be read"):
        verify(site, MASKING)


def test_what_is_no_file_is_left_alone(site: Path) -> None:
    os.mkfifo(site / "pipe")
    (site / "nowhere").symlink_to(site / "missing")
    assert verify(site, MASKING) == ()


def test_damaged_lists_of_the_site_are_read_as_texts(site: Path) -> None:
    for name in ("site.json", "manifest.json"):
        (site / name).write_text("[" * 5_000 + TOKEN, encoding="utf-8")
    assert {leak.file for leak in verify(site, MASKING)} == {"site.json", "manifest.json"}


# --- the command -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_command_finds_the_same_with_any_number_of_jobs(site: Path, jobs: int) -> None:
    for place in ("text", "attribute", "data file"):
        PLACES[place][1](TOKEN)(site)
    done = lakesite("verify", site, "--jobs", jobs)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [str(leak) for leak in verify(site, MASKING)]
    assert TOKEN.encode() not in done.stdout + done.stderr
    assert done.stderr.decode().endswith(" found\n")


@pytest.mark.parametrize(
    ("name", "content"),
    [("index.html", "<p>a page"), ("manifest.json", '{"name": "an app", "icons": []}'), ("manifest.json", "[" * 9_999)],
)
def test_the_command_refuses_what_is_no_site(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    done = lakesite("verify", tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"not a site of lakesite" in done.stderr


def test_the_command_wants_a_folder(tmp_path: Path) -> None:
    done = lakesite("verify", tmp_path / "none")
    assert done.returncode == 2
    assert b"no such folder" in done.stderr


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_build_that_verifies_with_several_jobs(jobs: int, tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", [event(1, "message.user", said("user", TOKEN))])
    done = lakesite("build", tmp_path / "in", "-o", tmp_path / "site", "--verify", "--jobs", jobs)
    assert done.returncode == 0
