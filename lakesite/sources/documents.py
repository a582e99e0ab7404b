"""From source files to documents: which bytes of which files make up each run and each conversation.

This is the first pass. It reads each source once and keeps identities, byte ranges and problems; texts are read again, range
by range, when a document is resolved and rendered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Literal

from lakesite.masking import Caught, Masker
from lakesite.model import Id, Instant, Key, Label, Masked, Problem, ProblemKind
from lakesite.sources import awf, lake
from lakesite.sources.files import SourceFile, in_utf8, open_source
from lakesite.sources.keys import id_key, key, spelling
from lakesite.sources.lines import Damage, Record, read_lines
from lakesite.sources.times import instant

_LINE_END = len(b"\r\n")
_PACKED = "packed with gzip, and damaged: it was read as far as it can be unpacked"
_NO_RECORD: frozenset[ProblemKind] = frozenset({"malformed-line", "zero-bytes"})


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a document the one that it is."""

    kind: Literal["run", "session"]
    key: Key
    id: Id | None
    """The run id or the session id; None: rows without a session id."""
    runtime: Masked | None
    """Of a session; None: neither a row nor its folder names one."""
    part: Masked | None
    """Name of the partition, for rows without a session id."""


@dataclass(slots=True)
class Extent:
    """Where a document stands in one file."""

    file: SourceFile
    key: Key
    """Identity of its records there (rows of hooks have another than the conversation that they join)."""
    ranges: list[tuple[int, int, int]] = field(default_factory=list)
    """(line, first byte, end) of runs of records, in order. Nothing of another document stands in between."""
    count: int = 0
    """Records in them."""
    first: Instant | None = None
    """Its first usable time there."""
    torn: bool = False
    """The file ends inside a record, and its last whole record is this document's."""
    digest: str = ""
    """Of the bytes of its records: other bytes, another digest."""
    known: int = 0
    """Where an earlier scan ended: what stands before is what stood there then."""

    @property
    def end(self) -> int:
        """Where its last record ends."""
        return self.ranges[-1][2] if self.ranges else 0

    def add(self, line: int, offset: int, end: int) -> None:
        """Take in one more record."""
        self.count += 1
        if self.ranges and offset - self.ranges[-1][2] <= _LINE_END:
            self.ranges[-1] = (*self.ranges[-1][:2], end)
        else:
            self.ranges.append((line, offset, end))


@dataclass(frozen=True, slots=True)
class Beginning:
    """The records of one extent that an earlier build surveyed by the same rules: it caught something in some, and in no other."""

    end: int
    """Where they end."""
    checksum: int
    """Of them."""
    dirty: frozenset[int]
    """Where those begin in which something was caught."""


@dataclass(frozen=True, slots=True)
class Document:
    """One run or one conversation, and where all of it is to be read."""

    identity: Identity
    extents: tuple[Extent, ...]
    problems: tuple[Problem, ...]
    """What is wrong with its lines."""
    labels: tuple[Label, ...] = ()
    given_away: Caught = ()
    """What was caught in what stands beside it, which was masked without it."""
    unsure_hooks: bool = False
    """Its hook decisions name a session id that several runtimes use."""
    known: Mapping[int, Beginning] = field(default_factory=dict)
    """What is known of some of its extents, by their indexes."""

    @property
    def torn(self) -> bool:
        """Whether the last of its files ends inside a record."""
        return bool(self.extents) and self.extents[-1].torn


def named_again(document: Document, masker: Masker) -> Document:
    """A document whose names no longer say what was caught in it, of which the scan knew nothing."""

    def again(name: Masked) -> Masked:
        return masker.name(name)

    was = document.identity
    return replace(
        document,
        identity=replace(
            was,
            id=Id(was.id.key, again(was.id.shown)) if was.id else None,
            runtime=again(was.runtime) if was.runtime else None,
            part=again(was.part) if was.part else None,
        ),
        extents=tuple(replace(extent, file=replace(extent.file, name=again(extent.file.name))) for extent in document.extents),
        problems=tuple(replace(problem, where=again(problem.where)) for problem in document.problems),
        labels=tuple(replace(label, file=again(label.file)) for label in document.labels),
    )


@dataclass(slots=True)
class Scan:
    """What the first pass found in one file."""

    extents: dict[Identity, Extent] = field(default_factory=dict)
    problems: list[tuple[Identity | None, Problem]] = field(default_factory=list)
    """With the document whose line it is or follows; None: before any."""
    last: Identity | None = None
    """That of its last record; None: no record says whose it is."""


@dataclass(frozen=True, slots=True)
class Before:
    """The beginning of a file, of which an earlier scan told all."""

    scan: Scan
    line: int
    """The first line behind it."""
    offset: int
    """Where that begins."""


