"""Rows are answered by what has not learned from them."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledText
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.words import FOLD_SEED, cross_fitted, learned_words
from tests.text_bodies import labelled_texts

LABELS = ["cat", "dog", "hen"]


def rows_of(*pairs: tuple[str, str | tuple[str, ...]]) -> list[LabelledText]:
    return [
        LabelledText(text, (label,) if isinstance(label, str) else label, f"rows.tsv:{line}")
        for line, (text, label) in enumerate(pairs, 1)
    ]


def fitted(rows: list[LabelledText]) -> LinearClassifier:
    return LinearClassifier().fit([row.text for row in rows], [row.labels for row in rows])


def test_each_part_is_answered_by_the_others() -> None:
    rows = [row._replace(text=f"{row.text} {n}") for n, row in enumerate(labelled_texts(40))]
    found = learned_words(rows, LABELS, folds=4)
    part = np.random.default_rng(FOLD_SEED).permutation(40) % 4
    for number in range(4):
        others = [row for row, own in zip(rows, part, strict=True) if own != number]
        inside = np.flatnonzero(part == number)
        expected = fitted(others).logits([rows[place].text for place in inside])
        np.testing.assert_allclose(found.logits[inside], expected, rtol=1e-6)


@pytest.mark.parametrize("times", [1, 2])
def test_rows_of_chance_are_not_known_by_heart(times: int) -> None:
    """Whoever has learned them knows their labels; whoever has not guesses.

    A text that is there twice is not known from its other row, either.
    """
    rng = np.random.default_rng(0)
    pairs = [(f"w{n} x{n}", str(rng.choice(["a", "b"]))) for n in range(300)]
    rows = rows_of(*pairs * times)
    right = np.array([row.labels[0] == "b" for row in rows])
    own = fitted(rows).logits([row.text for row in rows])
    assert ((own[:, 1] > own[:, 0]) == right).all()
    others = cross_fitted(rows, ["a", "b"], fitted(rows))
    assert 0.4 < ((others[:, 1] > others[:, 0]) == right).mean() < 0.6


def test_a_label_that_the_other_parts_lack_is_as_the_least_one() -> None:
    rows = [*labelled_texts(20), LabelledText("one owl", ("owl",), "rows.tsv:21")]
    found = learned_words(rows, ["owl", *LABELS], folds=5).logits[-1]
    assert found[0] == found[1:].min()


def test_of_two_labels_both_have_weights() -> None:
    rows = rows_of(("a fine film", "good"), ("a bad film", "bad"))
    found = learned_words(rows, ["bad", "good"])
    weight, bias = found.weights
    assert weight.shape == (len(found.vocabulary), 2)
    np.testing.assert_array_equal(weight[:, 1:], found.linear.weights)
    np.testing.assert_array_equal(bias, [0, found.linear.bias[0]])
    assert not weight[:, 0].any()


def test_where_the_other_parts_teach_nothing_all_rows_answer() -> None:
    rows = rows_of(("a fine film", "good"), ("a bad film", "bad"))
    whole = fitted(rows).logits([row.text for row in rows])
    np.testing.assert_allclose(learned_words(rows, ["bad", "good"]).logits, whole, rtol=1e-6)
    several = rows_of(("a b", ("x", "y")), ("a c", "x"), ("d e", "y"), ("d f", "x"))
    both = fitted(several)  # without the first row each text has one label
    found = cross_fitted(several, ["x", "y"], both, 4)
    np.testing.assert_allclose(found[0], both.logits(["a b"])[0], rtol=1e-6)


def test_rows_are_found_again() -> None:
    rows = labelled_texts(12)
    found = learned_words(rows, LABELS)
    stranger = rows[0]._replace(place="valid.tsv:1")
    known = found.logits_of([stranger, rows[7], rows[2]])
    assert list(known) == [1, 2]
    np.testing.assert_array_equal(known[1], found.logits[7])


def test_rows_of_one_label_are_refused() -> None:
    with pytest.raises(CorpusError, match="the one class 'x' alone"):
        learned_words(rows_of(("a", "x"), ("b", "x")), ["x"])
