"""The loss of a teacher's answers, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.data.batch import Batch, Inputs
from foretext.data.replaced_examples import REPLACED
from foretext.heads.answers import Classes, LabelSets
from foretext.heads.distilled import CONSISTENCY, IS_LABELLED, Consistent
from foretext.metrics import sigmoid, softmax
from foretext.training.model import Model

OUTPUTS = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
TEACHER = np.array([[0.8, 0.2], [0.5, 0.5]])

LOGITS = torch.tensor([[0.0, 0.0], [3.0, 0.0], [0.2, 0.0], [0.0, 2.0], [1.0, -2.0]])  # by token


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


class Looks(nn.Module):
    """A backbone whose state of a token is a row of a table."""

    visibilities, reads_source = frozenset({"full"}), False

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(LOGITS.clone())
        self.seen: list[Tensor] = []

    def forward(self, inputs: Inputs, *, keep_layers: bool = False) -> States:
        self.seen.append(inputs.ids)
        return States(self.table[inputs.ids])


class Reads(nn.Module):
    """A head whose logits are the state of the first token."""

    name, visibility, needs_layers = "classification", "full", False
    trains_with, needs_source = frozenset({"full"}), False

    def __init__(self, answers: Classes | LabelSets) -> None:
        super().__init__()
        self.answers = answers

    def check(self, backbone: Any) -> None:
        pass

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        return states.last[:, 0]

    def counts(self, batch: Batch) -> dict[str, int]:
        return {self.name: len(batch)}

    def beside(self, states: States, batch: Batch) -> dict[str, Any]:
        return {}

    def scores(self, states: States, batch: Batch) -> dict[str, Any]:
        outputs = self.outputs(states, batch.inputs)
        return {self.name: self.answers.score(outputs, batch.targets[self.answers.target])}


def model(answers: Classes | LabelSets, confidence: float = 0.8) -> Any:
    task: Any = Reads(answers)
    return Model(Looks(), Consistent(task, 2.0, 0.5, confidence))  # type: ignore[arg-type]


def batch(labels: Tensor) -> Batch:
    """One row with a label, and three without, of which the second is not sure."""
    targets = {
        "labels": labels,
        IS_LABELLED: torch.tensor([True, False, False, False]),
        REPLACED: torch.tensor([[1], [4], [1], [2]]),
    }
    return Batch(Inputs(torch.tensor([[1], [1], [2], [3]])), targets)


def test_sure_answers_are_learned_sharpened_from_replaced_tokens() -> None:
    given = batch(torch.tensor([1, 0, 0, 0]))
    net = model(Classes(["a", "b"]))
    assert dict(net.objective.counts(given)) == {"classification": 1, CONSISTENCY: 3}
    scores = net(given)
    table = LOGITS.double().numpy()
    own = scores["classification"]
    assert own.loss.item() == pytest.approx(-np.log(softmax(table[1:2])[0, 1]), rel=1e-5)
    assert own.weight == 1
    wanted = softmax(table[[1, 3]], 0.5)  # the answer to token 2 has a probability of 0.55
    given_logs = np.log(softmax(table[[4, 2]]))
    found = scores[CONSISTENCY]
    assert found.loss.item() == pytest.approx(-(wanted * given_logs).sum(), rel=1e-5)
    assert int(found.num_correct) == 1  # token 4 says the same as token 1, 2 not as 3
    assert found.weight == 2


def test_every_label_of_a_set_has_to_be_sure() -> None:
    given = batch(torch.tensor([[1.0, 0.0]] * 4))
    found = model(LabelSets(["a", "b"]), confidence=0.5)(given)[CONSISTENCY]
    table = LOGITS.double().numpy()
    wanted, p = sigmoid(table[[1, 2, 3]] / 0.5), sigmoid(table[[4, 1, 2]])
    losses = -(wanted * np.log(p) + (1 - wanted) * np.log(1 - p))
    assert found.loss.item() == pytest.approx(losses.mean(1).sum(), rel=1e-5)
    none = model(LabelSets(["a", "b"]), confidence=0.6)(given)[CONSISTENCY]
    assert none.loss.item() == 0  # one logit of each is 0: as probable as not


def test_only_the_answers_to_replaced_tokens_have_a_gradient() -> None:
    net = model(Classes(["a", "b"]))
    net(batch(torch.tensor([1, 0, 0, 0])))[CONSISTENCY].loss.backward()
    moved = net.backbone.table.grad.abs().sum(1) > 0
    assert moved.tolist() == [False, False, True, False, True]
    assert [ids[:, 0].tolist() for ids in net.backbone.seen] == [[1, 1, 2, 3], [1, 4, 1, 2]]


def test_rows_to_measure_are_read_once_and_as_they_are() -> None:
    net = model(Classes(["a", "b"]))
    given = Batch(Inputs(torch.tensor([[1], [3]])), {"labels": torch.tensor([0, 1])})
    assert [*net(given)] == ["classification"]
    assert dict(net.objective.counts(given)) == {"classification": 2}
    assert len(net.backbone.seen) == 1
