"""What every event of a document adds to, or every document of a site, out of memory: of many items most stand in a file.

The file is private, has no name, and is gone with the process. Whoever puts something there sees to it that all text in it is
masked, but for the paths of source files.
"""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Generic, Self, TypeVar, overload

_FEW = 4_096
"""So many items of a sequence, or fewer, are held in memory as they are."""
_TOGETHER = 64
"""Items that are set aside together and read together: neighbours are asked for one after the other."""
_OPEN = 32
"""So many such groups of a sequence are in memory at a time: several files of a conversation may tell of the same hours."""
_Item = TypeVar("_Item")


class Shelf:
    """Holds long sequences; they can be used as long as it is open."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where its file is made, once it needs one."""
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def keep(self, items: Iterable[_Item], /) -> Sequence[_Item]:
        """All items, in order, see `Keep`. OSError where there is no room for them."""
        coming = iter(items)
        few = tuple(islice(coming, _FEW + 1))
        return few if len(few) <= _FEW else _Shelved(self, chain(few, coming))

    def put(self, item: object) -> int:
        """Set something aside; gives where it stands."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed with the shelf
        place = self._end
        self._file.seek(place)
        self._end += self._file.write(pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
        return place

    def get(self, place: int) -> Any:  # noqa: ANN401 - what was put there
        """What stands at a place."""
        assert self._file is not None  # noqa: S101 - something was put there
        self._file.seek(place)
        return pickle.load(self._file)  # noqa: S301 - written by this process


class _Shelved(Sequence[_Item], Generic[_Item]):
    """A sequence on a shelf, with those of its groups that were used last."""

    def __init__(self, shelf: Shelf, items: Iterable[_Item]) -> None:
        places = array("Q")
        self._count = 0
        coming = iter(items)
        while some := tuple(islice(coming, _TOGETHER)):
            places.append(shelf.put(some))
            self._count += len(some)
        self._groups = len(places)

        @lru_cache(_OPEN)
        def group(number: int) -> tuple[_Item, ...]:
            found: tuple[_Item, ...] = shelf.get(places[number])
            return found

        self._group = group

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> _Item: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[_Item, ...]: ...

    def __getitem__(self, index: int | slice) -> _Item | tuple[_Item, ...]:
        if isinstance(index, slice):
            return tuple(self[each] for each in range(self._count)[index])
        number, place = divmod(range(self._count)[index], _TOGETHER)
        return self._group(number)[place]

    def __iter__(self) -> Iterator[_Item]:
        for number in range(self._groups):
            yield from self._group(number)


class Slots(Generic[_Item]):
    """Items that are put there and asked for by their numbers, in any order: of many, one at a time is in memory."""

    def __init__(self, shelf: Shelf, count: int) -> None:
        """Room for so many items."""
        self._shelf = shelf
        self._few: dict[int, _Item] | None = {} if count <= _FEW else None
        self._places = array("Q", bytes(0 if count <= _FEW else 8 * count))
        """Of each item one more than its place on the shelf; 0: it was not put there."""

    def __setitem__(self, number: int, item: _Item) -> None:
        if self._few is not None:
            self._few[number] = item
        else:
            self._places[number] = self._shelf.put(item) + 1

    def __getitem__(self, number: int) -> _Item:
        """KeyError where none was put there."""
        if self._few is not None:
            return self._few[number]
        if not self._places[number]:
            raise KeyError(number)
        item: _Item = self._shelf.get(self._places[number] - 1)
        return item
