from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics as reference
from sklearn.preprocessing import MultiLabelBinarizer

from foretext.metrics import classification_scores, confusion_matrix, multi_label_scores

LABELS = st.sampled_from("abc")
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30)
SETS = st.lists(st.tuples(st.sets(LABELS), st.sets(LABELS)), min_size=1, max_size=30)


def test_by_hand() -> None:
    scores = classification_scores(list("aaab"), list("aabb"))
    assert scores.accuracy == 0.75
    a, b = scores.per_label
    assert a == ("a", 1.0, pytest.approx(2 / 3), pytest.approx(0.8), 3)
    assert b == ("b", 0.5, 1.0, pytest.approx(2 / 3), 1)
    assert scores.macro_f1 == pytest.approx((0.8 + 2 / 3) / 2)
    assert scores.weighted_f1 == pytest.approx((3 * 0.8 + 2 / 3) / 4)


@given(PAIRS)
def test_equals_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = ([pair[side] for pair in pairs] for side in (0, 1))
    scores = classification_scores(gold, predicted)
    assert scores.accuracy == reference.accuracy_score(gold, predicted)
    for name in ("macro", "micro", "weighted"):
        f1 = reference.f1_score(gold, predicted, average=name, zero_division=0)
        assert scores.figures()[f"{name}_f1"] == pytest.approx(f1)
    table = reference.precision_recall_fscore_support(gold, predicted, zero_division=0)
    columns = np.array([row[1:] for row in scores.per_label]).T
    np.testing.assert_allclose(columns, np.array(table))
    matrix = reference.confusion_matrix(gold, predicted, labels=list("abc"))
    assert (confusion_matrix(gold, predicted, list("abc")) == matrix).all()


@given(SETS)
@example([({"a"}, {"a"}), (set(), {"a"}), ({"a"}, set())])
def test_several_labels_equal_scikit_learn(pairs: list[tuple[set[str], set[str]]]) -> None:
    gold, predicted = ([pair[side] for pair in pairs] for side in (0, 1))
    scores = multi_label_scores(gold, predicted)
    if not scores.per_label:
        assert scores.figures() == dict.fromkeys(scores.figures(), 0.0) | {"accuracy": 1.0}
        return
    binarizer = MultiLabelBinarizer().fit([*gold, *predicted])
    right, given_ = binarizer.transform(gold), binarizer.transform(predicted)
    assert scores.accuracy == pytest.approx((right == given_).all(axis=1).mean())
    labels = [1] if right.shape[1] == 1 else None  # one column is taken for answers 0 and 1
    for name in ("macro", "micro", "weighted"):
        f1 = reference.f1_score(right, given_, labels=labels, average=name, zero_division=0)
        assert scores.figures()[f"{name}_f1"] == pytest.approx(f1)


def test_rows_of_the_matrix_are_right_labels() -> None:
    matrix = confusion_matrix(list("aab"), list("aba"), list("abc"))
    assert matrix.tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 0]]
    with pytest.raises(ValueError, match=r"labels that the matrix does not have: \['b'\]"):
        confusion_matrix(["a"], ["b"], ["a"])
    with pytest.raises(ValueError, match=r"one answer a text, .*\(1, 2\)"):
        confusion_matrix(["a"], ["a", "a"], ["a"])


@pytest.mark.parametrize(("gold", "predicted"), [([], []), (["a"], ["a", "b"])])
def test_one_answer_a_text(gold: list[str], predicted: list[str]) -> None:
    with pytest.raises(ValueError, match="one answer a text, of one text or more"):
        classification_scores(gold, predicted)
