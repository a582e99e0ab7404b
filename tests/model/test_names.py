"""Where the name of a tool is divided."""

from __future__ import annotations

import pytest

from lakesite.model import bare_name, offered


@pytest.mark.parametrize(
    ("name", "server", "tool"),
    [
        ("mcp__tracker__get_issue", "tracker", "get_issue"),
        ("mcp__awf-proxy__Bash", "awf-proxy", "Bash"),
        ("mcp__files__read__all", "files", "read__all"),
        ("mcp__my_files__read", "my_files", "read"),
    ],
)
def test_a_server_ends_at_the_first_two_lines(name: str, server: str, tool: str) -> None:
    assert (offered(name), bare_name(name)) == ((server, tool), tool)


@pytest.mark.parametrize("name", ["", "Bash", "mcp__", "mcp__x", "mcp____x", "mcp__x__", "foo__read", "MCP__x__y"])
def test_any_other_name_is_whole(name: str) -> None:
    assert (offered(name), bare_name(name)) == (None, name)
