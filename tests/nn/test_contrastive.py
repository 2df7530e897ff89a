"""Losses that compare vectors, against loops in numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from foretext.nn.contrastive import cosent, info_nce, right_answers

TEXTS = torch.tensor([[0, 1], [2, 3], [4, 5]])


def cosine(a: torch.Tensor, b: torch.Tensor) -> float:
    return float(a @ b / (a.norm() * b.norm()))


def by_loop(
    anchors: torch.Tensor, candidates: torch.Tensor, left_out: set[tuple[int, int]]
) -> float:
    total = 0.0
    for row, anchor in enumerate(anchors):
        terms = {
            column: math.exp(cosine(anchor, each) / 0.05)
            for column, each in enumerate(candidates)
            if column == row or (row, column) not in left_out
        }
        total -= math.log(terms[row] / sum(terms.values()))
    return total


def test_it_is_the_formula_of_the_paper() -> None:
    torch.manual_seed(1)
    anchors, candidates = torch.randn(3, 5), torch.randn(6, 5)
    none = torch.eye(3, 6, dtype=torch.bool)
    loss, correct = info_nce(anchors, candidates, none, 0.05)
    assert float(loss) == pytest.approx(by_loop(anchors, candidates, set()), rel=1e-4)
    nearest = [max(range(6), key=lambda c: cosine(a, candidates[c])) for a in anchors]
    assert int(correct) == sum(column == row for row, column in enumerate(nearest))


def test_other_right_answers_are_no_negatives() -> None:
    torch.manual_seed(2)
    anchors, candidates = torch.randn(3, 5), torch.randn(3, 5)
    is_right = torch.eye(3, dtype=torch.bool)
    is_right[0, 2] = is_right[1, 0] = True
    loss, _ = info_nce(anchors, candidates, is_right, 0.05)
    assert float(loss) == pytest.approx(by_loop(anchors, candidates, {(0, 2), (1, 0)}), rel=1e-4)


def test_a_repeated_text_is_never_a_negative() -> None:
    assert right_answers(TEXTS, 0, 1).tolist() == torch.eye(3, dtype=torch.bool).tolist()
    same_anchor = torch.tensor([[0, 1], [0, 3], [4, 5]])
    assert right_answers(same_anchor, 0, 1)[0].tolist() == [True, True, False]
    same_positive = torch.tensor([[0, 1], [2, 1], [4, 5]])
    assert right_answers(same_positive, 0, 1)[1].tolist() == [True, True, False]
    anchor_as_positive = torch.tensor([[0, 1], [2, 0], [4, 5]])
    assert right_answers(anchor_as_positive, 0, 1)[0].tolist() == [True, True, False]
    assert right_answers(anchor_as_positive, 1, 0)[1].tolist() == [True, True, False]


def test_negatives_stand_behind_the_positives() -> None:
    triples = torch.tensor(
        [[0, 1, 9], [2, 3, 1]]
    )  # a negative of the second is right for the first
    found = right_answers(triples, 0, 1)
    assert found.tolist() == [[True, False, False, True], [False, True, False, False]]


def test_cosent_asks_for_the_order() -> None:
    cosines, scores = np.array([0.9, 0.1, 0.5]), np.array([3.0, 1.0, 1.0])
    expected = math.log(1 + sum(math.exp((cosines[j] - 0.9) / 0.05) for j in (1, 2)))
    found = cosent(torch.tensor(cosines), torch.tensor(scores), 0.05)
    assert float(found) == pytest.approx(expected)
    assert float(cosent(torch.tensor(cosines), torch.ones(3), 0.05)) == 0.0  # nothing to order


def test_gradients_are_finite_where_all_is_left_out() -> None:
    vectors = torch.randn(2, 4, requires_grad=True)
    loss, _ = info_nce(vectors, vectors, torch.ones(2, 2, dtype=torch.bool), 0.05)
    (loss + cosent(vectors.sum(1), torch.ones(2), 0.05)).backward()
    assert vectors.grad is not None
    assert bool(torch.isfinite(vectors.grad).all())