def scan(file: SourceFile, masker: Masker, before: Before | None = None) -> Scan:
    """Read one run file or partition once, from where an earlier scan ended. What cannot be read is a problem of that file."""
    scanner = _Scanner(file, masker, before.scan if before else Scan())
    line, offset = (before.line, before.offset) if before else (1, 0)
    try:
        with open_source(file.path, damaged=lambda: scanner.problem("unreadable", None, _PACKED)) as stream:
            stream.seek(offset)
            for item in read_lines(stream, line=line, offset=offset):
                scanner.take(item)
    except OSError as error:
        scanner.problem("unreadable", None, f"cannot be read to its end ({error.strerror or 'damaged'})")
    return scanner.finish()


class _Scanner:
    """Takes in the lines of one file."""

    def __init__(self, file: SourceFile, masker: Masker, before: Scan) -> None:
        self._file = file
        self._masker = masker
        self._identify = _identifier(file, masker)
        self._time = "timestamp" if file.kind == "runs" else "ts"
        self._found = before
        self._last = before.last
        self._digests: dict[Identity, blake2b] = {}
        self._early: list[tuple[int, int, int]] = []
        """Records without an identity before the first that has one."""
        self._early_digest = blake2b(digest_size=16)

    def problem(self, kind: ProblemKind, line: int | None, what: str) -> None:
        """Note something about a line."""
        self._found.problems.append((self._last, Problem(kind, self._file.name, line, what)))

    def take(self, item: Record | Damage) -> None:
        """Take in one more record, or what stands in its place."""
        if isinstance(item, Damage):
            self.problem(item.kind, item.line, item.what)
            if item.kind == "torn-tail" and self._last:
                self._found.extents[self._last].torn = True
        elif not is_event(item.value, self._file):
            what = "a JSON object, but not an event: it has none of the fields that say what it is"
            self.problem("not-an-event", item.line, what)
        else:
            self._record(item)

    def _record(self, record: Record) -> None:
        span = (record.line, record.offset, record.offset + len(record.raw))
        identity = self._identify(record.value) or self._last
        if identity is None:
            self._early.append(span)
            self._early_digest.update(record.raw + b"\n")
            return
        self._last = identity
        extent = self._extent(identity)
        extent.add(*span)
        self._digests[identity].update(record.raw + b"\n")
        if extent.first is None:
            extent.first = instant(record.value.get(self._time))

    def _extent(self, identity: Identity) -> Extent:
        extent = self._found.extents.setdefault(identity, Extent(self._file, identity.key))
        if identity not in self._digests:
            self._digests[identity] = blake2b(extent.digest.encode(), digest_size=16)
        if self._early:
            for span in self._early:
                extent.add(*span)
            self._early.clear()
            self._digests[identity].update(self._early_digest.digest())
        return extent

    def finish(self) -> Scan:
        """Give what was found; a file without any identity goes by its name."""
        if self._early:
            self._extent(_stem_identity(self._file, self._masker))
        for identity, digest in self._digests.items():
            self._found.extents[identity].digest = digest.hexdigest()
        self._found.last = self._last
        return self._found


def about(file: SourceFile) -> str:
    """All that counts of a file beside its content, as a digest: the same there, and the same content, give the same scan."""
    return key(f"{file.kind}\0{file.name}\0{key(_stem(file))}\0{key(_folder_runtime(file))}")


def is_event(value: dict[str, object], file: SourceFile) -> bool:
    """Whether an object in a file is an event of the file's kind."""
    return awf.is_event(value) if file.kind == "runs" else lake.is_event(value)


def key_of(value: dict[str, object], file: SourceFile) -> Key | None:
    """The key of the document that a record names; None: it names none, and belongs to that of the record before."""
    if file.kind == "runs":
        return id_key(value.get("run_id"))
    runtime, session = lake.runtime_of(value) or _folder_runtime(file), lake.session_of(value)
    return key(f"{runtime}\0part\0{_stem(file)}" if session is None else f"{runtime}\0{session}")


def _identifier(file: SourceFile, masker: Masker) -> Callable[[dict[str, object]], Identity | None]:
    """The identity of a record; each is worked out once a file."""
    known: dict[tuple[str | None, str | None], Identity | None] = {}
    identify = _run_identity if file.kind == "runs" else _session_identity

    def identity(value: dict[str, object]) -> Identity | None:
        spelled = (lake.runtime_of(value), spelling(value.get("run_id" if file.kind == "runs" else "session_id")))
        if spelled not in known:
            known[spelled] = identify(value, file, masker)
        return known[spelled]

    return identity


def _run_identity(value: dict[str, object], _file: SourceFile, masker: Masker) -> Identity | None:
    run = awf.identity(value.get("run_id"), masker)
    return Identity("run", run.key, run, None, None) if run else None


def _stem(file: SourceFile) -> str:
    name = PurePosixPath(in_utf8(file.path).replace("\\", "/")).name
    for ending in (".gz", ".jsonl", ".ndjson"):
        name = name.removesuffix(ending)
    return name


