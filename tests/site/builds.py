"""Small inputs written down at run time, sites built from them, and what a reader sees on their pages."""

from __future__ import annotations

import html.parser
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner, Result

from lakesite.cli import main
from lakesite.options import Options
from lakesite.site.build import build as build_site
from lakesite.site.output import MEMORY
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lakesite.site.build import Built

Value = dict[str, Any]
WORDS = "quiet words of a transcript"


# --- inputs ----------------------------------------------------------------------------------------------------------------------


def event(seq: int, kind: str, payload: object = None, **envelope: object) -> Value:
    """One event of a run; `minute` and `second` of its time follow its number."""
    base = {"seq": seq, "run_id": "run-a", "type": kind, "path": "", "iteration": 0, "timestamp": stamp(seq), "payload": payload}
    return {**base, **envelope}


def stamp(seconds: float) -> str:
    """Spell a time, so many seconds after the beginning."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(int(minutes), 60)
    return f"2026-09-14T{10 + hours:02}:{minute:02}:{second:06.3f}Z"


def step(name: str, kind: str = "agent", **more: object) -> Value:
    return {"name": name, "kind": kind, **more}


def said(role: str, *texts: str, blocks: Iterable[object] = ()) -> Value:
    fidelity = "router" if role == "user" else "agent_emitted"
    return {"role": role, "blocks": [*({"type": "text", "fidelity": fidelity, "text": text} for text in texts), *blocks]}


def call(identity: object, name: str = "Bash", given: object = None, **more: object) -> Value:
    return {"name": name, "call_id": identity, "input": given, "output": None, "fidelity": "router", **more}


def result(identity: object, output: object = "done", **more: object) -> Value:
    return {"name": "Bash", "call_id": identity, "output": output, "fidelity": "router", **more}


def row(kind: str, text: object = None, at: float | str | None = None, **more: object) -> Value:
    """One canonical event."""
    base = {
        "ts": stamp(at) if isinstance(at, int | float) else at, "runtime": "claude", "machine": None, "session_id": "session-a",
        "project": None, "event_type": kind, "text": text, "tool_name": None, "model": None, "tokens_in": None, "tokens_out": None,
        "extra": {},
    }  # fmt: skip
    return {**base, **more}


def write(path: Path, records: Iterable[Value | bytes | str], end: bytes = b"\n") -> Path:
    """Write a file: each record as a line, bytes and texts as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        record if isinstance(record, bytes) else (record if isinstance(record, str) else json.dumps(record)).encode() for record in records
    ]
    path.write_bytes(b"".join(line + end for line in lines))
    return path


# --- sites -----------------------------------------------------------------------------------------------------------------------


class _Text(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in ("script", "style")
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name == "href" and value and tag == "a"]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.out.append(data)


@dataclass(frozen=True)
class Page:
    """A page as a reader sees it."""

    path: Path

    @cached_property
    def raw(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def _parsed(self) -> _Text:
        parser = _Text()
        parser.feed(self.raw)
        return parser

    @cached_property
    def text(self) -> str:
        """All text, white space collapsed."""
        return re.sub(r"\s+", " ", "".join(self._parsed.out))

    @cached_property
    def ids(self) -> list[str]:
        return self._parsed.ids

    @cached_property
    def links(self) -> list[str]:
        return self._parsed.links


@dataclass(frozen=True)
class Site:
    """A site that was built."""

    folder: Path
    built: Built | None = None

    @cached_property
    def json(self) -> Value:
        return json.loads((self.folder / "site.json").read_text(encoding="utf-8"))

    @cached_property
    def documents(self) -> dict[str, Value]:
        """Documents by id (of sessions without one, by the name of their part)."""
        return {document["id"] if document["id"] is not None else document["part"]: document for document in self.json["documents"]}

    @property
    def only(self) -> Value:
        (document,) = self.json["documents"]
        return document

    def page(self, document: Value | str | None = None, part: int = 1) -> Page:
        """A page of the site: the only document's, that of a document, or one by its address."""
        return self.pages[document if isinstance(document, str) else (document or self.only)["parts"][part - 1]]

    def text(self, document: Value | None = None) -> str:
        """All text of a document, of all its parts."""
        found = document or self.only
        return " ".join(self.pages[part].text for part in found["parts"])

    @cached_property
    def pages(self) -> dict[str, Page]:
        """Every page by its address."""
        return {path.relative_to(self.folder).as_posix(): Page(path) for path in sorted(self.folder.rglob("*.html"))}

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Every file of the site; what the next build is to know belongs to its folder, not to it."""
        found = {path.relative_to(self.folder).as_posix(): path for path in sorted(self.folder.rglob("*")) if path.is_file()}
        return {name: path.read_bytes() for name, path in found.items() if name != MEMORY}

    def problems(self, kind: str | None = None) -> list[tuple[str, str, int | None]]:
        found = [(problem["kind"], problem["file"], problem["line"]) for problem in self.json["problems"]]
        return [problem for problem in found if kind in (None, problem[0])]


def build(out: Path, *paths: Path, **options: object) -> Site:
    """Build a site in this process."""
    built = build_site(Options(paths=paths, out=out, **options), lambda _what, _done, _all: None)  # type: ignore[arg-type]
    return Site(out, built)


def lakesite(*args: object, env: Mapping[str, str] | None = None, **more: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401 -- of subprocess.run
    """Run the command in a process of its own."""
    code = "from lakesite.cli import main; main(prog_name='lakesite')"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    more = {"cwd": ROOT, "stdin": subprocess.DEVNULL, **more}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)], capture_output=True, env=environment, check=False, timeout=120, **more
    )


def run(*arguments: object, env: dict[str, str] | None = None) -> Result:
    """Run the command in this process."""
    return CliRunner(env=env).invoke(main, [*map(str, arguments)], prog_name="lakesite")
