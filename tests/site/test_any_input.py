"""Runs and conversations of any JSON whatever: a site is built, each page is whole, and nothing unseen is in it."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.site.builds import build, write
from tests.sources.test_awf import EVENTS
from tests.sources.test_lake import ROWS

if TYPE_CHECKING:
    from tests.site.builds import Site

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")

NAMES = st.sampled_from(["r1", "r2", "r3", "", None])
ENVELOPES = st.fixed_dictionaries(
    {
        "seq": st.integers(1, 12) | st.none(),
        "run_id": NAMES,
        "path": st.sampled_from(["", "a", "a/b", "loop:0/a", "loop:1/loop:2/b", "a.b"]),
    },
    optional={
        "parent_run_id": NAMES,
        "child_run_id": NAMES,
        "iteration": st.integers(-1, 3),
        "timestamp": st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T00:00:05+02:00", "0001-01-01T00:00:00Z", "x", None]),
    },
)
STEPS = st.builds(
    lambda kind, name, what, error: {"type": kind, "payload": {"name": name, "kind": what, **({"error": error} if error else {})}},
    st.sampled_from(
        ["step.started", "step.completed", "step.call_workflow.started", "step.call_workflow.completed", "run.started", "run.completed"]
    ),
    st.sampled_from(["a", "b", "loop", ""]),
    st.sampled_from(["agent", "command", "parallel", "for_each", "call_workflow", "terminal"]),
    st.sampled_from(["", "", "exit 1"]),
)
CALLS = st.builds(
    lambda kind, identity, value: {
        "type": kind,
        "payload": {"call_id": identity, "name": "Bash", "input": value, "output": value, "fidelity": "router"},
    },
    st.sampled_from(["tool.call", "tool.result"]),
    st.sampled_from(["c1", "c2", "", None, 7]),
    st.sampled_from([{"command": "ls"}, '{"command": "ls"}', None, "x"]),
)
RUNS = st.lists(
    st.builds(lambda envelope, rest: {**envelope, **rest}, ENVELOPES, st.one_of(STEPS, STEPS, CALLS, EVENTS)), min_size=1, max_size=14
)
MARKS = st.fixed_dictionaries(
    {"session_id": st.sampled_from(["s1", "s2", None]), "runtime": st.sampled_from(["claude", "codex", "hooks", "jeden"])},
    optional={"ts": st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z", "x", None]), "text": st.none() | st.text(max_size=20)},
)
CONVERSATIONS = st.lists(st.builds(lambda rest, marks: {**rest, **marks}, ROWS, MARKS), min_size=1, max_size=14)


def is_whole(site: Site) -> None:
    for name, data in site.files.items():
        assert not UNSEEN.search(data.decode("utf-8")), name
    for name, page in site.pages.items():
        assert page.raw.rstrip().endswith("</html>"), name
        assert len(page.ids) == len(set(page.ids)), name
        for link in page.links:
            if link.startswith("#"):
                assert link[1:] in page.ids, (name, link)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(RUNS, CONVERSATIONS)
def test_any_records_make_a_site(runs: list[dict[str, object]], rows: list[dict[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root / "in" / "a.jsonl", [json.dumps(record) for record in runs])
        write(root / "in" / "b.ndjson", [json.dumps(record) for record in rows])
        site = build(root / "site", root / "in")
        is_whole(site)
        events = sum(
            document["counts"]["events"] + document["counts"]["repeated"]
            for document in site.json["documents"]
            if document["kind"] == "run"
        )
        assert events == len(runs)
