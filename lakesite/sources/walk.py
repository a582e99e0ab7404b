"""Which files and folders there are in what was given: their names, nothing of what they hold."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from lakesite.errors import UsageError

SETTLED = 2_000_000_000
"""Nanoseconds after which a further change of a file would show in its times, on any file system."""


def stamp(paths: Sequence[Path], leave_out: Path | None = None) -> str | None:
    """A digest that changes whenever anything changes in what was given, told by names, sizes and times alone.

    None where something was changed so lately that a further change might not show, or where a path cannot be used.
    """
    settled = time.time_ns() - SETTLED
    digest = blake2b(digest_size=16)
    try:
        roots = [root_of(path) for path in paths]
        found = [(path, unwanted or "") for root in roots for path, _, unwanted in walk(root, "", leave_out)]
        for path, about in (*found, *((path, "beside") for path in beside_of(roots)), *((root, "given") for root in roots)):
            status = path.lstat()
            if max(status.st_mtime_ns, status.st_ctime_ns) > settled and about != "given":
                return None
            seen = (status.st_mode, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            digest.update(repr((os.fsencode(path), about, seen if about != "given" else ())).encode())
    except (OSError, UsageError):
        return None
    return digest.hexdigest()


def root_of(path: Path) -> Path:
    """Where a path that was given leads to. UsageError where it leads nowhere."""
    try:
        return path.resolve(strict=True)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file or folder") from error
    except (OSError, RuntimeError, ValueError) as error:  # no permission, a loop of links, a name that cannot be
        raise UsageError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'not a path'})") from error


def walk(root: Path, prefix: str, leave_out: Path | None) -> Iterator[tuple[Path, str, str | None]]:
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
        yield root / folder, prefix + folder, f"a folder that cannot be read ({error.strerror})"


def _unwanted(path: Path) -> str | None:
    if path.is_symlink():
        return "a symbolic link; give it as a path of its own to follow it"
    if path.name.startswith(".") and path.is_dir():
        return "a hidden folder"
    return None


def beside_of(roots: Sequence[Path]) -> Iterator[Path]:
    """State files and audit trails that stand beside transcripts of which only a part was given."""
    for root in roots:
        folder = root if root.is_dir() else root.parent
        if folder.name != "transcripts":
            continue
        storage = folder.parent
        states = storage / "states"
        if states.is_dir() and not states.is_symlink():
            yield from sorted(path for path in states.iterdir() if path.suffix == ".json" and not path.is_symlink())
        for trail in (storage / "audit.jsonl", storage.parent / "audit.jsonl"):
            if trail.is_file() and not trail.is_symlink():
                yield trail
