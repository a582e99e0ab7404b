"""The command line: parse, call, print, exit code."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import click

from lakesite import __version__
from lakesite.errors import LakesiteError, TaskError
from lakesite.options import Options, usable_cores

_REPORT = "This is a fault of lakesite. Please report it with the version and what -v prints; it holds nothing of your transcripts."


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s")
def main() -> None:
    r"""Turn records of AI-agent work into a website.

    \b
    lakesite build storage/transcripts -o site      runs of a project
    lakesite build ~/lake/data -o site              an archive of sessions
    """


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", "out", required=True, type=click.Path(path_type=Path), help="Folder that the site is written to.")
@click.option("--title", default="Archive", show_default=True, help="Title of the index.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Worker processes. Default: one for each usable core.")
@click.option("--public", is_flag=True, help="Make the files readable by everyone (0755, 0644). Default: by you alone.")
@click.option("--strict", is_flag=True, help="Exit with 1 where the input had problems.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Print a traceback where lakesite itself fails.")
def build(  # noqa: PLR0913 - one argument an option
    paths: tuple[Path, ...],
    out: Path,
    title: str,
    jobs: int | None,
    *,
    public: bool,
    strict: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    r"""Build a site from run files, partitions, and folders that hold them.

    \b
    lakesite build run.jsonl -o report              one run
    lakesite build storage -o site --public         all runs of a project, for a web server
    lakesite build awf/ lake/ -o site --strict      both kinds together; fail on damaged input
    """
    from lakesite.site import report  # noqa: PLC0415 - so that --help starts at once
    from lakesite.site.build import build as build_site  # noqa: PLC0415

    formats = os.environ.get("TRANSCRIPT_LAKE_SECRET_FORMATS")
    options = Options(
        paths=paths,
        out=out,
        title=_in_utf8(title),
        jobs=jobs or usable_cores(),
        public=public,
        strict=strict,
        secret_formats=Path(formats) if formats else None,
    )
    show = report.progress_bar(sys.stderr) if sys.stderr.isatty() and not quiet else report.no_progress()
    try:
        with show as progress:
            built = build_site(options, progress)
    except LakesiteError as error:
        if error.exit_code == LakesiteError.exit_code:
            _fail(error, verbose=verbose)
        click.echo(f"lakesite: {_visible(str(error))}", err=True)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets a message and a code
        _fail(error, verbose=verbose)
    found = report.figures(built, out)
    if not quiet:
        click.echo(report.in_words(found), err=True)
    if as_json:
        click.echo(json.dumps(found))
    sys.exit(1 if strict and found["problems"] else 0)


def _in_utf8(argument: str) -> str:
    """An argument as it can be written down: a byte of it that is not UTF-8 becomes U+FFFD."""
    return os.fsencode(argument).decode("utf-8", "replace")


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
