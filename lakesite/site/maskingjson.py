"""`masking.json`: what was masked, for other programs. Its format is stable: fields are added, never changed or taken away.

Format 1: `{"format":1,"review":…,"settings":{…},"documents":[…]}`, one document a line, each with its rows: how many values
and characters one rule masked in one field. A field or rule that is not told apart is null. Nothing of a secret is in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from lakesite.masking import MaskOptions
from lakesite.options import MaskSettings
from lakesite.site.settings import weaker
from lakesite.view.masking import BEST_EFFORT, MaskedDocument, MaskingSettings, masked_documents
from lakesite.view.summary import Summary

FORMAT = 1


def masking_settings(settings: MaskSettings, options: MaskOptions, *, across: bool = False) -> MaskingSettings:
    """What a page may tell of the options: of named values only how many there are."""
    return MaskingSettings(
        mode=options.mode,
        fingerprint=options.fingerprint,
        publish=options.publish,
        named=len(options.literals),
        digest=options.digest,
        weaker=weaker(settings, options),
        across=across,
    )


def masking_json(summaries: Iterable[Summary], settings: MaskingSettings) -> Iterator[str]:
    """The text of `masking.json`, piece by piece."""
    yield f'{{"format":{FORMAT},"review":{_written(BEST_EFFORT)},"settings":{_written(asdict(settings))},"documents":[\n'
    between = ""
    for document in masked_documents(summaries):
        yield between + _written(_document(document))
        between = ",\n"
    yield "\n]}\n"


def _document(document: MaskedDocument) -> dict[str, object]:
    rows = [
        {"field": row.field or None, "class": row.kind, "rule": row.rule or None, "count": row.values, "characters": row.characters}
        for row in document.rows
    ]
    return {"kind": document.kind, "id": document.id, "href": document.href, "masked": rows}


def _written(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
