"""Runs the lexers of Pygments with one match for a token.

A `RegexLexer` tries the rules of a state one after another at every place: some thirty matches for a token, nearly all in vain.
Here the rules of a state are the branches of one pattern, and the number of the outermost group that matched tells which it
was. The tokens are the same. To compile such a pattern takes as long as to read some thousand tokens, so that only lexers that
have much to read get them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple, TypeAlias

from pygments.lexer import Lexer, RegexLexer
from pygments.token import Error, Whitespace, _TokenType

Token: TypeAlias = "tuple[int, _TokenType, str]"
"""Where it begins, its kind, and its text."""
_Match: TypeAlias = "Callable[[str, int], re.Match[str] | None]"
_Action: TypeAlias = "_TokenType | Callable[[Lexer, re.Match[str]], Iterator[Token]] | None"
_Rule: TypeAlias = "tuple[_Match, _Action, tuple[str, ...] | str | int | None]"
"""How it matches, what comes of that, and where the lexer goes from there."""

_ALONE = re.compile(r"\\[1-9]|\(\?P[=<]|\(\?\(|\(\?[aiLmsux]+\)")
"""What would mean something else inside a longer pattern: references to groups, and flags of the whole."""


class _Branches(NamedTuple):
    """Rules that are tried together."""

    match: _Match
    rules: dict[int, _Rule]
    """The rules by their groups; empty: there is one alone."""
    first: _Rule


class Lexing:
    """Reads texts with one lexer."""

    def __init__(self, lexer: Lexer, worth_it: int = 20_000) -> None:
        """`worth_it`: characters that it has to read before its patterns are made."""
        self._lexer = lexer
        self._worth_it = worth_it
        has_own_way = type(lexer).get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed
        self._rules: dict[str, list[_Rule]] = {} if has_own_way else vars(type(lexer))["_tokens"]  # it has no public name
        self._states: dict[str, tuple[_Branches, ...]] = {}
        self._read = 0

    @property
    def joins_rules(self) -> bool:
        """Whether the rules of the lexer can be joined; one that reads in a way of its own is run as it is."""
        return bool(self._rules)

    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens of a text, as the lexer's `get_tokens_unprocessed` gives them, but for empty ones at its end."""
        self._read += len(text)
        return self._tokens(text) if self.joins_rules and self._read > self._worth_it else self._lexer.get_tokens_unprocessed(text)

    def _tokens(self, text: str) -> Iterator[Token]:
        stack, branches, at, end = ["root"], self._branches("root"), 0, len(text)
        while at < end:
            for each in branches:
                if match := each.match(text, at):
                    break
            else:  # as Pygments does: no rule allows it, and the next line begins anew
                ends = text[at] == "\n"
                yield at, Whitespace if ends else Error, text[at]
                stack, at = ["root"] if ends else stack, at + 1
                branches = self._branches(stack[-1])
                continue
            own_match_of, action, where = each.rules[match.lastindex or 0] if each.rules else each.first
            if isinstance(action, _TokenType):
                yield at, action, match[0]
            elif action and (own := own_match_of(text, at)):  # it counts groups from its own first
                yield from action(self._lexer, own)
            at = match.end()
            if where is not None:
                _go(stack, where)
                branches = self._branches(stack[-1])

    def _branches(self, state: str) -> tuple[_Branches, ...]:
        if state not in self._states:
            self._states[state] = tuple(_joined(self._rules[state]))
        return self._states[state]


def _go(stack: list[str], where: tuple[str, ...] | str | int) -> None:
    """Follow a rule to another state, as Pygments does; at least one state stays."""
    if isinstance(where, int):
        del stack[max(len(stack) + where, 1) :]
        return
    for state in where if isinstance(where, tuple) else (where,):
        if state == "#pop":
            del stack[max(len(stack) - 1, 1) :]
        else:
            stack.append(stack[-1] if state == "#push" else state)


def _joined(rules: Iterable[_Rule]) -> Iterator[_Branches]:
    """The rules of a state in their order, as few patterns."""
    for (flags, alone), group in groupby(rules, key=_kind):
        some = tuple(group)
        if alone:
            yield from (_Branches(rule[0], {}, rule) for rule in some)
            continue
        patterns, by_group, number = [], {}, 1
        for rule in some:
            pattern = _pattern(rule)
            patterns.append(f"({pattern.pattern}\n)" if flags & re.VERBOSE else f"({pattern.pattern})")  # it may end in a comment
            by_group[number] = rule
            number += pattern.groups + 1
        yield _Branches(re.compile("|".join(patterns), flags).match, by_group, some[0])


def _kind(rule: _Rule) -> tuple[int, bool]:
    pattern = _pattern(rule)
    return pattern.flags, _ALONE.search(pattern.pattern) is not None


def _pattern(rule: _Rule) -> re.Pattern[str]:
    """What a rule matches: all that it has is the method."""
    pattern: re.Pattern[str] = rule[0].__self__  # type: ignore[attr-defined]
    return pattern
