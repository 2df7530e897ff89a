"""What a comparison counts, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import ModelFileError
from foretext.exporting.form import Bound, Computed
from foretext.exporting.parity import Parity

EXACT = Bound(1e-3, 0.9999)
ROWS = [("one",), ("two",)]


def found(*values: list[float], name: str = "vector") -> Computed:
    return Computed([[1, 2], [3]], {name: [np.array(each, np.float32) for each in values]})


def test_figures_by_hand() -> None:
    own = found([3.0, 4.0] * 4, [1.0, 0.0] * 4)
    theirs = found([3.0, 4.0] * 4, [0.8, 0.6] * 4)
    parity = Parity.of(ROWS, own, theirs)
    assert (parity.texts, parity.ids_equal, parity.scale) == (2, 2, 4.0)
    assert parity.difference == pytest.approx(0.6)
    assert parity.cosine == pytest.approx(0.8)
    with pytest.raises(
        ModelFileError, match=r"by 0\.6 in 'vector' \(numbers up to 4\), .* 0\.8000"
    ):
        parity.check(EXACT, "onnx")
    parity.check(Bound(0.2, 0.7), "onnx")


def test_rows_with_other_ids_are_no_numbers() -> None:
    theirs = found([3.0] * 8, [9.0] * 8)._replace(ids=[[1, 2], [4]])
    parity = Parity.of(ROWS, found([3.0] * 8, [1.0] * 8), theirs)
    assert (parity.ids_equal, parity.difference, parity.first_unequal) == (1, 0.0, "two")


def test_what_is_no_number_is_far() -> None:
    parity = Parity.of(ROWS, found([3.0], [1.0]), found([3.0], [np.nan]))
    with pytest.raises(ModelFileError, match="differs"):
        parity.check(EXACT, "onnx")


def test_tags_are_equal_or_not() -> None:
    own, theirs = found([0, 1], [2], name="tags"), found([0, 2], [2], name="tags")
    parity = Parity.of(ROWS, own, theirs)
    assert parity.agreement == {"tags": (3, 2)}
    with pytest.raises(ModelFileError, match="other tags than foretext for 1 token of 3"):
        parity.check(EXACT, "onnx")
    assert Parity.joined([parity, parity]).record()["tags_equal"] == 4


def test_labels_are_equal_or_not() -> None:
    own, theirs = found([0], [2], name="labels"), found([1], [2], name="labels")
    parity = Parity.of(ROWS, own, theirs)
    with pytest.raises(ModelFileError, match="other labels than foretext for 1 text of 2"):
        parity.check(Bound(0.25, 0.95, 0.9), "onnx-int8")
    parity.check(Bound(0.25, 0.95, 0.5), "onnx-int8")
    assert "1 of 2 labels are equal" in parity.sentence()


def test_small_numbers_are_measured_by_their_own_size() -> None:
    parity = Parity.of(ROWS, found([0.02, 0.01], [0.01]), found([0.01, 0.02], [0.01]))
    assert parity.relative == pytest.approx(0.5)
    with pytest.raises(ModelFileError, match=r"by 0\.01 in .* \(numbers up to 0\.02\); nothing"):
        parity.check(Bound(0.25, 0.95), "onnx-int8")


def test_each_output_is_measured_by_its_own_size() -> None:
    own = Computed([[1]], {"large": [np.array([100.0])], "small": [np.array([0.1])]})
    theirs = Computed([[1]], {"large": [np.array([100.0])], "small": [np.array([0.2])]})
    parity = Parity.joined([Parity.of(ROWS[:1], own, theirs)] * 2)
    assert parity.relative == pytest.approx(1.0)
    with pytest.raises(ModelFileError, match="'small'"):
        parity.check(EXACT, "onnx")


def test_numbers_that_are_no_vectors_have_no_cosine() -> None:
    parity = Parity.of(ROWS, found([0.5, 1.0], [1.0]), found([0.5, 1.0], [1.0]))
    assert parity.cosine is None
    assert "cosine" not in parity.sentence()
    assert "smallest_cosine" not in parity.record()
    parity.check(EXACT, "onnx")
