"""Masks secrets: the only place where recorded text becomes text that may be shown."""

from lakesite.masking.door import Door
from lakesite.masking.identity import alias
from lakesite.masking.literals import named_literals
from lakesite.masking.marker import Findings, MarkerClass, Row
from lakesite.masking.masker import Caught, Masker, mask_text
from lakesite.masking.options import LakeFormats, MaskOptions, load_formats
from lakesite.masking.tails import Tails
from lakesite.masking.userrules import UserRules, load_rules

__all__ = [
    "Caught",
    "Door",
    "Findings",
    "LakeFormats",
    "MarkerClass",
    "MaskOptions",
    "Masker",
    "Row",
    "Tails",
    "UserRules",
    "alias",
    "load_formats",
    "load_rules",
    "mask_text",
    "named_literals",
]
