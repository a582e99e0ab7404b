"""The output folder: whose it is, how files get into it, and what is ours to remove.

Everything is written into a staging folder beside its target first. At the end each file is renamed into its place, the
manifest last; only then does what is no longer part of the site go. A build that dies leaves the old site as it was. What
it put in place or had to take away stays on record in its staging folder, until a later build has finished with it.
Two builds cannot write to one folder at once: it is locked, and the lock goes with the build, however that ends.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Self
from weakref import finalize

from lakesite.errors import OutputError

if sys.platform != "win32":  # there, nothing keeps two builds apart
    import fcntl

MANIFEST = "manifest.json"
MEMORY = "lakesite-memory.json"
"""What the next build is to know, see `unchanged`. It is no part of the site: it belongs to this folder alone."""
_FORMAT = 1
STAGING = ".lakesite-"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_TOGETHER = 1 << 17
_OURS = re.compile(r"(?:[a-z0-9][a-z0-9.-]{0,99}/){0,4}[a-z0-9][a-z0-9.-]{0,99}")
"""The names that we give: a forged manifest must not make us remove anything else."""


class Output:
    """A folder that a site is written to; others can write to it once it is closed."""

    def __init__(self, folder: Path, *, public: bool) -> None:
        """OutputError where the folder holds something that is not ours, is in use, or cannot be written to."""
        self.folder = folder
        self._directory_mode, self._file_mode = (0o755, 0o644) if public else (0o700, 0o600)
        self._placing = False
        with no_output(folder):
            self._missing = [part for part in (folder, *folder.parents) if not part.exists()]
            self._claimed(self._placed(self._leftovers()))
            self._make(folder)
            self._unlock = self._lock()
            self._records = self._leftovers()
            placed = self._placed(self._records)
            self._old = self._claimed(placed) | placed
            """What of ours may stand there."""
            self._digests = read_manifest(folder) or {}
            self.untouched = False
            """All of the old site is known to be as it was written."""
            self._kept: frozenset[str] = frozenset()
            self._written: dict[str, str] = {}
            """What was written of the site, with digests; empty: not known yet."""
            self._inside: dict[Path, bool] = {}
            for entry in self._records:
                _clear_but_record(entry)
            self.staging = Path(tempfile.mkdtemp(prefix=STAGING, dir=folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    @staticmethod
    def _placed(leftovers: Iterable[Path]) -> frozenset[str]:
        """What builds that were killed may have put in place, or had still to take away."""
        return frozenset(name for entry in leftovers for name in read_manifest(entry) or ())

    def _leftovers(self) -> list[Path]:
        """Staging folders of builds that were killed."""
        return [entry for entry in sorted(self.folder.glob(f"{STAGING}*")) if entry.is_dir() and not entry.is_symlink()]

    def _claimed(self, placed: frozenset[str]) -> frozenset[str]:
        """The files of the site that stands there; empty for a new or an empty folder.

        `placed` is what builds that were killed may have put in place already.
        """
        if self.folder.is_symlink() and not self.folder.exists():
            message = f"{self.folder}: a symbolic link to nothing; give the folder itself"
            raise OutputError(message)
        if not self.folder.exists():
            return frozenset()
        if not self.folder.is_dir():
            message = f"{self.folder}: not a folder; give another one with -o"
            raise OutputError(message)
        entries = {entry.name for entry in self.folder.iterdir() if not entry.name.startswith(STAGING)}
        manifest = read_manifest(self.folder)
        if manifest is None and not entries <= {name.partition("/")[0] for name in placed}:
            message = f"{self.folder}: holds files that are not a site of lakesite; give another folder with -o"
            raise OutputError(message)
        return frozenset(manifest or ())

    def _make(self, folder: Path) -> None:
        for part in reversed(self._missing):
            part.mkdir(mode=self._directory_mode if part == folder else 0o777)
        if folder in self._missing:
            folder.chmod(self._directory_mode)

    def _lock(self) -> Callable[[], object]:
        """Keep other builds out of the folder; gives what lets them in again. OutputError where another build is at work in it."""
        if sys.platform == "win32":
            return int
        descriptor = os.open(self.folder, os.O_RDONLY)
        unlock = finalize(self, os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            unlock()
            message = f"{self.folder}: another build is writing to it; wait for its end, or give another folder with -o"
            raise OutputError(message) from None
        except OSError:  # a file system without locks
            pass
        return unlock

    @property
    def had_site(self) -> bool:
        """Whether a site stood in the folder before this build."""
        return bool(self._digests)

    def old_below(self, *folders: str) -> tuple[str, ...]:
        """The files of the old site in some folders of it."""
        return tuple(name for name in self._digests if name.partition("/")[0] in folders)

    def stands(self, name: str) -> bool:
        """Whether a file of the old site is there as it was written."""
        if self.untouched:
            return name in self._digests
        target = self.folder / name
        with suppress(OSError):
            return name in self._digests and self._is_ours(target) and _digest(target) == self._digests[name]
        return False

    def keep(self, names: Iterable[str]) -> None:
        """Take over files of the old site that stand."""
        kept = frozenset(names)
        for folder in _folders(kept):
            (self.staging / folder).mkdir(mode=0o700, exist_ok=True)
        for name in kept:
            old, new = os.path.join(self.folder, name), os.path.join(self.staging, name)  # noqa: PTH118 - there are many
            try:
                os.link(old, new, follow_symlinks=False)
            except (OSError, NotImplementedError):  # a file system without links
                shutil.copyfile(old, new)
        self._kept |= kept

    def write(self, name: str, pieces: Iterable[str]) -> None:
        """Write a file of the site into staging."""
        _, self._written[name] = write_file(self.staging, name, pieces)

    def wrote(self, digests: Mapping[str, str]) -> None:
        """Note files of the site that others have written into staging, with their digests."""
        self._written.update(digests)

    def take(self, file: Path, name: str) -> None:
        """Make a file that stands elsewhere in staging a file of the site."""
        target = self.staging / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.replace(target)
        self._written[name] = ""

    def publish(self, memory: Callable[[], Iterable[str]] | None = None) -> None:
        """Put everything that was written or kept in its place, and take away what is no longer part of the site.

        `memory` gives what the next build is to know, piece by piece, once all other files are in their place.
        """
        names = sorted({*self._written, *self._kept})
        self._refuse_links(names)
        digests = {name: self._digests[name] for name in self._kept}
        digests |= {name: digest or _digest(self.staging / name) for name, digest in self._written.items() if name not in self._kept}
        manifest = self._write_manifest(f"new-{MANIFEST}", digests)
        with _undisturbed():
            self._write_manifest(MANIFEST, {**dict.fromkeys(self._old, ""), **digests})
            self._placing = True  # should this build die now, the next one knows from that record what may be there
            self.folder.chmod(self._directory_mode)
            for folder in _folders(names):
                (self.folder / folder).mkdir(mode=self._directory_mode, exist_ok=True)
                (self.folder / folder).chmod(self._directory_mode)
            for name in sorted(names, key=_last_is_outermost):
                self._place(name, digests[name])
            manifest.replace(self.folder / MANIFEST)
            self._remove_stale(self._old - set(names))
            self._placing = False
            self._remember(memory)
            for entry in self._records:
                shutil.rmtree(entry, ignore_errors=True)

    def _place(self, name: str, digest: str) -> None:
        """Put a file in its place. Where the same stands there it is left alone."""
        new, target = self.staging / name, self.folder / name
        if name in self._kept or (self._digests.get(name) == digest and self.stands(name)):
            if stat.S_IMODE(target.stat().st_mode) != self._file_mode:
                target.chmod(self._file_mode)
            new.unlink()
        else:
            new.chmod(self._file_mode)
            new.replace(target)

    def _remember(self, memory: Callable[[], Iterable[str]] | None) -> None:
        """Write what the next build is to know. It can do without, so what goes wrong here only costs time."""
        target = self.folder / MEMORY
        with suppress(OSError):
            target.unlink(missing_ok=True)
            if memory:
                write_file(self.staging, MEMORY, memory())
                (self.staging / MEMORY).replace(target)

    def _write_manifest(self, name: str, digests: dict[str, str]) -> Path:
        """Write a manifest into staging, of the new site or, by the name of a manifest, the record of all that may be in place."""
        write_file(self.staging, name, _manifest(digests))
        (self.staging / name).chmod(self._file_mode)
        return self.staging / name

    def _is_ours(self, target: Path) -> bool:
        return target.is_file() and not target.is_symlink() and self._leads_inside(target)

    def _leads_inside(self, target: Path) -> bool:
        """Whether no link leads out of the folder on the way to a file."""
        folder = target.parent
        if folder not in self._inside:
            self._inside[folder] = folder.resolve() == self.folder.resolve() / folder.relative_to(self.folder)
        return self._inside[folder]

    def _refuse_links(self, names: Iterable[str]) -> None:
        """A folder of the site that is a symbolic link leads out of it: nothing is written there."""
        for folder in _folders(names):
            if (self.folder / folder).is_symlink():
                raise OutputError(f"{self.folder / folder}: a symbolic link; take it away, or give another folder with -o")

    def _remove_stale(self, stale: Iterable[str]) -> None:
        for name in sorted(stale):
            target = self.folder / name
            if not self._leads_inside(target):
                continue
            if target.is_file() and not target.is_symlink():
                target.unlink()
            for folder in takewhile(self.folder.__ne__, target.parents):
                if folder.is_dir():  # else it went before, and the one around it may be left
                    if any(folder.iterdir()):
                        break
                    folder.rmdir()

    def discard(self) -> None:
        """Take the staging folder away, and what was made for it, and let others write to the folder.

        Where new files are in place and not all that had to go is gone, it stays: it tells the next build what may be there.
        """
        if not self._placing:
            shutil.rmtree(self.staging, ignore_errors=True)
            with suppress(OSError):  # not empty
                for part in self._missing:
                    part.rmdir()
        self._unlock()


def _clear_but_record(entry: Path) -> None:
    """Take away what a build that was killed had written, but not what tells of what it did outside of its staging folder."""
    if read_manifest(entry) is None:  # it did nothing there
        shutil.rmtree(entry, ignore_errors=True)
        return
    for each in entry.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each, ignore_errors=True)
        elif each.name != MANIFEST:
            each.unlink()


@contextmanager
def no_output(folder: Path) -> Iterator[None]:
    """What goes wrong on the disk is told as what it is: OutputError."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # not of the disk
            raise
        raise OutputError(f"{folder}: cannot be written to ({error.strerror})") from error


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold an interruption back until what must not stop half-way is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt


