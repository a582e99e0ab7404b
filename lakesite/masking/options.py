"""What a user can choose about masking."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lakesite.errors import UsageError
from lakesite.masking.marker import MarkerClass, marker
from lakesite.masking.packaged import packaged_sources
from lakesite.masking.userrules import UserRules
from lakesite.masking.ways import TOO_MANY_STEPS, steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ENGINE_VERSION = 1
"""Counted up when the same rules begin to find something else."""

_SALT = b"lakesite named literals"
_ROUNDS = 100_000
_LONGEST_RUN = 4096
_MOST_STEPS = 70_000


@dataclass(frozen=True, slots=True)
class LakeFormats:
    """The Lake's three rules: patterns as the Lake writes them, or None where one is switched off."""

    assignment: str | None = r"\b[A-Z][A-Z0-9_]{2,}=[A-Za-z0-9+/=_-]{16,}"
    """An upper-case name and its long value."""
    token: str | None = r"\b[a-z]{2,7}-[A-Za-z0-9_-]{20,}"
    """A short lower-case prefix, a dash and a long tail."""
    entropy: str | None = r"[A-Za-z0-9+/=_-]{40,}"
    """A long run of characters in which keys are written."""
    min_distinct: int = 16
    """How many different characters an entropy hit must have."""
    min_groups: int = 3
    """From how many of lower, upper, digit, other its characters must come."""


@dataclass(frozen=True, slots=True)
class MaskOptions:
    """Every setting of the masking engine."""

    mode: Literal["precise", "strict"] = "precise"
    """Whether well-known harmless shapes are spared by the Lake's generic rules."""
    formats: LakeFormats = LakeFormats()
    """The Lake's three rules."""
    fingerprint: Literal["zero", "lake"] = "zero"
    """Whether markers of the class credential carry a fingerprint."""
    literals: tuple[str, ...] = ()
    """Exact values that the user named; see `named_literals`."""
    rules: UserRules = field(default_factory=UserRules)
    """What the rule files of the user say; see `load_rules`."""
    publish: bool = False
    """Whether home directories, machine names and user names in paths are replaced too."""

    def marker(self, secret: str, kind: MarkerClass) -> str:
        """What is written in place of a secret."""
        return marker(secret, kind, fingerprint=kind != "credential" or self.fingerprint == "lake")

    @property
    def look_beyond(self) -> bool:
        """Whether a rule of the user may see what stands beside a text, where others are looked at together with it."""
        added = self.rules.added
        return bool(added.carrier or any(rule.lead for rule in added.token) or self.formats != LakeFormats())

    @property
    def digest(self) -> str:
        """Changes whenever the same text might be masked differently."""
        # Named values are short enough to be guessed from a fast digest.
        literals = "\0".join(self.literals).encode("utf-8", "surrogatepass")
        named = hashlib.pbkdf2_hmac("sha256", literals, _SALT, _ROUNDS).hex() if literals else ""
        rest = (self.mode, self.formats, self.fingerprint, self.rules.added, sorted(self.rules.disabled), self.publish)
        return hashlib.sha256(f"{ENGINE_VERSION}\0{packaged_sources()}\0{rest!r}\0{named}".encode()).hexdigest()


def load_formats(path: Path) -> LakeFormats:
    """Read the file that replaces the Lake's rules as strictly as the Lake does."""
    def refuse(why: str) -> UsageError:
        return UsageError(f"secret formats {path}: {why}")

    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise refuse(f"cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise refuse(f"is not JSON ({error})") from error
    _expect_keys(read, {"assignment", "token", "entropy"}, "the file", refuse)
    entropy = read["entropy"]
    if entropy is not None:
        _expect_keys(entropy, {"pattern", "min_distinct", "min_groups"}, "entropy", refuse)
        for key in ("min_distinct", "min_groups"):
            if type(entropy[key]) is not int or entropy[key] < 0:
                raise refuse(f"entropy.{key} must be a whole number, 0 or more")
    patterns = {"assignment": read["assignment"], "token": read["token"], "entropy": entropy and entropy["pattern"]}
    for key, pattern in patterns.items():
        _expect_pattern(pattern, key, refuse)
    return LakeFormats(**patterns, **({k: entropy[k] for k in ("min_distinct", "min_groups")} if entropy else {}))


def _expect_keys(value: object, keys: set[str], where: str, refuse: Callable[[str], UsageError]) -> None:
    if not isinstance(value, dict):
        raise refuse(f"{where} must be an object with the keys {', '.join(sorted(keys))}")
    for key in sorted(keys - value.keys()):
        raise refuse(f"{where} lacks the key {key}")
    for key in sorted(value.keys() - keys):
        raise refuse(f"{where} has the unknown key {key}")


def _expect_pattern(pattern: object, where: str, refuse: Callable[[str], UsageError]) -> None:
    if pattern is None:
        return
    if not isinstance(pattern, str):
        raise refuse(f"{where} must be a pattern or null")
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise refuse(f"the pattern of {where} does not compile ({error})") from error
    if compiled.match(""):
        raise refuse(f"the pattern of {where} matches an empty text")
    if steps(pattern, _LONGEST_RUN) > _MOST_STEPS:
        raise refuse(f"the pattern of {where} {TOO_MANY_STEPS}")
