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
    with pytest.raises(ModelFileError, match=r"by 0\.6 \(numbers up to 4\).* cosine is 0\.8000"):
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
    assert (parity.answers, parity.answers_equal) == (3, 2)
    with pytest.raises(ModelFileError, match="other tags than foretext for 1 token of 3"):
        parity.check(EXACT, "onnx")
    assert Parity.joined([parity, parity]).record()["tags_equal"] == 4
