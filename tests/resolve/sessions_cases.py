"""Short spellings of conversations for tests: rows in, a description of the resolved session out.

A case in a `sessions_*.txt` file is a title, the rows, and what they mean, each ended by a line with a single dot.

A row is `TIME TYPE [TOOL] [key=value …] [| text]`:
- TIME is seconds after the start (`7`, `7.5`), `-` for none, or any other word for a time that is none;
- TYPE is `user`, `assistant`, `thinking`, `call`, `result`, `meta`, `hook`, or any other word for an unknown type;
- TOOL is the name of the tool (of the hook);
- keys are fields of the canonical event or, if it has no such field, of `extra`; values are JSON or a word.
A line `== name` begins the next source file. Rows are numbered from 1, files do not count.

The description has a line for each row of the page: the number of its entry, what it is, and what is known of it. A row that
belongs to a sub-agent begins with `>` and the number of the chain (from 1). After the rows come, where there are any, `chain`
lines (first row, call), then what was counted (zeros left out), `end`, `tokens`, and `note` lines.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING

from lakesite.masking import Masker
from lakesite.model import Origin
from lakesite.resolve.sessions import counts, resolve_session
from lakesite.sources.lake import entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lakesite.model import Exchange, LakeEntry, Session

TYPES = {"call": "tool_call", "result": "tool_result", "hook": "hook_decision"}
FIELDS = ("machine", "project", "model", "tokens_in", "tokens_out")


def cases(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield title, rows and description of each case; lines that begin with `#` outside of rows are remarks."""
    parts: list[str] = []
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line != ".":
            lines.append(line)
            continue
        parts.append("\n".join(lines).strip("\n"))
        lines.clear()
        if len(parts) == 3:
            title = [line for line in parts[0].splitlines() if line and not line.startswith("#")]
            yield title[-1], parts[1], parts[2]
            parts.clear()
    assert not parts, f"{path.name}: the last case is not finished"


def read(rows: str) -> list[LakeEntry]:
    """Read rows in their short spelling as the entries of one conversation."""
    masker, source, found = Masker(), 0, []
    for line in filter(None, map(str.strip, rows.splitlines())):
        if line.startswith("=="):
            source += 1
        else:
            number = len(found) + 1
            found.append(entry(record(line), Origin(source, number, number, 1), masker))
    return found


def record(line: str) -> dict[str, object]:
    """Write out one row as a canonical event."""
    head, _, text = line.partition("|")
    time, kind, *words = head.split()
    event: dict[str, object] = {"ts": stamp(time), "runtime": "hooks" if kind == "hook" else "claude", "machine": None, "session_id": "s",
                                "project": "/p", "event_type": TYPES.get(kind, kind), "text": text.strip() or None, "tool_name": None,
                                "model": None, "tokens_in": None, "tokens_out": None}  # fmt: skip
    extra: dict[str, object] = {}
    for word in words:
        name, is_pair, value = word.partition("=")
        if is_pair:
            (event if name in FIELDS else extra)[name] = parsed(value)
        else:
            event["tool_name"] = word
    return event | {"extra": extra}


def stamp(time: str) -> str | None:
    """Spell the time of a row."""
    if time == "-":
        return None
    seconds, _, part = time.partition(".")
    if not seconds.isdecimal():
        return time
    minutes, second = divmod(int(seconds), 60)
    return f"2026-09-14T10:{minutes:02}:{second:02}.{part or '000'}Z"


def parsed(word: str) -> object:
    try:
        return json.loads(word)
    except ValueError:
        return word


def describe(entries: Sequence[LakeEntry]) -> str:
    """Say in lines what a conversation resolves to."""
    session = resolve_session(entries)
    found = counts(session, entries)
    numbers = {field.name: getattr(found, field.name) for field in fields(found)}
    lines = list(rows_of(session))
    lines += [f"chain {number}: from {chain.first + 1}{called(session, chain.call)}" for number, chain in enumerate(session.chains, 1)]
    lines.append("counts: " + ", ".join(f"{name} {number}" for name, number in numbers.items() if number))
    if session.interruption:
        lines.append(f"end: {session.interruption}")
    if session.tokens.reported:
        tokens = session.tokens
        lines.append(f"tokens: {tokens.tokens_in} in, {tokens.tokens_out} out, from {tokens.reported} of {tokens.of}")
    lines += [f"note: {kind} at {index + 1}: {words}" for kind, index, words in session.problems]
    return "\n".join(lines)


def rows_of(session: Session) -> Iterator[str]:
    for row in session.rows:
        words = [f"{row.entry + 1}", row.what]
        if row.what == "exchange" and row.exchange is not None:
            words.append(exchange_words(session.exchanges[row.exchange]))
        elif row.exchange is not None:
            words.append(f"of {session.exchanges[row.exchange].calls[0].entry + 1}")
        if row.repeats:
            words.append(f"repeated {row.repeats}")
        yield ("" if row.chain is None else f">{row.chain + 1} ") + " ".join(words)


def exchange_words(made: Exchange) -> str:
    sides = {"call": made.calls, "result": made.results, "extra": made.extra}
    words = [f"{name} {' '.join(str(side.entry + 1) for side in found)}" for name, found in sides.items() if found]
    if made.joined != "none":
        words.append(f"by {made.joined}")
    if made.failed is not None:
        words.append("failed" if made.failed else "ok")
    return f"{made.name or '(no name)'}: " + ", ".join(words)


def called(session: Session, exchange: int | None) -> str:
    return "" if exchange is None else f", started by {session.exchanges[exchange].calls[0].entry + 1}"
