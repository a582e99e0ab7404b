"""Shows what a terminal would show: colours become classes, every other control sequence goes, overwritten text too.

The block is `<pre class="out">`; in it:

| element | class | means |
|---|---|---|
| i | `f0` … `ff` | foreground, one of the 16 terminal colours in hex: 0–7 normal, 8–f bright |
| i | `g0` … `gf` | background |
| i | `fp` `gi` | reversed without a colour of its own: the colour of the paper on that of the ink |
| i | `b` `d` `t` `u` `x` | bold, dim, italic, underlined, struck out |
| a | | a link of the text itself (OSC 8), under the one link policy |
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from markupsafe import Markup

from lakesite.render.escape import block, link, shown
from lakesite.view.terminal import Look, is_controlled, runs


def ansi(text: str) -> Markup:
    """Show terminal output as the terminal did, in a block of its own."""
    if not is_controlled(text):
        return block("out", shown(text))
    stretches = groupby(runs(text), key=lambda run: run[0])
    return block("out", "".join(_dressed(look, "".join(piece for _, piece in each)) for look, each in stretches))


def _dressed(look: Look, text: str) -> str:
    html = shown(text)
    if classes := _classes(look):
        html = f"<i class={classes}>{html}</i>"
    target = link(look.target) if look.target else None
    if target:
        html = f'<a href="{target}" rel="noopener noreferrer">{html}</a>'
    return html


@lru_cache(maxsize=1024)
def _classes(look: Look) -> str:
    foreground = "" if look.foreground is None else f"f{look.foreground:x}"
    background = "" if look.background is None else f"g{look.background:x}"
    if look.reverse:
        foreground, background = (
            f"f{background[1:]}" if background else "fp",
            f"g{foreground[1:]}" if foreground else "gi",
        )
    classes = [name for name in (foreground, background, *look.styles) if name]
    return f'"{" ".join(classes)}"' if len(classes) > 1 else "".join(classes)
