"""What a tool call was about: its main argument, its input and its output as bodies, by what the tool does.

Tools are known by what they are called and by the fields that they were given; an unknown tool is shown as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias, cast

from lakesite.model import ABSENT, Json, Masked, Recorded, bare_name, read_json, says_error
from lakesite.view.shapes import Body
from lakesite.view.structures import json_bodies, task_bodies
from lakesite.view.words import plain_line

Kind: TypeAlias = Literal["command", "read", "edit", "write", "patch", "agent", "tasks", "search", "fetch", "other"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("bash", "shell", "exec_command", "local_shell", "run_command", "run_shell_command", "execute", "terminal"), "command"),
    **dict.fromkeys(("read", "read_file", "view", "cat", "readfile", "read_many_files"), "read"),
    **dict.fromkeys(("edit", "multiedit", "str_replace", "str_replace_editor", "replace", "edit_file"), "edit"),
    **dict.fromkeys(("write", "write_file", "create", "create_file"), "write"),
    **dict.fromkeys(("apply_patch", "patch"), "patch"),
    **dict.fromkeys(("todowrite", "todo_write", "write_todos", "update_plan", "update_todo_list"), "tasks"),
    **dict.fromkeys(("grep", "glob", "ls", "list_directory", "find", "search_files", "ripgrep", "search_file_content"), "search"),
    **dict.fromkeys(("webfetch", "web_fetch", "fetch", "fetch_url"), "fetch"),
    **dict.fromkeys(("task", "agent", "spawn_agent", "dispatch_agent"), "agent"),
}
_ARGUMENTS = (
    "command",
    "cmd",
    "pattern",
    "query",
    "file_path",
    "path",
    "notebook_path",
    "filename",
    "url",
    "description",
    "prompt",
    "name",
    "id",
)
_PATHS = ("file_path", "path", "notebook_path", "filename")
_SAID_BY_LINE: dict[Kind, tuple[str, ...]] = {"command": ("command", "cmd"), "read": _PATHS}
"""The field that the line of a call says, where it is the only one."""
_REPLACED = (("old_string", "new_string"), ("old_str", "new_str"), ("old_text", "new_text"), ("old", "new"))
_EXIT = re.compile(
    r"\A(?:Exit code|Process exited with code|exit(?:ed with)? (?:code|status)) (-?\d{1,4})\b|^Process exited with code (-?\d{1,4})$",
    re.MULTILINE,
)
_EXIT_CODES = ("exit_code", "exitCode", "returncode")
_PATCH = re.compile(r"\A\s*(?:diff --git |\*\*\* Begin Patch|--- \S|Index: \S)")
_NUMBERED = re.compile(r"\A\s*\d+(?:→|\t)")
_BASE64 = re.compile(r"[A-Za-z0-9+/_=\s-]*")
_RASTER = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def kind_of(name: str | None) -> Kind:
    """What a tool does, as far as its name says; a proxy prefix does not count."""
    return _KINDS.get(bare_name(name or "").lower(), "other")


def parsed(value: Recorded) -> Recorded:
    """A string that holds a JSON object or array, parsed; anything else as it is."""
    found = _structure(value) if isinstance(value, str) else None
    return value if found is None else found


def _structure(text: str) -> Json:
    """The JSON object or array that a text holds; None where it holds neither."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    return cast("Json", read_json(text, None))


def argument(value: Recorded) -> str:
    """The main argument of a call in one line."""
    value = parsed(value)
    if isinstance(value, str):
        return plain_line(value)
    if not isinstance(value, dict):
        return ""
    fields = cast("dict[str, Json]", value)
    for name in _ARGUMENTS:
        given = fields.get(name)
        found = _command_line(given) if isinstance(given, list) else given
        if isinstance(found, str) and found.strip():
            where = fields.get("path") if name in ("pattern", "query") else None
            return plain_line(f"{found} {where}" if isinstance(where, str) else found)
    first = next((item for item in fields.values() if isinstance(item, str) and item.strip()), "")
    return plain_line(first)


def _command_line(words: Sequence[Json]) -> str | None:
    """A command given as a list of words: what a shell was asked to run, else the words."""
    texts = [word for word in words if isinstance(word, str)]
    if not texts or len(texts) != len(words):
        return None
    if len(texts) == 3 and texts[1].startswith("-") and texts[1].endswith("c"):  # noqa: PLR2004 - sh -c WORDS
        return texts[2]
    return " ".join(texts)


def path_of(value: Recorded) -> str | None:
    """The file that a call was about."""
    value = parsed(value)
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, Json]", value)
    return next((found for name in _PATHS if isinstance(found := fields.get(name), str)), None)


