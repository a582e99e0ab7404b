"""Makes secrets up at run time, and fills them into texts: no secret is ever written down.

In a text, `{alnum 36}` stands for 36 made-up characters of an alphabet, `{password}` for what a person might choose, `{pem 6}` for
six lines of a key, `{uuid}` for a UUID. `{name:hex 40}` gives the value a name; `{name}` repeats it. In an expected text, `[token 40]`
stands for a marker of that class and length, `[token]` for one of any length; markers of the class credential have no fingerprint.
"""

from __future__ import annotations

import base64
import random
import re
import uuid

from lakesite.masking.rules import character_class

WORDS = ("Harbor", "Meadow", "Copper", "Lantern", "Violet", "Thunder", "Salmon", "Castle", "Orchid", "Falcon", "Marble", "Winter")
ALPHABETS = ("alnum", "hex", "lower36", "upper36", "base32", "word", "b64url", "dotted")
_WRITTEN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
"""What tokens are mostly made of; dots and the like stand between their parts."""
_BLANK = re.compile(rf"\{{(?:([a-z]\w*):)?({'|'.join(ALPHABETS)}|digits|token|base64|password|uuid|pem)(?: (\d+))?\}}")
_NAMED = re.compile(r"\{([a-z]\w*)\}")
_MARKER = re.compile(r"\\\[(token|entropy|assignment|credential)(?:\\ (\d+))?\\\]")


class Maker:
    """Makes values; the same seed makes the same ones."""

    def __init__(self, seed: object) -> None:
        self.random = random.Random(str(seed))  # noqa: S311 -- made-up secrets open nothing
        self.made: list[str] = []

    def of(self, characters: str, length: int) -> str:
        """Characters of a regular expression's class, as random ones are: mixed, with digits, beginning and ending in a letter or digit."""
        known = [c for c in _WRITTEN if re.match(f"[{characters}]", c)]
        plain = [c for c in known if c.isalnum()]
        text = [self.random.choice(known) for _ in range(length)]
        for at in (0, length // 3, length // 2, length - 1):
            text[at] = self.random.choice([c for c in plain if c.isdigit() or not at] or plain)
        return "".join(text)

    def password(self) -> str:
        """What a person might choose."""
        return f"{self.random.choice(WORDS)}{self.random.choice('!@+_.-')}{self.random.randrange(100, 9999)}"

    def value(self, kind: str, length: int) -> str:
        """A value of one of the kinds of the fixtures."""
        match kind:
            case "password":
                text = self.password()
            case "uuid":
                text = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
            case "pem":
                text = "\n".join(base64.b64encode(self.random.randbytes(48)).decode() for _ in range(length or 6))
            case "base64":
                text = base64.b64encode(self.random.randbytes(length or 24)).decode()
            case "token":
                text = self.of("A-Za-z0-9", length or 32)
            case "hex":
                text = self.of("0-9a-f", length)
            case "digits":
                text = self.of("0-9", length)
            case _:
                text = self.of(character_class(kind), length)
        self.made.append(text)
        return text

    def filled(self, text: str) -> tuple[str, dict[str, str]]:
        """The text with its blanks filled, and the named values."""
        names: dict[str, str] = {}

        def fill(found: re.Match[str]) -> str:
            value = self.value(found[2], int(found[3] or 0))
            if found[1]:
                names[found[1]] = value
            return value

        filled = _BLANK.sub(fill, text)
        return _NAMED.sub(lambda found: names.get(found[1], found[0]), filled), names


def expected_pattern(text: str, names: dict[str, str]) -> re.Pattern[str]:
    """What an expected text of a fixture stands for."""
    pattern = re.escape(_NAMED.sub(lambda found: names.get(found[1], found[0]), text))

    def marker(found: re.Match[str]) -> str:
        fingerprint = "00000000" if found[1] == "credential" else "[0-9a-f]{8}"
        return rf"\[masked:{found[1]}:{found[2] or '[1-9][0-9]*'}:{fingerprint}\]"

    return re.compile(_MARKER.sub(marker, pattern))
