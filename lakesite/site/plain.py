"""Data as plain JSON values and back. What comes back is looked at as if a stranger had written it: ValueError where it does not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

_T = TypeVar("_T")
_Make = Callable[[Any], Any]


def plain(value: object) -> object:
    """A value as lists and plain values: a record is the list of its fields."""
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return [[plain(name), plain(each)] for name, each in value.items()]
    if is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in fields(value)]
    return value


def from_plain(kind: type[_T], value: object) -> _T:
    """A value of a type from its plain form."""
    return cast("_T", _maker(cast("Any", kind))(value))


def _refuse(kind: object) -> ValueError:
    return ValueError(f"not a {kind}")


@lru_cache(maxsize=256)
def _maker(kind: Any) -> _Make:  # noqa: ANN401 - any type at all
    """What makes a value of a type."""
    if isinstance(kind, NewType):
        return _maker(kind.__supertype__)
    if (names := _fields(kind)) is not None:
        return _record(kind, names)
    match get_origin(kind):
        case None:
            return _exactly(kind)
        case other if other is Literal:
            return _one_of(get_args(kind))
        case other if other is tuple:
            return _tuple(get_args(kind))
        case other if other in (list, dict):
            return _many(other, get_args(kind))
        case other if other in (Union, UnionType) and NoneType in get_args(kind):
            (inner,) = (_maker(each) for each in get_args(kind) if each is not NoneType)
            return lambda value: None if value is None else inner(value)
    raise TypeError(f"no way to make a {kind}")


def _exactly(kind: type) -> _Make:
    def make(value: object) -> object:
        if type(value) is not kind:
            raise _refuse(kind)
        return value

    return make


def _one_of(allowed: tuple[object, ...]) -> _Make:
    def make(value: object) -> object:
        if not isinstance(value, str) or value not in allowed:
            raise _refuse(allowed)
        return value

    return make


def _listed(value: object, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or length not in (None, len(value)):
        raise _refuse("list")
    return value


def _fields(kind: Any) -> tuple[str, ...] | None:  # noqa: ANN401 - any type at all
    """The names of the fields of a class of records; None: it is none."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else getattr(kind, "_fields", None)


def _record(kind: Any, names: tuple[str, ...]) -> _Make:  # noqa: ANN401 - a class of records
    hints = get_type_hints(kind)
    makers = [_maker(hints[name]) for name in names]

    def make(value: object) -> object:
        values = _listed(value, len(makers))
        return kind(*[each(inner) for each, inner in zip(makers, values, strict=True)])

    return make


def _tuple(kinds: tuple[Any, ...]) -> _Make:
    if kinds[-1] is Ellipsis:
        each = _maker(kinds[0])
        return lambda value: tuple(map(each, _listed(value)))
    makers = [_maker(kind) for kind in kinds]
    return lambda value: tuple(make(inner) for make, inner in zip(makers, _listed(value, len(makers)), strict=True))


def _many(kind: type, kinds: tuple[Any, ...]) -> _Make:
    if kind is list:
        each = _maker(kinds[0])
        return lambda value: list(map(each, _listed(value)))
    pair = _tuple(kinds)
    return lambda value: dict(map(pair, _listed(value)))
