from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.metrics import (
    SCHEMES,
    Scheme,
    Span,
    detect_scheme,
    entity_spans,
    is_allowed,
    spans_to_tags,
    tagging_scores,
    violations,
)

SPANS = [Span("PER", 0, 1), Span("PER", 1, 3), Span("LOC", 4, 7)]
WRITTEN = {
    "IOB1": "I-PER B-PER I-PER O I-LOC I-LOC I-LOC",
    "IOB2": "B-PER B-PER I-PER O B-LOC I-LOC I-LOC",
    "IOE1": "E-PER I-PER I-PER O I-LOC I-LOC I-LOC",
    "IOE2": "E-PER I-PER E-PER O I-LOC I-LOC E-LOC",
    "BIOES": "S-PER B-PER E-PER O B-LOC I-LOC E-LOC",
    "BILOU": "U-PER B-PER L-PER O B-LOC I-LOC L-LOC",
    "BMEWO": "W-PER B-PER E-PER O B-LOC M-LOC E-LOC",
    "BMES": "S-PER B-PER E-PER O B-LOC M-LOC E-LOC",
}


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[Span], int]:
    """Entities that do not overlap, and the length of their sentence."""
    spans, at = [], 0
    for _ in range(draw(st.integers(1, 5))):
        start = at + draw(st.integers(0, 2))
        at = start + draw(st.integers(1, 4))
        spans.append(Span(draw(st.sampled_from(["A", "B"])), start, at))
    return spans, at + draw(st.integers(0, 2))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_scheme_by_hand(scheme: Scheme) -> None:
    tags = WRITTEN[scheme].split()
    assert spans_to_tags(SPANS, 7, scheme) == tags
    assert entity_spans(tags) == SPANS
    assert detect_scheme([tags]) == scheme
    assert violations(tags, scheme) == []


@given(st.lists(sentences(), min_size=1, max_size=4), st.sampled_from(SCHEMES))
def test_what_is_written_is_read_again(
    written: list[tuple[list[Span], int]], scheme: Scheme
) -> None:
    tagged = [spans_to_tags(spans, length, scheme) for spans, length in written]
    assert [entity_spans(tags) for tags in tagged] == [spans for spans, _ in written]
    assert all(violations(tags, scheme) == [] for tags in tagged)
    found = detect_scheme(tagged)
    assert found is not None
    assert all(violations(tags, found) == [] for tags in tagged)


@pytest.mark.parametrize(
    ("tags", "scheme", "wrong"),
    [
        ("O I-PER", "IOB2", [1]),
        ("B-PER I-LOC", "IOB2", [1]),
        ("B-PER I-PER", "IOB1", [0]),
        ("I-PER B-LOC", "IOB1", [1]),
        ("B-PER O", "BIOES", [1]),
        ("S-PER E-PER", "BIOES", [1]),
        ("O B-PER", "BIOES", [1]),
        ("B-PER M-LOC E-LOC", "BMES", [1]),
        ("B-PER I-PER", "BMES", [1]),
        ("O NN", "IOB2", [1]),
        ("I-PER O", "IOE2", [1]),
        ("E-PER O", "IOE1", [1]),
        ("E-PER I-LOC", "IOE1", [1]),
        ("B-PER L-LOC", "BILOU", [1]),
        ("U-PER I-PER L-PER", "BILOU", [1]),
        ("B-PER E-PER", "BILOU", [1]),
        ("B-PER I-PER E-PER", "BMEWO", [1, 2]),
    ],
)
def test_violations(tags: str, scheme: Scheme, wrong: list[int]) -> None:
    assert violations(tags.split(), scheme) == wrong


def test_edges_of_a_sentence() -> None:
    assert is_allowed(None, "I-PER", "IOB1")
    assert not is_allowed(None, "I-PER", "IOB2")
    assert not is_allowed("B-PER", None, "BMES")
    assert is_allowed("S-PER", None, "BMES")
    assert is_allowed(None, None, "BIOES")


def test_tags_of_words_have_no_kind() -> None:
    tags = list("BESBME")
    assert detect_scheme([tags]) == "BMES"
    assert entity_spans(tags) == [Span("", 0, 2), Span("", 2, 3), Span("", 3, 6)]
    assert spans_to_tags(entity_spans(tags), 6, "BMES") == tags


def test_other_tags_have_no_scheme() -> None:
    assert detect_scheme([["NN", "VB", "M", "DT"]]) is None
    assert detect_scheme([["O", "O"]]) is None
    with pytest.raises(ValueError, match="'NN' is no tag of an entity, such as B-PER or O"):
        entity_spans(["NN"])


def test_the_scheme_with_fewer_violations_is_found() -> None:
    good, bad = ["B-X", "I-X", "O", "B-X"], ["O", "I-X", "O", "O"]
    assert detect_scheme([good, good, bad]) == "IOB2"
    assert detect_scheme([bad, bad, bad, good]) == "IOB1"


def test_a_few_wrong_letters_leave_the_scheme() -> None:
    """One E among hundreds of tags of IOB2 is a slip, since BIOES would have an E everywhere."""
    good = [["B-X", "I-X", "O"]] * 200
    assert detect_scheme([*good, ["B-X", "E-X"]]) == "IOB2"
    assert detect_scheme([*([["B-X", "E-X"]] * 200), ["B-X", "M-X", "E-X"]]) == "BMES"


def test_letters_alone_are_words_or_something_else() -> None:
    assert detect_scheme([list("BESBE")]) == "BMES"  # no word of three characters
    assert detect_scheme([list("BEOS")]) == "BIOES"
    assert detect_scheme([list("UWSM")]) is None  # of no scheme


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("scheme", ["IOB2", "IOE2", "BIOES", "BILOU"])
@given(written=st.lists(sentences(), min_size=1, max_size=3))
def test_entities_and_f1_are_those_of_seqeval(
    scheme: Scheme, written: list[tuple[list[Span], int]]
) -> None:
    seqeval = pytest.importorskip("seqeval.metrics")
    strict = pytest.importorskip("seqeval.scheme")
    theirs = {"BIOES": "IOBES", "BILOU": "BILOU"}.get(scheme, scheme)
    gold = [spans_to_tags(spans, length, scheme) for spans, length in written]
    given_tags = [spans_to_tags(spans[1:], length, scheme) for spans, length in written]
    options = {"mode": "strict", "scheme": getattr(strict, theirs), "zero_division": 0}
    expected = seqeval.f1_score(gold, given_tags, **options)
    assert tagging_scores(gold, given_tags).f1 == pytest.approx(expected)


@pytest.mark.parametrize("tags", ["I-X E-X I-X", "E-X E-X B-X", "I-X I-Y O I-Y", "S-X I-X B-X"])
def test_broken_tags_are_read_as_seqeval_reads_them(tags: str) -> None:
    get_entities = pytest.importorskip("seqeval.metrics.sequence_labeling").get_entities
    expected = [(label, start, end + 1) for label, start, end in get_entities(tags.split())]
    assert entity_spans(tags.split()) == expected
    assert entity_spans(tags.replace("-", "_").split()) == expected


@pytest.mark.quick_cases(1)
@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "scheme", "wrong"),
    [("conll2003/eng.testb", "IOB1", 0), ("msra_ner/msra.test.txt.xz", "IOB2", 11)],
)
def test_public_files(shared_data: Path, name: str, scheme: Scheme, wrong: int) -> None:
    from foretext.data.rows import read_tagged

    tags = [sentence.tags for sentence in read_tagged(shared_data / name)]
    assert detect_scheme(tags) == scheme
    assert sum(len(violations(sentence, scheme)) for sentence in tags) == wrong
