"""Search as it should be, the slow and obvious way: looks at every text of every document."""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from lakesite.search.entries import Entry
from lakesite.search.tokens import fold, runs, words_and_pairs
from lakesite.search.tokens import terms as word_terms
from tests.search.archive import Read

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7a3]")


def terms_of(text: str) -> set[str]:
    """All terms of a text."""
    split = [words_and_pairs(run) for run in runs(text)]
    return {term for words, pairs in split for term in (*pairs, *(each for word in words for each in word_terms(word)))}


@dataclass
class Scanned:
    """An entry, ready to be looked through again and again."""

    entry: Entry

    @cached_property
    def terms(self) -> list[str]:
        return sorted(terms_of(self.entry.text))

    @cached_property
    def folded(self) -> str:
        return fold(self.entry.text)

    def has(self, term: str, *, star: bool) -> bool:
        """Whether a term, or one that begins so, is among those of the entry."""
        place = bisect_left(self.terms, term)
        return place < len(self.terms) and (self.terms[place].startswith(term) if star else self.terms[place] == term)


@dataclass
class Word:
    """A word, a beginning or a text of a query."""

    text: str
    star: bool = False

    def stands_in(self, scanned: Scanned) -> bool:
        text = fold(self.text)
        if re.fullmatch(r"\w+", text) and not UNSPACED.search(text):
            return scanned.has(text, star=self.star)
        return text.split(" ")[0] in scanned.folded and self.is_whole(text, scanned.folded)

    def is_whole(self, text: str, folded: str) -> bool:
        for found in re.finditer(re.escape(text).replace(r"\ ", r"\s+"), folded):
            inside = joins(folded[found.start() - 1 : found.start()]) and joins(folded[found.start()])
            outside = joins(folded[found.end() - 1]) and joins(folded[found.end() : found.end() + 1])
            if not inside and (self.star or not outside):
                return True
        return False


def joins(char: str) -> bool:
    """Whether a character makes one word with another."""
    return bool(char) and (char.isalnum() or char == "_") and not UNSPACED.match(char)


@dataclass
class Query:
    """A query, as it is typed and as it is meant."""

    words: list[Word] = field(default_factory=list)
    unwanted: list[Word] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)

    def typed(self) -> str:
        texts = [f'"{word.text}"' if " " in word.text else f"{word.text}{'*' if word.star else ''}" for word in self.words]
        texts += [f'-"{word.text}"' if " " in word.text else f"-{word.text}" for word in self.unwanted]
        return " ".join([*texts, *(f"{name}:{value}" for name, value in self.fields.items())])

    def found(self, documents: dict[str, tuple[Read, list[Scanned]]]) -> set[str]:
        """The addresses of all documents that hold what is asked."""
        return {href for href, (read, scanned) in documents.items() if self.holds(read, scanned)}

    def holds(self, read: Read, scanned: list[Scanned]) -> bool:
        if not all(self._fits(read, name, value) for name, value in self.fields.items()):
            return False
        if any(word.stands_in(each) for word in self.unwanted for each in scanned):
            return False
        inside = [each for each in scanned if all(self._is_inside(each.entry, name, value) for name, value in self.fields.items())]
        return bool(inside) and all(any(word.stands_in(each) for each in inside) for word in self.words)

    @staticmethod
    def _fits(read: Read, name: str, value: str) -> bool:
        facts = read.facts
        day = datetime.fromtimestamp(facts.started / 1e9, UTC).date().isoformat() if facts.started is not None else ""
        match name, value:
            case "is", "run" | "session":
                return facts.kind == value
            case "runtime", _:
                return fold(facts.runtime) == fold(value)
            case "project", _:
                return any(fold(value) in fold(each) for each in facts.projects)
            case "after", _:
                return day >= value
            case "before", _:
                return "" < day < value
            case _:
                return True

    @staticmethod
    def _is_inside(entry: Entry, name: str, value: str) -> bool:
        fields = entry.fields
        match name:
            case "role":
                return fields.role == value
            case "tool":
                return fold(fields.tool) == fold(value)
            case "fidelity":
                return fields.fidelity in (value, "both")
            case "is" if value == "error":
                return fields.error
            case _:
                return True


def queries(documents: dict[str, tuple[Read, list[Scanned]]], count: int, seed: int) -> Iterator[Query]:
    """Random queries, most of which find something."""
    draw = random.Random(seed)  # noqa: S311 -- no secret
    all_documents = list(documents.values())
    sizes = [len(scanned) for _, scanned in all_documents]
    while count:
        read, scanned = draw.choices(all_documents, sizes)[0]
        query = Query()
        for _ in range(draw.choice((1, 1, 1, 2, 2, 3))):
            word = _word(draw, draw.choice(scanned).entry.text)
            if word:
                query.words.append(word)
        other = _word(draw, draw.choice(draw.choice(all_documents)[1]).entry.text)
        if draw.random() < 0.2 and other and not other.star and not other.text.startswith("-"):
            query.unwanted.append(other)
        if draw.random() < 0.35:
            query.fields |= _field(draw, read, draw.choice(scanned).entry)
        if query.words:
            count -= 1
            yield query


def _word(draw: random.Random, text: str) -> Word | None:
    place = draw.randrange(len(text))
    near = text[max(place - 60, 0) : place + 60]
    match draw.randrange(6):
        case 0 | 1:
            found = re.findall(r"\w+", near)
        case 2:
            found = [word for word in re.findall(r"[^\s\"*]+", near)[1:-1] if re.search(r"\w", word)]
        case 3:
            found = [phrase.strip() for phrase in re.findall(r"[\w.,'-]+(?:\s[\w.,'-]+){1,3}", near)[1:-1]]
        case 4:
            found = re.findall(r"\w{3,}", near)
        case _:
            found = re.findall(r"[\u3040-\u9fff\uac00-\ud7a3]{1,5}", text) or re.findall(r"\w+[./:-]\w+", near)
    found = [word for word in found if re.search(r"\w", word) and not re.search(r'["*]|[^\s]{65}|^-[^-]|^[a-z]+:', word)]
    if not found:
        return None
    word = draw.choice(found)
    if re.fullmatch(r"\w[\w./:-]+\w", word) and not UNSPACED.search(word) and draw.random() < 0.25:
        start = word[: draw.randrange(2, len(word))].rstrip("./:-")
        return Word(start, star=True)
    return Word(" ".join(word.split()))


def _field(draw: random.Random, read: Read, entry: Entry) -> dict[str, str]:
    facts = read.facts
    day = datetime.fromtimestamp((facts.started or 0) / 1e9, UTC).date().isoformat()
    choices = [{"is": facts.kind}, {"role": entry.fields.role}, {"after": day}, {"before": day}]
    choices += [{"tool": entry.fields.tool}] * (" " not in entry.fields.tool and entry.fields.tool != "")
    choices += [{"fidelity": entry.fields.fidelity}] * (entry.fields.fidelity in ("router", "agent"))
    choices += [{"is": "error"}] * entry.fields.error
    choices += [{"runtime": facts.runtime}] * (facts.runtime != "")
    return draw.choice(choices)
