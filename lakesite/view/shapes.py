"""What templates see. Every decision is made before it gets here; a template only lays out.

Texts are masked or lakesite's own words, not yet escaped. Addresses are relative and end in an explicit file name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from lakesite.model import Json, Masked
from lakesite.view.lanes import Timeline

# ---------------------------------------------------------------- small things


class Badge(NamedTuple):
    """A word that says how far something can be trusted."""

    name: str
    """Which badge, `[a-z-]+`: class, filter and anchor in the legend."""
    text: str
    """The words shown; for a fidelity that nobody knows, the recorded one."""
    bad: bool = False
    """It says that something went wrong."""


class Link(NamedTuple):
    """Somewhere to go."""

    text: str
    href: str | None
    """None: there is nothing to go to; the text says why."""


class When(NamedTuple):
    """A recorded time."""

    iso: str
    """UTC, for `<time datetime>`: `2026-11-30T09:26:11.123Z`."""
    day: str
    """`30 Nov 2026`."""
    clock: str
    """`09:26:11`."""
    original: Masked | None
    """As recorded, where it was written otherwise."""


class Fact(NamedTuple):
    """One fact of a header: a figure in bold with its unit, `9` `steps`."""

    figure: str
    unit: str = ""
    before: str = ""
    """Words before the figure: `took`."""
    href: str | None = None
    note: str | None = None
    """Small print: `sum of recorded counters, may repeat`."""
    when: When | None = None
    """The time that the figure tells, where it is one; its unit names the zone."""
    until: When | None = None
    """The end of a span of time that began then."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A count in the header that filters the page on click."""

    name: str
    """The badge that it counts, or another filter."""
    text: str
    count: str
    bad: bool = False
    masked: bool = False
    """Drawn in the colour of masked values."""


class NavItem(NamedTuple):
    """A line in the left column: a step, a prompt, a run of the tree."""

    text: str
    href: str | None
    depth: int
    status: str
    """`completed failed cancelled unfinished unknown missing none`: the mark before the text."""
    note: str = ""
    """At the right: a duration, a count."""
    here: bool = False
    """The page itself."""
    kind: str = ""
    """Small word after the text: `parallel`, `for_each × 24`."""


# ---------------------------------------------------------------- bodies

BodyKind = Literal[
    "markdown", "text", "output", "command", "code", "numbered", "edit", "patch", "json", "image", "tasks", "table", "found", "address",
    "nothing",
]  # fmt: skip


class Body(NamedTuple):
    """A text or a value to render for what it is."""

    kind: BodyKind
    """`markdown`: prose of the person or the assistant. `text`: plain, as written. `output`: what a program printed, with
    colours. `command`: a shell command. `code` in `language`. `numbered`: a file read with line numbers in it. `edit`: `text`
    was replaced by `new`. `patch`: a diff. `json`: `value`. `image`: `text` is base64, `language` its media type.
    `tasks`: `value` lists them, each with `status` and `text`. `table`: `value` is a list of objects. `found`: what a search
    gave. `address`: of the web. `nothing`: `text` says what was not there."""
    text: Masked | str = ""
    label: str = ""
    """`output`, `error`, `input`, … ; empty: none shown."""
    value: Json = None
    new: Masked | str = ""
    language: str | None = None
    bad: bool = False
    """An error."""
    folded: bool = False
    """Closed until the reader opens it; `label` is its summary."""
    badges: tuple[Badge, ...] = ()
    times: tuple[When, ...] = ()
    """Of `nothing`, behind its text: when, or from when to when."""


# ---------------------------------------------------------------- rows of a page


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step begins: a heading."""

    what: ClassVar[str] = "step"
    anchor: str
    depth: int
    """Number of steps around it; the heading's level follows."""
    name: str
    kind: str
    """`agent`, `command`, `parallel`, … ; empty: not recorded."""
    status: str
    when: When | None
    took: str
    """Empty: not known."""
    badges: tuple[Badge, ...]
    child: Link | None
    """The run that it called."""
    note: str
    """`turn 3 in turn 1`, `attempt 2`; empty: nothing to say."""
    origin: str
    """`file:line`."""
    bodies: tuple[Body, ...] = ()
    """What its first event holds beside its name and its kind."""


@dataclass(frozen=True, slots=True)
class EndRow:
    """A step ends with something to show: a result, an error, what it printed."""

    what: ClassVar[str] = "end"
    anchor: str
    depth: int
    name: str
    status: str
    bodies: tuple[Body, ...]
    when: When | None
    badges: tuple[Badge, ...]
    origin: str


Who = Literal["prompt", "reply", "thinking", "input", "said"]


