"""Reported failures of other viewers that only a whole page in a browser can show, by the number of their case."""

from __future__ import annotations

import base64
import json
import random
import struct
import zlib
from pathlib import Path

import pytest

from tests.e2e.pages import OPEN_ALL, READ, Open
from tests.site.builds import Site, Value, build, call, event, result, row, said, step, write

TEXT = "document.body.textContent"


def picture(side: int) -> str:
    """A real picture of noise, in base64."""
    lines = b"".join(b"\0" + random.Random(line).randbytes(3 * side) for line in range(side))  # noqa: S311 -- noise

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 0)) + chunk(b"IEND", b"")
    return base64.b64encode(data).decode()


def run(*events: tuple[str, Value | None]) -> list[Value]:
    return [event(seq, kind, payload) for seq, (kind, payload) in enumerate(events, 1)]


def calls(outputs: list[object], **more: object) -> list[Value]:
    """A run of one agent step with a call for each output."""
    pairs = [pair for at, output in enumerate(outputs) for pair in (("tool.call", call(at)), ("tool.result", result(at, output, **more)))]
    return run(("step.started", step("work")), *pairs, ("step.completed", step("work")))


# --- rendering -------------------------------------------------------------------------------------------------------------------

UNCLOSED = [
    "<style>",
    "<textarea>",
    "<plaintext>",
    "<!--",
    "<svg>",
    "<details>",
    "<title>",
    "<template>",
    "<select>",
    "</body></html>",
    "<xmp>",
]


@pytest.mark.parametrize("kind", ["run", "session"])
def test_f028_unclosed_elements_hide_nothing(open_page: Open, tmp_path: Path, kind: str) -> None:
    texts = [f"Leave the `<head>`, the existing {tag} block ... (number {number})" for number, tag in enumerate(UNCLOSED)]
    if kind == "run":
        write(tmp_path / "a.jsonl", run(*(("message.user", said("user", text)) for text in texts)))
    else:
        write(tmp_path / "part-a.ndjson", [row("user", text, number) for number, text in enumerate(texts)])
    site = build(tmp_path / "out", tmp_path)
    page = open_page(site.page().path, scripts=False).page
    shown = page.evaluate(READ)
    for number, tag in enumerate(UNCLOSED):
        assert f"the existing {tag} block ... (number {number})" in shown
    assert page.evaluate("document.querySelectorAll('main .prompt').length") == len(UNCLOSED)
    assert page.evaluate("document.querySelector('footer').parentElement == document.body")


def test_f030_what_is_seen_and_copied_is_what_was_written(open_page: Open, tmp_path: Path) -> None:
    texts = [
        "https://example.com/?a=1&b=2",
        "really &lt;b&gt; and &amp;amp; and \\u0026",
        "a<b && c>d",
        'say "it\'s"',
        "tabs\tand  two blanks\n\n  indented",
    ]
    site = build(tmp_path / "out", write(tmp_path / "a.jsonl", calls(list(texts))))
    page = open_page(site.page().path).page
    page.evaluate(OPEN_ALL)
    for number, text in enumerate(texts):
        body = page.locator(".tool pre.out").nth(number)
        assert body.inner_text() == text
        copied = body.evaluate("each => { getSelection().selectAllChildren(each); return getSelection().toString() }")
        assert copied.strip() == text


ACTIVE = "<svg xmlns='http://www.w3.org/2000/svg' onload='pwn()'><script>pwn()</script></svg>"


def images(*blocks: tuple[str, str]) -> list[Value]:
    return [{"type": "image", "source": {"type": "base64", "media_type": media, "data": data}} for media, data in blocks]


DRAWN = "[...document.images].map(each => [each.naturalWidth, each.src.slice(0, 15), each.alt != ''])"


