"""The file that holds all rows of a list of several pages: one call of a script, one document a line, texts and numbers alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from lakesite.render.escape import plain
from lakesite.render.small import inside
from lakesite.view.listing import IndexRow


def rows_script(rows: Sequence[IndexRow]) -> Iterator[str]:
    """The text of the file. The page's script makes rows of it as the template does: never HTML."""
    between = "lakesiteRows([\n"
    for row in rows:
        yield between + json.dumps(_told(row), separators=(",", ":"))
        between = ",\n"
    yield "\n]);\n" if rows else "lakesiteRows([]);\n"


def _told(row: IndexRow) -> list[object]:
    words = "|".join(("", f"{row.kind}s", row.status, *row.filters, ""))
    when = row.when.iso if row.when else ""
    texts = (words, inside(row.href), row.title, row.note, when, row.took, row.calls, row.tokens)
    return [*map(plain, texts), row.depth, *row.sort]
