"""What a reader copies: text, link, JSON; masked values as markers."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING

import pytest

from tests.browser import Visit
from tests.e2e.pages import Open
from tests.site.builds import build, call, event, result, row, said, step, write

if TYPE_CHECKING:
    from pathlib import Path


SECRET = f"ghp_{secrets.token_hex(18)}"


@pytest.fixture
def seen(open_page: Open, tmp_path: Path) -> Visit:
    events = [
        event(1, "step.started", step("work")),
        event(2, "message.user", said("user", "Do **this**\n\nand that")),
        event(3, "tool.call", call("c", "Bash", {"command": "env", "timeout": 5})),
        event(4, "tool.result", result("c", f"a=1\n  b <2>\nkey={SECRET}\n")),
        event(5, "step.completed", step("work")),
    ]
    write(tmp_path / "in" / "run.jsonl", events)
    site = build(tmp_path / "out", tmp_path / "in")
    return open_page(site.page().path, permissions=["clipboard-read", "clipboard-write"])


def copied(seen: Visit, what: str) -> str:
    seen.until(lambda: seen.page.inner_text(".skip[role=status]") == f"{what} copied")
    text: str = seen.page.evaluate("navigator.clipboard.readText()")
    return text


def test_a_message_offers_to_be_copied(seen: Visit) -> None:
    seen.page.hover("#e-2")
    seen.page.click("#e-2 .copy button:has-text('copy')")
    assert copied(seen, "Text") == "Do this\nand that"
    seen.page.click("#e-2 .copy button:has-text('link')")
    assert copied(seen, "Link") == f"{seen.page.url.partition('#')[0]}#e-2"
    assert seen.misdeeds == ()


def test_an_exchange_is_copied_with_its_masked_values(seen: Visit) -> None:
    seen.page.click("#e-3 summary")
    seen.page.click("#e-3 .copy button:has-text('copy')")
    text = copied(seen, "Text")
    assert text.startswith('{"timeout": 5}\n\na=1\n  b <2>\n[masked:')
    assert SECRET not in text
    seen.page.click("#e-3 .copy button:has-text('JSON')")
    told = json.loads(copied(seen, "JSON"))
    assert (told["id"], told["kind"], told["name"], told["argument"]) == ("e-3", "tool", "Bash", "env")
    assert [part["label"] for part in told["parts"]] == ["input", "output"]
    assert told["source"].endswith("line 3")


def test_a_note_is_copied_as_what_it_says(open_page: Open, tmp_path: Path) -> None:
    """Its line, then what is folded under it; no label of a fold, no time, no way to elsewhere."""
    about = {"decision": "block", "event": "PreToolUse", "tool": "Bash"}
    rows = [
        row("user", "Push", 1),
        row("hook_decision", "not to main", 2, tool_name="no-force-push", extra={**about, "code": 2}),
        row("hook_decision", "not to main", 3, tool_name="no-force-push", extra=about),
        row("assistant", "No", 4, extra={"why": "x"}),
    ]
    write(tmp_path / "in" / "p.ndjson", rows)
    site = build(tmp_path / "out", tmp_path / "in")
    seen = open_page(site.page().path, permissions=["clipboard-read", "clipboard-write"])
    told = []
    for key in "jjcjcjc":
        seen.page.keyboard.press(key)
        if key == "c":
            told.append(copied(seen, "Text"))
            seen.page.evaluate("document.querySelector('p.skip').textContent = ''")
    line = "no-force-push block · Bash PreToolUse · not to main"
    assert told == [f'{line}\n\n{{"code": 2}}', line, 'No\n\n{"why": "x"}']


def test_keys_copy_too(seen: Visit) -> None:
    seen.page.keyboard.press("y")
    assert copied(seen, "Link") == seen.page.url.partition("#")[0]
    for key in "jj":
        seen.page.keyboard.press(key)
    seen.page.keyboard.press("c")
    assert copied(seen, "Text") == "Do this\nand that"
