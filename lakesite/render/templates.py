"""The templates: the packaged ones, and those that a user puts in their place, file by file.

A user's template runs in a sandbox and can print recorded text only through the one escaping path. What is wrong with it is
told as `file:line`, and never with a word of what was recorded.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    Template,
    TemplateError,
    Undefined,
    nodes,
)
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError
from jinja2.nodes import Expr
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from lakesite.errors import UsageError
from lakesite.render.escape import visible

NAMES: Final = (
    "document.html", "index.html", "masking.html", "problems.html", "rows.html", "search.html", "shell.html", "small.html", "timeline.html",
)  # fmt: skip
"""Every template there is."""
_PACKAGED = "lakesite"
"""`lakesite/index.html` is the packaged one, for a template that only changes a block of it."""
_UNESCAPED = ("safe", "xmlattr", "urlize")
"""Filters that would let recorded text become HTML."""
_ATTRIBUTE = re.compile(r"""=\s*(?:"([^"]*)"|'([^']*)'|(\{\{[^}]*\}\}))""")
_PRINTED = re.compile(r"\{\{-?(.*?)-?\}\}", re.DOTALL)
_ESCAPED = re.compile(r"\|\s*(?:attr|href|place|capped|figures)\s*$")
_STATEMENT = re.compile(r"\{[%#].*?[%#]\}", re.DOTALL)
_SET = re.compile(r"\{%-?\s*set\s+(\w+)\s*=[^%]*\|\s*attr\s*-?%\}")


