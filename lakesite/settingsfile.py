"""The file that can hold settings: where it may stand, and what it may say."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import click

from lakesite.errors import UsageError
from lakesite.tomlfile import line_of, read_toml

CONFIG_NAME = "lakesite.toml"
PREFIX = "LAKESITE_"
"""How variables begin that give settings."""
_ALONE = "stands on the command line alone: it is for one time only"
_CLOSE = 0.7
_EXPECTED: dict[type, str] = {bool: "true or false", int: "a whole number", str: "a text"}


def settable(command: click.Command) -> dict[str, click.Option]:
    """The options that a settings file can give, by their names in it: all that the environment can give, too."""
    options = (param for param in command.params if isinstance(param, click.Option) and param.envvar and param.name != "config")
    return {max(option.opts, key=len).lstrip("-"): option for option in options}


def for_one_time(commands: Iterable[click.Command]) -> frozenset[str]:
    """The options that stand on the command line alone, by their names: neither a settings file nor the environment gives them."""
    options = (param for command in commands for param in command.params if isinstance(param, click.Option))
    return frozenset(max(option.opts, key=len).lstrip("-") for option in options if not option.envvar and option.expose_value)


def read_settings(path: Path, known: Mapping[str, click.Option], alone: Collection[str]) -> dict[str, object]:
    """The settings in a file, by the names of their parameters. UsageError with `file:line` where one cannot be used.

    `alone` are options that it cannot give.
    """
    source, settings = read_toml(path)
    found: dict[str, object] = {}
    for name, value in settings.items():
        where = f"{path}:{line_of(source, name)}"
        if name in alone:
            raise UsageError(f"{where}: {name} {_ALONE}")
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(known))}"
            raise UsageError(f"{where}: unknown setting {name}; {hint}")
        try:
            found[str(known[name].name)] = _setting(known[name], value, path.parent)
        except click.BadParameter as error:
            raise UsageError(f"{where}: {name}: {error.message}") from error
        except ValueError as error:
            raise UsageError(f"{where}: {name}: {error}") from error
    return found


def refuse_useless(names: Iterable[str], known: Mapping[str, click.Parameter], alone: Iterable[str]) -> None:
    """UsageError where a variable is named as an option is that it cannot give, or close to one that it can.

    What is neither is someone else's.
    """
    in_vain = {_variable(name) for name in alone}
    variables = {_variable(name): str(option.envvar) for name, option in known.items()}
    for name in sorted(names):
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) in in_vain:
            raise UsageError(f"{name}: {_ALONE}")
        if name.startswith(PREFIX) and name not in variables.values():
            close = difflib.get_close_matches(name.removeprefix(PREFIX), variables, 1, _CLOSE)
            if close:
                raise UsageError(f"{name}: no such variable; did you mean {variables[close[0]]}?")


def _variable(name: str) -> str:
    """An option as variables name it, behind their beginning."""
    return name.replace("-", "_").upper()


def _setting(option: click.Option, value: object, folder: Path) -> object:
    """A value as an option takes it; paths count from the folder of the file. ValueError or BadParameter where it is of no use."""
    wanted = bool if option.is_flag else int if isinstance(option.type, click.IntRange) else str
    values = value if option.multiple and isinstance(value, list) else [value]
    if any(type(each) is not wanted for each in values):
        raise ValueError(f"must be {_EXPECTED[wanted]}" + (" or a list of texts" if option.multiple else ""))
    if isinstance(option.type, click.Path):
        values = [str(folder / os.path.expanduser(each)) if each else "" for each in map(str, values)]  # noqa: PTH111 - `Path` raises where there is no such user
    for each in values:
        option.type.convert(each, option, None)
    return values if option.multiple else values[0]


def settings_beside(paths: Collection[Path], folder: Path) -> Path | None:
    """The settings file that stands in a folder, if there is one.

    UsageError where it stands inside what is to be read: an archive must not be able to weaken its own masking.
    """
    path = folder / CONFIG_NAME
    if not path.is_file():
        return None
    for given in paths:
        if given.is_dir() and path.resolve().is_relative_to(given.resolve()):
            raise UsageError(f"{CONFIG_NAME} stands inside the input {given}; give it with --config if it is yours")
    return path
