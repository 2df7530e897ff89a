"""Probabilities of labels as answers, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledText
from foretext.metrics import fit_temperature
from foretext.tasks.class_answers import (
    ClassAnswers,
    check_labels,
    check_single,
    count_labels,
    label_temperature,
)

LABELS = ("a", "b", "c")
SHARES = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.4, 0.4, 0.2]])


def rows(*sets: tuple[str, ...]) -> list[LabelledText]:
    return [LabelledText("", labels, f"f:{line}") for line, labels in enumerate(sets, 1)]


def test_the_most_probable_label_is_answered_of_equals_the_first() -> None:
    assert ClassAnswers(LABELS, SHARES).best() == ["a", "c", "a"]


def test_several_labels_are_answered_above_one_half() -> None:
    several = ClassAnswers(LABELS, np.array([[0.9, 0.6, 0.5], [0.1, 0.2, 0.3]]), True)
    assert several.best() == [("a", "b"), ()]


def test_the_best_come_first_down_to_a_threshold() -> None:
    top = ClassAnswers(LABELS, SHARES).top(2, 0.25)
    assert top == [[("a", 0.7)], [("c", 0.6), ("b", 0.3)], [("a", 0.4), ("b", 0.4)]]
    assert len(ClassAnswers(LABELS, SHARES).top(None, 0.0)[0]) == 3


def test_logits_give_the_probabilities_back() -> None:
    one = ClassAnswers(LABELS, SHARES)
    shares = np.exp(one.logits())
    np.testing.assert_allclose(shares / shares.sum(1, keepdims=True), SHARES)
    several = ClassAnswers(LABELS, SHARES, True)
    np.testing.assert_allclose(1 / (1 + np.exp(-several.logits())), SHARES)
    assert np.isfinite(ClassAnswers(LABELS, np.array([[1.0, 0.0, 0.0]]), True).logits()).all()


def test_figures_worked_by_hand() -> None:
    figures = ClassAnswers(LABELS, SHARES).figures(rows(("a",), ("b",), ("a",)))
    assert figures["accuracy"] == pytest.approx(2 / 3)
    assert figures["macro_f1"] == pytest.approx(1 / 3)  # 1, 0 and 0
    assert figures["calibration_error"] == pytest.approx((0.3 + 0.6 + 0.6) / 3)
    assert figures["labels"]["a"] == {"precision": 1, "recall": 1, "f1": 1, "support": 2}
    assert list(figures["labels"]["a"]) == ["precision", "recall", "f1", "support"]


def test_figures_of_several_labels_count_whole_sets() -> None:
    several = ClassAnswers(LABELS, np.array([[0.9, 0.6, 0.5], [0.1, 0.2, 0.3]]), True)
    figures = several.figures(rows(("a",), ()))
    assert figures["accuracy"] == 0.5
    assert figures["micro_f1"] == pytest.approx(2 / 3)
    assert "calibration_error" not in figures


def test_labels_are_counted_in_their_order() -> None:
    assert list(count_labels(rows(("b",), ("a", "b"))).items()) == [("a", 1), ("b", 2)]
    for too_few in ([], rows(("a",), ("a",))):
        with pytest.raises(CorpusError, match="two are needed to tell texts apart"):
            count_labels(too_few)


def test_rows_are_checked() -> None:
    check_labels(rows(("a",), ("b", "c")), LABELS)
    check_single(rows(("a",), ("x",)))
    with pytest.raises(CorpusError, match="f:2: no row to learn from has the label 'x'"):
        check_labels(rows(("a",), ("x", "b")), LABELS)
    with pytest.raises(CorpusError, match="f:1: 2 labels, and the rows learned from have one"):
        check_single(rows(("a", "b")))


def test_the_temperature_is_that_of_known_labels() -> None:
    logits = np.array([[4.0, 0, 0], [4.0, 0, 0], [0, 5.0, 0]])
    expected = fit_temperature(logits[:2], [0, 1])
    assert label_temperature(LABELS, logits, rows(("a",), ("b",), ("x",))) == expected
    with pytest.raises(CorpusError, match="No row to calibrate by has a label"):
        label_temperature(LABELS, logits[:1], rows(("x",)))
