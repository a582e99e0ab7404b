"""Hides who and where: home directories, machine names, user names in paths."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SLASH = r"(?:/|\\/|%2[Ff])"
_USER = r"(?P<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})"
_HOMES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:(?<![\w.~-])|(?<=%2[Ff]))(?:{_SLASH}mnt{_SLASH}[a-z])?{_SLASH}(?:home|Users|var/home|export/home){_SLASH}{_USER}",
        rf"\b[A-Za-z]:[\\/]{{1,8}}Users[\\/]{{1,8}}{_USER}",
        r"(?<![A-Za-z0-9~])-(?:home|Users)-(?P<user>[A-Za-z0-9_]{1,64})(?![A-Za-z0-9])",
        r"(?<![\w.~/-])/(?P<user>root)(?![\w-])",
    )
)
_NOBODY = frozenset(
    ("root", "user", "users", "shared", "public", "default", "runner", "app", "node", "ubuntu", "admin", "dev", "home", "guest", "test")
)
"""Names of accounts that say nothing about a person."""
_SHORTEST_NAME = 3


class Identity:
    """Replaces what tells whose machine a document was recorded on."""

    def __init__(self, machines: Iterable[str], users: Iterable[str] = ()) -> None:
        self.users = set(users)
        """Names of users seen in home directories."""
        self._machines = {spelling.lower(): alias(name) for name in machines if name for spelling in (name, name.split(".")[0])}
        self._machine = _words(self._machines)
        self._known: frozenset[str] = frozenset()
        self._in_paths = _words(())

    def hidden(self, text: str) -> str:
        """Replace home directories with `~`, machines with their alias, user names in paths with `user`."""
        for home in _HOMES:
            text = home.sub(self._home, text)
        text = self._machine.sub(lambda found: self._machines[found[0].lower()], text)
        if self._known != self.users:
            self._known = frozenset(self.users)
            names = "|".join(map(re.escape, sorted(self._known, key=len, reverse=True)))
            self._in_paths = re.compile(rf"(?<=[/\\])(?:{names})(?=[/\\])|(?<![\w.-])(?:{names})(?=@)")
        return self._in_paths.sub("user", text)

    def _home(self, found: re.Match[str]) -> str:
        user = found["user"]
        if len(user) >= _SHORTEST_NAME and user.lower() not in _NOBODY:
            self.users.add(user)
        return "-~" if found[0].startswith("-") else "~"


def alias(machine: str) -> str:
    """A name that is always the same for one machine, and says nothing about it."""
    return f"machine-{hashlib.sha256(machine.lower().encode('utf-8', 'surrogatepass')).hexdigest()[:4]}"


def _words(words: Iterable[str]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])(?:{either})(?![\w-])" if either else "(?!)", re.IGNORECASE)