class _Code(CodeGenerator):
    """Prints through `finalize` alone: it escapes every text already, and `escape` would only look at it again."""

    def _output_child_pre(self, _node: Expr, _frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        self.write(str(finalize.src))

    def _output_child_post(self, _node: Expr, _frame: Frame, _finalize: CodeGenerator._FinalizeInfo) -> None:
        self.write(")")


class _Environment(Environment):
    code_generator_class = _Code


class _Sandbox(ImmutableSandboxedEnvironment):
    code_generator_class = _Code


class Templates:
    """Gives templates by their names; those in the folder `own` stand in for the packaged ones."""

    def __init__(self, packaged: BaseLoader, filters: Mapping[str, Callable[..., Any]], own: Path | None = None) -> None:
        self._plain = _made(_Environment, packaged, filters)
        self._own = own
        self._names = own_names(own) if own else frozenset()
        if own:
            loader = ChoiceLoader([FileSystemLoader(str(own)), packaged, PrefixLoader({_PACKAGED: packaged})])
            self._sandbox: Environment = _made(_Sandbox, loader, filters)
            for name in _UNESCAPED:
                del self._sandbox.filters[name]

    def get(self, name: str) -> Page:
        """The template of a name; rows, which are most of the work, leave the sandbox where they are the packaged ones."""
        if self._own is None or (name == "rows.html" and name not in self._names):
            return Page(self._plain.get_template(name), None)
        with_faults = Faults(self._own)
        try:
            return Page(self._sandbox.get_template(name), with_faults)
        except TemplateError as error:
            raise with_faults.told(error) from None

    def check(self) -> None:
        """UsageError with `file:line` where one of the user's templates cannot be used, or something in it has no effect."""
        if self._own:
            for name in sorted(self._names):
                self.get(name)
                _refuse_idle(self._own / name, _lineage(self._sandbox, name), _lineage(self._plain, name))


def _made(kind: type[Environment], loader: BaseLoader, filters: Mapping[str, Callable[..., Any]]) -> Environment:
    environment = kind(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        auto_reload=False,
    )
    environment.filters |= filters
    return environment


def _printed(value: object) -> str:
    """What a template prints: every text goes the one escaping path, numbers are as they are, all else is a mistake."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, int | Undefined):
        return str(value)
    raise PrintedError(type(value).__name__)


class PrintedError(TypeError, TemplateError):
    """A template prints what is no text."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"{kind} is printed, which is no text")


class Page:
    """A template that is ready to be filled."""

    def __init__(self, template: Template, faults: Faults | None) -> None:
        self._template = template
        self._faults = faults

    def render(self, **data: object) -> str:
        """The whole text."""
        return self._template.render(**data) if self._faults is None else "".join(self._watched(data, self._faults))

    def generate(self, **data: object) -> Iterator[str]:
        """The text, piece by piece."""
        return self._template.generate(**data) if self._faults is None else self._watched(data, self._faults)

    def _watched(self, data: Mapping[str, object], faults: Faults) -> Iterator[str]:
        try:
            yield from self._template.generate(**data)
        except Exception as error:  # noqa: BLE001 - whatever a template does, its author is told where
            raise faults.told(error) from None


class Faults:
    """Tells what is wrong with the templates of a folder."""

    def __init__(self, own: Path) -> None:
        self._own = own

    def told(self, error: Exception) -> UsageError:
        """The same error as `file:line` and what is wrong; raises the very error where it is not a template's fault."""
        if isinstance(error, TemplateSyntaxError):
            return UsageError(f"{error.filename or self._own / (error.name or '')}:{error.lineno}: {error.message}")
        place = self._place(error.__traceback__)
        if isinstance(error, TemplateNotFound):
            return UsageError(f"{place or self._own}: there is no template {error.name}")
        if isinstance(error, TemplateError):
            return UsageError(f"{place or self._own}: {error.message}")
        if place is None or isinstance(error, UsageError):
            raise error
        return UsageError(f"{place}: {type(error).__name__}")

    def _place(self, trace: TracebackType | None) -> str | None:
        """The innermost line of one of the user's templates."""
        found = None
        while trace:
            file = trace.tb_frame.f_code.co_filename
            if Path(file).parent == self._own:
                found = f"{file}:{trace.tb_lineno}"
            trace = trace.tb_next
        return found


def own_names(folder: Path) -> frozenset[str]:
    """The templates that a folder holds. UsageError for a folder that is none, a name that is none, or what would not be escaped."""
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".html")
        sources = {path: path.read_text(encoding="utf-8") for path in files}
    except OSError as error:
        raise UsageError(f"--templates {folder}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise UsageError(f"--templates {folder}: a template in it is not UTF-8 text") from error
    if not files:
        raise UsageError(f"--templates {folder}: no template in it; there are: {', '.join(NAMES)}")
    for path, source in sources.items():
        if path.name not in NAMES:
            close = difflib.get_close_matches(path.name, NAMES, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(NAMES)}"
            raise UsageError(f"{path}:1: no such template; {hint}")
        _refuse_bare(path, source)
    return frozenset(path.name for path in files)


def _refuse_bare(path: Path, source: str) -> None:
    """A text in an attribute needs its own escaping: a quotation mark that was recorded must not end it."""
    escaped = {"size", *_SET.findall(source)}
    source = _STATEMENT.sub(lambda found: "\n" * found[0].count("\n"), source)
    for attribute in _ATTRIBUTE.finditer(source):
        for printed in _PRINTED.findall(next(filter(None, attribute.groups()), "")):
            quoted = attribute[1] is not None
            if not quoted or not (_ESCAPED.search(printed) or printed.strip() in escaped):
                line = source.count("\n", 0, attribute.start()) + 1
                name = printed.split("|")[0].strip()
                raise UsageError(f'{path}:{line}: inside an attribute write "{{{{ {name}|attr }}}}", in double quotes')


def _lineage(environment: Environment, name: str) -> list[nodes.Template]:
    """A template, and what it extends, one after another, as far as that is there."""
    found: dict[str, nodes.Template] = {}
    while name not in found and environment.loader:
        try:
            source, _, _ = environment.loader.get_source(environment, name)
        except TemplateNotFound:  # told where it is asked for
            break
        found[name] = environment.parse(source)
        parent = _extends(found[name])
        if parent is None or not isinstance(parent.template, nodes.Const):
            break
        name = str(parent.template.value)
    return list(found.values())


def _extends(template: nodes.Template) -> nodes.Extends | None:
    return next((node for node in template.body if isinstance(node, nodes.Extends)), None)


def _refuse_idle(path: Path, own: list[nodes.Template], packaged: list[nodes.Template]) -> None:
    """What Jinja passes over without a word: an empty template, a block that nothing has a place for, and what stands beside blocks."""
    template = own[0]
    parent = _extends(template)
    if all(isinstance(node, nodes.Output) and not _first_line(node) for node in template.body):
        raise UsageError(f"{path}:1: nothing in it; take the file away, or change a block of lakesite's own")
    blocks = {block.name for block in template.find_all(nodes.Block)}
    known = {block.name for each in (*own[1:], *packaged) for block in each.find_all(nodes.Block)}
    for block in template.find_all(nodes.Block):
        close = difflib.get_close_matches(block.name, known - blocks, 1)
        if block.name not in known and (close or (parent and block in template.body)):
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(sorted(known)) or 'none'}"
            raise UsageError(f"{path}:{block.lineno}: there is no block {block.name}; {hint}")
    beside = template.body[template.body.index(parent) :] if parent else []
    for node in beside:
        if isinstance(node, nodes.Output) and (line := _first_line(node)):
            raise UsageError(f"{path}:{line}: what stands outside of the blocks is not shown; put it into one, or take it away")


def _first_line(printed: nodes.Output) -> int:
    """The line where something begins that is more than blanks; 0: nothing does."""
    for part in printed.nodes:
        data = part.data if isinstance(part, nodes.TemplateData) else "{{"
        if data.strip():
            return part.lineno + data[: len(data) - len(data.lstrip())].count("\n")
    return 0
