"""What went wrong in other viewers, by the number of the report."""

from __future__ import annotations

import pytest

from lakesite.render.ansi import ansi
from lakesite.render.code import highlight, numbered
from lakesite.render.diff import edit, patch
from lakesite.render.escape import attribute, link, verbatim, visible
from lakesite.render.fold import fold, without_payloads
from lakesite.render.jsontext import json_text
from lakesite.render.markdown import markdown
from lakesite.view.terminal import strip
from tests.render.reading import assert_sound, seen, text_of

TAGS = ("<head>", "<style>", "<textarea>", "<plaintext>", "<!--", "<svg>", "<details>", "<script>", "</div>", "<title>")
EVERYWHERE = (
    visible, verbatim, attribute, markdown, ansi, json_text, lambda text: highlight(text, "html"), lambda text: numbered(text, None),
    lambda text: edit("", text),
)


@pytest.mark.parametrize("half", ["done \ud83d", "\ude00 done"])
def test_f001_half_an_emoji_neither_breaks_a_page_nor_takes_text_with_it(half: str) -> None:
    for render in EVERYWHERE:
        html = render(half)
        html.encode("utf-8")
        assert "done" in html
    assert "😀" in visible("\U0001f600")


def test_f008_a_byte_order_mark_inside_a_text_stays() -> None:
    assert visible("a\ufeffb") == "a\ufeffb"


def test_f014_controls_are_seen_in_text_and_gone_from_attributes() -> None:
    text = "a\u0000b\u0008c\u000cd\u001b[31me\u007ff\u0085g\ufffeh"
    assert text_of(visible(text)) == "a␀b␈c␌d␛[31me␡fU+0085gU+FFFEh"
    assert attribute(text) == "abcd[31mefgU+FFFEh"
    assert_sound(markdown(text))
    assert text_of(markdown(text)) == seen(text)


@pytest.mark.parametrize("count", [5_001, 1_500_000])
def test_f021_a_huge_output_is_folded_with_exact_figures(count: int) -> None:
    made = fold("\x1b[32mok\x1b[0m & [masked:token:41:526d6232]\n" * count)
    assert made.head.count("\n") + made.lines + made.tail.count("\n") == count
    for piece in (made.head, made.tail):
        assert_sound(ansi(piece))


def test_f022_a_base64_payload_in_text_is_named_and_not_shown() -> None:
    shown = without_payloads("before data:image/png;base64," + "iVBORw0K" * 100_000 + " after")
    assert len(shown) < 120
    assert "600000 bytes" in shown


@pytest.mark.parametrize("tag", TAGS)
def test_f028_a_tag_in_a_text_is_text(tag: str) -> None:
    for render in EVERYWHERE[:2] + EVERYWHERE[3:]:
        html = render(f"Leave the `{tag}` {tag} as it is")
        assert_sound(html)
        assert text_of(html).count(tag) == 2


@pytest.mark.parametrize("text", ["projects/<meta-name>/<name>.", "List<String>", "a<b && c>d"])
def test_f029_nothing_in_angle_brackets_vanishes(text: str) -> None:
    for place in ("{}", "# {}", "- {}", "> {}", "[{}](https://e.test)", "| {} |\n|---|\n", "**{}**", "`{}`"):
        assert text in text_of(markdown(place.format(text)))


@pytest.mark.parametrize("text", ["https://example.com/?a=1&b=2", "&lt;b&gt;", "\u0026", "\\u0026", "&amp;amp;", "&copy=1"])
def test_f030_what_is_seen_is_what_was_recorded(text: str) -> None:
    for render in (visible, verbatim, markdown, ansi, lambda given: highlight(given, None)):
        assert text_of(render(text)) == text


def test_f031_fences_nest_and_end() -> None:
    assert markdown("````\n```\nx\n```\n````").count("<pre") == 1
    assert text_of(markdown("~~~\n```\n~~~\nafter")).split() == ["```", "after"]
    assert text_of(markdown("```\nopen\n# x")) == "open\n# x"
    assert text_of(ansi("`````\nx\n`````")) == "`````\nx\n`````"