def _stem_identity(file: SourceFile, masker: Masker) -> Identity:
    """A run whose every event lacks a `run_id` goes by the name of its file."""
    stem = _stem(file)
    shown = Id(key(stem), masker.name(stem))
    return Identity("run", shown.key, shown, None, None)


def _session_identity(value: dict[str, object], file: SourceFile, masker: Masker) -> Identity:
    runtime, session = lake.runtime_of(value) or _folder_runtime(file), lake.session_of(value)
    named = key_of(value, file)
    assert named is not None  # noqa: S101 - of a row there always is one
    told = masker.mask(runtime) if runtime else None
    if session is None:
        return Identity("session", named, None, told, masker.name(_stem(file)))
    return Identity("session", named, Id(key(session), masker.name(session)), told, None)


def _folder_runtime(file: SourceFile) -> str:
    """The runtime that a partition's folder names, for rows that name none; empty where it names none either."""
    for part in reversed(PurePosixPath(in_utf8(file.path).replace("\\", "/")).parts):
        if part.startswith("runtime="):
            return part.removeprefix("runtime=")
    return ""


def gather(scans: Iterable[Scan], labels: dict[tuple[str, str], tuple[Label, ...]]) -> tuple[list[Document], list[Problem]]:
    """Documents from the scans of all files, and the problems that belong to none.

    Runs come first, each kind by identity; the result does not depend on the order of the scans.
    """
    extents: dict[Identity, list[Extent]] = defaultdict(list)
    problems: dict[Identity, list[Problem]] = defaultdict(list)
    homeless: list[Problem] = []
    for scanned in scans:
        only = next(iter(scanned.extents)) if len(scanned.extents) == 1 else None
        for identity, extent in scanned.extents.items():
            extents[identity].append(extent)
        for near, problem in scanned.problems:
            owner = near or only
            (problems[owner] if owner else homeless).append(problem)
            if owner and problem.line == 1 and problem.kind in _NO_RECORD and scanned.extents[owner].ranges[0][0] > 1:
                what = "the first record cannot be read: what stood in it is missing"
                problems[owner].append(replace(problem, kind="start-missing", what=what))
    _join_hooks(extents, problems)
    homeless += _stray_labels(labels, {identity.key for identity in extents})
    named = {(key(f"{runtime}\0{session}")): found for (runtime, session), found in labels.items()}
    unsure = _shared_sessions(extents)
    documents = [
        Document(
            identity,
            tuple(sorted(found, key=_run_order if identity.kind == "run" else _name_order)),
            tuple(sorted(problems[identity], key=lambda item: (item.where, item.line or 0, item.kind))),
            named.get(identity.key, ()),
            unsure_hooks=identity in unsure,
        )
        for identity, found in sorted(extents.items(), key=lambda item: (item[0].kind, item[0].key))
    ]
    return documents, sorted(homeless, key=lambda item: (item.where, item.line or 0, item.kind))


def _stray_labels(labels: dict[tuple[str, str], tuple[Label, ...]], here: set[Key]) -> Iterator[Problem]:
    """Labels of conversations that are not here: one note a file."""
    strays = [found for (runtime, session), found in labels.items() if key(f"{runtime}\0{session}") not in here]
    for file, count in sorted(Counter(label.file for found in strays for label in found).items()):
        yield Problem("not-here", file, None, f"labels of conversations that are not in this archive: {count}; they are not shown")


def _run_order(extent: Extent) -> tuple[bool, Instant, str]:
    return extent.first is None, extent.first or 0, extent.file.name


def _name_order(extent: Extent) -> tuple[str, str]:
    return extent.file.name, extent.file.path


def _is_hooks(identity: Identity) -> bool:
    return identity.kind == "session" and identity.runtime == "hooks" and identity.id is not None


def _join_hooks(extents: dict[Identity, list[Extent]], problems: dict[Identity, list[Problem]]) -> None:
    """Put hook decisions into every conversation whose session id they name."""
    named: dict[Key, list[Identity]] = defaultdict(list)
    for identity in extents:
        if identity.kind == "session" and identity.id and not _is_hooks(identity):
            named[identity.id.key].append(identity)
    for identity in [identity for identity in extents if _is_hooks(identity)]:
        joined = named.get(identity.id.key, []) if identity.id else []
        if joined:
            hooks = extents.pop(identity)
            for other in joined:
                extents[other] += hooks
                problems[other] += problems.get(identity, [])
            problems.pop(identity, None)


def _shared_sessions(extents: dict[Identity, list[Extent]]) -> set[Identity]:
    """Conversations with hook decisions whose session id another runtime uses too."""
    by_id: dict[Key, list[Identity]] = defaultdict(list)
    for identity in extents:
        if identity.kind == "session" and identity.id:
            by_id[identity.id.key].append(identity)
    return {
        identity
        for group in by_id.values()
        if len(group) > 1
        for identity in group
        if any(extent.key != identity.key for extent in extents[identity])
    }
