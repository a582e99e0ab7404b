"""Numbers that are shown in a way of their own, and must not be where they are known secrets."""

from __future__ import annotations

from collections.abc import Collection

from lakesite.masking import Door
from lakesite.model import Json, Masked


def hidden_numbers(fields: dict[str, object], names: Collection[str], door: Door) -> dict[Masked, Json]:
    """The markers of those among some numbers that have to be masked, by name: nothing else tells that they are there."""
    numbers = {name: fields[name] for name in sorted(names) if isinstance(fields.get(name), int)}
    masked = door.value(numbers)
    assert isinstance(masked, dict)  # noqa: S101 - as what went in
    return {name: item for name, item in masked.items() if isinstance(item, str)}