def test_f032_what_is_no_markdown_stays_as_it_is() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3\n    f(x)\nValueError: x'
    assert text_of(markdown(trace)) == trace
    assert text_of(markdown("__init__.py and C:\\new\\*.md")) == "__init__.py and C:\\new\\*.md"
    assert text_of(highlight("# step 1\nls -la", "bash")) == "# step 1\nls -la"
    assert "<h" not in highlight("# step 1\nls -la", "bash")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("\u001b[1A\u001b[2K[WebServer] ok", "[WebServer] ok"),
        ("a\u001b(B\u001b[mb", "ab"),
        ("\u001b[38;5;208mx\u001b[48;2;1;2;3my\u001b[0m", "xy"),
        ("\u001b]0;title\u0007x", "x"),
        ("\u001b]8;;javascript:alert(1)\u0007x\u001b]8;;\u0007", "x"),
        ("\u009b31mx", "x"),
        ("x\u001b[3", "x"),
        ("x\u001b", "x"),
        ("x\u001b]8;;htt", "x"),
    ],
)
def test_f034_terminal_codes_leave_no_letters(text: str, clean: str) -> None:
    assert strip(text) == clean
    assert text_of(ansi(text)) == clean
    assert "javascript" not in ansi(text)


def test_f037_an_edit_is_read_by_its_signs() -> None:
    assert text_of(edit("a\nb", "a\nc")).split("\n") == [" a", "-b", "+c", ""]
    assert text_of(edit("", "new")).strip() == "+new"
    assert patch("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n") is not None
    assert fold("x" * 400_000).middle


def test_f038_each_block_has_its_own_direction() -> None:
    html = markdown("افتح الملف src/auth.ts وعدّل السطر.\n\n- שלום `code`\n\n```\nשלום\n```")
    assert html.count('dir="auto"') == 2
    assert html.count('<pre class="code" dir="ltr">') == 1


def test_f040_a_table_scrolls_in_a_box_of_its_own() -> None:
    html = markdown("|" + "h|" * 12 + "\n|" + "-|" * 12 + "\n|" + "x" * 5_000 + "|")
    assert html.startswith('<div class="md"><div class="scroll"><table>')
    assert html.endswith("</table></div></div>")


def test_f044_a_payload_is_inert_everywhere() -> None:
    payload = '<b>bold</b><img src="x" onerror="alert(1)"><script>top.self.location.href="http://192.0.2.1/"</script>'
    for render in EVERYWHERE:
        assert_sound(render(payload))
    assert_sound(markdown(f'[a](https://e.test/ "{payload}") ![{payload}](https://e.test/"{payload}) # {payload}'))


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        " JaVa\nScript:alert(1)",
        "java\tscript:x",
        "&#106;avascript:x",
        "&Tab;javascript:x",
        "data:text/html;base64,eA==",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.test",
        "\\\\evil.test",
        "https:evil.test",
        "https:\\\\e.test",
        "http://",
        "\x01javascript:x",
        "\u202ejavascript:x",
        "src/a.py",
        "ftp://e.test",
    ],
)
def test_f046_only_harmless_links_are_links(target: str) -> None:
    assert link(target) is None
    for text in (f"[x]({target})", f"[x](<{target}>)", f"<{target}>", f"[x]\n\n[x]: {target}", f"![x]({target})", f'[x]({target} "title")'):
        html = markdown(text)
        assert_sound(html)
        assert "<a" not in html


def test_f046_links_to_elsewhere_say_nothing_about_where_they_are() -> None:
    html = markdown('[x](https://e.test "a \\"quoted\\" title") [y](mailto:a@e.test) [z](#e-1)')
    assert html.count('rel="noopener noreferrer"') == 2
    assert 'title="a &#34;quoted&#34; title"' in html


@pytest.mark.parametrize(
    "text",
    [
        "![x](https://attacker.test/p.png?leak=1)",
        "![](//attacker.test/a)",
        '<img src="https://attacker.test">',
        "![a][b]\n\n[b]: https://attacker.test",
    ],
)
def test_f049_no_image_is_loaded_and_its_host_is_seen(text: str) -> None:
    html = markdown(text)
    assert_sound(html)
    assert "<img" not in html
    assert "attacker.test" in text_of(html)
