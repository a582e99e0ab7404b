"""Every setting of a build."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lakesite.errors import UsageError


@dataclass(frozen=True, slots=True)
class MaskSettings:
    """What a user chose about masking."""

    masking: Literal["precise", "strict"] = "precise"
    """`precise` spares shapes that are known to be harmless from the Lake's generic rules; `strict` is the Lake to the letter."""
    fingerprint: Literal["zero", "lake"] = "zero"
    """Whether markers of short passwords keep a fingerprint."""
    mask_env: tuple[str, ...] = ()
    """Names of environment variables whose values are secrets; `NAME?` where it may be unset."""
    mask_files: tuple[Path, ...] = ()
    """Files whose lines are secrets."""
    rules: tuple[Path, ...] = ()
    """Files with further rules."""
    allow_weaker: bool = False
    """Rule files may switch packaged rules off, or take their place."""
    publish: bool = False
    """Home directories, machine names and user names go, too."""
    secret_formats: Path | None = None
    """The file that replaces the Lake's three rules (`TRANSCRIPT_LAKE_SECRET_FORMATS`)."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a build was asked to do."""

    paths: tuple[Path, ...]
    """Run files, partitions, and folders that hold them."""
    out: Path
    """The folder that the site is written to."""
    title: str = "Archive"
    """Title of the index."""
    jobs: int = 1
    """Worker processes."""
    public: bool = False
    """Files are readable by everyone (0755, 0644); else by their owner alone (0700, 0600)."""
    strict: bool = False
    """Problems in the input are a failure."""
    mask: MaskSettings = MaskSettings()
    """How secrets are masked."""
    mask_across: bool = False
    """What is caught in one document is masked in all."""
    search: Literal["full", "no-snippets", "off"] = "full"
    """What is made for search: all of it, no store of texts, nothing."""
    templates: Path | None = None
    """A folder with templates that stand in for packaged ones."""
    verify: bool = False
    """The site is looked through for secrets before it takes the old one's place."""
    no_memory: bool = False
    """Nothing is left in the folder for the next build."""
    full: bool = False
    """Everything is built anew, whatever of the old site could stay."""


def usable_cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1


def named_secrets(settings: MaskSettings, environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """The exact values that the user named, each with where it comes from. UsageError where one is not there."""
    found: list[tuple[str, str]] = []
    for name in settings.mask_env:
        bare = name.removesuffix("?")
        value = environment.get(bare)
        if value:
            found.append((f"--mask-env {bare}", value))
        elif not bare:
            raise UsageError("--mask-env: an empty name (is a variable that it comes from not set?)")
        elif bare == name:
            raise UsageError(f"--mask-env {name}: {'not set' if value is None else 'empty'}; write {name}? if it may be missing or empty")
    for path in settings.mask_files:
        values = _values_of(path)
        if not values:
            raise UsageError(f"--mask-file {path}: no secret in it; write one a line, or leave the file out")
        found += values
    return found


def _values_of(path: Path) -> list[tuple[str, str]]:
    """A file's values: its lines; of a key in several lines the whole."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # else a mark of order would be part of the first value, which then is not found
    except OSError as error:
        raise UsageError(f"--mask-file {path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise UsageError(f"--mask-file {path}: not UTF-8 text") from error
    if text.lstrip().startswith("-----BEGIN"):
        return [(f"--mask-file {path}", text)]
    return [(f"--mask-file {path}:{number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
