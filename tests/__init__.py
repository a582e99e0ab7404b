"""The tests of lakesite; README.md in this folder says what is where."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""
EXAMPLES = ROOT / "example_runs"
"""The genuine records that come with lakesite."""
SHARED = ROOT.parent / "shared"
"""More genuine records beside the checkout, where there are any."""
