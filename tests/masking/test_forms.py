"""The ways in which a value follows a name: what is taken for granted where some of them are not tried."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakesite.masking.forms import FORMS_BY_FIRST, PLAIN_LINE, UNASSIGNED_BY_FIRST, UNSTATED_BY_FIRST, Form
from lakesite.masking.names import Secrecy
from lakesite.masking.values import Trust, is_secret

AGAIN = [(first, forms[at - 1], form) for first, forms in FORMS_BY_FIRST.items() for at, form in enumerate(forms) if form.again]
WORDS = st.sampled_from(
    ["is", "was", "the", "now", "value", "a1!b", "W0rd-9x", "to", ":", ".", "`", '"', "|", "\n", "Secret", "9", "-", "user/"]
)
LINES = st.lists(WORDS, max_size=12).map(lambda words: " " + " ".join(words))


@pytest.mark.parametrize(("first", "form", "other"), AGAIN)
@given(LINES)
def test_what_is_read_again_is_read_first(first: str, form: Form, other: Form, text: str) -> None:
    assert (form.id, form.first, form.fits, form.assigned) == (other.id, other.first, other.fits, other.assigned)
    assert bool(form.pattern.match(first + text)) == bool(other.pattern.match(first + text))


@given(LINES)
def test_a_plain_line_states_no_secret(text: str) -> None:
    for form in UNASSIGNED_BY_FIRST[" "] if PLAIN_LINE.match(text) else ():
        if form not in UNSTATED_BY_FIRST[" "] and (found := form.pattern.match(text)):
            assert form.trust is Trust.PROSE
            assert not any(is_secret(found["value"], kind, form.trust, quoted=form.quoted) for kind in Secrecy)
