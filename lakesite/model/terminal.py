"""What a terminal makes of a line: which stretches of it are control sequences, and what is left where it overwrites itself."""

from __future__ import annotations

import re
from array import array
from itertools import chain

SEQUENCE = re.compile(
    r"""[\x1b\x90\x98\x9b\x9d-\x9f](?:
    (?<=\x1b)(?:
        \[[0-?]*+[ -/]*+[@-~]?                                     # CSI; cut off, it is gone as well
        |\][^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)?                # OSC: title, link; without an end it goes to the end of its line
        |[PX^_][^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c|\Z)          # DCS, SOS, PM, APC
        |[ -/]++[0-~]?                                             # charsets and the like
        |[0-~]
        |\Z)
    |(?<![\x80-\xff].)(?:                                         # the same in one character, not in text read in a wrong encoding
        (?<=\x9b)[0-?]*+[ -/]*+(?:[@-~]|\Z)
        |(?<!\x9b)[^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)))""",
    re.VERBOSE,
)
"""One control sequence, whole. Every repetition is possessive: a text costs one pass."""

LONGEST = 4096
"""How far back a cut looks for the start of a sequence."""

ONE_CHARACTER_CONTROL = re.compile("[\x90\x98\x9b\x9d-\x9f]")
"""Begins a sequence without an escape character."""

_ERASING = re.compile(r"(?:\x1b\[|\x9b)([02]?)K")


def left(line: str) -> array[int]:
    """Where in a line the characters stand that a terminal shows of it in the end, in the order in which it shows them."""
    places = array("q")
    column = at = 0
    for sequence in chain(SEQUENCE.finditer(line), (None,)):
        for number, part in enumerate(line[at : sequence.start() if sequence else len(line)].split("\r")):
            column = 0 if number else column
            places[column : column + len(part)] = array("q", range(at, at + len(part)))
            column += len(part)
            at += len(part) + 1
        if sequence:
            at = sequence.end()
            if erased := _ERASING.fullmatch(sequence[0]):
                column = 0 if erased[1] == "2" else column
                del places[column:]
    return places
