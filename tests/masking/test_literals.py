"""Named values: found in every encoding, refused where they would mask half a text, never written into a message."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
import unicodedata
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakesite.errors import UsageError
from lakesite.masking import Masker, MaskOptions, named_literals
from lakesite.model import MARKER
from tests.masking.made import Maker

VALUE = 'Zé" pass\\word/&<+>' + Maker("literal").of("A-Za-z0-9", 6)
ENCODINGS = {
    "as it is": VALUE,
    "JSON": json.dumps(VALUE, ensure_ascii=False),
    "JSON in ASCII": json.dumps(VALUE),
    "JSON twice": json.dumps(json.dumps(VALUE)),
    "URL": quote(VALUE, safe=""),
    "path": quote(VALUE),
    "URL in small letters": re.sub("%..", lambda found: found[0].lower(), quote(VALUE)),
    "form": urlencode({"": VALUE})[1:],
    "form before it is quoted": VALUE.replace(" ", "+"),
    "HTML": html.escape(VALUE),
    "shell": shlex.quote(VALUE + "'")[1:-6],
    "base64": base64.b64encode(VALUE.encode()).decode(),
    "base64 behind one": base64.b64encode(b"x" + VALUE.encode() + b"y").decode(),
    "base64 behind two": base64.urlsafe_b64encode(b"xy" + VALUE.encode() + b"yz").decode(),
    "hexadecimal": VALUE.encode().hex(),
    "HEXADECIMAL": VALUE.encode().hex().upper(),
    "dump": VALUE.encode().hex(" "),
    "DUMP": VALUE.encode().hex(":").upper(),
    "dump in pairs": VALUE.encode().hex(" ", -2),
    "dump in other pairs": (b"x" + VALUE.encode()).hex(" ", -2)[2:],
    "bytes": repr(VALUE.encode())[2:-1],
    "escapes": ascii(VALUE)[1:-1],
    "every byte": "".join(f"\\x{byte:02x}" for byte in VALUE.encode()),
    "octal": "".join(f"\\{byte:03o}" if byte > 127 else chr(byte) for byte in VALUE.encode()),
    "decomposed": unicodedata.normalize("NFD", VALUE),
    "decomposed in a URL": quote(unicodedata.normalize("NFD", VALUE)),
    "split by nothing": f"{VALUE[:9]}\0{VALUE[9:]}",
    "split by a blank without a width": f"{VALUE[:9]}\u200b{VALUE[9:]}",
    "split by a mode of the keys": f"{VALUE[:9]}\x1b={VALUE[9:]}",
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("method", ["mask", "name"])
def test_every_encoding_is_found(encoding: str, method: str) -> None:
    masked = getattr(Masker(MaskOptions(literals=(VALUE,))), method)(f"so <{ENCODINGS[encoding]}> it is")
    assert MARKER.search(masked)
    assert masked.startswith("so <")
    assert masked.endswith("> it is")
    assert ENCODINGS[encoding][4:-4] not in masked


@settings(max_examples=40)
@given(st.text(st.characters(codec="utf-8"), min_size=6, max_size=30).filter(lambda text: len(set(text.strip())) > 5), st.text(max_size=5))
def test_any_value_is_found(value: str, before: str) -> None:
    literals = named_literals([("--mask-env X", value)])
    masked = Masker(MaskOptions(literals=literals)).mask(f"{before}\n{value.strip(chr(10) + chr(13))}\n")
    assert value.strip("\r\n") not in MARKER.sub("", masked)


def test_lines_of_a_value_are_found_alone() -> None:
    lines = [Maker(number).of("A-Za-z0-9+/", 32) for number in range(3)]
    masker = Masker(MaskOptions(literals=named_literals([("--mask-file key.pem", "\n".join(lines) + "\n")])))
    assert lines[1] not in masker.mask(f"  {lines[1]},")


def test_the_longest_wins() -> None:
    masker = Masker(MaskOptions(literals=("harbor-9", "harbor-9-meadow")))
    assert masker.mask("x harbor-9-meadow y") == "x [masked:credential:15:00000000] y"


@pytest.mark.parametrize("value", ["", "abc12", "aaaaaaaaaa", "ababababab", "\n\n"])
def test_values_that_would_mask_half_a_text_are_refused(value: str) -> None:
    with pytest.raises(UsageError, match="--mask-env NAME") as refused:
        named_literals([("--mask-env NAME", value)])
    assert not value.strip() or value not in str(refused.value)
