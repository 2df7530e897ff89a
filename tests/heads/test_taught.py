"""The loss of a teacher's answers, by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.heads.answers import Classes, LabelSets

OUTPUTS = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
TEACHER = np.array([[0.8, 0.2], [0.5, 0.5]])


def test_soft_answers_of_classes_are_a_cross_entropy() -> None:
    answers = Classes(["a", "b"])
    assert np.allclose(answers.softened(TEACHER, 1.0), TEACHER)
    score = answers.soft_score(OUTPUTS, torch.tensor(answers.softened(TEACHER, 1.0)), 1.0)
    own = torch.log_softmax(OUTPUTS, -1).double().numpy()
    assert float(score.loss) == pytest.approx(-(TEACHER * own).sum(), rel=1e-5)
    assert score.num_correct is not None
    assert int(score.num_correct) == 1  # of the second row both labels are as probable


def test_a_temperature_softens_both_and_keeps_the_size_of_gradients() -> None:
    """At a high temperature the gradient of a logit is a difference of logits, divided by C."""
    answers, hot = Classes(["a", "b"]), 200.0
    soft = answers.softened(TEACHER, hot)
    assert np.allclose(soft.sum(1), 1)
    assert soft[0, 0] == pytest.approx(0.5 + np.log(4) / hot / 4, abs=1e-4)
    outputs = OUTPUTS.clone().requires_grad_()
    answers.soft_score(outputs, torch.tensor(soft), hot).loss.backward()
    theirs = torch.tensor([np.log(0.8 / 0.2) / 2, -np.log(0.8 / 0.2) / 2])
    own = OUTPUTS[0] - OUTPUTS[0].mean()
    assert outputs.grad is not None
    assert torch.allclose(outputs.grad[0].double(), (own - theirs) / 2, atol=0.01)


def test_soft_answers_of_sets_are_one_cross_entropy_for_each_label() -> None:
    answers = LabelSets(["a", "b"])
    assert np.allclose(answers.softened(TEACHER, 1.0), TEACHER, atol=1e-6)
    score = answers.soft_score(OUTPUTS, torch.tensor(answers.softened(TEACHER, 1.0)), 1.0)
    p = torch.sigmoid(OUTPUTS).double().numpy()
    losses = -(TEACHER * np.log(p) + (1 - TEACHER) * np.log(1 - p))
    assert float(score.loss) == pytest.approx(losses.mean(1).sum(), rel=1e-5)
    assert answers.softened(np.array([[0.0, 1.0]]), 2.0).tolist() == [
        pytest.approx([0.0, 1.0], abs=1e-5)
    ]
