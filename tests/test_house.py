"""The house rules that no linter knows: what stands where, how large things are, and what no committed file holds."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import click
import pytest

from lakesite.cli import main
from lakesite.settingsfile import settable
from tests import EXAMPLES, ROOT

TOP = {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "lakesite", "templates", "static", "tests", "example_runs", ".ci"}
RUN_TIME = {"jinja2", "markdown-it-py", "pygments", "orjson", "click"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = sorted([*(ROOT / "lakesite").rglob("*.py"), *(ROOT / "tests").rglob("*.py")])

SECRET = re.compile(
    r"""-----BEGIN\ [A-Z ]*PRIVATE\ KEY-----\s+[A-Za-z0-9+/]{40}
    |\b(?:AKIA|ASIA)[A-Z2-7]{16}\b
    |\bgh[opsur]_[A-Za-z0-9]{36}
    |\bgithub_pat_\w{40}
    |\bglpat-[\w-]{20}
    |\b[sr]k_live_[A-Za-z0-9]{16}
    |\bsk-(?:ant|proj)-[\w-]{20}
    |\bxox[abprs]-[0-9]{6}[\w-]+
    |\bAIza[\w-]{35}
    |\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10}""",
    re.VERBOSE,
)


@cache
def committed() -> tuple[Path, ...]:
    """All files that are committed, or would be by `git add --all`."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = [git, "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    return tuple(path for path in map(ROOT.joinpath, filter(None, names)) if path.is_file())


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def test_the_top_level_is_fixed() -> None:
    present = {path.relative_to(ROOT).parts[0] for path in committed()}
    assert {name for name in present if not name.startswith(".")} <= TOP
    assert present >= TOP, f"missing: {sorted(TOP - present)}"


def test_static_files_are_never_ignored() -> None:
    assert "static" not in text_of(ROOT / ".gitignore")


def test_dependencies_are_the_agreed_ones() -> None:
    assert {re.split(r"[<>=~!\[; ]", line)[0].lower() for line in PROJECT["dependencies"]} == RUN_TIME
    assert set(PROJECT["optional-dependencies"]) == {"fast", "test"}


def test_every_ignored_lint_rule_is_explained() -> None:
    lines = text_of(ROOT / "pyproject.toml").partition("[tool.ruff.lint]")[2].splitlines()
    rules = [line for line in lines if re.match(r'\s+"[A-Z]+[0-9]+",', line)]
    assert rules
    assert [line for line in rules if not re.search(r"# \w+", line)] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_and_functions_stay_small(path: Path) -> None:
    source = text_of(path)
    assert path.stem not in {"utils", "util", "helpers", "common", "manager"}
    assert source.count("\n") <= 400
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    long = [f"{node.name}:{node.lineno}" for node in functions if (node.end_lineno or 0) - node.lineno >= 60]
    assert long == []


def test_no_path_of_a_machine_is_committed() -> None:
    places = (str(ROOT), "/work", "/tmp", "/root")  # noqa: S108 -- looked for, not written to
    pattern = re.compile(rf"(?<![\w.~-])(?:{'|'.join(map(re.escape, places))})/")
    ours = (path for path in committed() if EXAMPLES not in path.parents and path.suffix not in {".txt", ".jsonl", ".ndjson"})
    found = {str(path.relative_to(ROOT)): hit.group() for path in ours if (hit := pattern.search(text_of(path)))}
    assert found == {}


def test_no_secret_is_committed() -> None:
    found = {str(path.relative_to(ROOT)): hit.group()[:12] for path in committed() if (hit := SECRET.search(text_of(path)))}
    assert found == {}


def test_no_planted_secret_is_committed(shared: Path) -> None:
    planted = [line for path in shared.glob("data/*/planted-secrets.txt") for line in text_of(path).splitlines() if line]
    assert planted
    texts = {str(path.relative_to(ROOT)): text_of(path) for path in committed()}
    assert [name for name, text in texts.items() if any(secret in text for secret in planted)] == []


def test_the_examples_are_small() -> None:
    assert sum(path.stat().st_size for path in committed() if EXAMPLES in path.parents) <= 1_000_000


def test_the_examples_are_all_described() -> None:
    readme = text_of(EXAMPLES / "README.md")
    files = [path for path in committed() if EXAMPLES in path.parents and path.name != "README.md"]
    assert [path.name for path in files if path.stem.removeprefix("part-")[:8] not in readme] == []


def commands() -> dict[str, list[click.Option]]:
    """The options of each command."""
    every = main.commands.items()
    return {name: [param for param in command.params if isinstance(param, click.Option) and not param.hidden] for name, command in every}


def test_every_command_is_documented() -> None:
    readme = text_of(ROOT / "README.md")
    for name, command in main.commands.items():
        assert f"lakesite {name}" in readme
        assert command.help
    assert [option.opts for options in commands().values() for option in options if not option.help] == []


def test_every_option_is_documented() -> None:
    """README's table of options names each, with the commands that have it, and none besides."""
    rows = re.findall(r"^\| (.*`--.*) \| ([a-z ]+) \| .+ \|$", text_of(ROOT / "README.md"), re.MULTILINE)
    told = {(name, written) for cell, names in rows for written in re.findall(r"`(--?[a-z-]+)", cell) for name in names.split()}
    assert told == {(name, written) for name, options in commands().items() for option in options for written in option.opts}


def test_what_a_settings_file_can_give_the_environment_can_give_too() -> None:
    """Both but for what is for one time only, and for the settings file itself."""
    alone = {"--full", "--json", "--quiet", "--verbose", "--jsonl", "--report"}
    for options in commands().values():
        assert {written for option in options if not option.envvar for written in option.opts if written.startswith("--")} <= alone
    known = {f"--{name}" for name in settable(main.commands["build"])} | {"--config"} | alone
    assert {written for options in commands().values() for option in options for written in option.opts if written[:2] == "--"} == known
