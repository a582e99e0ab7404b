"""JSON of any depth and size is written without recursion."""

from __future__ import annotations

from lakesite.model import Json, Masked, Number
from lakesite.render.jsontext import json_text
from tests.render.reading import assert_sound


def nested(depth: int) -> Json:
    value: Json = Masked("end")
    for level in range(depth):
        value = [value, level] if level % 2 else {Masked("key"): value}
    return value


def test_two_thousand_levels_are_written_and_stay_small() -> None:
    html = json_text(nested(2_000))
    assert_sound(html)
    assert len(html) < 2_000 * 200
    assert html.count("[") == 1_000


def test_numbers_keep_their_spelling() -> None:
    value: Json = [Number("1.500"), Number("-0"), Number("1E400"), 12, Number("NaN")]
    assert [text for text in ("1.500", "-0", "1E400", "12", "NaN") if f"<i class=m>{text}</i>" not in json_text(value)] == []


def test_true_is_no_number() -> None:
    shown = ", ".join(f"<i class={kind}>{word}</i>" for kind, word in (("k", "true"), ("k", "false"), ("m", 1), ("m", 0), ("k", "null")))
    assert f"[{shown}]" in json_text([True, False, 1, 0, None])


def test_a_multi_line_string_is_readable() -> None:
    html = json_text({Masked("script"): Masked('a\n\tb "quoted" \\n\n')})
    assert 'a\n\tb "quoted" \\n\n' in html
