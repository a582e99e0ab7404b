"""One body for what it is; long ones folded without a loss."""

from __future__ import annotations

import base64
import html
import re
import zlib

import pytest

from lakesite.model import Masked
from lakesite.render.bodies import IMAGE, INLINE, body, plain, thought
from lakesite.view.shapes import Badge, Body

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
PICTURES = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0" + b"\0" * 20,
    "image/gif": b"GIF89a" + b"\0" * 20,
    "image/webp": b"RIFF\x10\0\0\0WEBP" + b"\0" * 20,
}


def texts(made: str) -> str:
    """What a reader sees of a piece of HTML, folded parts included."""
    return html.unescape(re.sub(r"<[^>]*>", "", made))


def lines(count: int, width: int = 20) -> Masked:
    return Masked("".join(f"{number:06d} {'x' * width}\n" for number in range(count)))


def unpacked(made: str) -> str:
    packed = re.search(r'data-z="([^"]*)"', made)
    assert packed
    return zlib.decompress(base64.b64decode(packed[1]), -15).decode()


def test_a_label_stands_above_with_its_badges() -> None:
    made = body(Body("output", Masked("done"), "output <b>", badges=(Badge("state", "state file"),)))
    assert made.startswith('<p class="label">output &lt;b&gt; <span class="b-state">state file</span></p>')


def test_an_error_is_marked() -> None:
    assert '<div class="err">' in body(Body("output", Masked("no"), bad=True))
    assert "err" not in body(Body("output", Masked("yes")))


def test_a_folded_body_has_its_label_as_summary() -> None:
    made = body(Body("markdown", Masked("Be careful."), "system prompt · 1 line", folded=True))
    assert made.startswith('<details class="more"><summary>system prompt · 1 line</summary>')
    assert "Be careful." in made


@pytest.mark.parametrize("kind", ["text", "output", "command", "code", "numbered", "patch", "nothing"])
def test_only_markdown_is_read_as_markdown(kind: str) -> None:
    made = body(Body(kind, Masked("# not *a* heading <b> `x`")))  # type: ignore[arg-type]
    assert "# not *a* heading <b> `x`" in texts(made)
    assert not re.search("<(h1|em|b)>", made)


@pytest.mark.parametrize("kind", ["markdown", "text", "output", "command", "code", "numbered"])
def test_a_long_text_shows_head_and_tail_and_keeps_the_middle(kind: str) -> None:
    made = body(Body(kind, lines(1000), language="x.py"))  # type: ignore[arg-type]
    summary = re.search(r'<details class="fold"><summary>… ([\d,]+) more lines, [\d.]+ KB</summary>', made)
    assert summary
    shown = texts(made.replace(summary[0], ""))
    assert re.findall(r"\d{6} x+", shown) == lines(1000).splitlines()
    left = re.search("<details.*</details>", made, re.DOTALL)
    assert left
    assert len(re.findall(r"\d{6} x", left[0])) == int(summary[1].replace(",", ""))


def test_a_short_text_is_not_folded() -> None:
    assert "details" not in body(Body("output", lines(150)))


def test_a_very_long_middle_is_packed_and_goes_to_a_file() -> None:
    written: list[str] = []

    def aside(text: str) -> str:
        written.append(text)
        return "run.t1.txt"

    long = Masked("\x1b[31mred\x1b[0m\n" + lines(9000) + "[masked:token:40:0a1b2c3d] \x07 <i>\n" + lines(9000))
    made = body(Body("output", long), aside)
    assert '<a href="run.t1.txt">' in made
    assert written == [plain(long)]
    assert written[0].startswith("red\n000000 xxx")
    assert "[masked:token:40:0a1b2c3d] \u2407 <i>\n" in written[0]
    middle = unpacked(made)
    assert len(middle) > INLINE
    assert middle in written[0]
    assert len(made) < len(long) / 3


def test_a_very_long_middle_needs_no_file() -> None:
    made = body(Body("output", lines(9000)))
    assert unpacked(made)
    assert "href" not in made


def test_a_fence_goes_on_after_a_cut() -> None:
    code = "".join(f"value_{number} = *not_emphasis*\n" for number in range(600))
    made = body(Body("markdown", Masked(f"Look:\n\n```python\n{code}```\n\nThat *was* it.")))
    assert "<em>was</em>" in made
    assert made.count("<em>") == 1
    assert re.findall(r"value_(\d+) = \*not", texts(made)) == [str(number) for number in range(600)]


def test_a_file_holds_no_control_characters() -> None:
    assert plain("a\x00b\x1b[1mc\x7f\u202e\n\t[masked:token:9:0a1b2c3d]&lt;") == "a\u2400bc\u2421U+202E\n\t[masked:token:9:0a1b2c3d]&lt;"


def test_thinking_shows_its_first_lines() -> None:
    made = thought(Body("text", Masked("First.\n\nSecond.\nThird.")))
    assert made.startswith('<details class="thought"><summary>First.<small>2 more lines</small></summary>')
    assert "Second.\nThird." in made
    assert "details" not in thought(Body("text", Masked("Just <this>.")))


def test_a_long_first_line_of_thinking_is_cut_after_a_sentence() -> None:
    first, second = "I weigh this. " * 20, "Then I weigh that. " * 60
    made = thought(Body("text", Masked(first + second)))
    summary = re.search("<summary>(.*?)<small>", made)
    assert summary
    assert summary[1].endswith(".")
    assert 100 < len(summary[1]) < 400
    assert re.sub(r"\s+", " ", texts(made)).count("weigh") == 80


def test_a_file_inside_a_text_is_only_named() -> None:
    made = body(Body("output", Masked(f"see data:image/png;base64,{'QUJD' * 100} there")))
    assert "QUJDQUJD" not in made
    assert "data:image/png;base64,… (300 bytes" in made


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_is_known_by_its_bytes(kind: str) -> None:
    made = body(Body("image", Masked(base64.b64encode(PICTURES[kind]).decode()), language='image/svg+xml" onerror=x'))
    assert made.startswith(f'<img src="data:{kind};base64,')
    assert 'alt="image, ' in made


@pytest.mark.parametrize(
    "data",
    [
        base64.b64encode(b"<svg onload=alert(1)>").decode(),
        'not base64 " onerror=alert(1)',
        "iVBOR",
        "",
        base64.b64encode(PNG + b"\0" * IMAGE).decode(),
    ],
    ids=["svg", "hostile", "cut", "empty", "large"],
)
def test_any_other_picture_is_only_named(data: str) -> None:
    made = body(Body("image", Masked(data), language="image/png"))
    assert re.fullmatch(r'<p class="none">an image that (cannot be read|is not shown), [\d.]+ (bytes|KB)</p>', made)
