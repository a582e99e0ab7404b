"""The badges of lakesite and what each means."""

from __future__ import annotations

from collections.abc import Iterable

from lakesite.model import Exchange, Instant, Masked
from lakesite.view.shapes import Badge

KNOWN_FIDELITIES = ("router", "agent_emitted", "")
MEANINGS: dict[str, tuple[str, str]] = {
    "router": ("router", "recorded at the router seam: authoritative"),
    "agent": ("agent", "reported by the agent"),
    "both": ("router + agent", "both recorded the same call; it is counted once"),
    "other": ("another fidelity", "a fidelity that lakesite does not know, shown as it was recorded"),
    "positional": ("paired by position", "no identity was recorded: the result stood directly after the only open call of its name"),
    "no-result": ("no result recorded", "a call of which no result was recorded"),
    "no-call": ("no call recorded", "a result of which no call was recorded"),
    "extra": ("extra result", "a further result for a call that already has one"),
    "unfinished": ("unfinished", "a request of which no outcome was recorded"),
    "derived": ("derived", "worked out by lakesite: the transcript itself does not say"),
    "parent": ("parent", "the calling run says so"),
    "state": ("state file", "the run's state file says so"),
    "audit": ("audit trail", "the audit trail says so"),
    "untimed": ("no time recorded", "no usable time was recorded: placed by its number or its line"),
    "unclear": ("place unclear", "several agent steps were open: shown under the innermost step that holds them all"),
    "cancelled": ("cancelled, end not recorded", "the step's container went on without it"),
    "resumed": ("resumed here", "a second segment of the run begins"),
    "repeated": ("repeated", "the same record stood in the source several times; it is shown and counted once"),
    "cut": ("cut by the writer", "the source holds only the beginning of this text"),
    "damaged": ("damaged input", "a part of the source could not be read"),
    "unknown": ("unknown type", "a type that lakesite does not know, shown as it was recorded"),
    "unsure": ("runtime unclear", "sessions of several runtimes have this id: the decision is shown in each"),
    "hook-block": ("hook block", "a hook decided against it: a decision, not an error of the work"),
    "link": ("one-sided link", "only one of two runs names the other"),
    "cycle": ("cycle cut here", "runs that name each other in a circle, or themselves: cut at the one that began first"),
    "errors": ("errors", "failed tool calls, failed steps, and what else of a run was recorded with an error"),
}


def badge(name: str, text: str | None = None, *, bad: bool = False) -> Badge:
    """A badge by its name; `text` where the recorded word is shown instead of ours."""
    return Badge(name, text if text is not None else MEANINGS[name][0], bad)


def exchange_badges(exchange: Exchange) -> tuple[Badge, ...]:
    """Who recorded an exchange, and how its sides were joined."""
    badges: list[Badge] = []
    if exchange.channel != "other":
        badges.append(badge(exchange.channel))
    if exchange.fidelity not in KNOWN_FIDELITIES:
        badges.append(badge("other", exchange.fidelity))
    return (*badges, *joining_badges(exchange))


def joining_badges(exchange: Exchange) -> tuple[Badge, ...]:
    """How the sides of an exchange were joined, where that is worth a word."""
    badges: list[Badge] = []
    if exchange.joined == "position":
        badges.append(badge("positional"))
    if not exchange.calls:
        badges.append(badge("no-call"))
    elif not exchange.results:
        badges.append(badge("no-result"))
    if exchange.extra:
        badges.append(badge("extra"))
    return tuple(badges)


def time_badges(time: Instant | None, original: Masked | None) -> tuple[Badge, ...]:
    """That there is no usable time, with the words that were recorded instead."""
    if time is not None:
        return ()
    return (badge("untimed", f"no time recorded: {original}" if original else None),)


def legend(names: Iterable[str]) -> tuple[tuple[Badge, str], ...]:
    """What the badges of a page mean, in a fixed order."""
    used = set(names)
    return tuple((badge(name), meaning) for name, (_, meaning) in MEANINGS.items() if name in used)
