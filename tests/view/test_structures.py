"""Lists of tasks, tables, what a search found: how they are shown, and that nothing of them is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.render.picture import measured
from lakesite.render.small import tool
from lakesite.render.structures import found, table
from lakesite.view.structures import json_bodies, task_bodies
from lakesite.view.tools import input_bodies, kind_of, output_bodies
from tests.site.builds import build, call, event, result, step, write

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"sku": "HS-1", "pieces": 12}, {"sku": "HS-2", "pieces": None}]


def page_of(folder: Path, name: str, given_: object, output: object) -> str:
    events = [
        event(1, "step.started", step("work")),
        event(2, "tool.call", call("c", name, given_)),
        event(3, "tool.result", result("c", output)),
        event(4, "step.completed", step("work")),
    ]
    write(folder / "in" / "run.jsonl", events)
    return build(folder / "out", folder / "in").page().raw


@pytest.mark.parametrize(
    ("name", "given_"),
    [
        ("TodoWrite", {"todos": [{"content": "read it", "status": "completed"}, {"content": "test it", "status": "in_progress"}]}),
        ("update_plan", {"plan": [{"step": "read it", "status": "completed"}, {"step": "test it", "status": "in_progress"}], "why": None}),
    ],
)
def test_tasks_have_marks(tmp_path: Path, name: str, given_: object) -> None:
    page = page_of(tmp_path, name, given_, "ok")
    assert '<ul class="tasks"><li><i class="dot completed">completed</i> read it</li>' in page
    assert '<i class="dot open">in progress</i> test it <small>in progress</small>' in page


def test_what_else_is_known_of_tasks_is_folded() -> None:
    shown, more = task_bodies({"todos": [{"content": "a", "status": "pending", "activeForm": "Doing a"}], "mode": "merge"})
    assert shown.kind == "tasks"
    assert (more.folded, more.value) == (True, {"mode": "merge", "todos": [{"activeForm": "Doing a"}]})


@pytest.mark.parametrize(
    "fields", [{}, {"todos": []}, {"todos": ["a"]}, {"todos": [{"content": "a"}]}, {"plan": [{"step": 1, "status": "x"}]}]
)
def test_what_is_no_list_of_tasks_stays_json(fields: dict[str, Any]) -> None:
    assert task_bodies(fields) == ()


@pytest.mark.parametrize("value", [ROWS, [{"a": 1}, {"a": "x" * 200}], [{"a": []}, {"a": {}, "b": True}]])
def test_objects_that_repeat_their_keys_are_a_table(value: list[Any]) -> None:
    assert [body.kind for body in json_bodies("output", value)] == ["table"]


@pytest.mark.parametrize(
    "value", [[], [{"a": 1}], [{}, {}], [{"a": 1}, 2], [{"a": "x\ny"}, {"a": ""}], [{"a": [1]}, {"a": 2}], [{"a": 1}, {"b": 1}, {"c": 1}]]
)
def test_other_lists_are_none(value: list[Any]) -> None:
    assert [body.kind for body in json_bodies("output", value)] == ["json"]


def test_a_table_inside_an_object_is_shown_beside_the_rest() -> None:
    rest, inner = json_bodies("output", {"count": 2, "rows": ROWS})
    assert (rest.kind, rest.value, inner.kind, inner.label, inner.value) == ("json", {"count": 2}, "table", "output · rows", ROWS)


def test_cells_tell_texts_from_values() -> None:
    made = table([{"a": "1", "b": None, "c": ""}, {"a": 1, "b": "null", "c": "<x>"}])
    assert '<td><i class=s>"1"</i></td><td><i class=k>null</i></td><td><i class=s>""</i></td>' in made
    assert '<td>1</td><td><i class=s>"null"</i></td><td>&lt;x&gt;</td>' in made


ROW = st.fixed_dictionaries({"name": st.text(max_size=9), "n": st.integers() | st.none() | st.booleans()})


@given(st.lists(ROW, min_size=2, max_size=60))
def test_a_table_is_little_longer_than_its_json(rows: list[dict[str, Any]]) -> None:
    escaped = sum(row["name"].count(sign) * 5 for row in rows for sign in "&<>")
    unseen = sum(30 for row in rows for sign in row["name"] if not " " <= sign <= "~")
    assert len(table(rows)) <= 1.3 * len(json.dumps(rows, ensure_ascii=False)) + 40 * len(rows) + 300 + escaped + unseen


def test_a_long_table_is_folded() -> None:
    made = table([{"n": at} for at in range(70)])
    assert "… 20 more rows" in made
    assert made.count("<tr>") == 72


def test_files_stand_out_where_their_matches_begin() -> None:
    made = found("src/a.py:3:x = 1\nsrc/a.py:9:<b>\n--\nsrc/b.py-2-y\nno place\ndocs/notes.md")
    assert "<b>src/a.py</b><i>:3:</i>x = 1\n<i>src/a.py:9:</i>&lt;b&gt;\n--\n" in made
    assert "no place\n<i>docs/</i>notes.md" in made


@given(st.text(st.sampled_from("ab/:1-\n<&[]. "), max_size=60))
def test_what_was_found_is_shown_to_the_letter(text: str) -> None:
    plain = str(found(text)).removeprefix('<pre class="out found">').removesuffix("</pre>")
    for mark in ("<b>", "</b>", "<i>", "</i>"):
        plain = plain.replace(mark, "")
    assert plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") in (text, "\n" + text)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("mcp__tracker__get_issue", '<b title="mcp__tracker__get_issue">tracker · get_issue</b>'),
        ("mcp__awf-proxy__Bash", '<b title="mcp__awf-proxy__Bash">awf-proxy · Bash</b>'),
        *((name, f"<b>{name}</b>") for name in ("Bash", "mcp__", "mcp__x", "mcp____x", "a__b")),
    ],
)
def test_a_tool_of_a_server_is_named_after_both(name: str, shown: str) -> None:
    assert tool(name) == shown


@pytest.mark.parametrize("names", [("old_string", "new_string"), ("old", "new"), ("old_str", "new_str")])
def test_an_edit_is_a_diff_by_whatever_names(names: tuple[str, str]) -> None:
    (made,) = input_bodies("edit", {"path": "a.py", names[0]: "x", names[1]: "y"})  # type: ignore[dict-item]
    assert (made.kind, made.text, made.new) == ("edit", "x", "y")


def test_a_command_that_its_line_shows_is_not_repeated() -> None:
    assert [body.label for body in input_bodies("command", {"command": "ls", "timeout": 5})] == ["input"]  # type: ignore[dict-item]
    assert [body.label for body in input_bodies("command", {"command": "ls\nid", "timeout": 5})] == ["command", "input"]  # type: ignore[dict-item]


def test_an_address_is_a_link_only_where_it_may_be_followed(tmp_path: Path) -> None:
    assert '<a href="https://go.dev/x?a=1&amp;b=2" rel="noopener noreferrer">' in page_of(
        tmp_path / "a", "WebFetch", {"url": "https://go.dev/x?a=1&b=2", "prompt": "?"}, "text"
    )
    page = page_of(tmp_path / "b", "WebFetch", {"url": "javascript:alert(1)", "prompt": "?"}, "text")
    assert "<p>javascript:alert(1)</p>" in page
    assert 'href="javascript' not in page


def test_a_search_that_failed_is_output() -> None:
    assert kind_of("Grep") == "search"
    assert [body.kind for body in output_bodies("search", "no such folder", None, bad=True)] == ["output"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x40\x00\x00\x00\xc8", (320, 200)),
        (b"GIF89a\x40\x01\xc8\x00", (320, 200)),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\xc8\x01\x40", (320, 200)),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x00\x00\x00\x00\xc8", None),
        (b"\xff\xd8\xff", None),
        (b"GIF8", None),
        (b"", None),
    ],
)
def test_the_size_of_a_picture(content: bytes, size: tuple[int, int] | None) -> None:
    assert measured(content) == size


@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd_to_measure(content: bytes) -> None:
    measured(b"\xff\xd8" + content)
