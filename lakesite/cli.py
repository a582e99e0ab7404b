"""The command line: parse, call, print, exit code."""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from click.core import ParameterSource

from lakesite import __version__
from lakesite.errors import LakesiteError, LeakError, TaskError, UsageError
from lakesite.options import MaskSettings, Options, usable_cores
from lakesite.settingsfile import PREFIX, for_one_time, read_settings, refuse_useless, settable, settings_beside

_REPORT = "This is a fault of lakesite. Please report it with the version and what -v prints; it holds nothing of your transcripts."
_EXAMPLES = """\b
Examples:
  lakesite build storage/transcripts -o site      runs of a project
  lakesite build ~/lake/data -o site              an archive of sessions
"""
_BUILD_EXAMPLES = """\b
Examples:
  lakesite build run.jsonl -o report              one run
  lakesite build storage -o site --public         all runs of a project, for a web server
  lakesite build storage -o site --search off     pages alone
  lakesite build awf/ lake/ -o site --strict      both kinds together; fail on problems
"""
_SOURCES = {
    ParameterSource.ENVIRONMENT: "environment",
    ParameterSource.DEFAULT_MAP: "settings file",
    ParameterSource.DEFAULT: "default",
}
_ALLOCATIONS = 20_000
"""New objects after which garbage is looked for."""
_INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _config_given(context: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Let a settings file give what neither the command line nor the environment does; what is not for this command does not matter."""
    known = settable(build)
    try:
        alone = for_one_time(main.commands.values())
        refuse_useless(os.environ, {**known, "config": param}, alone)
        found = path or settings_beside(_inputs_given(context), Path.cwd())
        context.default_map = read_settings(found, known, alone) if found else {}
    except LakesiteError as error:
        _refuse(error)
    return found


def _inputs_given(context: click.Context) -> list[Path]:
    """What is to be read, which is parsed before the settings file is looked for."""
    site = context.params.get("site")
    return [*context.params.get("paths", ()), *([site] if site else [])]


def _option(*names: str, **settings: Any) -> Callable[[_Command], _Command]:  # noqa: ANN401 - passed on to click
    """An option that the environment can give, too: `LAKESITE_` and its name."""
    name = max(names, key=len).lstrip("-").replace("-", "_").upper()
    if settings.get("is_flag"):
        settings["type"] = _Flag()
    return click.option(*names, envvar=f"{PREFIX}{name}", show_envvar=True, **settings)


class _Path(click.Path):
    """A path. An empty one would be the current folder, and mostly comes from a variable that was not set."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - of click
        """Refuse an empty path."""
        if value == "":
            self.fail("an empty path (is a variable that it comes from not set?)", param, ctx)
        return super().convert(value, param, ctx)


class _Title(click.types.StringParamType):
    """A text that can be shown and written down: a byte of it that is not UTF-8 becomes U+FFFD."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401 - of click
        """Refuse a text without a word."""
        if not value.strip():
            self.fail("empty; give one, or leave it out", param, ctx)
        return os.fsencode(value).decode("utf-8", "replace")


class _Count(click.IntRange):
    """A whole number within bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - of click
        """Refuse anything else."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"must be a whole number from {self.min} to {self.max}", param, ctx)


class _Flag(click.types.BoolParamType):
    """Yes or no, as a variable says it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - of click
        """Refuse anything else, with fewer words than click has for each."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail("must be true or false", param, ctx)


_PATH = _Path(path_type=Path)
_FILE = _Path(path_type=Path, dir_okay=False)
_config_option = click.option(
    "--config", type=_FILE, is_eager=True, callback=_config_given, envvar=f"{PREFIX}CONFIG", show_envvar=True,
    help="Settings file (TOML). Default: lakesite.toml in the current folder.",
)  # fmt: skip
_jobs_option = _option("--jobs", type=_Count(1, 256), default=None, help="Worker processes. Default: one for each usable core.")
_MASK_OPTIONS = (
    _option("--masking", type=click.Choice(["precise", "strict"]), default="precise", show_default=True,
            help="Spare shapes known to be harmless from the generic rules, or nothing."),
    _option("--fingerprint", type=click.Choice(["zero", "lake"]), default="zero", show_default=True,
            help="Whether markers of short passwords keep a fingerprint."),
    _option("--mask-env", multiple=True, metavar="NAME", help="Environment variable whose value is a secret; NAME? if it may be unset."),
    _option("--mask-file", "mask_files", multiple=True, type=_FILE, help="File whose lines are secrets."),
    _option("--rules", multiple=True, type=_FILE, help="File with further rules (TOML)."),
    _option("--allow-weaker", is_flag=True, help="Let rule files switch packaged rules off, take their place, or spare random keys."),
    _option("--publish", is_flag=True, help="Hide home directories, machine names and user names, too."),
    click.option("--secret-formats", type=_FILE, default=None, envvar="TRANSCRIPT_LAKE_SECRET_FORMATS", show_envvar=True,
                 help="File that replaces the Lake's three rules (JSON)."),
)  # fmt: skip


def _mask_options(command: _Command) -> _Command:
    for option in reversed(_MASK_OPTIONS):
        command = option(command)
    return command


def _mask_settings(values: dict[str, Any]) -> MaskSettings:
    """Take the settings of masking out of a command's values."""
    return MaskSettings(**{name: values.pop(name) for name in MaskSettings.__slots__})


class _Stoppable(click.Group):
    """Commands that can be stopped: each way has its exit code, and none tells anything recorded."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - of click
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("lakesite: interrupted", err=True)
            sys.exit(_INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except OSError as error:
            _refuse(UsageError(f"what was given cannot be read, or the output cannot be written ({error.strerror})"))
        except Exception as error:  # noqa: BLE001 - whatever it is, the user gets a message and a code
            _fail(error, verbose=False)


@click.group(cls=_Stoppable, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EXAMPLES)
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s")
def main() -> None:
    """Turn records of AI-agent work into a website."""


@main.command(epilog=_BUILD_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, is_eager=True, type=_PATH)
@_option("-o", "--out", "out", required=True, type=_PATH, help="Folder that the site is written to.")
@_config_option
@_option("--title", default="Archive", show_default=True, type=_Title(), help="Title of the index.")
@_jobs_option
@_option("--search", type=click.Choice(["full", "no-snippets", "off"]), default="full", show_default=True,
         help="Make the site searchable; without snippets it is smaller.")
@_option("--templates", type=_Path(path_type=Path, file_okay=False), default=None,
         help="Folder with templates that stand in for lakesite's own, file by file.")
@_option("--public", is_flag=True, help="Make the files readable by everyone (0755, 0644). Default: by you alone.")
@_option("--strict", is_flag=True, help="Exit with 1 where the input had problems; notes are none.")
@_option("--mask-across", is_flag=True, help="Mask what is caught in one document in all of them; reads everything once more.")
@_option("--verify", is_flag=True, help="Look through the site for secrets before it takes the old one's place.")
@_option("--no-memory", is_flag=True, help="Leave nothing in the folder for the next build: all of it can be given away.")
@click.option("--full", is_flag=True, help="Build everything anew, whatever of the old site could stay.")
@_mask_options
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors; not together with -v.")
@click.option("-v", "--verbose", is_flag=True, help="Print why each page was written or went, and a traceback where lakesite itself fails.")
def build(as_json: bool, quiet: bool, verbose: bool, config: Path | None, jobs: int | None, **values: Any) -> None:  # noqa: ANN401, FBT001 - click calls it
    """Build a site from run files, partitions, and their folders."""
    from lakesite.site import report  # noqa: PLC0415 - so that --help starts at once
    from lakesite.site.unchanged import unchanged  # noqa: PLC0415

    del config  # it has given its values already
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    options = Options(mask=_mask_settings(values), jobs=jobs or usable_cores(), **values)
    show = report.progress_bar(sys.stderr) if sys.stderr.isatty() and not quiet else report.no_progress()
    try:
        with show as progress:
            found = unchanged(options) or _built(options, progress, quiet=quiet, verbose=verbose)
    except LakesiteError as error:
        _refuse(error, verbose=verbose)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets a message and a code
        _fail(error, verbose=verbose)
    if not quiet:
        click.echo(report.in_words(found), err=True)
    if as_json:
        click.echo(json.dumps(found))
    if options.strict and found["problems"]:
        click.echo(report.strict_in_words(found), err=True)
        sys.exit(1)


def _built(options: Options, progress: Callable[[str, int, int], None], *, quiet: bool, verbose: bool) -> dict[str, int | str]:
    """Build, and say what is odd about that; gives the figures."""
    from lakesite.site.build import build as build_site  # noqa: PLC0415 - so that nothing is loaded where nothing is to do

    gc.freeze()  # what is loaded stays, and rows hold no cycles: looking for garbage so often costs a twentieth of the time
    gc.set_threshold(_ALLOCATIONS)
    built = build_site(options, progress)
    told = [built.note] if built.note and not quiet else []
    if verbose:  # addresses are made from masked texts and digests alone
        told += [f"{href}: {why}" for href, why in built.rebuilt]
        told += [f"{href}: nothing that was given makes it any more" for href in built.gone]
    for line in told:
        click.echo(_visible(line), err=True)
    return built.figures


@main.command()
@_config_option
@click.pass_context
def config(context: click.Context, config: Path | None) -> None:
    """Show every setting, and where its value comes from."""
    given = click.Context(build, default_map=context.default_map)
    for name, option in sorted(settable(build).items()):
        try:
            value, _ = option.handle_parse_result(given, {}, [])
        except click.MissingParameter:
            value = None
        source = given.get_parameter_source(str(option.name))
        where = str(config) if source is ParameterSource.DEFAULT_MAP else _SOURCES.get(source, "default") if source else "default"
        click.echo(f"{name} = {json.dumps(value, default=str)}  # {where}")


@main.command()
@click.argument("site", is_eager=True, type=_PATH)
@_config_option
@_jobs_option
@_mask_options
def verify(site: Path, config: Path | None, jobs: int | None, **values: Any) -> None:  # noqa: ANN401 - click calls it
    """Look through a site for anything that masking would hide.

    Exit code 0: nothing found; 1: found, and listed without a word of it; 2: the folder is no site, or an option cannot be used.
    """
    from lakesite.site.report import no_progress, progress_bar  # noqa: PLC0415
    from lakesite.site.settings import mask_options  # noqa: PLC0415
    from lakesite.site.verify_site import verify_site  # noqa: PLC0415

    del config  # it has given its values already
    show = progress_bar(sys.stderr) if sys.stderr.isatty() else no_progress()
    try:
        with show as progress:
            leaks = verify_site(site, mask_options(_mask_settings(values)), jobs or usable_cores(), progress)
    except LakesiteError as error:
        _refuse(error)
    for leak in leaks:
        click.echo(str(leak))
    click.echo(f"{len(leaks)} found" if leaks else "nothing found; best effort: review before sharing", err=True)
    sys.exit(1 if leaks else 0)


def _no_file(_context: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> None:
    if given:
        raise click.UsageError(f"it reads standard input: lakesite mask < {_visible(given[0])}")


@main.command()
@click.argument("given", nargs=-1, metavar="< FILE", expose_value=False, callback=_no_file)
@click.option("--jsonl", is_flag=True, help="Lines of JSON: only their strings change, every other byte stays.")
@click.option("--report", is_flag=True, help="Tell on standard error what was masked, by class and rule.")
@_config_option
@_mask_options
def mask(*, jsonl: bool, report: bool, config: Path | None, **values: Any) -> None:  # noqa: ANN401 - click calls it
    """Mask standard input and write it to standard output."""
    from lakesite.site.settings import mask_options  # noqa: PLC0415
    from lakesite.site.stream import Stream, in_words  # noqa: PLC0415

    del config  # it has given its values already
    try:
        stream = Stream(mask_options(_mask_settings(values)))
    except LakesiteError as error:
        _refuse(error)
    source, target = sys.stdin.buffer, sys.stdout.buffer
    for piece in stream.jsonl(source) if jsonl else stream.text(source):
        target.write(piece)
    target.flush()
    if report:
        click.echo(in_words(stream.findings), err=True)


def _refuse(error: LakesiteError, *, verbose: bool = False) -> NoReturn:
    if error.exit_code == LakesiteError.exit_code:
        _fail(error, verbose=verbose)
    for line in (f"lakesite: {error}", *(error.places if isinstance(error, LeakError) else ())):
        click.echo(_visible(line), err=True)
    sys.exit(error.exit_code)


def _visible(message: str) -> str:
    """A message with every character that a terminal would act on as its code: it may name a file."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in message)


def _fail(error: BaseException, *, verbose: bool) -> NoReturn:
    """A fault of lakesite itself. Its words may hold recorded text, so only its kind and its place are told."""
    kind, frames = (error.kind, error.frames) if isinstance(error, TaskError) else (type(error).__name__, ())
    click.echo(f"lakesite: {kind}. {_REPORT}", err=True)
    if verbose:
        click.echo("".join((*traceback.format_tb(error.__traceback__), *frames)), err=True)
    sys.exit(LakesiteError.exit_code)
