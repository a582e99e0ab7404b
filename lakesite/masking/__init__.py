"""Masks secrets: the only place where recorded text becomes text that may be shown."""

from lakesite.masking.marker import MARKER, Findings
from lakesite.masking.masker import Masker, mask_text
from lakesite.masking.options import LakeFormats, MaskOptions, load_formats

__all__ = ["MARKER", "Findings", "LakeFormats", "MaskOptions", "Masker", "load_formats", "mask_text"]