def test_f036_a_picture_is_drawn_up_to_a_size(open_page: Open, tmp_path: Path) -> None:
    outputs = [images(("image/png", picture(220))), images(("image/png", picture(400)))]
    site = build(tmp_path / "out", write(tmp_path / "a.jsonl", calls(list(outputs))))
    seen = open_page(site.page().path)
    seen.page.evaluate(OPEN_ALL)
    seen.page.wait_for_timeout(100)
    assert seen.page.evaluate(DRAWN) == [[220, "data:image/png;", True]]
    assert site.page().path.stat().st_size < 300_000


def test_f036_what_only_says_that_it_is_a_picture_is_not_drawn(open_page: Open, tmp_path: Path) -> None:
    svg = base64.b64encode(ACTIVE.encode()).decode()
    kinds = [
        ("image/svg+xml", svg),
        ("image/png", svg),
        ('image/png" onerror="pwn()', picture(8)),
        ("image/png", "not base64!"),
        ("text/html", base64.b64encode(b"<script>pwn()</script>").decode()),
    ]
    site = build(tmp_path / "out", write(tmp_path / "a.jsonl", calls([images(*kinds)])))
    seen = open_page(site.page().path)
    seen.page.evaluate(OPEN_ALL)
    assert seen.page.evaluate(DRAWN) == []
    said = seen.page.locator(".tool .none").all_inner_texts()
    assert sum("an image that" in words for words in said) == len(kinds)
    assert seen.misdeeds == ()


FAILURES: dict[str, tuple[Value, ...]] = {
    "error": (result(1, None, error="exit 1: no such thing"),),
    "IsError": (result(1, {"Content": [{"Type": "text", "Text": "no such thing"}], "IsError": True}),),
    "isError": (result(1, {"content": [{"type": "text", "text": "no such thing"}], "isError": True}),),
}


@pytest.mark.parametrize("way", FAILURES)
def test_f042_a_failed_call_says_so_everywhere(open_page: Open, tmp_path: Path, way: str) -> None:
    events = run(
        ("step.started", step("work")), ("tool.call", call(1)), ("tool.result", FAILURES[way][0]), ("step.completed", step("work"))
    )
    site = build(tmp_path / "out", write(tmp_path / "a.jsonl", events))
    page = open_page(site.page().path).page
    assert page.locator(".tool.fail > summary").inner_text().split("\n")[-1].strip() != ""
    assert "failed" in page.locator(".tool.fail .dot").text_content()
    page.evaluate(OPEN_ALL)
    assert page.locator(".tool.fail .err").inner_text().endswith("no such thing")
    assert "errors 1" in page.inner_text(".chips")
    assert site.only["counts"]["errors"] == 1
    page.goto((site.folder / "index.html").as_uri())
    assert page.inner_text("td.err") == "1"


def test_f042_a_failed_step_fails_its_run_and_its_line_in_the_index(open_page: Open, tmp_path: Path) -> None:
    events = run(("step.started", step("work")), ("step.completed", step("work", error="no such thing", result=False)))
    site = build(tmp_path / "out", write(tmp_path / "a.jsonl", events))
    page = open_page(site.page().path).page
    assert page.inner_text(".title .pill") == "failed"
    assert "work failed after" in page.inner_text(".failure h2")
    assert page.inner_text(".failure pre") == "no such thing"
    assert "failed" in page.inner_text(".step.fail")
    assert page.locator("#nav .dot").first.text_content() == "failed"
    page.click(".failure a:has-text('go to step')")
    assert page.locator(".step:target").count() == 1
    page.goto((site.folder / "index.html").as_uri())
    assert page.inner_text("td .pill") == "failed"


@pytest.mark.parametrize("error", ["", None])
def test_f042_an_empty_error_is_none(tmp_path: Path, error: str | None) -> None:
    events = run(
        ("step.started", step("work")),
        ("tool.call", call(1)),
        ("tool.result", result(1, "fine", error=error)),
        ("step.completed", step("work", error=error, result=False)),
    )
    site = build(tmp_path / "out", write(tmp_path / "a.jsonl", events))
    assert site.only["counts"]["errors"] == 0
    assert site.only["status"] == "completed"
    assert "fail" not in site.page().text.replace("failures", "")


