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

_NAMING = frozenset({"name", "key", "id", "header", "type"})
_AIMING = frozenset({"field", "label", "selector", "element", "ref", "locator"})
_NAMED = frozenset({"value", "text", "content", "val", "default"})
_PIECE = re.compile(r"[A-Za-z][\w-]*")
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_HEADER = re.compile(r"(?i)(?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{1,60}")
_PROGRAMS = ("command", "cmd", "program", "executable", "exe", "file", "path", "tool", "name")
_ARGUMENTS = frozenset({"args", "argv", "arguments", "params", "parameters"})
_BLANK = re.compile(r"\s")
_QUOTED = re.compile(r"[\"'\n]")
_LONGEST_NAMING = 256
_MOST_KEYS = 8192
_LEAST_HEADERS, _MOST_HEADERS = 3, 512


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
            harmless = harmless and not (
                any(map(secrecy, names if item is value else item))
                or _told_by_sibling(item)
                or _of_secrets(item, "stringData")
                or _of_secrets(item, "data")
            )
            if _ARGUMENTS.isdisjoint(item):
                pending.extend([(inner, "") for inner in item.values()])
            else:
                pending.extend([(inner, _program(item, key)) for key, inner in item.items()])
        elif isinstance(item, list | tuple):
            if line := _command_line(item, program):
                found["".join(line)] = None
            harmless = harmless and not (_pair(item) or _headers(item))
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
                    by = str(key)
                    if told and not own and isinstance(item, str) and _is_told(source, by):
                        by, own = told
                    own = own or (Secrecy.TOKEN if _of_secrets(source, by) else min(kind, Secrecy.TOKEN))
                    target[_free(masked, taken)] = self._item(item, by, own, pending, _program(source, key))
            elif isinstance(source, list | tuple) and isinstance(target, list):
                own_name, own_kind = _pair(source) or (name, kind)
                headers = _headers(source)
                if line := _command_line(source, program):
                    source = self._door.joined(line)[-2 * len(source) :: 2]
                target.extend(
                    self._item(item, *headers.get(place, (own_name, own_kind)), pending) for place, item in enumerate(source)
                )
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


def _told_by_sibling(source: dict[object, object]) -> tuple[str, Secrecy] | None:
    """What `{"name": "DB_PASSWORD", "value": …}` says about its value, and the name that says it."""
    for key, name in source.items():
        if isinstance(name, str) and len(name) <= _LONGEST_NAMING and _role(str(key)) in ("naming", "aiming"):
            kind = _told(name)
            if kind:
                return name, kind
    return None


def _is_told(source: dict[object, object], key: str) -> bool:
    """Whether a value is what its sibling names; what is put into a part of a page is called input, too."""
    role = _role(key)
    return role == "named" or (role == "given" and any(_role(str(other)) == "aiming" for other in source))


@lru_cache(maxsize=4096)
def _role(key: str) -> str:
    """What a key says about its value beside others: that it names something, on a page or not, or that it is what is named."""
    low = key.lower()
    last = _PIECES.findall(key)[-1:] if len(key) <= _LONGEST_NAMING else ()
    if low in _NAMED or (last and last[0].lower() in {"value", "val"}):
        return "named"
    return "given" if low == "input" else "aiming" if low in _AIMING else "naming" if low in _NAMING else ""


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


def _of_secrets(source: dict[object, object], key: object) -> bool:
    """Whether a field is there and holds the values of a Kubernetes Secret."""
    return key in source and (key == "stringData" or (key == "data" and source.get("kind") == "Secret"))


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


def _headers(source: list[object] | tuple[object, ...]) -> dict[int, tuple[str, Secrecy]]:
    """The values in `["Accept", "*/*", "Authorization", …]`, by their places, each with its name and what that says."""
    if not _LEAST_HEADERS <= len(source) <= _MOST_HEADERS:
        return {}
    names = (name if isinstance(name, str) and len(name) <= _LONGEST_NAMING and _HEADER.fullmatch(name) else "" for name in source)
    return {place: (name, kind) for place, name in enumerate(names, 1) if name and (kind := secrecy(name))}


def _spelling(number: float | Number) -> str:
    if isinstance(number, Number):
        return number.spelling
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(number), repr(number))


def _free(key: Masked, taken: dict[Masked, int]) -> Masked:
    """Two secret keys may have one marker: number the later ones."""
    number = taken[key] = taken.get(key, 0) + 1
    return key if number == 1 else _free(Masked(f"{key} {number}"), taken)
