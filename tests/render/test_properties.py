"""Whatever is given: nothing raises, nothing acts, nothing is lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lakesite.model import Number
from lakesite.render import markdown as parts
from lakesite.render.ansi import ansi
from lakesite.render.code import Budget, highlight, numbered
from lakesite.render.diff import edit, patch
from lakesite.render.escape import attribute, link, shown, verbatim, visible
from lakesite.render.jsontext import json_text
from lakesite.render.markdown import markdown
from lakesite.view.terminal import strip
from tests.render.reading import ENTITY, HIDDEN, assert_sound, seen, text_of

ODD = (
    "<script>alert(1)</script>", '" onerror="x', "' style='x", "&lt;", "&#106;", "]]>", "<!--", "\x00", "\x08", "\r", "\r\n", "\n",
    "\n\n", "\x1b", "\x1b[31m", "\x1b[0m", "\x1b[", "\x1b]8;;javascript:x\x07", "\x1b]8;;https://e.test\x1b\\", "\x1b]0;", "\x07",
    "\x9b1m", "\x9d", "\x9c", "\x1b[2K", "\x1b(B", "\u202e", "\u2066", "\ud83d", "\ude00", "\ufffe", "\ufeff", "é", "漢", "👩‍💻", "\t",
    "    ", "# ", "> ", "- ", "1. ", "|", "---|---\n", "```\n", "```python\n", "~~~", "`", "``", "*", "**", "_", "__", "~~", "[", "]",
    "](", "](https://e.test/?a=1&b=2)", "](javascript:x)", "![", "]: https://e.test\n", "<https://e.test>", "\\", "C:\\new\\*.md",
    "[masked:token:41:526d6232]", "[masked:credential:1:00000000]", "[masked:entropy:4", "     1→", "\n     2\t",
    "--- a\n+++ b\n@@ -1 +1 @@\n", "-", "+", "*** Begin Patch\n", "*** End Patch\n", "def f(x):", '"""', "/*", "*/",
    "data:text/html;base64,", "word", "two words", " ",
)  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=8)), max_size=14).map("".join)
languages = st.sampled_from(["python", "js", "bash", "html", "json", "yaml", "diff", "c", "md", "nosuch", "", None])
numbers = st.sampled_from(["0", "-0", "1.50", "1e5", "-12.5E-3", "123456789012345678901234567890"]).map(Number)
halves = texts.filter(lambda text: "\ud83d\ude00" not in text)  # which JSON would join
leaves = st.none() | st.booleans() | numbers | halves
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(halves, inner, max_size=4), max_leaves=12)


@given(texts)
def test_visible_shows_every_character_once(text: str) -> None:
    html = visible(text)
    assert_sound(html)
    assert text_of(html) == seen(text)


@given(texts)
def test_what_other_renderers_put_together_is_no_markup(text: str) -> None:
    assert type(shown(text)) is str  # else `replace` and `+` escape once more


@given(texts)
def test_an_attribute_holds_no_tag_and_no_control(text: str) -> None:
    value = attribute(text)
    assert not set("<>\"'") & set(value)
    assert "&" not in ENTITY.sub("", value)
    assert HIDDEN.search(value) is None


@given(texts)
def test_a_link_is_harmless_or_none(text: str) -> None:
    address = link(text)
    assert address is None or re.match(r"https?://|mailto:|#", address, re.IGNORECASE)
    assert address is None or not set("<>\"' \n\t") & set(address)


@given(texts)
def test_preformatted_text_keeps_every_blank(text: str) -> None:
    html = verbatim(text)
    assert_sound(html)
    assert text_of(html) == seen(text)


@given(texts)
def test_terminal_output_shows_what_strip_leaves(text: str) -> None:
    html = ansi(text)
    assert_sound(html)
    assert text_of(html) == seen(strip(text))


@given(texts, languages)
def test_colours_change_no_character(text: str, language: str | None) -> None:
    html = highlight(text, language)
    assert_sound(html)
    if language != "diff":
        assert text_of(html) == seen(text)


@given(texts, languages)
def test_numbered_files_are_sound(text: str, language: str | None) -> None:
    assert_sound(numbered(text, language))


@given(texts)
def test_markdown_is_sound(text: str) -> None:
    assert_sound(markdown(text))


SYNTAX = (
    "\n", "\n\n", " ", "    ", "\n# ", "\n> ", "\n- ", "\n1. ", "|", "\n|---|\n", "\n```\n", "\n~~~\n", "`", "``", "*", "**", "_",
    "__", "~~", "[", "]", "](https://e.test)", "![", "<", ">", "\\", "&", "\n[a]: https://e.test\n", "\n===\n", "\n---\n", "\n    ",
    "\t", "!", "(", ")",
)  # fmt: skip


@given(st.lists(st.sampled_from(SYNTAX), max_size=30))
def test_markdown_loses_no_word(syntax: list[str]) -> None:
    words = [f"word{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(len(syntax))]
    html = markdown("".join(word + mark for word, mark in zip(words, syntax, strict=True)))
    assert [word for word in words if word not in html] == []


INLINE = (*SYNTAX, "a", "b c", "é", ".", "`x`", "**x**", "[masked:token:41:526d6232]")


@given(st.lists(st.sampled_from(INLINE), max_size=20).map("".join))
def test_the_short_way_through_a_message_leads_to_the_same(text: str) -> None:
    inline = re.sub(r"\s*\n\s*", "\n", text).strip()
    short = parts._simple_inline(inline)  # noqa: SLF001 -- a way of its own, to be compared
    if short is not None:
        assert short == parts._parsed_inline(inline, {})  # noqa: SLF001
    if not parts._BLOCK_SYNTAX.search(f"\n{text}"):  # noqa: SLF001
        assert list(parts._paragraphs(text, {})) == re.findall("<p.*?</p>", "".join(parts._blocks(text, {}, Budget())))  # noqa: SLF001


@given(texts, texts)
def test_an_edit_is_sound(old: str, new: str) -> None:
    assert_sound(edit(old, new))


lines = st.lists(st.text("abc <*", min_size=1, max_size=3) | st.sampled_from(["", "}", "x = 1"]), min_size=2, max_size=60)


@given(lines, lines)
def test_an_edit_holds_both_texts(old: list[str], new: list[str]) -> None:
    old, new = [*old, "end"], [*new, "end"]
    shown = [line for line in text_of(edit("\n".join(old), "\n".join(new))).split("\n") if line]
    assert [line[1:] for line in shown if line[0] in " -"] == old
    assert [line[1:] for line in shown if line[0] in " +"] == new


@given(texts)
def test_a_patch_is_none_or_sound(text: str) -> None:
    html = patch(text)
    if html is not None:
        assert_sound(html)


@given(texts)
def test_a_patch_keeps_every_line(text: str) -> None:
    hunk = "--- a\n+++ b\n@@ -1,9 +1,9 @@\n" + text.replace("\r", "") + "\n end"
    html = patch(hunk)
    assert html is not None
    assert text_of(html).removesuffix("\n") == seen(hunk)


@given(values)
def test_json_is_sound(value: object) -> None:
    assert_sound(json_text(value))