def input_bodies(kind: Kind, value: Recorded) -> tuple[Body, ...]:
    """What went into a call; nothing where its line says it all: a command, or a file to read, without any other field."""
    value = parsed(value)
    if value is ABSENT:
        return (Body("nothing", "no input recorded", label="input"),)
    if value is None:
        return (Body("nothing", "null", label="input"),)
    if isinstance(value, str):
        if not value:
            return (Body("nothing", "an empty text", label="input"),)
        return (Body("patch" if _PATCH.match(value) else "text", value, label="input"),)
    fields = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
    if len(fields) == 1 and any(name in fields and argument(value) == fields[name] for name in _SAID_BY_LINE.get(kind, ())):
        return ()
    return _known_bodies(kind, fields) or json_bodies("input", value)


def _known_bodies(kind: Kind, fields: dict[str, Json]) -> tuple[Body, ...]:
    """The input of a tool that is known, if it has the fields that it needs."""
    match kind:
        case "command":
            return _command_bodies(fields)
        case "edit":
            return _edit_bodies(fields)
        case "write" if isinstance(content := fields.get("content"), str) and (path := path_of(cast("Json", fields))):
            return (Body("code", content, label="content", language=path), *_rest(fields, "content"))
        case "patch":
            return _patch_bodies(fields)
        case "agent" if isinstance(prompt := fields.get("prompt"), str):
            return (Body("markdown", prompt, label="prompt"), *_rest(fields, "prompt"))
        case "tasks":
            return task_bodies(fields)
        case "fetch" if isinstance(url := fields.get("url"), str):
            return (Body("address", url), *_rest(fields, "url"))
        case _:
            return ()


def _command_bodies(fields: dict[str, Json]) -> tuple[Body, ...]:
    for name in ("command", "cmd"):
        found = fields.get(name)
        line = _command_line(found) if isinstance(found, list) else found
        if isinstance(line, str):
            whole = () if line == argument(cast("Json", fields)) else (Body("command", line, label="command"),)
            return (*whole, *_rest(fields, "" if isinstance(found, list) else name))
    return ()


def _edit_bodies(fields: dict[str, Json]) -> tuple[Body, ...]:
    path = path_of(cast("Json", fields))
    for before, after in _REPLACED:
        old, new = fields.get(before), fields.get(after)
        if isinstance(old, str) and isinstance(new, str) and path:
            return (Body("edit", old, new=new, language=path), *_rest(fields, before, after))
    edits = fields.get("edits")
    if isinstance(edits, list) and edits and all(_is_edit(edit) for edit in edits) and path:
        made = [cast("dict[str, str]", edit) for edit in edits]
        bodies = (body for number, edit in enumerate(made, 1) for body in _edit_of_many(edit, path, f"edit {number}"))
        return (*bodies, *_rest(fields, "edits"))
    return ()


def _edit_of_many(edit: dict[str, str], path: str, label: str) -> tuple[Body, ...]:
    rest = {name: item for name, item in edit.items() if name not in ("old_string", "new_string")}
    made = Body("edit", edit["old_string"], new=edit["new_string"], language=path_of(cast("Json", edit)) or path, label=label)
    return (made, Body("json", label=label, value=cast("Json", rest))) if rest else (made,)


def _is_edit(edit: Json) -> bool:
    fields = cast("dict[str, Json]", edit) if isinstance(edit, dict) else {}
    return isinstance(fields.get("old_string"), str) and isinstance(fields.get("new_string"), str)


def _patch_bodies(fields: dict[str, Json]) -> tuple[Body, ...]:
    for name in ("input", "patch"):
        if isinstance(found := fields.get(name), str):
            return (Body("patch", found, label="patch"), *_rest(fields, name))
    return ()


def _rest(fields: dict[str, Json], *shown: str) -> tuple[Body, ...]:
    """The fields that are not shown yet: neither here nor, as they are, in the line of the call."""
    line = argument(cast("Json", fields))
    told = next((name for name in _ARGUMENTS if fields.get(name) == line), None)
    rest = {name: item for name, item in fields.items() if name not in shown and name != told}
    return (Body("json", label="input", value=cast("Json", rest)),) if rest else ()


def output_bodies(kind: Kind, value: Recorded, path: str | None, label: str = "output", *, bad: bool = False) -> tuple[Body, ...]:
    """What came back from a call, out of its envelope."""
    if value is ABSENT:
        return (Body("nothing", "no output recorded", label=label),)
    if value is None:
        return (Body("nothing", "null", label=label),)
    if isinstance(value, str):
        return _text_bodies(kind, value, path, label, bad=bad)
    parts = _content_parts(value)
    if parts is None:
        return json_bodies(label, value, bad=bad)
    shown = tuple(body for part in parts for body in _part_bodies(kind, part, path, label, bad=bad))
    return shown or (Body("nothing", "an empty list", label=label),)


