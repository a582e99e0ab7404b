"""Chunks of a stream that stand beside each other are masked as one text, and stay the blocks that they were."""

from __future__ import annotations

import pytest

from lakesite.masking import Masker
from lakesite.model import MessagePayload
from lakesite.sources import awf
from tests.site.builds import Value, event
from tests.site.planting import made

TOKEN = f"ghp_{made(36, 51)}"
TEXT = f"say {TOKEN} twice"


def texts(*blocks: Value) -> list[str | None]:
    payload = {"role": "assistant", "blocks": list(blocks)}
    masked = awf.event(event(1, "message.assistant", payload), Masker()).payload
    assert isinstance(masked, MessagePayload)
    return [block.text for block in masked.blocks]


@pytest.mark.parametrize("names", [("text", "text"), ("chunk", "chunk"), ("text", "chunk")])
def test_a_secret_cut_at_each_place(names: tuple[str, str]) -> None:
    for place in range(len(TEXT) + 1):
        pieces = (TEXT[:place], TEXT[place:])
        found = texts(*({"type": "stream", name: piece} for name, piece in zip(names, pieces, strict=True)))
        assert "".join(filter(None, found)) == Masker().mask(TEXT)
        assert TOKEN[4:12] not in str(found)


def test_many_small_chunks_around_other_blocks() -> None:
    chunks = [{"type": "stream", "text": letter} for letter in TEXT]
    found = texts({"type": "text", "text": "first"}, *chunks, {"type": "text", "text": "last"}, {"type": "stream", "text": "end"})
    assert len(found) == len(chunks) + 3
    assert (found[0], found[-2], found[-1]) == ("first", "last", "end")
    assert "".join(filter(None, found[1:-2])) == Masker().mask(TEXT)


def test_a_chunk_without_a_text_ends_nothing() -> None:
    found = texts({"type": "stream", "text": TEXT[:20]}, {"type": "stream"}, {"type": "stream", "chunk": TEXT[20:]})
    assert found[1] is None
    assert "".join(filter(None, found)) == Masker().mask(TEXT)


def test_other_blocks_are_not_joined() -> None:
    assert texts({"type": "text", "text": "ghp_"}, {"type": "text", "text": "x"}) == ["ghp_", "x"]
