"""Looking through a whole site for what should be masked, on several processes."""

from __future__ import annotations

from pathlib import Path

from lakesite.errors import UsageError
from lakesite.masking import MaskOptions
from lakesite.site.output import MANIFEST, read_manifest
from lakesite.site.verify import Leak, verify
from lakesite.site.workers import Progress, run_all, workers


def verify_site(site: Path, masking: MaskOptions, jobs: int, progress: Progress) -> tuple[Leak, ...]:
    """Look through a site that stands. UsageError where the folder holds none."""
    if site.is_dir() and read_manifest(site) is None:
        raise UsageError(f"{site}: not a site of lakesite: no {MANIFEST} of one in it; give the folder that a build was told with -o")
    return leaks_in(site, masking, jobs, progress)


def leaks_in(site: Path, masking: MaskOptions, jobs: int, progress: Progress) -> tuple[Leak, ...]:
    """What is readable in a folder of pages and should be masked."""
    with workers(jobs) as pool:
        return verify(
            site, masking, each=lambda look, files: run_all(pool, look, files, lambda done: progress("verifying", done, len(files)))
        )