def _manifest(digests: dict[str, str]) -> Iterator[str]:
    """The text of a manifest, piece by piece: JSON, a file a line."""
    between = '{\n"files": {\n'
    for name in sorted(digests):
        yield f"{between}{json.dumps(name)}: {json.dumps(digests[name])}"
        between = ",\n"
    yield f'{"" if digests else between}\n}},\n"format": {_FORMAT}\n}}\n'


def _folders(names: Iterable[str]) -> list[str]:
    """The folders that files stand in, outer ones first."""
    return sorted({parent.as_posix() for name in names for parent in PurePosixPath(name).parents} - {"."})


def _last_is_outermost(name: str) -> tuple[int, str]:
    """Orders files so that what lists others comes after them: the deepest first."""
    return -name.count("/"), name


def write_file(folder: Path, name: str, pieces: Iterable[str]) -> tuple[int, str]:
    """Write a text file, private from its first byte; gives its size in bytes, and its digest."""
    target = folder / name
    size, digest = 0, blake2b(digest_size=16)
    try:
        descriptor = os.open(target, _NEW, 0o600)
    except FileNotFoundError:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(target, _NEW, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        for text in _joined(pieces):
            data = text.encode("utf-8")
            digest.update(data)
            size += stream.write(data)
    return size, digest.hexdigest()


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """The same in fewer pieces, each of about so many characters as are encoded and written at a time."""
    held: list[str] = []
    characters = 0
    for piece in pieces:
        held.append(piece)
        characters += len(piece)
        if characters > _TOGETHER:
            yield "".join(held)
            held, characters = [], 0
    yield "".join(held)


def read_manifest(folder: Path) -> dict[str, str] | None:
    """The files of the site in a folder, with their digests; None where there is no manifest of ours."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT or not isinstance(manifest.get("files"), dict):
        return None
    return {name: digest for name, digest in manifest["files"].items() if _OURS.fullmatch(name) and isinstance(digest, str)}


def _digest(path: Path) -> str:
    digest = blake2b(digest_size=16)
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
