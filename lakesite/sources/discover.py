"""From the paths that were given to the files that hold something: told by content, in a stable order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lakesite.masking import Masker
from lakesite.sources.files import FileKind, NotOurs, Skipped, SourceFile, in_utf8, recognise
from lakesite.sources.walk import beside_of, root_of, walk


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that was given, sorted."""

    files: tuple[SourceFile, ...]
    """By name."""
    skipped: tuple[Skipped, ...]

    def of(self, kind: FileKind) -> tuple[SourceFile, ...]:
        """The files of one kind."""
        return tuple(file for file in self.files if file.kind == kind)


def discover(paths: Sequence[Path], masker: Masker, *, leave_out: Path | None = None) -> Found:
    """Find the source files in `paths`. `leave_out` is a folder that is not looked into: the site being written.

    UsageError where a path does not exist. A symbolic link is followed only where it is itself a path that was given.
    """
    files: dict[tuple[int, int], SourceFile] = {}
    skipped: list[Skipped] = []
    beside: list[Path] = []
    for path in paths:
        root = root_of(path)
        beside.append(root)
        prefix = f"{root.name}/" if len(paths) > 1 and root.is_dir() else ""
        for found, shown, unwanted in walk(root, prefix, leave_out):
            name = masker.name(in_utf8(shown))
            kind = NotOurs(unwanted) if unwanted else recognise(found)
            if isinstance(kind, NotOurs):
                skipped.append(Skipped(name, kind.reason))
            elif identity := _identity(found):
                files.setdefault(identity, SourceFile(str(found), name, kind))
            else:
                skipped.append(Skipped(name, "gone meanwhile"))
    for found in beside_of(beside):
        kind = recognise(found)
        identity = _identity(found)
        if (kind == "state" or kind == "audit") and identity:  # noqa: PLR1714 -- so the type is narrowed
            name = masker.name(in_utf8(f"{found.parent.name}/{found.name}" if kind == "state" else found.name))
            files.setdefault(identity, SourceFile(str(found), name, kind, beside=True))
    return Found(
        files=tuple(sorted(files.values(), key=lambda file: (file.name, file.path))),
        skipped=tuple(sorted(skipped, key=lambda item: (item.name, item.reason))),
    )


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from any other, whatever way leads to it; None where it is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