@dataclass(frozen=True, slots=True)
class MessageRow:
    """Something that was said or thought."""

    what: ClassVar[str] = "message"
    anchor: str
    depth: int
    who: Who
    """`prompt`: the person or the workflow; `input`: a further block of it (a system prompt); `said`: any other role."""
    label: str
    """In the margin: `prompt`, `thinking`, a runtime's name, a recorded role."""
    bodies: tuple[Body, ...]
    when: When | None
    badges: tuple[Badge, ...]
    origin: str
    chain: bool = False
    """Of a side chain (a sub-agent)."""
    tokens: str = ""
    """`115,918 in · 2,495 out`."""
    turn: str = ""
    """Of a prompt, what followed: `9 calls, 1 failed · 2,495 out · over 4 min`."""
    bad: bool = False
    """It is recorded as an error."""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool exchange: one quiet line that opens to what went in and what came out."""

    what: ClassVar[str] = "tool"
    anchor: str
    depth: int
    name: str
    """`name not recorded` where there is none."""
    argument: str
    """The main argument, one line; may be empty."""
    status: Literal["ok", "failed", "unknown"]
    """`unknown`: no outcome recorded."""
    outcome: str
    """`failed`, `exit 1`; empty: nothing to say."""
    when: When | None
    took: str
    badges: tuple[Badge, ...]
    bodies: tuple[Body, ...]
    origin: str
    child: Link | None = None
    """The page of the run, or the first row of the side chain, that it started."""
    chain: bool = False
    ids: str = ""
    """The recorded ids of its call and its result."""
    tokens: str = ""
    """`17,466 in · 221 out`, as its rows recorded."""


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A slim row: a hook decision, a receipt, meta data, a notice, an unknown event, a resumed segment, a reference."""

    what: ClassVar[str] = "note"
    anchor: str
    depth: int
    kind: str
    """`hook receipt meta notice unknown resumed reference chain`."""
    label: str
    """Its first words, in bold."""
    text: str
    """The rest of its line."""
    when: When | None
    badges: tuple[Badge, ...]
    bodies: tuple[Body, ...]
    """Folded under it."""
    origin: str
    bad: bool = False
    """It is an error, and counted as one."""
    href: str | None = None
    chain: bool = False


Row: TypeAlias = StepRow | EndRow | MessageRow | ToolRow | NoteRow


# ---------------------------------------------------------------- pages


class PartLink(NamedTuple):
    """One part of a document that needs several pages."""

    number: int
    href: str
    title: str
    """What begins in it: the first step or prompt."""
    here: bool


class FailedStep(NamedTuple):
    """A step that failed before the one that made its run fail."""

    name: str
    href: str
    error: str
    """The first line of its error; empty: none was recorded."""


class Failure(NamedTuple):
    """What made a run fail, before all else."""

    title: str
    """`deploy_canary failed after 4.4 s`."""
    error: Body | None
    href: str | None
    """The step."""
    said: str
    """The last thing that its agent said, one line; empty: nothing."""
    call: ToolRow | None
    """The last call before it."""
    way: str = "go to step"
    """What the link says."""
    said_href: str = ""
    """Where that was said."""
    call_href: str = ""
    within: str = ""
    """The step that the last words and the last call belong to, where the failing one has none."""
    before: tuple[FailedStep, ...] = ()
    """What failed before it, the first of it: the step that ends a run may only report what went wrong."""
    more_before: int = 0
    """How many more failed before it."""


class ProblemLine(NamedTuple):
    """A problem as a page lists it."""

    where: str
    """`file:line`."""
    what: str
    note: bool
    """Tells how something was read; else something was lost or is in conflict."""


class TickLink(NamedTuple):
    """A tick that leads to its row."""

    kind: Literal["failed", "prompt"]
    label: str
    """`failed: Bash`."""
    href: str
    path: str


class Minimap(NamedTuple):
    """The strip of one page."""

    path: str
    """The ticks of rows that are no links."""
    links: tuple[TickLink, ...]


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """One page of a run or a session: everything around its rows."""

    kind: Literal["run", "session"]
    title: str
    short_id: str
    """First characters of the id, with the runtime for sessions: `claude · 197c6ed6`."""
    full_id: str
    pill: str
    """`failed`, `cut off mid-tool`; empty: none."""
    pill_status: str
    """Colour of the pill: a run status, or `warn`."""
    crumbs: tuple[Link, ...]
    facts: tuple[Fact, ...]
    chips: tuple[Chip, ...]
    failure: Failure | None
    tree: tuple[NavItem, ...]
    """Runs: the sub-workflow tree. Empty for a run without relatives and for sessions."""
    nav: tuple[NavItem, ...]
    """Runs: steps. Sessions: prompts."""
    nav_title: str
    """`Steps`, `Prompts`."""
    nav_more: int
    """Lines of `nav` that were left out, because there are too many."""
    parts: tuple[PartLink, ...]
    """Empty for a document of one page."""
    details: tuple[Body, ...]
    """Folded facts: inputs, environment, labels, more."""
    problems: tuple[ProblemLine, ...]
    masked: tuple[tuple[str, int, int], ...]
    """(class, values, characters) of what was masked in it."""
    legend: tuple[tuple[Badge, str], ...]
    """Badges that this document uses, each with what it means."""
    anchors: str
    """Where anchors are, for links that land in the wrong part; empty for one page. See `view.anchors`."""
    root: str
    """Way to the site's root: `../`."""
    packed: bool = False
    """It holds texts that a script unpacks."""
    strays: dict[str, int] = field(default_factory=dict)
    """Anchors that `anchors` would look for in the wrong part, with the right one, from 0."""
    minimap: Minimap | None = None
    """None: the page is short."""
    timeline: Timeline | None = None
    """When the steps of a run began and ended; on its first page."""