def test_f042_a_failed_call_of_a_conversation_says_so(open_page: Open, tmp_path: Path) -> None:
    ids = {"tool_call_id": "c1"}
    rows = [
        row("user", "go", 1),
        row("tool_call", '{"command": "make"}', 2, tool_name="Bash", extra=ids),
        row("tool_result", "no such thing", 3, extra={**ids, "is_error": True}),
    ]
    site = build(tmp_path / "out", write(tmp_path / "part-a.ndjson", rows))
    page = open_page(site.page().path).page
    assert "failed" in page.locator(".tool.fail").inner_text()
    assert page.locator("#nav .dot").text_content() == "failed"
    assert "errors 1" in page.inner_text(".chips")


NOT_SAID = [("user", {"kind": "compacted"}), ("user", {"kind": "summary"}), ("user", {"kind": "injected"}), ("meta", {"kind": "summary"})]


@pytest.mark.parametrize(("kind", "extra"), NOT_SAID)
def test_f043_what_nobody_typed_is_no_prompt(open_page: Open, tmp_path: Path, kind: str, extra: Value) -> None:
    injected = "This session is being continued.\nSecond line of the summary."
    site = build(
        tmp_path / "out",
        write(
            tmp_path / "part-a.ndjson",
            [row(kind, injected, 1, extra=extra), row("user", "Now fix the ledger.", 2), row("assistant", "Done.", 3)],
        ),
    )
    assert site.only["title"] == "Now fix the ledger."
    page = open_page(site.page().path).page
    assert page.locator(".prompt").count() == 1
    note = page.locator("details.note")
    assert note.locator("summary").inner_text().startswith(("notice", "meta"))
    assert not note.locator("pre").is_visible()
    note.locator("summary").click()
    assert note.locator("pre").first.inner_text() == injected
    assert "1 turn" in page.inner_text(".facts")


def test_f043_a_second_text_block_of_a_run_is_not_the_prompt(open_page: Open, tmp_path: Path) -> None:
    events = run(("step.started", step("work")), ("message.user", said("user", "The task.", "You are careful.\nAlways.", "And more.")))
    site = build(tmp_path / "out", write(tmp_path / "a.jsonl", events))
    page = open_page(site.page().path).page
    assert page.locator(".prompt").all_inner_texts() == [page.locator(".prompt").inner_text()]
    assert "The task." in page.inner_text(".prompt")
    assert page.locator(".input summary").all_inner_texts() == ["system prompt · 2 lines", "further input · 1 line"]
    assert not page.locator(".input .md").first.is_visible()


# --- time ------------------------------------------------------------------------------------------------------------------------


def test_f077_the_zone_of_the_reader_changes_nothing(open_page: Open, tmp_path: Path) -> None:
    site = build(tmp_path / "out", write(tmp_path / "part-a.ndjson", [row("user", "late", "2025-09-01T00:15:08.316Z")]))
    page = open_page(site.page().path, timezone_id="Asia/Shanghai", locale="zh-CN").page
    assert "1 Sep 2025 00:15:08" in page.inner_text(".facts")
    assert "UTC" in page.inner_text(".facts")
    assert page.get_attribute("main time", "datetime") == "2025-09-01T00:15:08.316Z"
    assert page.inner_text("main time") == "00:15:08"


def test_f079_a_time_that_is_none_is_told_in_its_own_words(tmp_path: Path) -> None:
    rows = [row("user", "first", "yesterday"), row("assistant", "second", None), row("assistant", "third", 5)]
    site: Site = build(tmp_path / "out", write(tmp_path / "date=unknown" / "part-a.ndjson", rows))
    text = site.page().text
    assert "no time recorded: yesterday" in text
    assert text.count("no time recorded") >= 3  # both rows, and the count of them
    assert json.dumps(site.only["started"]) == '"2026-09-14T10:00:05Z"'
