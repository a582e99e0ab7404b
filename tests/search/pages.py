"""A small site that can be searched, and what tests look at in it."""

from __future__ import annotations

from collections.abc import Callable

from lakesite.search.segment import Facts
from lakesite.view.shapes import Badge, Body, MessageRow, NoteRow, StepRow, ToolRow
from tests.browser import Visit
from tests.search.archive import Read

DAY = 86_400_000_000_000
START = 20_600 * DAY  # 27 May 2026
ROUTER, AGENT, BOTH = Badge("router", "router"), Badge("agent", "agent"), Badge("both", "router + agent")
ISSUE = "issue about quokka [masked:token:40:1a2b3c4d] near"
Open = Callable[..., Visit]


def say(anchor: str, text: str, who: str = "prompt") -> MessageRow:
    return MessageRow(anchor, 0, who, "", (Body("text", text),), None, (), "")  # type: ignore[arg-type]


def do(anchor: str, name: str, text: str, *badges: Badge, failed: bool = False) -> ToolRow:
    status, outcome = ("failed", "exit 1") if failed else ("ok", "")
    return ToolRow(anchor, 0, name, "", status, outcome, None, "", badges, (Body("output", text),), "")  # type: ignore[arg-type]


LONG = "\n".join(f"line {number} of a long output" for number in range(1500))
HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script> \u202eevil\u202c a\u2028b\u2029c constructor __proto__ toString"

RELEASE = Read(
    Facts("run", "release-gate", "runs/release-gate-1.html", "failed", "", (), (), START + 3 * DAY),
    (
        (StepRow("e-1", 0, "canary_check", "agent", "completed", None, "", (), None, "", ""), say("e-2", "please deploy the zebra canary")),
        (do("e-3", "Bash", f"deploying zebra\n{LONG}", ROUTER), say("e-4", "quagga is well", "reply")),
        (
            *(say(f"e-{number}", f"filler {number}", "reply") for number in range(5, 60)),
            do("e-60", "Bash", f"{LONG}\nfatal: connection reset by\n  peer near zebra okapi\n{LONG}", BOTH, failed=True),
            do("e-61", "Read", "src/app/main.go:42 keyboardNavigation woocommerce_loaded E0308 --dry-run ../node_modules/@x/y", AGENT),
            do("e-62", "Read", f"sites/docs/pages/en/guide/intro.md:7 image@sha256:{'9f86d081' * 8} foo.bar見る", AGENT),
        ),
    ),
)
CLAUDE = Read(
    Facts("session", "Fix the café page", "sessions/claude-2.html", "", "claude", ("/home/src/harbor-shop",), ("claude-opus-4",), START),
    (
        (
            say("e-a", "Fix the Café page, the zebra is striped. 検索するテスト"),
            do("e-b", "Bash", "zebra\nno errors", failed=False),
            do("e-c", "mcp__github__get_issue", ISSUE),
            NoteRow("e-d", 0, "hook", "no-force-push", "blocked rm", None, (), (), ""),
            do("e-e", "bash", "quiet", failed=True),
        ),
    ),
)
CODEX = Read(
    Facts("session", HOSTILE, "sessions/codex-3.html", "", "codex", ("/home/dev/src/other",), ("gpt-5",), START - 40 * DAY),
    ((say("e-a", HOSTILE), do("e-b", "exec_command", "naïve zebra")),),
)
MANY = tuple(
    Read(
        Facts("run", f"sweep {number}", f"runs/sweep-{number}.html", "completed", "", (), (), START + number * DAY),
        ((say("e-1", f"sweep number{number} the lynx"), do("e-2", "Bash", "a lynx and" if number % 2 else "an ocelot", ROUTER)),),
    )
    for number in range(25)
)
DOCUMENTS = (RELEASE, CLAUDE, CODEX, *MANY)
SAME_DAY = tuple(
    Read(Facts("run", f"at {hour} h", f"runs/at-{hour}.html", "completed", "", (), (), START + hour * DAY // 24), ((say("e-1", "x"),),))
    for hour in (3, 23, 0, 12)
)


def settle(seen: Visit) -> str:
    """Wait for the answer; gives what the status line says."""
    return seen.until(lambda: seen.page.evaluate("performance.getEntriesByName('filters').length > 0") and status(seen))


def status(seen: Visit) -> str:
    return seen.page.inner_text("#status")


def titles(seen: Visit) -> list[str]:
    return [link.inner_text() for link in seen.page.query_selector_all("#hits h2")]


def write(seen: Visit, query: str) -> str:
    """Type a query; gives what the status line says then."""
    seen.page.evaluate("performance.clearMeasures()")
    seen.page.fill("#query", query)
    return settle(seen)


ASK = """query => {
  performance.clearMeasures();
  const hash = `#q=${encodeURIComponent(query)}`;
  if (hash === location.hash) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = hash;
}"""


def ask(seen: Visit, query: str) -> str:
    """Ask by the address, which takes less time; gives what the status line says then."""
    seen.page.evaluate(ASK, query)
    return settle(seen)


def opened(seen: Visit) -> list[str]:
    """Wait until the words of a hit are marked in the page that it opened; gives them."""
    seen.until(lambda: (button := seen.page.query_selector(".find")) and "marked" in button.inner_text())
    return seen.page.evaluate("[...CSS.highlights.get('hit')].map(range => range.toString())")


def chips(seen: Visit) -> dict[str, int]:
    found = seen.page.query_selector_all("#nav [data-filter]")
    return {str(chip.get_attribute("data-filter")): int(chip.query_selector("b").inner_text()) for chip in found}  # type: ignore[union-attr]
