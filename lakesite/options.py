"""Every setting of a build."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


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
    secret_formats: Path | None = None
    """The file that replaces the Lake's three rules (`TRANSCRIPT_LAKE_SECRET_FORMATS`)."""


def usable_cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1
