"""The one door between what was recorded and what may be shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Self, TypeAlias

from lakesite.masking.door import OpenDoor
from lakesite.masking.engine import engine_for
from lakesite.masking.identity import Identity
from lakesite.masking.joined import spread
from lakesite.masking.literals import SHORTEST_NAMED, literal_finder, worth_catching
from lakesite.masking.marker import Findings, Hit, MarkerClass
from lakesite.masking.memory import CleanTexts
from lakesite.masking.names import Secrecy, secrecy
from lakesite.masking.options import MaskOptions
from lakesite.masking.sheet import APART
from lakesite.masking.tree import Tree, texts_of
from lakesite.masking.values import Trust, is_secret, is_stand_in
from lakesite.model import MARKER, NO_FINGERPRINT, Masked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lakesite.masking.door import Door
    from lakesite.model import Json

_MOST_ROUNDS = 4
"""How often one text is looked at: new markers may show more beside them, but no text may go on for ever."""
_LONGEST_VOUCHED = 65_536
"""Characters of a text that is looked at with the others of its record; longer ones gain nothing by it, and together they take memory."""
_SHORTEST_NUMBER = {Secrecy.PASSWORD: 4, Secrecy.TOKEN: 8, Secrecy.SESSION: 12}
"""Characters of a number under a secret name: people choose PINs, but what is named as tokens or sessions is often a count."""
_SHORTEST_CAUGHT_NUMBER = 10
"""Digits of a caught number that is masked wherever it stands: shorter ones are dates and counts, too."""
_TEST_RESULTS = frozenset({"pass", "passed", "passes"})
"""Names that sound like a password, and whose numbers say how many tests passed."""

Caught: TypeAlias = "tuple[tuple[str, MarkerClass], ...]"
"""Secrets, each with its class. They stay in memory: no such value is ever written or shown."""
_Found: TypeAlias = "tuple[tuple[MarkerClass, str, str], ...]"
"""Class and rule of what was masked, and what it reads as."""


class Masker:
    """Masks the texts of one document and counts what it masked."""

    def __init__(
        self,
        options: MaskOptions = MaskOptions(),  # noqa: B008 (frozen)
        *,
        machines: Iterable[str] = (),
        caught: Mapping[str, MarkerClass] | None = None,
        users: Iterable[str] = (),
    ) -> None:
        self.options = options
        self.findings = Findings()
        """What was masked, without a word of it."""
        self.field_name = ""
        """In which field of a record the next texts stand, in our words."""
        self.caught: dict[str, MarkerClass] = dict(caught or {})
        """Secrets found so far that must go wherever they stand in the document. Never shown, never stored."""
        self._known_first = len(self.caught)
        self._engine = engine_for(options)
        self._literals = literal_finder(options.literals, tuple(self.caught.items()))
        self._machines = tuple(machines)
        self._identity = Identity(self._machines, users) if options.publish else None
        self._tree = Tree(self)
        self.open: Door = OpenDoor(self)
        """The door of a record of which it is known that nothing in it has to be masked."""
        self.knows = bool(self.caught or options.literals)
        """Whether it looks for any values beside what the rules find."""
        on_its_own = options.literals or self.caught or self._identity
        self._clean, self._clean_names = (CleanTexts(), CleanTexts()) if on_its_own else (self._engine.clean, self._engine.clean_names)
        self._one_by_one = options.look_beyond
        self._vouched: frozenset[str] = frozenset()
        self._prepared: dict[str, tuple[str, _Found]] = {}
        """What becomes of the texts of the record that was looked at last, where anything in it has to be masked."""

    def vouch(self, record: object, known_names: frozenset[str] = frozenset(), *, rules: bool = True) -> bool:
        """Look at all texts of a decoded JSON value at once; tells whether nothing in it has to be masked.

        Names of its own fields in `known_names` say nothing about their values. Without `rules` only literals are looked for.
        """
        found, harmless = texts_of(record, known_names, numbers=self.knows)
        known = self._clean.known
        short = [text for text in found if len(text) <= _LONGEST_VOUCHED]
        clean = self._looked_through([text for text in short if text not in known], rules=rules)
        return clean and harmless and len(short) == len(found)

    def _looked_through(self, texts: Sequence[str], *, rules: bool) -> bool:
        """Whether nothing in the texts of a record has to be masked; what that tells of each is kept until the next."""
        clean = not any(self._finds(APART.join(batch), rules=rules) for batch in self._batches(texts))
        self._vouched = frozenset(texts if clean else ())
        self._prepared = {} if clean else self._masked_together(texts)
        if rules or self.knows:  # else nobody looked, and other maskers go by what is clean
            self._clean.add(self._vouched)
        return clean

    def door(self, record: object, known_names: frozenset[str] = frozenset(), *, clean: bool) -> Door:
        """What masks the texts of a record. `clean`: the rules found nothing in it."""
        return self.open if self.vouch(record, known_names, rules=not clean) else self

    def mask(self, text: str) -> Masked:
        """Mask every secret in a text."""
        return self._through(text, generic=True)

    def joined(self, texts: Sequence[str]) -> list[Masked]:
        """Mask texts that were one before they were cut, each with its own part of the whole."""
        whole = "".join(texts)
        masked = self.mask(whole)
        return [Masked(text) for text in (texts if masked == whole else spread(texts, masked))]

    def made(self, text: str) -> Masked:
        """Mask a text that was made from what is recorded."""
        return self.mask(text)

    def name(self, text: str) -> Masked:
        """Mask an identity (run, session, call, part), sparing long ids that only look like keys."""
        return self._through(text, generic=False)

    def value(self, value: object) -> Json:
        """Mask a whole decoded JSON value: strings, keys, and numbers under secret names."""
        return self._tree.masked(value)

    def field(self, name: str, text: str, kind: Secrecy) -> Masked:
        """Mask the text of a field whose name says that it is secret."""
        if is_secret(text, kind, Trust.SURE if kind is Secrecy.PASSWORD else Trust.CODE, quoted=True):
            return self._as_secret(text, kind)
        lead = f"{name}: "  # as it would stand in a header or a file
        masked, found = self._masked(lead + text, generic=True)
        return self._counted(masked[len(lead) :], found) if masked.startswith(lead) else self.mask(text)

    def number(self, name: str, spelling: str, kind: Secrecy) -> Masked | None:
        """Mask a number that is a known secret, or whose name says that it is one, where it can be."""
        if kind and len(spelling) >= _SHORTEST_NUMBER[kind] and name.lower() not in _TEST_RESULTS:
            return self._as_secret(spelling, kind)
        masked = self.mask(spelling) if self.knows and len(spelling) >= SHORTEST_NAMED else spelling
        return Masked(masked) if masked != spelling else None

    def whole(self, value: object) -> int | None:
        """A whole number that is shown as one; None where it is none, or a known secret."""
        if not isinstance(value, int) or isinstance(value, bool) or self.number("", str(value), Secrecy.NONE):
            return None
        return value

    def at(self, field_name: str) -> Self:
        """Say in which field the next texts stand, so that what is masked there is counted for it."""
        self.field_name = field_name
        return self

    @property
    def sought(self) -> object | None:
        """What it looks for beside what the rules find: one and the same thing for maskers that look for the same.

        None: for the names of people and machines, too, of which it learns more with every text.
        """
        return None if self._identity else self._literals

    @property
    def has_learnt(self) -> bool:
        """Whether anything was caught that it did not know from the start."""
        return len(self.caught) > self._known_first

    def second_pass(self, machines: Iterable[str] = ()) -> Masker:
        """A masker for the same document that knows from the start what this one caught."""
        users = self._identity.users if self._identity else ()
        return Masker(self.options, machines=(*self._machines, *machines), caught=self.caught, users=users)

    def _as_secret(self, text: str, kind: Secrecy) -> Masked:
        """Mask a text from its first character to its last."""
        hit = Hit(0, len(text), "credential" if kind is Secrecy.PASSWORD else "token", "name-field")
        return self._counted(*self._replaced(text, [hit]))

    def _through(self, text: str, *, generic: bool) -> Masked:
        clean = self._clean if generic else self._clean_names
        if text in self._vouched or text in clean.known:
            return Masked(text)
        masked, found = (self._prepared.get(text) if generic else None) or self._masked(text, generic=generic)
        if not found and masked == text:
            clean.add((text,))
        return self._counted(masked, found)

    def _finds(self, text: str, *, rules: bool) -> bool:
        """Whether anything in a text has to be changed: a secret, a marker that loses its fingerprint, a name."""
        if self._identity or (self.options.fingerprint == "zero" and "[masked:credential:" in text):
            return True
        if rules:
            return bool(self._engine.hits(text, self._literals, generic=True))
        return self.knows and self._engine.holds(text, self._literals)

    def _masked(self, text: str, *, generic: bool) -> tuple[str, _Found]:
        return self._each_masked([text], generic=generic)[0]

    def _masked_together(self, texts: Sequence[str]) -> dict[str, tuple[str, _Found]]:
        """What becomes of each of many texts."""
        masked = (each for batch in self._batches(texts) for each in self._each_masked(batch, generic=True))
        return dict(zip(texts, masked, strict=True))

    def _each_masked(self, texts: Sequence[str], *, generic: bool) -> list[tuple[str, _Found]]:
        """Mask texts that are looked at together, each for itself."""
        now = [self._without_fingerprints(text) for text in texts]
        found: list[_Found] = [()] * len(now)
        left = list(range(len(now)))
        for _ in range(_MOST_ROUNDS):  # a marker is a boundary where none was: look again until nothing is found
            hits = self._engine.hits(APART.join(now[number] for number in left), self._literals, generic=generic)
            changed = [(number, own) for number, own in zip(left, divided(hits, [len(now[number]) for number in left]), strict=True) if own]
            for number, own in changed:
                now[number], new = self._replaced(now[number], own)
                found[number] += new
            left = [number for number, _ in changed]
            if not left:
                break
        shown = [self._identity.hidden(text, is_name=not generic) for text in now] if self._identity else now
        return list(zip(shown, found, strict=True))

    def _batches(self, texts: Iterable[str]) -> Iterable[list[str]]:
        """Texts in groups that are looked at together: each gives what it gives alone."""
        return ([text] for text in texts) if self._one_by_one else batches(texts)

    def _without_fingerprints(self, text: str) -> str:
        if "[masked:credential:" in text and self.options.fingerprint == "zero":
            return MARKER.sub(_without_fingerprint, text)
        return text

    def _replaced(self, text: str, hits: list[Hit]) -> tuple[str, _Found]:
        out: list[str] = []
        found: list[tuple[MarkerClass, str, str]] = []
        at = 0
        for hit in hits:
            secret = hit.secret or text[hit.start : hit.end]
            out += (text[at : hit.start], self.options.marker(secret, hit.kind))
            found.append((hit.kind, hit.rule, secret))
            at = hit.end
        out.append(text[at:])
        return "".join(out), tuple(found)

    def _counted(self, text: str, found: _Found) -> Masked:
        for kind, rule, secret in found:
            self.findings.add(kind, rule, len(secret), self.field_name)
            if told := _told(secret, kind):
                self.caught.update((piece, told[1]) for piece in _worth_catching(told[0]) if piece not in self.caught)
        return Masked(text)


def divided(hits: Iterable[Hit], lengths: Iterable[int]) -> Iterator[list[Hit]]:
    """The hits of each of several texts of these lengths that were looked at together; one that reaches out of a text is cut."""
    left = iter(hits)
    hit = next(left, None)
    start = 0
    for length in lengths:
        end, own = start + length, []
        while hit and hit.start < end:
            if hit.end > start:
                cut = Hit(max(hit.start, start) - start, min(hit.end, end) - start, hit.kind, hit.rule)
                own.append(cut._replace(secret=hit.secret) if cut.end - cut.start == hit.end - hit.start else cut)
            if hit.end > end:
                break
            hit = next(left, None)
        yield own
        start = end + len(APART)


def _told(secret: str, kind: MarkerClass) -> tuple[str, MarkerClass] | None:
    """What of a hit is the secret itself, and its class: of an assignment the value, where its name says that it is one."""
    if kind == "assignment":
        name, _, value = secret.partition("=")
        says = secrecy(name)
        secret, kind = value, "credential" if says is Secrecy.PASSWORD else "token"
        return (secret, kind) if says and is_secret(secret, says, Trust.SURE, quoted=True) else None
    return (secret, kind) if kind != "entropy" else None


def _worth_catching(secret: str) -> Iterator[str]:
    """What of a caught value may be masked wherever it stands: of numbers those that are no date or count."""
    yield from worth_catching(secret)
    if len(secret) >= _SHORTEST_CAUGHT_NUMBER and secret.isdecimal() and not is_stand_in(secret):
        yield secret


def batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts in groups that can be looked at together without taking much memory."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _LONGEST_VOUCHED:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _without_fingerprint(found: re.Match[str]) -> str:
    return f"[masked:{found[1]}:{found[2]}:{NO_FINGERPRINT}]" if found[1] == "credential" else found[0]


def mask_text(text: str) -> str:
    """Mask one text with the default options."""
    return Masker().mask(text)
