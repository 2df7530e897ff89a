"""Figures of sums by name."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.metrics.paired import Tallies, f1_tallies, rank_tallies, share_tallies
from foretext.metrics.sum_figures import (
    SUM_FIGURES,
    named_tallies,
    row_scores,
    suits,
    sum_figure_name,
)
from foretext.metrics.texts import bleu, chrf, rouge_l

OUTPUTS = ["the cat sat on the mat", "a dog runs over there", "it rains"]
REFERENCES = ["the cat sat on a mat", "a dog ran over there", "it snows today"]

KINDS = {
    "share": share_tallies([1, 0, 1]),
    "correlation": rank_tallies([1, 2, 3], [2, 1, 3]),
    "bleu": bleu(OUTPUTS, REFERENCES).tallies,
    "chrf": chrf(OUTPUTS, REFERENCES).tallies,
}


def whole(tallies: Tallies) -> float:
    return float(tallies.figure(tallies.parts.sum(axis=0)))


@pytest.mark.parametrize("name", list(SUM_FIGURES))
def test_a_figure_is_found_again_by_its_name(name: str) -> None:
    found, parts = named_tallies(KINDS[name])
    assert found == name
    assert suits(found, parts.shape[1])
    assert whole(Tallies(parts, SUM_FIGURES[found])) == whole(KINDS[name])


def test_f1_and_rouge_are_shares() -> None:
    assert sum_figure_name(f1_tallies([1], [2], [2])) == "share"
    assert sum_figure_name(rouge_l(OUTPUTS, REFERENCES).tallies) == "share"


def test_a_figure_without_a_name_becomes_a_mean_of_pseudovalues() -> None:
    values = np.array([1.0, 4.0, 9.0])
    own = Tallies(share_tallies(values).parts, lambda sums: sums[..., 0] / sums[..., 1])
    name, parts = named_tallies(own)
    assert name == "share"
    np.testing.assert_allclose(parts[:, 0], values)


@pytest.mark.parametrize(("name", "width"), [("share", 3), ("chrf", 4), ("chrf", 0), ("os", 2)])
def test_wrong_numbers_of_sums_do_not_suit(name: str, width: int) -> None:
    assert not suits(name, width)


def test_each_answer_has_its_own_score() -> None:
    np.testing.assert_array_equal(row_scores(KINDS["share"]), [1, 0, 1])
    nothing_right = f1_tallies([0, 0, 1], [0, 0, 2], [0, 3, 2])
    np.testing.assert_array_equal(row_scores(nothing_right), [1, 0, 0.5])
    near = row_scores(KINDS["correlation"])
    assert near[2] == 0
    assert near[0] == near[1] < 0
    assert row_scores(KINDS["chrf"]).argmin() == 2
