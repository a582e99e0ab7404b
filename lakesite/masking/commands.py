"""Finds passwords behind the short flags of commands that take one."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from lakesite.masking.marker import Hit
from lakesite.masking.names import Secrecy
from lakesite.masking.values import Trust, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakesite.masking.rules import CommandRule
    from lakesite.masking.sheet import Sheet

_LOOK_BACK = 240
_LONGEST_GLUED = 3
"""Characters of a flag that may have its value glued to it."""
_NEXT = r"""["'],\s{0,24}(?:\[\s{0,24})?["']"""
"""What stands between the words of a command that is written as a list."""
_VALUE = (
    r"""(?:(?P<quote>["'])(?P<quoted>(?:(?!(?P=quote))[^\\\n]|\\[^\n]){1,256}+)(?P=quote)"""
    r"""|(?P<bare>(?:[^\s"'`|;&<>()\\]|\\(?![nrtu"'\\/])){1,256}+))"""
)
_BLANKS = {"spaced": r"[ \t]{1,4}", "either": r"[ \t]{0,4}", "pair": r"[ \t=]{0,4}", "cookies": r"[ \t=]{1,4}"}
_GAPS = {"glued": "", **{form: f"(?:{_NEXT}|{blank})" for form, blank in _BLANKS.items()}}
_COOKIE = re.compile(r"(?:\A|[;\s])[^\s=;]{1,64}=(?P<value>[^\s;]{8,4096})")


class _Ready:
    """A rule and one of its flags, with their patterns, which are compiled when the flag is first met."""

    def __init__(self, rule: CommandRule, flag: str) -> None:
        self.rule = rule
        self._flag = flag

    @cached_property
    def value(self) -> re.Pattern[str]:
        """The flag and its value."""
        return re.compile(f"{re.escape(self._flag)}{_GAPS[self.rule.form]}{_VALUE}")

    @cached_property
    def called(self) -> re.Pattern[str]:
        """What must stand before the flag: the tool."""
        gap = rf"(?:[ \t]{{1,8}}|{_NEXT})"
        tools = "|".join(re.escape(tool).replace(r"\ ", rf"{gap}(?:\S{{1,40}}{gap}){{0,2}}?") for tool in self.rule.tools)
        return re.compile(rf"(?<![\w.-])(?:{tools})(?:\.exe)?(?:[ \t]|{_NEXT})(?:[^|;&\n`]|(?<=,)\n){{0,{_LOOK_BACK}}}\Z")


class CommandFinder:
    """All command rules, by flag."""

    def __init__(self, rules: Iterable[CommandRule]) -> None:
        self._by_flag: dict[str, list[_Ready]] = {}
        for rule in rules:
            for flag in rule.flags:
                self._by_flag.setdefault(flag, []).append(_Ready(rule, flag))
        self._any_flag = _any_of(self._by_flag)

    def hits(self, sheet: Sheet) -> Iterator[Hit]:
        """Every password behind a flag."""
        for flag in self._any_flag.finditer(sheet.ascii):
            for ready in self._of_flag(flag[0].decode()):
                found = ready.value.match(sheet.text, flag.start())
                if found and ready.called.search(sheet.text, max(0, flag.start() - _LOOK_BACK), flag.start()):
                    yield from _password(ready.rule, found)

    def _of_flag(self, written: str) -> Iterator[_Ready]:
        """The rules of a flag, which may have its value glued to it."""
        for flag in dict.fromkeys((written, written[:_LONGEST_GLUED], written[:2])):
            yield from self._by_flag.get(flag, ())


def _any_of(flags: Iterable[str]) -> re.Pattern[bytes]:
    """What is written where one of some flags may stand, a short one with its value glued to it."""
    begins = (re.escape(flag.encode()[1:]) + (rb"(?![A-Za-z0-9-])" if len(flag) > _LONGEST_GLUED else b"") for flag in sorted(flags))
    return re.compile(rb"""-(?<=[ "'\t]-)(?=%s)[A-Za-z0-9-]++""" % (b"|".join(begins) or b"(?!)"))


def _password(rule: CommandRule, found: re.Match[str]) -> Iterator[Hit]:
    group = "quoted" if found["quote"] else "bare"
    value, start = found[group], found.start(group)
    if rule.form == "cookies":
        for cookie in _COOKIE.finditer(value):
            if is_secret(cookie["value"], Secrecy.TOKEN, Trust.CODE, quoted=True):
                yield Hit(start + cookie.start("value"), start + cookie.end("value"), "credential", f"command-{rule.id}")
        return
    if rule.form == "pair":
        user, separator, value = value.partition(rule.separator)
        start += len(user) + len(separator)
    if is_secret(value, Secrecy.PASSWORD, Trust.SURE, quoted=bool(found["quote"])):
        yield Hit(start, start + len(value), "credential", f"command-{rule.id}")
