"""Masking of decoded JSON: every string and key, at any depth."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard

from lakesite.masking.names import Secrecy, secrecy
from lakesite.model import Masked, Number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakesite.model import Json

_NAMING = ("name", "key", "field", "label", "id", "selector", "element", "ref", "header", "type")
_NAMES = frozenset(_NAMING)
_NAMED = frozenset({"value", "text", "content", "val", "default"})
_PIECE = re.compile(r"[A-Za-z][\w-]*")
_PROGRAMS = ("command", "cmd", "program", "executable", "exe", "file", "path", "tool", "name")
_ARGUMENTS = frozenset({"args", "argv", "arguments", "params", "parameters"})
_BLANK = re.compile(r"\s")
_QUOTED = re.compile(r"[\"'\n]")
_LONGEST_NAMING = 256
_MOST_KEYS = 8192


_Pending: TypeAlias = "tuple[object, object, str, Secrecy, str]"
"""What is to be masked, where it goes, the name that tells what it is, what that says, and the program that it is given to."""


class Gate(Protocol):
    """What masks the texts and numbers of a value."""

    def mask(self, text: str) -> Masked:
        """Mask a text."""
        ...

    def joined(self, texts: Sequence[str]) -> list[Masked]:
        """Mask texts that are one, each with its own part of the whole."""
        ...

    def field(self, name: str, text: str, kind: Secrecy) -> Masked:
        """Mask the text of a field whose name says that it is secret."""
        ...

    def number(self, name: str, spelling: str, kind: Secrecy) -> Masked | None:
        """Mask a number that is a known secret, or whose name says that it is one, where it can be."""
        ...


def texts_of(value: object, known_names: frozenset[str] = frozenset(), *, numbers: bool = True) -> tuple[dict[str, None], bool]:
    """Every string and key of a decoded JSON value, each once; and whether none of its names says that a value is secret.

    The names of the value itself that are in `known_names` say nothing. `numbers`: with the spelling of every number.
    """
    found: dict[str, None] = {}
    harmless = True
    names = value.keys() - known_names if isinstance(value, dict) else ()
    pending: list[tuple[object, str]] = [(value, "")]
    while pending:
        item, program = pending.pop()
        if isinstance(item, str):
            found[item] = None
        elif isinstance(item, dict):
            found.update(dict.fromkeys(item))
            harmless = harmless and not (any(map(secrecy, names if item is value else item)) or _told_by_sibling(item))
            pending.extend((inner, _program(item, key)) for key, inner in item.items())
        elif isinstance(item, list | tuple):
            if line := _command_line(item, program):
                found["".join(line)] = None
            harmless = harmless and not _pair(item)
            pending.extend((inner, "") for inner in item)
        elif isinstance(item, float):
            harmless = False  # it must be spelled
        elif numbers and isinstance(item, int | Number) and not isinstance(item, bool):
            found[_spelling(item)] = None
    return found, harmless


class Tree:
    """Walks a JSON value without recursion, so that depth costs nothing."""

    def __init__(self, door: Gate) -> None:
        self._door = door
        self._keys: dict[str, tuple[Masked, Secrecy]] = {}

    def masked(self, value: object) -> Json:
        """A copy of a JSON value in which every string has been masked."""
        root: list[Json] = []
        pending: list[_Pending] = [([value], root, "", Secrecy.NONE, "")]
        while pending:
            source, target, name, kind, program = pending.pop()
            if isinstance(source, dict) and isinstance(target, dict):
                told = _told_by_sibling(source)
                taken: dict[Masked, int] = {}
                for key, item in source.items():
                    masked, own = self._key(str(key))
                    own = own or (told if key in _NAMED and isinstance(item, str) else Secrecy.NONE) or min(kind, Secrecy.TOKEN)
                    target[_free(masked, taken)] = self._item(item, str(key), own, pending, _program(source, key))
            elif isinstance(source, list | tuple) and isinstance(target, list):
                name, kind = _pair(source) or (name, kind)
                if line := _command_line(source, program):
                    source = self._door.joined(line)[-2 * len(source) :: 2]
                target.extend(self._item(item, name, kind, pending) for item in source)
        return root[0]

    def _key(self, key: str) -> tuple[Masked, Secrecy]:
        known = self._keys.get(key)
        if known is None:
            if len(self._keys) >= _MOST_KEYS:
                self._keys.clear()
            known = self._keys[key] = (self._door.mask(key), secrecy(key))
        return known

    def _item(self, item: object, name: str, kind: Secrecy, pending: list[_Pending], program: str = "") -> Json:
        match item:
            case str():
                return self._door.field(name, item, kind) if kind else self._door.mask(item)
            case None | bool():
                return item
            case float():
                return self._item(Number(_spelling(item)), name, kind, pending)
            case int() | Number():
                return self._door.number(name, _spelling(item), kind) or item
            case dict():
                table: dict[Masked, Json] = {}
                pending.append((item, table, name, kind, ""))
                return table
            case list() | tuple():
                row: list[Json] = []
                pending.append((item, row, name, kind, program))
                return row
        raise TypeError(f"not a JSON value: {type(item).__name__}")


def _told_by_sibling(source: dict[object, object]) -> Secrecy:
    """What `{"name": "DB_PASSWORD", "value": …}` says about its value."""
    for naming in _NAMING if not _NAMES.isdisjoint(source) else ():
        name = source.get(naming)
        if isinstance(name, str) and len(name) <= _LONGEST_NAMING:
            kind = _told(name)
            if kind:
                return kind
    return Secrecy.NONE


@lru_cache(maxsize=4096)
def _told(name: str) -> Secrecy:
    """What a name in words says about the value beside it."""
    return max(map(secrecy, _PIECE.findall(name)), default=Secrecy.NONE)


def _pair(source: list[object] | tuple[object, ...]) -> tuple[str, Secrecy] | None:
    """What `["authorization", …]` says about its second member."""
    if len(source) == 2 and isinstance(source[0], str) and isinstance(source[1], str) and len(source[0]) <= _LONGEST_NAMING:  # noqa: PLR2004
        kind = secrecy(source[0])
        return (source[0], kind) if kind else None
    return None


def _program(source: dict[object, object], key: object) -> str:
    """The program that `{"command": "mysql", "args": […]}` gives its arguments to."""
    if key not in _ARGUMENTS:
        return ""
    return next((found for name in _PROGRAMS if isinstance(found := source.get(name), str) and not _BLANK.search(found)), "")


def _command_line(source: list[object] | tuple[object, ...], program: str) -> list[str] | None:
    """The command line that a list of words is, as the words and what stands between them; None where it is none."""
    if not _are_words(source) or len(source) + bool(program) < 2 or _BLANK.search(program or source[0]):  # noqa: PLR2004 - a program and a word
        return None
    line: list[str] = []
    for word in (program, *source) if program else source:
        quote = '"' if " " in word and not _QUOTED.search(word) else ""
        if line:
            line[-1] += f" {quote}"
        line += (word, quote)
    return line


def _are_words(source: list[object] | tuple[object, ...]) -> TypeGuard[Sequence[str]]:
    return bool(source) and all(isinstance(word, str) for word in source)


def _spelling(number: float | Number) -> str:
    if isinstance(number, Number):
        return number.spelling
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(number), repr(number))


def _free(key: Masked, taken: dict[Masked, int]) -> Masked:
    """Two secret keys may have one marker: number the later ones."""
    number = taken[key] = taken.get(key, 0) + 1
    return key if number == 1 else _free(Masked(f"{key} {number}"), taken)
