"""What went into a tool and what came back, as bodies."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakesite.sources.lines import decode_exact
from lakesite.view.shapes import Body
from lakesite.view.tools import input_bodies, kind_of, output_bodies
from tests.sources.fixtures import cases, spelled

CASES = [pytest.param(given, wanted, id=title) for title, given, wanted in cases(Path(__file__).parent / "tools.txt")]


@pytest.mark.parametrize(("given", "wanted"), CASES)
def test_case(given: str, wanted: str) -> None:
    head, value = given.split("\n")
    side, name = head.split()
    recorded = decode_exact(f'{{"value":{value}}}'.encode())["value"]
    kind = kind_of(name)
    bodies = input_bodies(kind, recorded) if side == "input" else output_bodies(kind, recorded, None)  # type: ignore[arg-type]
    assert "\n".join(map(shown, bodies)) == wanted


def shown(body: Body) -> str:
    said = str(body.text) if body.value is None else spelled(body.value)
    return f"{body.kind} {body.label}: {said}"
