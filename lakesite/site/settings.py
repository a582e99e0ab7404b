"""From what the user chose to what the masking engine takes."""

from __future__ import annotations

import os

from lakesite.masking import LakeFormats, MaskOptions, UserRules, load_formats, load_rules, named_literals
from lakesite.options import MaskSettings, named_secrets


def mask_options(settings: MaskSettings) -> MaskOptions:
    """The options of the masking engine. UsageError where a rule, a file or a named secret cannot be used."""
    return MaskOptions(
        mode=settings.masking,
        formats=load_formats(settings.secret_formats) if settings.secret_formats else LakeFormats(),
        fingerprint=settings.fingerprint,
        literals=named_literals(named_secrets(settings, os.environ)),
        rules=load_rules(settings.rules, allow_weaker=settings.allow_weaker) if settings.rules else UserRules(),
        publish=settings.publish,
    )


def weaker(settings: MaskSettings, options: MaskOptions) -> tuple[str, ...]:
    """What makes the masking weaker than it is by itself."""
    kept = ("fingerprint lake",) if settings.fingerprint == "lake" else ()
    replaced = ("the Lake's rules replaced",) if settings.secret_formats else ()
    return (*kept, *replaced, *options.rules.weaker)
