"""What went into a tool and what came back, as bodies."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakesite.model import ABSENT, Recorded, says_error
from lakesite.sources.lines import decode_exact
from lakesite.view.shapes import Body
from lakesite.view.tools import error_body, input_bodies, kind_of, output_bodies
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


@pytest.mark.parametrize("error", [False, None, "", ABSENT])
def test_what_is_no_error_is_not_drawn_as_one(error: Recorded) -> None:
    assert (says_error(error), error_body(error)) == (False, ())


@pytest.mark.parametrize("error", [True, "no", 0, 1, [], {}, {"code": 1}])
def test_what_is_an_error_is_drawn(error: Recorded) -> None:
    assert says_error(error)
    assert [body.bad for body in error_body(error)] == [True]
