"""Takes a page apart into what the masking engine can judge.

The engine masked whole texts, before they were coloured, folded and put into elements. So what a reader sees is put
together again: elements inside a line are taken out of it, emphasis is written as Markdown writes it, chips become the
markers that they show, and the middle of a fold goes back between its head and its tail, unpacked where it was packed.
Texts of different blocks stay apart. Attributes, comments, scripts and styles are pieces of their own: every byte is in one.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from html import unescape
from typing import Literal, NamedTuple

from lakesite.model import MARKER
from lakesite.site.verify_packed import unpacked

Place = Literal["text", "packed text", "attribute", "comment", "declaration", "script", "style", "file", "file name"]


class Piece(NamedTuple):
    """A text that is masked as a whole, or not at all."""

    place: Place
    text: str
    at: str = ""
    """The anchor of the innermost element with one that it begins in; empty: none."""
    name: bool = False
    """An identity or an address of ours: no generic rule was applied when it was masked, and none is now."""
    whole: bool = True
    """False: it is too large to be looked into."""


_MARKUP = re.compile(
    r"""<(?:!--(?P<comment>.*?)(?:--!?>|\Z)
        |(?P<declaration>[!?][^>]*)(?:>|\Z)
        |(?P<end>/?)(?P<tag>[A-Za-z][^\s/>]*)(?P<rest>[^>"']*+(?:(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z))[^>"']*+)*+)(?:>|\Z))""",
    re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""([^\s=/>"']++)(?:\s*+=\s*+(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]+)))?""")
_END_OF = {tag: re.compile(f"</{tag}", re.IGNORECASE) for tag in ("script", "style")}
_ADDRESS = re.compile(r"(?:\.\./)*(?:[a-z0-9-]{1,60}/){0,3}[a-z0-9-]{1,72}(?:\.[a-z][0-9]+)?\.[a-z]{2,4}(?:#[\w.-]*)?|#?[\w.-]*", re.ASCII)
_NAMING = frozenset({"id", "for", "href", "src"})
_SOURCE = re.compile(r"'sha256-[A-Za-z0-9+/]{43}='")

_INLINE = frozenset({
    "a", "abbr", "bdi", "bdo", "br", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark", "q", "s", "samp", "small", "span",
    "strong", "sub", "sup", "td", "th", "time", "tr", "u", "var", "wbr",
})  # fmt: skip
"""Elements that do not end a text. Table cells are among them: a name and its value may stand in two."""
_BEFORE = {"strong": "**", "em": "*", "code": "`", "kbd": " ", "small": " ", "time": " ", "br": "\n", "td": "| ", "th": "| "}
_AFTER = {"strong": "**", "em": "*", "code": "` ", "kbd": " ", "small": " ", "time": " ", "td": " ", "th": " ", "tr": "|\n"}
_OURS = re.compile(r"at|id|(?:pill|dot|b-).*")
"""Classes of elements that set something off from the text around it."""
_OF_BODIES = frozenset({"", "md", "num", "code", "out", "json", "diff", "scroll"})
"""Classes of blocks that a text is shown in: a text goes on in them behind a fold."""
_PROSE, _CHIP, _CHARACTER, _LONG = "md", "mk", "cc", "long"
_LONG_STARTS, _LONG_ENDS = "\ue001", "\ue002"
_QUOTED = ((f'"""\n{_LONG_STARTS}', '"'), (f'\n{_LONG_ENDS}"""', '"'))
"""A long string of a JSON value is shown between triple quotes, and was none when it was masked."""
_CODE_POINT = re.compile(r"U\+([0-9A-F]{4,5})")
_LONGEST_NAME = 12
"""No element has a longer one."""
_ORIGIN = re.compile(r"\S{1,255}:[0-9]+")
_FILES = re.compile(r"(?:\S+\.(?:jsonl|ndjson)(?:\.[a-z0-9]{2,4})?(?:\s+|\Z))++")
"""A list of the source files of a document."""
_CACHED = 512
_DEEPEST = 16
"""Elements in a line that can be open and closed in another order."""
_EMPTY = frozenset({"br", "img", "input", "wbr"})


def pieces(source: str) -> Iterator[Piece]:
    """Everything in a page, piece by piece."""
    reader = _Reader()
    own: set[str] = set()
    policies: list[str] = []
    at = 0
    while found := _MARKUP.search(source, at):
        yield from reader.words(source[at : found.start()])
        at = found.end()
        tag, rest = (found["tag"] or "").lower(), found["rest"] or ""
        if len(tag) > _LONGEST_NAME:
            yield Piece("declaration", found["tag"])
        if found["end"]:
            yield from reader.closed(tag, rest)
        elif tag == "meta" and "http-equiv" in rest:
            policies.append(unescape(rest))
        elif tag in _END_OF:
            yield from reader.opened(tag, rest)
            end = _END_OF[tag].search(source, at)
            content = source[at : end.start() if end else len(source)]
            at += len(content)
            own.add(f"'sha256-{b64encode(sha256(content.encode('utf-8', 'replace')).digest()).decode()}'")
            yield Piece("script" if tag == "script" else "style", content, name='id="anchors"' in rest)
        elif tag:
            yield from reader.opened(tag, rest)
        elif found["comment"] is not None:
            yield Piece("comment", found["comment"])
        else:
            yield Piece("declaration", found["declaration"])
    yield from reader.words(source[at:])
    yield from reader.ended()
    for policy in policies:  # the digests of what the page itself holds are no secrets
        yield Piece("attribute", _SOURCE.sub(lambda digest: "" if digest[0] in own else digest[0], policy))


class _Tag(NamedTuple):
    """What an opening tag says."""

    css: str
    id: str
    title: str
    packed: str
    names: tuple[str, ...]
    """Attributes that hold identities and addresses of ours."""
    rest: str
    """All other attributes."""


class _Aside(NamedTuple):
    """A text that stands inside another and is no part of it."""

    end: str
    """The element that it ends with."""
    around: list[str]
    """The other text, so far."""
    place: Place
    over: bool
    """Whether that one is over."""
    joined: bool
    """Whether it goes on in the next block."""


class _Reader:
    """Takes the tags and words of a page in order, and puts together what belongs together."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._place: Place = "text"
        self._asides: list[_Aside] = []
        self._in_summary = False
        self._prose = 0  # how many `div` are open from one with Markdown in it on: all in it is one text
        self._details: list[bool] = []  # those that are open, and whether each is a fold
        self._inside: list[tuple[str, str | None]] = []  # elements in a line that are open, and what is written at their end
        self._over = False  # the next words belong to another text
        self._joined = False  # no block ends the text before the next words
        self._shown_for = ""  # the marker whose chip is open, or the class of a named character
        self._at = ""
        self._began = ""  # the anchor where the text so far began
        self._anchored: list[tuple[str, int, str]] = []  # elements with one: name, how many of it are open inside, the anchor around
        self._seen = {""}  # attributes that have been pieces already: most are those of many elements

    def words(self, written: str) -> Iterator[Piece]:
        """Text between two tags."""
        text = unescape(written) if "&" in written else written
        if not text or ((self._over or self._joined) and text.isspace()):
            return
        if self._over:
            yield from self.finished()
        if self._shown_for:
            text = _meant(self._shown_for, text)
            self._shown_for = ""
        self._joined = False
        self._write(text)

    def _write(self, text: str) -> None:
        if not self._text:
            self._began = self._at
        self._text.append(text)

    def ended(self) -> Iterator[Piece]:
        """The page is over."""
        yield from self.finished()
        while self._asides:
            _, self._text, self._place, _, _ = self._asides.pop()
            yield from self.finished()

    def finished(self) -> Iterator[Piece]:
        """No more belongs to the text so far."""
        text, place = "".join(self._text), self._place
        for shown, meant in _QUOTED if _LONG_STARTS in text else ():
            text = text.replace(shown, meant)
        self._text.clear()
        self._place, self._over = "text", False
        if text and not text.isspace():
            yield Piece(place, text, self._began, name=bool(_FILES.fullmatch(text)))

    def opened(self, name: str, attributes: str) -> Iterator[Piece]:
        """An element begins."""
        tag = _tag(attributes) if len(attributes) < _CACHED else _tag.__wrapped__(attributes)
        around = self._at
        if tag.id:
            yield from self.finished()
            self._at = tag.id
        yield from self._opened(name, attributes, tag)
        if name in _EMPTY:
            self._at = around
        else:
            self._nest(name, tag.id, around)

    def _opened(self, name: str, attributes: str, tag: _Tag) -> Iterator[Piece]:
        if attributes not in self._seen:
            self._seen.add(attributes)
            yield from (Piece("attribute", text, self._at, name=True) for text in tag.names)
            yield Piece("attribute", tag.rest, self._at)
        self._shown_for = tag.title if tag.css == _CHIP else _CHARACTER if tag.css == _CHARACTER else ""
        is_fold = name == "details" and tag.css == "fold"
        if is_fold:
            yield from self._fold(tag)
        elif tag.packed:
            yield Piece("attribute", tag.packed, self._at)
        if name == "details":
            self._details.append(is_fold)
        elif name == "pre" and tag.css == "ln":
            self._step_aside("pre", over=self._over, joined=self._joined)
        self._in_summary |= name == "summary"
        if name in _INLINE and not _OURS.fullmatch(tag.css) and not (name == "code" and self._in_summary):
            yield from self._mark(_LONG_STARTS if tag.css == _LONG else _BEFORE.get(name, ""))
            if name not in _EMPTY:
                self._inside.append((name, _LONG_ENDS if tag.css == _LONG else _AFTER.get(name, "")))
        elif not is_fold:
            self._enter(name, tag)

    def _nest(self, name: str, anchor: str, around: str) -> None:
        """An element begins: one with an anchor, or one that must not be taken for it when it ends."""
        if anchor:
            self._anchored.append((name, 0, around))
        elif self._anchored and self._anchored[-1][0] == name:
            self._anchored[-1] = (name, self._anchored[-1][1] + 1, self._anchored[-1][2])

    def _unnest(self, name: str) -> None:
        """An element ends."""
        if self._anchored and self._anchored[-1][0] == name:
            _, inside, around = self._anchored.pop()
            if inside:
                self._anchored.append((name, inside - 1, around))
            else:
                self._at = around

    def _enter(self, name: str, tag: _Tag) -> None:
        """Something begins that is set off from the text around it."""
        if name in _INLINE:
            self._inside.append((name, None))
        if self._prose:
            self._end_line()
        elif not self._joined or tag.id or tag.css not in _OF_BODIES or name == "summary":
            self._over, self._joined = True, False
        if name == "div" and (self._prose or tag.css == _PROSE):
            self._prose += 1

    def _end_line(self) -> None:
        if self._text and not self._text[-1].endswith("\n"):
            self._text.append("\n")

    def _mark(self, text: str) -> Iterator[Piece]:
        """Write what stands for a tag."""
        if text and not ((self._over or self._joined) and text.isspace()):
            if self._over:
                yield from self.finished()
            self._joined = False
            self._write(text)

    def _fold(self, tag: _Tag) -> Iterator[Piece]:
        """The middle of a text begins; what is said about it stands in between."""
        self._over = False
        inner = unpacked(tag.packed) if tag.packed else None
        if inner is None:
            if tag.packed:
                yield Piece("attribute", tag.packed, self._at)
            self._step_aside("summary", over=False, joined=True)
            return
        yield from (Piece("packed text", "", self._at, whole=False) for each in inner if not each.whole)
        for each in inner:
            self._write(each.text)
        self._place = "packed text"
        self._step_aside("details", over=False, joined=True)

    def _step_aside(self, end: str, *, over: bool, joined: bool) -> None:
        self._asides.append(_Aside(end, self._text, self._place, over, joined))
        self._text, self._place = [], "text"

    def closed(self, name: str, rest: str) -> Iterator[Piece]:
        """An element ends."""
        if rest and not rest.isspace():
            yield Piece("attribute", unescape(rest), self._at)
        self._shown_for = ""
        if self._asides and self._asides[-1].end == name:
            yield from self.finished()
            _, self._text, self._place, self._over, self._joined = self._asides.pop()
        else:
            yield from self._leave(name)
        if name == "details" and self._details and self._details.pop():
            self._over, self._joined = False, True
        self._unnest(name)

    def _leave(self, name: str) -> Iterator[Piece]:
        self._in_summary &= name != "summary"
        if self._inside and self._inside[-1][0] == name:
            mark = self._inside.pop()[1]
        elif any(name == inside for inside, _ in self._inside[-_DEEPEST:]):
            while self._inside.pop()[0] != name:
                pass
            mark = None
        else:
            mark = _AFTER.get(name, "") if name in _INLINE else None
        if mark is not None:
            yield from self._mark(mark)
        elif self._prose:
            self._end_line()
            self._prose -= name == "div"
            self._over = not self._prose
        elif not self._joined:
            self._over = True


def _meant(shown_for: str, text: str) -> str:
    """What words stand for: the marker of a chip, the character that is named. Any other words stand for themselves."""
    if shown_for == _CHARACTER:
        point = _CODE_POINT.fullmatch(text)
        return chr(int(point[1], 16)) if point else text
    marker = MARKER.fullmatch(shown_for)
    if marker and text == f"{marker[1]} · {marker[2]} character{'' if marker[2] == '1' else 's'}":
        return shown_for
    return text


@lru_cache(maxsize=4096)
def _tag(attributes: str) -> _Tag:
    """Read the attributes of a tag."""
    found = [
        (match[0], match[1].lower(), unescape(next((value for value in match.groups()[1:] if value is not None), "")))
        for match in _ATTRIBUTE.finditer(attributes)
    ]
    values = {name: value for _, name, value in reversed(found)}
    css = values.get("class", "")
    titled = css == "id" or (values.get("href", "").startswith("#") and _ORIGIN.fullmatch(values.get("title", "")))
    names: list[str] = []
    rest: list[str] = []
    for written, name, value in found:
        if (name in _NAMING and _ADDRESS.fullmatch(value)) or (name == "title" and titled):
            names.append(value)
        elif name != "data-z":
            rest.append(f'{name}="{value}"' if value else written)
    stray = _ATTRIBUTE.sub("", attributes).strip(" \n/\"'")
    return _Tag(
        css, values.get("id", ""), values.get("title", ""), values.get("data-z", ""), tuple(names), " ".join([*rest, stray]).strip()
    )
