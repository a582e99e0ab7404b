"""The index as a whole: what is in it, that it does not depend on how it was made, and how it grows."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakesite.search.codec import script, unpacked
from lakesite.search.entries import Entry, Fields
from lakesite.search.invert import PlacedUnit, groups, invert
from lakesite.search.library import MOST, publish, read_library
from lakesite.search.merge import merged_files, read_shard
from lakesite.search.postings import read_postings
from lakesite.search.segment import BLOCK, OVERLAP, Facts, Indexed, SegmentWriter, pieces
from lakesite.search.tables import read_head
from lakesite.site.output import write_file
from tests import ROOT
from tests.search.archive import Read
from tests.search.scan import terms_of
from tests.search.site import index

SAY, DO, FAIL = Fields("user"), Fields("tool", "Bash", "router"), Fields("tool", "Bash", "router", error=True)


def made(number: int, *texts: str, out: Path, folder: Path, fields: Fields = SAY) -> Indexed:
    """Index a document of some texts."""
    writer = SegmentWriter(folder, f"d{number}", partial(write_file, out))
    writer.add(1, [Entry(f"e-{place}", fields, text) for place, text in enumerate(texts, 1)])
    return writer.finish(Facts("run", f"document {number}", f"runs/d{number}.html", started=number * 10**15))


def dictionary(site: Path) -> dict[str, dict[str, list[int]]]:
    """The whole dictionary of each segment."""
    found: dict[str, dict[str, list[int]]] = {}
    for path in sorted((site / "search").glob("*/i/*/*.js"), key=lambda path: (path.parts[-4], int(path.parent.name), int(path.stem))):
        found.setdefault(path.parts[-4], {}).update(read_shard(unpacked(path.read_text())))
    return found


def files(site: Path) -> dict[str, bytes]:
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in sorted(site.rglob("*.js"))}


# ---------------------------------------------------------------- one document


def test_blocks_hold_entries_of_one_kind(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, "d", None)
    writer.add(1, [Entry("e-1", SAY, "one"), Entry("e-2", DO, "two"), Entry("e-3", SAY, "three"), Entry("e-4", FAIL, "four")])
    listed = writer.finish(Facts("run", "t", "runs/t.html")).listed
    assert listed.fields == (DO, FAIL, SAY)
    assert listed.places == ((1, "e-2"), (1, "e-4"), (1, "e-1"))


def test_a_chunk_names_its_entries(tmp_path: Path) -> None:
    made(1, "alpha", "beta \x1e gamma", out=tmp_path, folder=tmp_path)
    (chunk,) = (tmp_path / "search" / "t").rglob("*.js")
    head, *texts = unpacked(chunk.read_text()).decode().split("\x1e")
    assert json.loads(head) == [[1, 1, "e-1", 2, 1, "e-2"]]
    assert texts == ["alpha", "beta ␞ gamma"]


@pytest.mark.parametrize("seed", range(12))
def test_pieces_overlap_between_words(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    signs = "abcé" + " \n,./検索"[: draw.randrange(2, 8)]
    text = "".join(draw.choices(signs, [20] * 4 + [1] * (len(signs) - 4), k=BLOCK * 3 + seed))
    found = list(pieces(text))
    assert max(map(len, found)) <= BLOCK
    assert terms_of(text) == set().union(*map(terms_of, found))
    for piece, after in pairwise(found):
        assert piece[-OVERLAP:] in after[: OVERLAP + 200]


def test_a_phrase_across_two_pieces_stands_whole_in_one() -> None:
    text = "word " * 1637 + "the needle in the haystack " + "word " * 400
    assert BLOCK - 30 < text.index("needle") < BLOCK
    assert any("the needle in the haystack" in piece for piece in pieces(text))


def test_fields_from_other_processes_are_shared() -> None:
    one, other = (pickle.loads(pickle.dumps(Fields("tool", "Bash", "router", error=True))) for _ in range(2))  # noqa: S301
    assert one == FAIL
    assert one is other


def test_many_kinds_of_entries_take_little_memory(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, "d", None)
    writer.add(1, (Entry(f"e-{number}", Fields("tool", f"tool-{number}"), f"text {number}") for number in range(500)))
    assert len(writer._open) <= 64  # noqa: SLF001
    assert writer.finish(Facts("run", "t", "runs/t.html")).listed.blocks == 500


# ---------------------------------------------------------------- the dictionary


def test_every_term_of_every_block_is_found(tmp_path: Path) -> None:
    draw = random.Random(3)  # noqa: S311
    words = [f"w{number}" for number in range(300)] + ["fooBar.baz", "src/main.rs", "検索する", "Café"]
    texts = [[" ".join(draw.choices(words, k=draw.randrange(1, 900))) for _ in range(draw.randrange(1, 40))] for _ in range(30)]
    documents = [made(number, *each, out=tmp_path, folder=tmp_path) for number, each in enumerate(texts)]
    publish(documents, tmp_path, partial(write_file, tmp_path), texts=True)
    ((_, found),) = dictionary(tmp_path).items()
    blocks = []
    for document in sorted(documents, key=lambda each: (each.listed.facts.title, each.listed.facts.started)):
        for name in document.listed.names:
            head, *stored = unpacked((tmp_path / "search" / "t" / name[:2] / f"{name}.js").read_text()).decode().split("\x1e")
            left = iter(stored)
            blocks += [terms_of("\n".join(next(left) for _ in places[::3])) for places in json.loads(head)]
    expected: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        for term in block:
            expected.setdefault(term, []).append(number)
    assert {term: places for term, places in found.items() if not term.startswith(":")} == expected
    assert len([term for term in found if term.startswith(":d")]) == 30


@pytest.mark.parametrize("size", [1, 50, 400, 10**9])
def test_groups_do_not_show(tmp_path: Path, size: int) -> None:
    draw = random.Random(4)  # noqa: S311
    documents = [made(n, *(" ".join(draw.choices("abcdefgh", k=5)) for _ in range(300)), out=tmp_path, folder=tmp_path) for n in range(9)]
    firsts = accumulate((each.listed.blocks for each in documents), initial=0)
    units = [PlacedUnit(tmp_path / each.name, each.units[0], first) for each, first in zip(documents, firsts, strict=False)]
    found = groups(units, tmp_path, size)
    assert len(found) == {1: 9, 50: 2, 400: 1, 10**9: 1}[size]
    for group in found:
        invert(group)
    whole = groups(units, tmp_path / "..", 10**9)
    invert(whole[0])
    assert list(merged_files([group.target for group in found])) == list(read_postings(whole[0].target))


def test_many_files_are_read_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakesite.search.merge._AT_ONCE", 3)
    documents = [made(number, f"word{number % 7} common", out=tmp_path, folder=tmp_path) for number in range(20)]
    units = [PlacedUnit(tmp_path / each.name, each.units[0], number) for number, each in enumerate(documents)]
    found = groups(units, tmp_path, 1)
    for group in found:
        invert(group)
    assert len(found) == 20
    assert {term: count for term, _, _, count, _ in merged_files([group.target for group in found])}["common"] == 20


def test_words_that_are_too_long_are_counted(tmp_path: Path) -> None:
    document = made(1, "x" * 65 + " fine", "y" * 64, "z" * 300, out=tmp_path, folder=tmp_path)
    publish([document], tmp_path, partial(write_file, tmp_path), texts=True)
    assert document.too_long == 2
    ((_, found),) = dictionary(tmp_path).items()
    assert sorted(found) == [":d1", "fine", "y" * 64]


# ---------------------------------------------------------------- the same bytes


def some(count: int) -> list[Read]:
    return [
        Read(Facts("run", f"run {number % 3}", f"runs/r{number}.html", "completed", "", (f"/p{number % 2}",), (), number * 10**15), ())
        for number in range(count)
    ]


def test_order_and_workers_do_not_show(tmp_path: Path) -> None:
    sites = []
    for name, order, workers in (("a", 1, 0), ("b", -1, 0), ("c", 1, 3)):
        out = tmp_path / name
        out.mkdir()
        documents = index(some(40)[::order], out, out)
        with ThreadPoolExecutor(max(workers, 1)) as pool:
            publish(documents, out, partial(write_file, out), texts=True, run=pool.map if workers else map)
        sites.append(files(out))
    assert sites[0] == sites[1] == sites[2]
    assert len(sites[0]) > 40


def test_the_seed_of_hashes_does_not_show(tmp_path: Path) -> None:
    code = (
        "import sys; from functools import partial; from pathlib import Path; from lakesite.site.output import write_file;"
        "from tests.search.test_index import made, publish; out = Path(sys.argv[1]); out.mkdir();"
        "texts = [f'word{n} Some.Thing {n * 7} check_tool_call{n % 5}' for n in range(200)];"
        "publish([made(1, *texts, out=out, folder=out)], out, partial(write_file, out), texts=True)"
    )
    for seed in ("1", "2"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], cwd=ROOT, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
    assert files(tmp_path / "1") == files(tmp_path / "2")


def test_files_are_few_in_a_folder_and_plain(tmp_path: Path) -> None:
    documents = [made(number, f"only {number}", out=tmp_path, folder=tmp_path) for number in range(300)]
    publish(documents, tmp_path, partial(write_file, tmp_path), texts=True)
    names = files(tmp_path)
    assert {name.split("/")[0] for name in names} == {"search"}
    folders = [name.rsplit("/", 1)[0] for name in names]
    assert max(map(folders.count, folders)) <= 256
    assert all(data.isascii() and data.startswith(b"lakesiteSearch(") for data in names.values())


def test_without_texts_there_are_places(tmp_path: Path) -> None:
    publish(index(some(3), tmp_path, tmp_path, texts=False), tmp_path, partial(write_file, tmp_path), texts=False)
    assert not (tmp_path / "search" / "t").exists()
    library = read_library(tmp_path)
    assert library
    assert not library.texts
    assert [document.places for document in library.segments[0].head.documents] == [((1, ""),)] * 3


# ---------------------------------------------------------------- growing


class Growing:
    """A site that is built again and again."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.texts: dict[int, str] = {}

    def build(self, **changes: str | None) -> set[str]:
        """Build with some documents changed, added or gone; gives the files that the build wrote."""
        before = files(self.out)
        changed = {int(name[1:]): text for name, text in changes.items()}
        unchanged = [f"runs/d{number}.html" for number in self.texts if number not in changed]
        for number, text in changed.items():
            if text is None:
                del self.texts[number]
            else:
                self.texts[number] = text
        fresh = [made(number, text, out=self.out, folder=self.out) for number, text in changed.items() if text is not None]
        written: set[str] = set()

        def write(name: str, pieces_: object) -> None:
            written.add(name)
            write_file(self.out, name, pieces_)  # type: ignore[arg-type]

        published = publish(fresh, self.out, write, texts=True, old=read_library(self.out), unchanged=unchanged)
        assert published.kept <= set(before)
        new_chunks = {f"search/t/{name[:2]}/{name}.js" for each in fresh for name in each.listed.names}
        for name in set(before) - published.kept - written - new_chunks:
            (self.out / name).unlink()
        return written

    def found(self, word: str) -> list[str]:
        """The documents that hold a word."""
        library = read_library(self.out)
        assert library
        found = []
        terms = dictionary(self.out)
        for stored in library.segments:
            owners = [number for number, document in enumerate(stored.head.documents) for _ in range(document.blocks)]
            held = [owners[block] for block in terms[stored.id].get(word, [])]
            found += [stored.head.documents[number].facts.href for number in held if number not in stored.gone]
        return sorted(found)

    def segments(self) -> list[str]:
        library = read_library(self.out)
        assert library
        return [stored.id for stored in library.segments]


