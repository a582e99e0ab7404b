"""The names of tools."""

from __future__ import annotations

_PREFIX = "mcp__"


def offered(name: str) -> tuple[str, str] | None:
    """Server and tool of `mcp__server__tool`, divided at the first `__` after the server's name; None for any other name."""
    server, _, tool = name.removeprefix(_PREFIX).partition("__") if name.startswith(_PREFIX) else ("", "", "")
    return (server, tool) if server and tool else None


def bare_name(name: str) -> str:
    """The name of a tool without the server that offers it."""
    found = offered(name)
    return found[1] if found else name
