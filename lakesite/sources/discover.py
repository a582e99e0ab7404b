"""From the paths that were given to the files that hold something: told by content, in a stable order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from lakesite.errors import UsageError
from lakesite.masking import Masker
from lakesite.sources.files import FileKind, Skipped, SourceFile, in_utf8, recognise


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
        root = _root(path)
        beside.append(root)
        prefix = f"{root.name}/" if len(paths) > 1 and root.is_dir() else ""
        for found, shown, unwanted in _walk(root, prefix, leave_out):
            name = masker.name(in_utf8(shown))
            kind = unwanted or recognise(found)
            identity = None if kind.startswith("skipped: ") else _identity(found)
            if identity is None:
                skipped.append(Skipped(name, kind.removeprefix("skipped: ") if kind.startswith("skipped: ") else "gone meanwhile"))
            else:
                files.setdefault(identity, SourceFile(str(found), name, cast("FileKind", kind)))
    for found in _companions(beside):
        kind = recognise(found)
        identity = _identity(found)
        if kind in ("state", "audit") and identity:
            name = masker.name(in_utf8(f"{found.parent.name}/{found.name}" if kind == "state" else found.name))
            files.setdefault(identity, SourceFile(str(found), name, cast("FileKind", kind), beside=True))
    return Found(
        files=tuple(sorted(files.values(), key=lambda file: (file.name, file.path))),
        skipped=tuple(sorted(skipped, key=lambda item: (item.name, item.reason))),
    )


def _root(path: Path) -> Path:
    try:
        return path.resolve(strict=True)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file or folder") from error
    except (OSError, RuntimeError, ValueError) as error:  # no permission, a loop of links, a name that cannot be
        raise UsageError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'not a path'})") from error


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from any other, whatever way leads to it; None where it is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _walk(root: Path, prefix: str, leave_out: Path | None) -> Iterator[tuple[Path, str, str | None]]:
    """Every file below a folder (or the one file), with the name to show; and what is not looked into, with the reason."""
    if not root.is_dir():
        yield root, root.name, None
        return
    avoided = leave_out.resolve() if leave_out else None
    unreadable: list[OSError] = []
    for folder, folders, names in os.walk(root, onerror=unreadable.append):
        here = Path(folder)
        below = prefix + here.relative_to(root).as_posix() + "/" if here != root else prefix
        unwanted = {name: reason for name in (*folders, *names) if (reason := _unwanted(here / name))}
        folders[:] = sorted(name for name in folders if name not in unwanted and here / name != avoided)
        for name in sorted({*names, *unwanted}):
            yield here / name, below + name, unwanted.get(name)
    for error in unreadable:
        folder = os.path.relpath(error.filename, root)
        yield root / folder, prefix + folder, f"skipped: a folder that cannot be read ({error.strerror})"


def _unwanted(path: Path) -> str | None:
    if path.is_symlink():
        return "skipped: a symbolic link; give it as a path of its own to follow it"
    if path.name.startswith(".") and path.is_dir():
        return "skipped: a hidden folder"
    return None


def _companions(roots: Sequence[Path]) -> Iterator[Path]:
    """State files and audit trails that stand beside transcripts of which only a part was given."""
    for root in roots:
        folder = root if root.is_dir() else root.parent
        if folder.name != "transcripts":
            continue
        storage = folder.parent
        names = {f"{root.stem}.json"} if root.is_file() else None
        states = storage / "states"
        if states.is_dir() and not states.is_symlink():
            yield from sorted(path for path in states.iterdir() if not path.is_symlink() and (names is None or path.suffix == ".json"))
        for trail in (storage / "audit.jsonl", storage.parent / "audit.jsonl"):
            if trail.is_file() and not trail.is_symlink():
                yield trail