def test_an_added_document_leaves_old_files_alone(tmp_path: Path) -> None:
    site = Growing(tmp_path)
    site.build(d1="apple pear", d2="apple plum")
    before = files(tmp_path)
    site.build(d3="apple fig")
    after = files(tmp_path)
    assert {name: after.get(name) for name in before if name != "search/segments.js"} == {
        name: data for name, data in before.items() if name != "search/segments.js"
    }
    assert len(site.segments()) == 2
    assert site.found("apple") == ["runs/d1.html", "runs/d2.html", "runs/d3.html"]


def test_changed_and_gone_documents(tmp_path: Path) -> None:
    site = Growing(tmp_path)
    site.build(d1="apple one", d2="apple two", d3="apple three", d4="apple four", d5="apple five")
    site.build(d1="pear", d2=None)
    assert site.found("apple") == ["runs/d3.html", "runs/d4.html", "runs/d5.html"]
    assert site.found("pear") == ["runs/d1.html"]
    assert not [data for name, data in files(tmp_path).items() if "/t/" in name and b"two" in unpacked(data.decode())]


def test_a_segment_that_is_mostly_struck_out_goes(tmp_path: Path) -> None:
    site = Growing(tmp_path)
    site.build(d1="apple one", d2="apple two", d3="apple three")
    site.build(d1=None, d2=None)
    assert site.found("apple") == ["runs/d3.html"]
    ((_, terms),) = dictionary(tmp_path).items()
    assert "one" not in terms


