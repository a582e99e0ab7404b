"""Hides who and where: home directories, machine names, names of users wherever they stand once a home has told them."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SLASH = r"(?:/|\\/|%2[Ff]|\\u002[Ff])"
_USER = r"(?P<user>[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_])?)"
_MOUNTED = rf"(?:(?<![\w.~-])|(?<=%2[Ff]))(?:{_SLASH}mnt{_SLASH}[a-z]|{_SLASH}Volumes(?:{_SLASH}[\w. -]{{1,60}})?)?"
_HOMES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<lead>\b(?!https?:)[a-z][a-z0-9+.-]{{1,30}}://[^\s/\"'<>]{{1,100}})/(?:home|Users)/{_USER}",
        rf"{_MOUNTED}{_SLASH}(?:home|Users|var/home|export/home){_SLASH}{_USER}",
        rf"\b[A-Za-z]:[\\/]{{1,8}}Users[\\/]{{1,8}}{_USER}",
        r"(?P<lead>(?:(?<![A-Za-z0-9~])|(?<=\bpart))-)(?:home|Users)-(?P<user>[A-Za-z0-9_]{1,64})(?![A-Za-z0-9])",
        r"(?<![\w.~/-])/(?P<user>root)(?![\w-])",
    )
)
_RELATIVE_HOME = re.compile(rf"(?:\A|(?<=/))(?:home|Users)/{_USER}(?=/)")
"""In the path of a source file. Elsewhere that is a folder of an app: the pages of its home, or of its users."""
_ACCOUNT = re.compile(rf"\buid=[1-9][0-9]{{2,9}}\({_USER}\)")
_ACCOUNTS = (
    "root user users shared public default runner app node ubuntu admin administrator dev home guest test username yourname name "
    "you me agent azureuser build builder centos circleci claude codex coder codespace debian deploy docker ec2-user fedora git "
    "gitpod jenkins jovyan linuxbrew nobody opc postgres runneradmin sandbox service travis vagrant vscode work worker workspace "
    "www-data "
)
_NOBODY = frozenset(_ACCOUNTS.split())
"""Names of accounts that say nothing about a person."""
_WORDY = (
    "amber angel april assignment basic black bloom board brook brown chase chris cloud credential design domain drake eclipse "
    "entropy faith flash forest frank gates grace grant green hazel heath house hunter jordan lance local major march masked mason "
    "master mercy model oracle owner pearl penny peter piper poppy power price prince project python river robin robot rocky roman "
    "royal sales scott sonny spark staff stage stone storm student summer support system token trace tyler union violet wheel "
    "white winter woods young "
)
_WORDS = frozenset(_WORDY.split())
"""Names that are words, of which texts are full: hidden only where a user is named; those of a marker among them."""
_SHORTEST_NAME = 3
_SHORTEST_WORD = 5
_NAMING = r"(?<![\w/])~|\b(?:USER|LOGNAME|USERNAME)=[\"']?|\b[ug]id=[0-9]{1,10}\(|[r-][w-][xsStT-][+.@]?[ ]{1,8}[0-9]{1,6}[ ]{1,8}"
"""What stands before the name of a user: a tilde, a variable, an id, the rights in a list of files."""


class Identity:
    """Replaces what tells whose machine a document was recorded on."""

    def __init__(self, machines: Iterable[str], users: Iterable[str] = ()) -> None:
        self.users = set(users)
        """Names of users seen in home directories."""
        self._machines = {spelling.lower(): alias(name) for name in machines if name for spelling in (name, name.split(".")[0])}
        self._machine = _words(self._machines, r"\w-")
        self._known: frozenset[str] = frozenset()
        self._named = self._anywhere = _words((), r"\w")

    def hidden(self, text: str, *, is_name: bool = False) -> str:
        """Replace home directories with `~`, machines with their alias, names of users with `user`.

        `is_name`: the text is no prose, but an id or the path of a source file.
        """
        if is_name:
            text = _RELATIVE_HOME.sub(self._home, text)
        for home in _HOMES:
            text = home.sub(self._home, text)
        for account in _ACCOUNT.finditer(text):
            self._learn(account["user"])
        text = self._machine.sub(lambda found: self._machines[found[0].lower()], text)
        if self._known != self.users:
            self._known = frozenset(self.users)
            telling = (name for name in self._known if len(name) >= _SHORTEST_WORD and name.lower() not in _WORDS)
            self._anywhere = _words(telling, "A-Za-z0-9")
            names = _either(self._known)
            self._named = re.compile(rf"(?<=[/\\]){names}(?=[/\\])|(?<![\w.-]){names}(?=@)|(?P<naming>{_NAMING}){names}(?![\w-])")
        text = self._named.sub(lambda found: f"{found['naming'] or ''}user", text) if self._known else text
        return self._anywhere.sub("user", text)

    def _home(self, found: re.Match[str]) -> str:
        self._learn(found["user"])
        return f"{found.groupdict().get('lead') or ''}~"

    def _learn(self, user: str) -> None:
        if len(user) >= _SHORTEST_NAME and user.lower() not in _NOBODY:
            self.users.add(user)


def alias(machine: str) -> str:
    """A name that is always the same for one machine, and says nothing about it."""
    return f"machine-{hashlib.sha256(machine.lower().encode('utf-8', 'surrogatepass')).hexdigest()[:4]}"


def _words(words: Iterable[str], of_words: str) -> re.Pattern[str]:
    """A pattern for any of some words, given what else a word is made of."""
    return re.compile(rf"(?<![{of_words}]){_either(words)}(?![{of_words}])", re.IGNORECASE)


def _either(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=lambda word: (-len(word), word)))) or '(?!)'})"
