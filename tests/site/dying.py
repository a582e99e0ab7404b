"""Builds that are killed: from some step on they can do nothing any more on the disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from lakesite.site.output import Output

if TYPE_CHECKING:
    from collections.abc import Callable

CHANGING = ("open", "mkdir", "rmdir", "unlink", "replace", "chmod", "link")
"""What changes something on the disk, and `open`."""


class DiesError(BaseException):
    """The build is gone: no clean-up runs."""


def dies(step: int, build: Callable[[], object], *, publishing: bool = False) -> bool:
    """Let a build do so many steps on the disk, none of them more; tells whether it needed more.

    `publishing`: steps are counted from where it begins to put its files in place.
    """
    counted = not publishing
    left = step

    def mortal(change: Callable[..., object]) -> Callable[..., object]:
        def changed(*args: object, **options: object) -> object:
            nonlocal left
            if counted and not left:
                raise DiesError
            left -= counted
            return change(*args, **options)

        return changed

    def publish(output: Output, memory: Callable[[], str] | None = None) -> None:
        nonlocal counted
        counted = True
        publish_files(output, memory)

    publish_files = Output.publish
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Output, "publish", publish)
        for name in CHANGING:
            patch.setattr(os, name, mortal(getattr(os, name)))
        try:
            build()
        except DiesError:
            return True
    return False