def test_nothing_new_writes_the_list_only(tmp_path: Path) -> None:
    site = Growing(tmp_path)
    site.build(d1="apple")
    before = files(tmp_path)
    assert site.build() == {"search/segments.js"}
    assert files(tmp_path) == before


def test_everything_gone(tmp_path: Path) -> None:
    site = Growing(tmp_path)
    site.build(d1="apple")
    site.build(d1=None)
    assert site.segments() == []
    assert set(files(tmp_path)) == {"search/segments.js"}


def test_there_are_never_many_segments(tmp_path: Path) -> None:
    site = Growing(tmp_path)
    site.build(**{f"d{number}": f"apple base{number} " * 50 for number in range(100, 140)})
    first = site.segments()[0]
    for number in range(30):
        site.build(**{f"d{number}": f"apple n{number}"})
        assert len(site.segments()) <= MOST
        assert site.segments()[0] == first, "the large segment is left alone"
    assert len(site.found("apple")) == 70
    assert site.found("n7") == ["runs/d7.html"]


CHANGES = st.dictionaries(st.integers(0, 9), st.none() | st.sampled_from(["apple pear", "plum", "apple fig " * 40]), max_size=4)


@settings(max_examples=15)
@given(st.lists(CHANGES, max_size=14))
def test_whatever_happens_what_is_there_is_found(tmp_path_factory: pytest.TempPathFactory, steps: list[dict[int, str | None]]) -> None:
    site = Growing(tmp_path_factory.mktemp("site"))
    for step in steps:
        site.build(**{f"d{number}": text for number, text in step.items() if text is not None or number in site.texts})
        for word in ("apple", "pear", "plum", "fig"):
            assert site.found(word) == sorted(f"runs/d{number}.html" for number, text in site.texts.items() if word in text)
        assert len(site.segments()) <= MOST


@pytest.mark.parametrize("damage", [b"", b"x", b'lakesiteSearch("segments","AAAA")\n'])
def test_a_damaged_list_is_none(tmp_path: Path, damage: bytes) -> None:
    Growing(tmp_path).build(d1="apple")
    (tmp_path / "search" / "segments.js").write_bytes(damage)
    assert read_library(tmp_path) is None


@pytest.mark.parametrize("head", [b"[]", b"null", b"{}", b'{"documents":"x"}', b'{"documents":1}', b"\xff"])
def test_a_damaged_head_is_none(tmp_path: Path, head: bytes) -> None:
    site = Growing(tmp_path)
    site.build(d1="apple")
    with pytest.raises((ValueError, KeyError, IndexError, TypeError)):
        read_head(head + b"\n", [])
    (path,) = (tmp_path / "search").rglob("head.js")
    path.write_text("".join(script("a", head + b"\n")))
    assert read_library(tmp_path) is None


def test_no_list_is_none(tmp_path: Path) -> None:
    assert read_library(tmp_path) is None
