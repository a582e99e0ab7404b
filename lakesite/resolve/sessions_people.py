"""Who wrote a user row: a person, or a program in the person's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakesite.resolve.sessions_order import source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakesite.model import Key, LakeEntry
    from lakesite.resolve.sessions_order import Order

_KINDS = frozenset({
    "compacted", "compaction", "compaction_summary", "injected", "interrupted", "notification", "reminder", "slash_command", "summary",
    "system", "system_prompt",
})
"""`extra.kind` of a row that no person typed."""

_TAGS = (
    "command-(?:args|contents|message|name)", "local-command-(?:caveat|stderr|stdout)", "bash-(?:input|stderr|stdout)", "system-reminder",
    "task-notification", "session-start-hook", "user-prompt-submit-hook", "user-memory-input", "teammate-message",  # Claude
    "environment_context", "user_instructions", "user_shell_command", "turn_aborted", "subagent_notification",
    "permissions instructions",  # Codex
)
_PHRASES = (
    r"\[request interrupted", "caveat: the messages below were generated", "this session is being continued from a previous",
    "stop hook feedback:", "base directory for this skill:",  # Claude
    r"# agents\.md instructions", "another language model started to solve this problem",  # Codex
    "the conversation history before this point was compacted",  # Omp
)
_INJECTED = re.compile(rf"\s*(?:<(?:{'|'.join(_TAGS)})\b|{'|'.join(_PHRASES)}|/[a-z][\w:.-]*(?:\s|$))", re.IGNORECASE)
"""How texts begin that runtimes write into a conversation, and slash commands."""


def is_injected(entry: LakeEntry) -> bool:
    """Whether a user row says itself that no person typed it."""
    return (entry.kind is not None and entry.kind.casefold() in _KINDS) or _INJECTED.match(entry.start) is not None


def notices(entries: Sequence[LakeEntry], order: Order) -> frozenset[int]:
    """User rows that no person typed: injected ones, sub-agent prompts, and the summary right after a compaction boundary."""
    found: set[int] = set()
    compacted: dict[Key | int, bool] = {}
    for index in order.shown:
        entry = entries[index]
        if entry.type == "hook_decision":
            continue
        if entry.type == "user" and (entry.sidechain or compacted.get(source_of(entry)) or is_injected(entry)):
            found.add(index)
        compacted[source_of(entry)] = entry.subtype == "compact_boundary"
    return frozenset(found)
