"""What is known of a document as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RunStatus = Literal["completed", "failed", "cancelled", "unfinished", "unknown"]
StatusSource = Literal["recorded", "state", "audit", "parent", "derived"]


@dataclass(frozen=True, slots=True)
class Counts:
    """What a document holds; the names are those of `site.json`."""

    events: int = 0
    repeated: int = 0
    steps: int = 0
    messages: int = 0
    calls: int = 0
    results: int = 0
    paired: int = 0
    exchanges: int = 0
    router: int = 0
    agent: int = 0
    merged: int = 0
    no_result: int = 0
    no_call: int = 0
    extra_result: int = 0
    positional: int = 0
    errors: int = 0
    hook_decisions: int = 0
    hook_blocks: int = 0
    receipts: int = 0
    unfinished: int = 0
    masked: int = 0
    problems: int = 0
