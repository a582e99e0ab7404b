"""Settings: from the command line, from the environment, from a file; and what is told of a file that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lakesite.cli import main
from lakesite.masking import Masker, MaskOptions
from tests.site.builds import WORDS, Site, event, run, said, write


def test_where_a_setting_comes_from(good: Path, tmp_path: Path) -> None:
    """The command line goes before the environment, that before the settings file."""
    settings = tmp_path / "lakesite.toml"
    settings.write_text('title = "of the file"\njobs = 1\n', encoding="utf-8")
    given: list[tuple[list[str], dict[str, str], str]] = [
        ([], {}, "of the file"),
        ([], {"LAKESITE_TITLE": "of the environment"}, "of the environment"),
        (["--title", "of the command line"], {"LAKESITE_TITLE": "of the environment"}, "of the command line"),
    ]
    for extra, env, title in given:
        done = run("build", good, "-o", tmp_path / "site", "--config", settings, "-q", *extra, env=env)
        assert done.exit_code == 0, done.output
        assert title in Site(tmp_path / "site").page("index.html").text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("titel = 1", ":1: unknown setting titel; did you mean title?"),
        ("title = ", ":1: Invalid value (at end of document)\n"),
        ('# ours\ntitle = "a\n', ":2: Illegal character '\\n' (column 11)\n"),
        ("title = 'a'\ntitle = 'b'", ":2: "),
        ("\x00", ":1: "),
        ("title = 'a'\nrules = [" + "[" * 9_999, ": nested too deeply"),
        ("[build]\ntitle = 1", ":1: unknown setting build"),
        ("# ours\n\njobs = 0", ":3: jobs: must be a whole number from 1 to 256\n"),
        ('jobs = "2"', ":1: jobs: must be a whole number"),
        ("jobs = true", ":1: jobs: must be a whole number"),
        ("jobs = [2]", ":1: jobs: must be a whole number"),
        ("title = 5", ":1: title: must be a text"),
        ("title = ' '", ":1: title: empty; give one, or leave it out\n"),
        ("out = ''", ":1: out: an empty path"),
        ("rules = ['a', '']", ":1: rules: an empty path"),
        ("title = 2026-01-01", ":1: title: must be a text"),
        ("title = ['a']", ":1: title: must be a text"),
        ("[title]", ":1: title: must be a text"),
        ("strict = 1", ":1: strict: must be true or false"),
        ('publish = "yes"', ":1: publish: must be true or false"),
        ('masking = "lax"', ":1: masking: 'lax' is not one of 'precise', 'strict'."),
        ("search = false", ":1: search: must be a text"),
        ("mask-env = 5", ":1: mask-env: must be a text or a list of texts"),
        ("mask-env = ['A', 5]", ":1: mask-env: must be a text or a list of texts"),
        ("[[mask-env]]\na = 1", ":1: mask-env: must be a text or a list of texts"),
        ("rules = {}", ":1: rules: must be a text or a list of texts"),
        ("rules = '.'", ":1: rules: File '"),
        ('mask-file = "a\\u0000"', ":1: mask-file: "),
        ("templates = 1", ":1: templates: must be a text"),
    ],
)
@pytest.mark.parametrize("command", ["build", "verify", "mask", "config"])
def test_a_settings_file_that_cannot_be_used(tmp_path: Path, command: str, text: str, says: str) -> None:
    settings = tmp_path / "lakesite.toml"
    settings.write_text(text, encoding="utf-8")
    given = {"build": [tmp_path, "-o", tmp_path / "site"], "verify": [tmp_path]}.get(command, [])
    done = run(command, *given, "--config", settings)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"lakesite: {settings}{says}")
    assert not (tmp_path / "site").exists()


def test_a_settings_file_that_is_no_text(tmp_path: Path) -> None:
    settings = tmp_path / "lakesite.toml"
    settings.write_bytes(b"# ours\ntitle = '\xff'")
    done = run("config", "--config", settings)
    assert (done.exit_code, done.stderr) == (2, f"lakesite: {settings}:2: not UTF-8 text; write the file as UTF-8\n")
    settings.write_bytes("\ufefftitle = 'é'".encode())
    assert 'title = "\\u00e9"' in run("config", "--config", settings).stdout


@pytest.mark.parametrize("way", ["beside", "environment", "option"])
@pytest.mark.parametrize("names", ['"HARBOR"', '["HARBOR"]'])
def test_every_command_obeys_the_settings_file(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, names: str) -> None:
    """A secret that is named there is masked by the filter and looked for in a site, and settings of other commands do not matter."""
    assert run("build", good, "-o", tmp_path / "site", "-q").exit_code == 0
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    settings = tmp_path / "here" / ("lakesite.toml" if way == "beside" else "ours.toml")
    settings.write_text(f'mask-env = {names}\ntitle = "Ours"\nsearch = "off"\njobs = 1\nmask-across = true\n', encoding="utf-8")
    extra = ["--config", settings] if way == "option" else []
    env = {"HARBOR": WORDS, **({"LAKESITE_CONFIG": str(settings)} if way == "environment" else {})}
    done = run("verify", tmp_path / "site", *extra, env=env)
    assert done.exit_code == 1
    assert WORDS not in done.output
    masked = CliRunner(env=env).invoke(main, ["mask", *map(str, extra)], input=f"so {WORDS} it is")
    assert (masked.exit_code, masked.stdout) == (0, f"so {Masker(MaskOptions(literals=(WORDS,))).mask(WORDS)} it is")
    told = run("config", *extra, env=env).stdout
    assert f'mask-env = ["HARBOR"]  # {settings}' in told
    assert f'title = "Ours"  # {settings}' in told
    done = run("build", good, "-o", tmp_path / "site", "-q", *extra, env=env)
    assert done.exit_code == 0
    assert run("verify", tmp_path / "site", *extra, env=env).exit_code == 0
    assert "Ours" in Site(tmp_path / "site").page("index.html").text


def test_paths_in_a_settings_file_count_from_its_folder(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = tmp_path / "ours"
    write(ours / "secrets" / "all.txt", [WORDS])
    write(ours / "rules.toml", ["[[allow]]", 'id = "demo"', 'value = "the-demo-password-1"', 'reason = "stands in the handbook"'])
    write(ours / "formats.json", ['{"assignment":null,"token":null,"entropy":null}'])
    write(ours / "pages" / "index.html", ['{% extends "lakesite/index.html" %}'])
    write(ours / "ours.toml", [
        'out = "site"', 'mask-file = "secrets/all.txt"', f'rules = ["rules.toml", "{ours}/rules.toml"]', 'secret-formats = "formats.json"',
        'templates = "pages"',
    ])  # fmt: skip
    monkeypatch.chdir(tmp_path)
    done = run("build", good, "--config", Path("ours", "ours.toml"), "-q")
    assert done.exit_code == 0, done.stderr
    assert all(WORDS.encode() not in data for data in Site(ours / "site").files.values())
    assert json.loads((ours / "site" / "masking.json").read_text(encoding="utf-8"))["settings"]["named"] == 1
    assert 'out = "ours/site"' in run("config", "--config", Path("ours", "ours.toml")).stdout


def test_a_home_in_a_settings_file_is_found(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write(tmp_path / "home" / "secrets.txt", [WORDS])
    write(tmp_path / "ours.toml", ['out = "~/site"', 'mask-file = ["~/secrets.txt"]'])
    assert run("build", good, "--config", tmp_path / "ours.toml", "-q").exit_code == 0
    assert all(WORDS.encode() not in data for data in Site(tmp_path / "home" / "site").files.values())
    write(tmp_path / "ours.toml", ['rules = "~no-such-user/rules.toml"'])
    assert f"{tmp_path}/~no-such-user/rules.toml" in run("config", "--config", tmp_path / "ours.toml").stdout


def test_a_file_of_secrets_may_begin_with_a_mark_of_order(tmp_path: Path) -> None:
    path = tmp_path / "secrets.txt"
    path.write_bytes(f"\ufeff{WORDS}\r\n".encode())
    masked = CliRunner().invoke(main, ["mask", "--mask-file", str(path)], input=f"so {WORDS} it is")
    assert WORDS not in masked.stdout


@pytest.mark.parametrize(
    "text",
    [None, "no JSON", "{}", '{"assignment":null,"token":"(","entropy":null}', '{"assignment":null,"token":null,"entropy":null,"x":1}'],
)
def test_secret_formats_that_cannot_be_used(good: Path, tmp_path: Path, text: str | None) -> None:
    formats = tmp_path / "formats.json"
    if text is not None:
        formats.write_text(text, encoding="utf-8")
    for given in ({"env": {"TRANSCRIPT_LAKE_SECRET_FORMATS": str(formats)}}, {"extra": ["--secret-formats", formats]}):
        done = run("build", good, "-o", tmp_path / "site", *given.get("extra", ()), env=given.get("env"))
        assert done.exit_code == 2
        assert done.stderr.startswith(f"lakesite: secret formats {formats}: ")
    assert not (tmp_path / "site").exists()


def test_secret_formats_replace_the_three_rules(good: Path, tmp_path: Path) -> None:
    formats = tmp_path / "formats.json"
    formats.write_text('{"assignment":null,"token":"zq[0-9]{6}","entropy":null}', encoding="utf-8")
    write(good / "b.jsonl", [event(1, "message.user", said("user", "it is zq814377, yes"), run_id="b")])
    done = run("build", good, "-o", tmp_path / "site", env={"TRANSCRIPT_LAKE_SECRET_FORMATS": str(formats)})
    assert done.exit_code == 0
    assert all(b"zq814377" not in data for data in Site(tmp_path / "site").files.values())


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("--mask-env UNSET", "--mask-env UNSET: not set; write UNSET? if it may be missing or empty"),
        ("--mask-env EMPTY", "--mask-env EMPTY: empty; write EMPTY? if it may be missing or empty"),
        ("--mask-env=", "--mask-env: an empty name"),
        ("--mask-env=?", "--mask-env: an empty name"),
        ("--mask-file empty.txt", "--mask-file empty.txt: no secret in it; write one a line, or leave the file out"),
        ("--mask-file blank.txt", "--mask-file blank.txt: no secret in it"),
    ],
)
@pytest.mark.parametrize("command", ["build", "verify", "mask"])
def test_what_names_no_secret_is_refused(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, names: str, says: str
) -> None:
    """A variable of CI that is not set must not mean that less is masked."""
    assert run("build", good, "-o", tmp_path / "site", "-q").exit_code == 0
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "blank.txt").write_bytes(b"\xef\xbb\xbf\r\n \t\n")
    given = {"build": [good, "-o", tmp_path / "new"], "verify": [tmp_path / "site"]}.get(command, [])
    done = run(command, *given, *names.split(), env={"EMPTY": ""})
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"lakesite: {says}")
    assert not (tmp_path / "new").exists()
    assert run(command, *given, "--mask-env", "EMPTY?", "--mask-env", "UNSET?", env={"EMPTY": ""}).exit_code == 0


def test_the_folder_may_be_named_in_the_environment(good: Path, tmp_path: Path) -> None:
    assert run("build", good, "-q", env={"LAKESITE_OUT": str(tmp_path / "site")}).exit_code == 0
    assert (tmp_path / "site" / "index.html").is_file()


def test_every_setting_is_shown_with_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("config", env={"LAKESITE_JOBS": "3", "LAKESITE_MASK_ENV": "A B?"})
    assert done.exit_code == 0
    shown = dict(line.split(" = ", 1) for line in done.stdout.splitlines())
    assert shown["jobs"] == "3  # environment"
    assert shown["mask-env"] == '["A", "B?"]  # environment'
    assert shown["out"] == shown["templates"] == shown["secret-formats"] == "null  # default"
    assert shown["strict"] == "false  # default"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("LAKESITE_TITEL", "LAKESITE_TITLE"), ("LAKESITE_MASK_ENVS", "LAKESITE_MASK_ENV"), ("LAKESITE_MASK_FILES", "LAKESITE_MASK_FILE"),
        ("LAKESITE_PUBLSH", "LAKESITE_PUBLISH"), ("LAKESITE_RULE", "LAKESITE_RULES"), ("LAKESITE_CONFG", "LAKESITE_CONFIG"),
        ("LAKESITE_SECRET_FORMATS", "TRANSCRIPT_LAKE_SECRET_FORMATS"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["build", "verify", "mask", "config"])
def test_a_misspelled_variable_is_refused(good: Path, tmp_path: Path, command: str, name: str, meant: str) -> None:
    given = {"build": [good, "-o", tmp_path / "site"], "verify": [good]}.get(command, [])
    done = run(command, *given, env={name: "x"})
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"lakesite: {name}: no such variable; did you mean {meant}?\n"
    assert run(command, "--help", env={name: "x"}).exit_code == 0


@pytest.mark.parametrize("name", ["full", "json", "quiet", "verbose", "jsonl", "report"])
@pytest.mark.parametrize("command", ["build", "verify", "mask", "config"])
def test_what_is_for_one_time_only_stands_on_the_command_line_alone(good: Path, tmp_path: Path, command: str, name: str) -> None:
    given = {"build": [good, "-o", tmp_path / "site"], "verify": [good]}.get(command, [])
    says = "stands on the command line alone: it is for one time only\n"
    done = run(command, *given, env={f"LAKESITE_{name.upper()}": "1"})
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"lakesite: LAKESITE_{name.upper()}: {says}")
    settings = tmp_path / "lakesite.toml"
    settings.write_text(f"# ours\n{name} = true", encoding="utf-8")
    done = run(command, *given, "--config", settings)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"lakesite: {settings}:2: {name} {says}")
    assert not (tmp_path / "site").exists()


def test_a_variable_that_is_neither_true_nor_false_is_refused() -> None:
    done = run("config", env={"LAKESITE_STRICT": "maybe"})
    assert done.exit_code == 2
    assert done.stderr.endswith("(env var: 'LAKESITE_STRICT'): must be true or false\n")
    for word, value in (("1", "true"), ("yes", "true"), ("off", "false"), ("", "false")):
        assert f"strict = {value}" in run("config", env={"LAKESITE_STRICT": word}).stdout


def test_variables_of_others_are_left_alone() -> None:
    others = ("BROWSER", "REQUIRE_BROWSER", "AXE", "TEST_VALUE", "VERSION", "SITE", "HOME", "TOKEN", "API_KEY", "DEBUG")
    assert run("config", env={f"LAKESITE_{name}": "x" for name in others}).exit_code == 0


def test_a_site_brings_no_settings(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("build", good, "-o", tmp_path / "site", "-q").exit_code == 0
    (tmp_path / "site" / "lakesite.toml").write_text('fingerprint = "lake"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path / "site")
    done = run("verify", ".")
    assert done.exit_code == 2
    assert "--config" in done.stderr


def test_an_archive_brings_no_settings(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (good / "lakesite.toml").write_text('masking = "strict"\n', encoding="utf-8")
    monkeypatch.chdir(good)
    done = run("build", ".", "-o", tmp_path / "site")
    assert done.exit_code == 2
    assert "--config" in done.stderr
    assert not (tmp_path / "site").exists()
