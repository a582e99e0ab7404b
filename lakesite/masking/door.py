"""How the texts of one record are masked: one by one, or not at all where nothing in it has to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, cast

from lakesite.model import Masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakesite.masking.masker import Masker
    from lakesite.model import Json


class Door(Protocol):
    """What every text of a record passes."""

    def mask(self, text: str) -> Masked:
        """Mask a text of the record."""
        ...

    def made(self, text: str) -> Masked:
        """Mask a text that was made from what is recorded, such as the spelling of a list."""
        ...

    def joined(self, texts: Sequence[str]) -> list[Masked]:
        """Mask texts that were one before they were cut, each with its own part of the whole."""
        ...

    def name(self, text: str) -> Masked:
        """Mask an identity (run, session, call, part)."""
        ...

    def value(self, value: object) -> Json:
        """Mask a whole decoded JSON value of the record."""
        ...

    def at(self, field_name: str) -> Self:
        """Say in which field the next texts stand."""
        ...


class OpenDoor:
    """The door of a record that was looked through as a whole, with nothing found: its texts stay as they are."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker

    def mask(self, text: str) -> Masked:
        """Let a text of the record through."""
        return Masked(text)

    def name(self, text: str) -> Masked:
        """Let an identity through."""
        return Masked(text)

    def value(self, value: object) -> Json:
        """Let a decoded JSON value through."""
        return cast("Json", value)

    def made(self, text: str) -> Masked:
        """Mask a text that does not stand in the record as it is."""
        return self._masker.mask(text)

    def joined(self, texts: Sequence[str]) -> list[Masked]:
        """Mask texts that were one before they were cut: nobody has seen the whole yet."""
        return self._masker.joined(texts)

    def at(self, field_name: str) -> Self:
        """Say in which field the next texts stand."""
        self._masker.at(field_name)
        return self
