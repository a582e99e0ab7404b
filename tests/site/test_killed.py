"""Builds that are killed while they put their files in place: whatever was done, the next one ends in the site that a fresh one gives."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from lakesite.site import build as building
from lakesite.site.output import MEMORY, read_manifest
from tests.site.builds import build, event, write
from tests.site.dying import dies
from tests.site.histories import rebuilt

if TYPE_CHECKING:
    from pathlib import Path

EVERY = 3
"""From one step at which a build is killed to the next; neighbours are much alike."""


def source(folder: Path, *names: str, text: str) -> Path:
    """An archive of runs, each of which says something."""
    for path in folder.glob("*.jsonl"):
        path.unlink()
    for name in names:
        write(folder / f"{name}.jsonl", [event(1, "run.started", {"name": f"{name} {text}"}, run_id=name)])
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """All that stands in a folder but what the next build remembers, by times that differ."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != MEMORY}


@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.parametrize("first", [True, False], ids=["first build", "later build"])
def test_a_build_that_is_killed_is_made_up_for(tmp_path: Path, *, first: bool, interrupted: bool) -> None:
    archive = tmp_path / "in"
    for step in count(0, EVERY):
        site = tmp_path / f"site-{step}"
        if not first:
            build(site, source(archive, "stays", "changes", "goes", text="old"), jobs=1)
        source(archive, "stays", "changes", "comes", text="new")
        alive = not dies(step, lambda site=site: build(site, archive, jobs=1), publishing=True)  # type: ignore[misc]
        assert all((site / name).is_file() for name in read_manifest(site) or ()), "no page is missing"
        source(archive, "stays", "changes", text="newest")
        if interrupted:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(building, "_gather", stopped)
                with pytest.raises(KeyboardInterrupt):
                    build(site, archive, jobs=1)
        again, anew = rebuilt(site, archive, {"jobs": 1}), build(tmp_path / f"anew-{step}", archive, jobs=1)
        assert files(again.folder) == files(anew.folder), step
        if alive:
            assert step > 10 * EVERY
            return


def stopped(*_: object) -> None:
    raise KeyboardInterrupt
