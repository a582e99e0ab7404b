"""A site of all genuine data, held against what others counted and planted."""

from __future__ import annotations

import base64
import posixpath
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.site.builds import Site, build, lakesite


@pytest.fixture(scope="module")
def genuine(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site of all genuine and hand-made data beside the checkout."""
    folder = tmp_path_factory.mktemp("genuine") / "site"
    done = lakesite("build", shared / "data", "-o", folder, "-q", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    return Site(folder)


def test_the_site_agrees_with_what_others_counted(genuine: Site, shared: Path) -> None:
    facts = [shared / "data" / kind / more / "facts.json" for kind in ("awf", "lake") for more in ("", "spec-samples")]
    command = [
        sys.executable,
        str(shared / "tools" / "compare_site.py"),
        str(genuine.folder),
        *map(str, facts),
        "--texts",
        str(shared / "data"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert [line for line in lines[:-1] if "not readable" not in line] == []
    agree, differ = re.match(r"(\d+) counts agree, (\d+) differ", lines[-1]).groups()  # type: ignore[union-attr]
    assert (int(agree) > 3000, differ, done.returncode) == (True, "0", 0)


def test_no_link_leads_nowhere(genuine: Site) -> None:
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', page.raw)) for name, page in genuine.pages.items()}
    dead = []
    for name in anchors:
        for address in re.findall(r'<(?:a|link)\b[^<>]*\bhref="([^"]*)"', genuine.pages[name].raw):
            page, _, anchor = address.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), page)) if page else name
            is_query = (target == "search.html" and anchor.startswith("q=")) or anchor.startswith("list?")  # for scripts
            lands = target in genuine.files and (not anchor or is_query or anchor in anchors[target])
            if not re.match(r"[a-z]+:", address) and not lands:
                dead.append(f"{name}: {address}")
    assert sum(map(len, anchors.values())) > 5000
    assert dead == []


def test_without_companions_the_parent_and_the_steps_decide(shared: Path, tmp_path: Path) -> None:
    shutil.copytree(shared / "data" / "awf" / "storage" / "transcripts", tmp_path / "in" / "runs")
    build(tmp_path / "site", tmp_path / "in")
    command = [
        sys.executable,
        str(shared / "tools" / "compare_site.py"),
        str(tmp_path / "site"),
        str(shared / "data" / "awf" / "facts.json"),
    ]
    done = subprocess.run([*command, "--transcripts-only"], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[:-1] == []


LAKE_RULES = (
    re.compile(r"\b[A-Z][A-Z0-9_]{2,}=[A-Za-z0-9+/=_-]{16,}"),
    re.compile(r"\b[a-z]{2,7}-[A-Za-z0-9_-]{20,}"),
    re.compile(r"[A-Za-z0-9+/=_-]{40,}"),
)


def caught_by_the_lake(secret: str) -> bool:
    """Whether one of the Lake's three rules catches a secret by itself, whole."""
    if any(rule.fullmatch(secret) for rule in LAKE_RULES[:2]):
        return True
    groups = {"a" if c.islower() else "A" if c.isupper() else "0" if c.isdigit() else "-" for c in secret}
    return bool(LAKE_RULES[2].fullmatch(secret)) and len(set(secret)) >= 16 and len(groups) >= 3


def test_no_planted_secret_of_the_lakes_rules_is_in_any_byte(genuine: Site, shared: Path) -> None:
    planted = {
        line for path in (shared / "data").glob("*/planted-secrets.txt") for line in path.read_text(encoding="utf-8").splitlines() if line
    }
    caught = {secret for secret in planted if caught_by_the_lake(secret)}
    assert len(caught) > 30
    everything = "\n".join([*genuine.files, *(data.decode("utf-8") for data in genuine.files.values())])
    everything += "\n".join(unpacked(everything))
    assert [secret[:6] for secret in sorted(caught) if secret in everything] == []


def unpacked(text: str) -> list[str]:
    """What is packed in pages: the middles of long texts."""
    return [zlib.decompress(base64.b64decode(piece), -15).decode("utf-8") for piece in re.findall(r'data-z="([^"]+)"', text)]