def _content_parts(value: Json) -> list[Json] | None:
    """The parts of `{"Content":[{"Type":"text","Text":…}],"IsError":…}` or of a list of content blocks; None for others."""
    if isinstance(value, dict):
        fields = _in_small_letters(value)
        flags = {name: item for name, item in fields.items() if name != "content"}
        if not flags.keys() <= {"iserror", "is_error"} or len(flags) > 1 or not all(isinstance(flag, bool) for flag in flags.values()):
            return None
        value = fields.get("content")
    if not isinstance(value, list) or not all(isinstance(part, dict) and ("type" in part or "Type" in part) for part in value):
        return None
    return value


def _in_small_letters(value: Json) -> dict[str, Json]:
    """The fields of an object by their names in small letters; none where two would have one name, or where it is no object."""
    if not isinstance(value, dict):
        return {}
    fields: dict[str, Json] = {name.lower(): item for name, item in value.items()}
    return fields if len(fields) == len(value) else {}


def _part_bodies(kind: Kind, part: Json, path: str | None, label: str, *, bad: bool) -> tuple[Body, ...]:
    fields = _in_small_letters(part)
    text = fields.get("text")
    if fields.get("type") == "text" and isinstance(text, str) and len(fields) == 2:  # noqa: PLR2004 - type and text
        return _text_bodies(kind, text, path, label, bad=bad)
    image = _image_bodies(fields, label) if fields.get("type") == "image" else ()
    return image or (Body("json", label=label, value=part, bad=bad),)


def _image_bodies(fields: dict[str, Json], label: str) -> tuple[Body, ...]:
    """An image block: its base64 and media type, and what else it says of itself; nothing where they are not usable."""
    source = _in_small_letters(fields.get("source"))
    inner = source or fields
    media_name = "media_type" if "media_type" in inner else "mimetype"
    media, data = inner.get(media_name), inner.get("data")
    drawn = isinstance(media, str) and media in _RASTER
    if not isinstance(data, str) or not isinstance(media, str | None) or not (drawn or _BASE64.fullmatch(data)):
        return ()
    left = [{name: item for name, item in inner.items() if name not in ("type", "data", media_name)}]
    if source:
        left.append({name: item for name, item in fields.items() if name not in ("type", "source")})
    more = more_bodies(*cast("list[dict[Masked, Json]]", left))
    if drawn:
        return (Body("image", data, label=label, language=media), *more)
    words = f"an image that is not shown ({len(data):,} characters of {media or 'an unknown type'})"
    return (Body("nothing", words, label=label), *more)


def _text_bodies(kind: Kind, text: str, path: str | None, label: str, *, bad: bool) -> tuple[Body, ...]:
    if not text:
        return (Body("nothing", "an empty text", label=label),)
    if _PATCH.match(text):
        return (Body("patch", text, label=label, bad=bad),)
    if kind == "read" and not bad:
        return (Body("numbered" if _NUMBERED.match(text) else "code", text, label=label, language=path),)
    if "\n" not in text.strip() and not bad:
        value = _structure(text)
        if value is not None:
            return json_bodies(label, value)
    return (Body("found" if kind == "search" and not bad else "output", text, label=label, bad=bad),)


def exit_status(text: str) -> str:
    """`exit 1`, where an output says so; empty where it does not."""
    found = _EXIT.search(text[:400])
    return f"exit {found[1] or found[2]}" if found else ""


def exit_of(body: Body) -> str:
    """`exit 1`, where a body says so: in its text, or in a field of its value."""
    if isinstance(body.value, dict):
        fields = cast("dict[str, Json]", body.value)
        inner = fields.get("metadata")
        places = (fields, cast("dict[str, Json]", inner) if isinstance(inner, dict) else {})
        codes = (place.get(name) for place in places for name in _EXIT_CODES)
        return next((f"exit {code}" for code in codes if isinstance(code, int) and not isinstance(code, bool)), "")
    return exit_status(body.text)


def more_bodies(*groups: dict[Masked, Json]) -> tuple[Body, ...]:
    """Fields that have no place of their own; where two groups of them use one name, group by group."""
    kept = [group for group in groups if group]
    together = {name: value for group in kept for name, value in group.items()}
    if len(together) == sum(map(len, kept)):
        kept = [together] if together else []
    return tuple(Body("json", label="more", value=group, folded=True) for group in kept)


def error_body(error: Recorded, label: str = "error") -> tuple[Body, ...]:
    """An error as it was recorded; nothing where there is none."""
    if error is ABSENT or not says_error(error):
        return ()
    if isinstance(error, str):
        return (Body("output", error, label=label, bad=True),)
    return (Body("json", label=label, value=error, bad=True),)
