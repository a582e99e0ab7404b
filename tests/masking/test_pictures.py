"""The base64 of a picture is content: it is spared as a whole, whatever stands in it by chance; what only begins like one is not."""

from __future__ import annotations

import base64
import json
import random

import pytest

from lakesite.masking import Masker, MaskOptions, mask_text

_NOISE = random.Random(7).randbytes(3_000)  # noqa: S311 -- noise
PICTURES = {
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x02\0\0\0",
    "jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0",
    "exif": b"\xff\xd8\xff\xe1\x1f\x10Exif\0\0",
    "gif": b"GIF89a\x10\0\x10\0\xf7\0\0",
    "old gif": b"GIF87a\x10\0\x10\0\xf7\0\0",
    "webp": b"RIFF\x24\x0c\0\0WEBPVP8 ",
}
BY_CHANCE = "k7JQQJ99Q"
"""Looks like the middle of an Azure key."""


def encoded(start: bytes) -> str:
    """A picture in base64, in which stands by chance what keys have in their middle."""
    text = base64.b64encode(start + _NOISE).decode()
    return text[:400] + BY_CHANCE + text[400 + len(BY_CHANCE) :]


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_is_spared(kind: str) -> None:
    data = encoded(PICTURES[kind])
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/x", "data": data}}
    assert Masker().value(block) == block
    for text in (data, json.dumps(block), f"![a chart](data:image/{kind};base64,{data})", f'<img src="data:image/{kind};base64,{data}">'):
        assert mask_text(text) == text


def test_what_only_begins_like_one_is_not() -> None:
    key = f"k{'7JQ' * 6}JQQJ99B{'aZ9' * 10}ACYeBjFXJ3w3AAAB"
    bare = base64.b64encode(_NOISE).decode()
    assert mask_text(encoded(b"\x89PNG not at all")) != encoded(b"\x89PNG not at all")
    assert "[masked:" in mask_text(bare)
    assert key not in mask_text(f"{encoded(PICTURES['png'])[:-20]}_{key}")


def test_the_strict_mode_spares_nothing() -> None:
    data = encoded(PICTURES["png"])
    assert Masker(MaskOptions(mode="strict")).mask(data) != data
