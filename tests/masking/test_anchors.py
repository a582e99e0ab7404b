"""The search for literals: the same places with and without the fast library."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking.anchors import anchors

LITERALS = [b"pass", b"password", b"key", b"keys", b"token", b"://", b":5432:", b"$", b"echo ", b"aa", b"ss", b"kk", b"-----begin", b"ak"]
TEXTS = st.lists(st.sampled_from([*LITERALS, b"a", b"k", b"s", b" ", b"pa", b"://x", b"\n", b"w", b"v", b":"]), max_size=30).map(b"".join)


def naive(text: bytes, literals: list[bytes]) -> list[tuple[int, bytes]]:
    return sorted((at, literal) for literal in literals for at in range(len(text)) if text.startswith(literal, at))


@given(TEXTS)
def test_every_place_is_found(text: bytes) -> None:
    assert list(anchors(LITERALS, fast=False).places(text)) == naive(text, LITERALS)


@pytest.mark.skipif(not importlib.util.find_spec("ahocorasick_rs"), reason="the extra `fast` is not installed")
@given(TEXTS)
def test_the_fast_library_finds_the_same(text: bytes) -> None:
    assert list(anchors(LITERALS).places(text)) == naive(text, LITERALS)
