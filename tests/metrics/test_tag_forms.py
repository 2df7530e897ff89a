"""Tags in the forms that people write, and the way back to the same form."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.metrics.tag_forms import FORMS, Notation, TagForm, detect_notation, write_tag
from foretext.metrics.tag_schemes import SCHEMES, Scheme, Span, entity_spans, spans_to_tags

SPANS = [Span("PER", 0, 1), Span("PER", 1, 4), Span("e-mail", 5, 7)]


@pytest.mark.parametrize("form", FORMS[:-1])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_form_of_every_scheme_is_found_and_written_again(
    scheme: Scheme, form: TagForm
) -> None:
    plain = spans_to_tags(SPANS, 8, scheme)
    theirs = [write_tag(tag, form) for tag in plain]
    found = detect_notation([theirs])
    assert found == Notation(scheme, form)
    assert found.read(theirs) == plain
    assert all(map(found.has, theirs))


@pytest.mark.parametrize(
    ("tags", "form", "spans"),
    [
        ("PER-B PER-I O", "PER-B", [("PER", 0, 2)]),
        ("b-per i-per o", "b-per", [("per", 0, 2)]),
        ("u_loc o", "b_per", [("loc", 0, 1)]),
        ("E-MAIL-B E-MAIL-I PER-B O", "PER-B", [("E-MAIL", 0, 2), ("PER", 2, 3)]),
        ("b m e s", "b-per", [("", 0, 3), ("", 3, 4)]),
        ("B-PER.NAM O", "B-PER", [("PER.NAM", 0, 1)]),
        ("B-LOCderiv I-LOCderiv O", "B-PER", [("LOCderiv", 0, 2)]),
    ],
)
def test_forms_by_hand(tags: str, form: TagForm, spans: list[tuple[str, int, int]]) -> None:
    found = detect_notation([tags.split()])
    assert found is not None
    assert found.form == form
    assert entity_spans(found.read(tags.split())) == spans


def test_kinds_alone_are_entities_where_most_tokens_are_outside() -> None:
    tags = ["person-artist", "person-artist", "O", "O", "location", "O"]
    found = detect_notation([tags])
    assert found is not None
    assert found.name == "IO"
    assert entity_spans(found.read(tags)) == [("person-artist", 0, 2), ("location", 4, 5)]
    assert [write_tag(tag, found.form) for tag in found.read(tags)] == tags


@pytest.mark.parametrize(
    "tags", ["NN VB DT O NN", "n v u m w r p", "N O V A D P T", "0 0 0 1", "O O O", "M F M"]
)
def test_other_tags_are_of_no_entities(tags: str) -> None:
    assert detect_notation([tags.split()]) is None


@given(st.lists(st.text("BIESLUWMO-_perPER", min_size=1, max_size=6), max_size=8))
def test_any_tags_have_a_notation_or_none(tags: Sequence[str]) -> None:
    found = detect_notation([tags])
    if found is not None and all(map(found.has, tags)):
        entity_spans(found.read(tags))
