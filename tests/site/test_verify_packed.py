"""What is packed is opened: folds, pictures, and every kind of file of the search, as the search itself writes them."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode, urlsafe_b64encode
from typing import TYPE_CHECKING

import pytest

from lakesite.masking import Masker, MaskOptions
from lakesite.search.codec import front_coded, numbers
from lakesite.search.entries import Entry, Fields
from lakesite.search.library import publish
from lakesite.search.segment import Facts, SegmentWriter
from lakesite.site import verify_packed
from lakesite.site.verify import Leak, verify
from lakesite.site.verify_packed import Inner, inflated, opened, unpacked
from tests.site.planting import SECRETS, TOKEN, deflated, made

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MASKING = MaskOptions()


def raw_deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def search(site: Path, folder: Path, *texts: str, title: str = "Review the release") -> None:
    """The search of a document with these texts, as a build writes it."""

    def write(name: str, pieces: Iterable[str]) -> None:
        target = site / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(pieces), encoding="utf-8")

    href = "runs/review-the-release-0a1b2c3d4e.html"
    write(href, ["<p>x</p>"])
    writer = SegmentWriter(folder, "units", write)
    writer.add(1, [Entry(f"e-{number}", Fields("other"), text) for number, text in enumerate(texts)])
    publish([writer.finish(Facts("run", title, href))], folder, write, texts=True)


def leaks(site: Path, masking: MaskOptions = MASKING) -> list[Leak]:
    return list(verify(site, masking))


# --- one by one ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "packed",
    [
        deflated("quiet words é"),
        b64encode(zlib.compress("quiet words é".encode())).decode(),
        urlsafe_b64encode(zlib.compress("quiet words é".encode())).decode().rstrip("="),
    ],
    ids=["raw", "zlib", "for addresses"],
)
def test_a_text(packed: str) -> None:
    assert unpacked(packed) == [Inner("quiet words é")]
    assert opened(f'f("{packed}") and "{packed}"') == ('f("\n") and "\n"', [Inner("quiet words é")] * 2)


PLAIN = b64encode(b"plain words, not packed").decode()


@pytest.mark.parametrize("text", ["", "words and words", "lakesite/render/pages/Index", made(64), made(1_000), f"{made(40)}==", PLAIN])
def test_what_is_not_packed_stays(text: str) -> None:
    assert opened(text) == (text, [])


def test_data_that_is_cut_off_or_goes_on_is_not_ours() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = packer.compress(made(5_000).encode()) + packer.flush()
    assert inflated(data) == [Inner(made(5_000))]
    assert inflated(data[:-40]) is None
    assert inflated(data + b"more") is None


def test_what_is_too_large_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_packed, "LARGEST", 1_000)
    assert unpacked(deflated("word " * 201)) == [Inner("", whole=False)]


# --- files of the search ---------------------------------------------------------------------------------------------------------


def test_the_search_of_harmless_texts(tmp_path: Path) -> None:
    """Terms written one behind the other look like tokens, and without case like secrets; joined to a name like its value."""
    words = [f"{word}{made(20, seed)}" for seed, word in enumerate(("sha512-", "task-", "", "x", "h1:", "commit "))]
    pairs = ["password:os.environ", "ghp-", "ghp_", "sk-", "akia", "xoxb-", *(made(12, seed) for seed in range(400))]
    texts = [Masker().mask(text) for text in ("\n".join([*words, *pairs]), *SECRETS.values())]
    search(tmp_path / "site", tmp_path, *texts)
    assert leaks(tmp_path / "site") == []


def test_numbers_that_look_like_letters_are_numbers() -> None:
    """`Pw:` and what follows may be how far it is from block to block; behind other numbers than these it is looked at."""
    gaps = b"Pw:1aK9mQ2xT7"
    terms = front_coded(["fig", "pear"])
    shard = numbers([2]) + terms + numbers([len(gaps) - 4, 4]) + gaps
    assert inflated(raw_deflated(shard)) == [Inner(""), Inner("fig\npear", binary=True)]
    found = inflated(raw_deflated(shard + b"more"))
    assert found
    assert gaps.decode() in found[-1].text
    line = json.dumps({"shards": 2, "columns": [len(gaps)], "projects": ["harbor"]}).encode()
    assert inflated(raw_deflated(line + b"\n" + terms + gaps)) == [Inner(line.decode()), Inner("fig\npear", binary=True)]
    found = inflated(raw_deflated(line + b"\n" + terms + gaps + b"more"))
    assert found
    assert gaps.decode() in found[-1].text


def test_terms_are_put_together(tmp_path: Path) -> None:
    """A term is written as what it has beyond the one before it, so that a secret may stand in several pieces."""
    search(tmp_path / "site", tmp_path, f"{TOKEN[:4].lower()}a {TOKEN[:12].lower()} {TOKEN[:30].lower()}b {TOKEN.lower()}")
    (shard,) = (tmp_path / "site" / "search").glob("*/i/0/0.js")
    found = leaks(tmp_path / "site")
    assert {leak.place for leak in found} == {"packed text"}
    assert shard.relative_to(tmp_path / "site").as_posix() in {leak.file for leak in found}


@pytest.mark.parametrize("family", SECRETS)
def test_texts_of_the_text_store(tmp_path: Path, family: str) -> None:
    search(tmp_path / "site", tmp_path, "some words", f"before\n{SECRETS[family]}\nafter", "more words")
    assert [leak.place for leak in leaks(tmp_path / "site") if leak.file.startswith("search/t/")] == ["packed text"]


def test_pieces_of_a_text_are_put_together(tmp_path: Path) -> None:
    """A harmless run that is longer than a block, and a certificate whose beginning stands in another one."""
    armour = "\n".join(made(64, seed) for seed in range(400))
    picture = '{"type":"base64","data":"iVBORw0KGgo' + made(50_000) + '"}'
    texts = [f"-----BEGIN CERTIFICATE-----\n{armour[:19_000]}\n-----END CERTIFICATE-----", picture, "words " * 9_000]
    search(tmp_path / "site", tmp_path, *texts)
    assert leaks(tmp_path / "site") == []


def test_titles_in_the_search(tmp_path: Path) -> None:
    search(tmp_path / "site", tmp_path, "words", title=f"Review {TOKEN}")
    assert any("/d/" in leak.file for leak in leaks(tmp_path / "site"))


def test_hostile_terms_cost_little(tmp_path: Path) -> None:
    """Terms of which each shares all of a long one before it."""
    huge = bytes((0x80 | 0x70, 0x80 | 0x7F, 0x03)) * 20_000
    data = bytes((0xA0, 0x9C, 0x01)) + huge + bytes((1,)) * 20_000 + b"a" * 60_000
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    (tmp_path / "a.js").write_text(f'f("{b64encode(packer.compress(data) + packer.flush()).decode()}")', encoding="utf-8")
    assert leaks(tmp_path) == []
