"""What records say of failure."""

from __future__ import annotations

from lakesite.model.values import ABSENT


def says_error(error: object) -> bool:
    """Whether an `error` field holds an error: neither missing nor null nor empty nor false."""
    return error is not None and error is not ABSENT and error != "" and error is not False


def says_failed(output: object) -> bool:
    """Whether an output says itself that the call failed."""
    return isinstance(output, dict) and any(output.get(name) is True for name in ("IsError", "isError", "is_error"))
