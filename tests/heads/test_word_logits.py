"""The wide part of a head, against scikit-learn's sums and against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.func import functional_call

from foretext.data.batch import Inputs
from foretext.heads.word_logits import WordLogits

TEXTS = ["a fine film", "a bad bad film", "the worst day", "a fine day", "unheard", ""]
LABELS = ["good", "bad", "bad", "good", "none", "none"]
IDS = torch.zeros(len(TEXTS), 1, dtype=torch.int64)


@pytest.fixture
def regression() -> tuple[Any, Any]:
    """Features (N, V) of texts, and a regression on them."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    matrix = TfidfVectorizer(sublinear_tf=True, dtype=np.float64).fit_transform(TEXTS)
    return matrix, LogisticRegression().fit(matrix, LABELS)


def inputs_of(matrix: Any) -> Inputs:
    """Rows side by side, filled up as batches are."""
    width = max(int(np.diff(matrix.indptr).max()), 1)
    columns = torch.zeros(matrix.shape[0], width, dtype=torch.int64)
    values = torch.zeros(matrix.shape[0], width, dtype=torch.float64)
    for row in range(matrix.shape[0]):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        size = part.stop - part.start
        columns[row, :size] = torch.from_numpy(matrix.indices[part])
        values[row, :size] = torch.from_numpy(matrix.data[part])
    return Inputs(IDS, word_columns=columns, word_values=values)


def head_of(regression: Any) -> WordLogits:
    weight = torch.from_numpy(regression.coef_.T.copy())
    head = WordLogits(*weight.shape).double()
    with torch.no_grad():
        head.weight.copy_(weight)
        head.bias.copy_(torch.from_numpy(regression.intercept_))
    return head


def test_sums_are_the_decisions_of_scikit_learn(regression: tuple[Any, Any]) -> None:
    matrix, learned = regression
    head = head_of(learned)
    decided = learned.decision_function(matrix)
    found = head(inputs_of(matrix))
    assert found.dtype == torch.float32
    np.testing.assert_allclose(found.detach().numpy(), decided, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        head.scale.fill_(0.25)
    np.testing.assert_allclose(
        head(inputs_of(matrix)).detach().numpy(), decided / 4, rtol=1e-5, atol=1e-6
    )


def test_gradients_are_those_of_finite_differences(regression: tuple[Any, Any]) -> None:
    matrix, learned = regression
    head, inputs = head_of(learned), inputs_of(matrix)
    names = ["scale", "weight", "bias"]

    def summed(*values: torch.Tensor) -> Any:
        found = functional_call(head, dict(zip(names, values, strict=True)), (inputs,))
        return found.double()

    given = [getattr(head, name).detach().clone().requires_grad_() for name in names]
    assert torch.autograd.gradcheck(summed, given, eps=1e-2, atol=1e-3)  # the sum is in float32


def test_only_the_scale_is_learned(regression: tuple[Any, Any]) -> None:
    matrix, learned = regression
    head = head_of(learned)
    head(inputs_of(matrix)).square().sum().backward()
    assert {name for name, p in head.named_parameters() if p.grad is not None} == {"scale"}


def test_logits_that_rows_bring_take_the_place_of_the_sum(regression: tuple[Any, Any]) -> None:
    _, learned = regression
    brought = torch.randn(len(TEXTS), 3)
    found = head_of(learned)(Inputs(IDS, word_logits=brought))
    torch.testing.assert_close(found, brought)
