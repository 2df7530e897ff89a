"""The user's tags, those that are taught, and the way between."""

from __future__ import annotations

import pytest

from foretext.base.errors import SettingError
from foretext.heads.tag_set import TagSet, closed_tags, is_entity_tag
from foretext.metrics import SCHEMES, Scheme, entity_spans, violations

IOB1 = ["O", "I-PER", "I-PER", "B-PER", "O", "I-LOC"]
IOB2 = ["O", "B-PER", "I-PER", "B-PER", "O", "B-LOC"]


@pytest.mark.parametrize("taught", ["auto", *SCHEMES])
@pytest.mark.parametrize("scheme", ["IOB1", "IOB2"])
def test_tags_come_back_in_the_users_scheme(scheme: Scheme, taught: Scheme) -> None:
    own = IOB1 if scheme == "IOB1" else IOB2
    tags = TagSet(closed_tags(own, scheme), scheme, taught)
    indices = tags.indices(own)
    names = [tags.labels[index] for index in indices]
    assert entity_spans(names) == entity_spans(own) == tags.spans(indices)
    assert violations(names, scheme if taught == "auto" else taught) == []
    assert tags.tags(indices) == own


def test_what_was_found_makes_the_same_tags_again() -> None:
    first = TagSet(["B-X", "I-X", "O"], "IOB2", "BIOES")
    assert first.labels == ("B-X", "E-X", "I-X", "O", "S-X")
    again = TagSet(first.labels, first.scheme, "BIOES")
    assert (again.labels, again.scheme, again.learned) == (first.labels, "IOB2", "BIOES")


def test_all_tags_of_a_scheme_are_there() -> None:
    assert closed_tags(["I-X", "O"], "IOB1") == ["B-X", "I-X", "O"]
    assert closed_tags(["S", "B"], "BMES") == ["B", "E", "M", "S"]  # O is none of segmentation


def test_the_order_of_labels_stays_where_nothing_is_converted() -> None:
    labels = ["O", "B-Z", "I-Z", "B-A", "I-A"]
    assert TagSet(labels).labels == tuple(labels)


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        (["O", "B-X", "I-X"], "IOB2"),
        (["O", "I-X", "I-Y", "B-X"], "IOB1"),
        (["O", "B-X", "E-X", "I-X", "S-X"], "BIOES"),
        (["NN", "VB", "O"], None),
    ],
)
def test_the_scheme_is_read_off_the_labels(labels: list[str], scheme: Scheme | None) -> None:
    assert TagSet(labels).scheme == scheme


def test_violations_are_mended() -> None:
    tags = TagSet(["B-X", "I-X", "O"])
    assert tags.tags(tags.indices(["O", "I-X", "I-X"])) == ["O", "B-X", "I-X"]
    assert tags.lawful(["O", "I-X", "I-X"]) == ["O", "B-X", "I-X"]


def test_tags_without_a_scheme_are_each_a_span() -> None:
    tags = TagSet(["NN", "VB"], None)
    assert tags.indices(["VB", "XX", "NN"]) == [1, -1, 0]
    assert tags.tags([1, 0]) == tags.lawful(["VB", "NN"]) == ["VB", "NN"]
    assert tags.spans([1, 0]) == [("VB", 0, 1), ("NN", 1, 2)]


def test_what_is_not_known_has_no_place() -> None:
    tags = TagSet(["B-X", "I-X", "O", "[CLS]"], "IOB2")
    assert tags.indices(["B-X", "B-Y", "odd", "[CLS]", "O"]) == [0, -1, -1, -1, 2]
    assert tags.tags([0, 3]) == ["B-X", "O"]  # other people's heads may know such tags
    assert [is_entity_tag(tag) for tag in ("B-X", "O", "[CLS]")] == [True, True, False]


def test_a_scheme_without_entities_is_refused() -> None:
    with pytest.raises(SettingError) as caught:
        TagSet(["NN", "VB"], None, "BIOES")
    assert str(caught.value) == (
        "[task] scheme = 'BIOES': tags such as 'NN' are of no entities; leave it at 'auto'."
    )
