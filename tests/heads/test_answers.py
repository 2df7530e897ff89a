"""Answers against torch's own losses."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from foretext.base.errors import SettingError
from foretext.heads.answers import Classes, LabelSets, RealNumber, balanced_weights, class_answers

LABELS = ("a", "b", "c")
WEIGHTS = (0.5, 2.0, 1.5)


def some_logits() -> torch.Tensor:
    return torch.randn(5, 3, generator=torch.Generator().manual_seed(3)) * 2


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_one_label_is_scored_as_torch_scores_it(
    smoothing: float, weights: tuple[float, ...] | None
) -> None:
    answers = Classes(LABELS, smoothing, weights)
    targets = torch.from_numpy(answers.targets([("c",), ("a",), ("b",), ("b",), ("a",)]))
    assert targets.tolist() == [2, 0, 1, 1, 0]
    logits = some_logits()
    score = answers.score(logits, targets)
    theirs = torch.nn.CrossEntropyLoss(
        weight=None if weights is None else torch.tensor(weights),
        label_smoothing=smoothing,
        reduction="sum",
    )
    torch.testing.assert_close(score.loss, theirs(logits, targets), atol=1e-5, rtol=1e-5)
    assert score.num_correct == (logits.argmax(1) == targets).sum()


def test_smoothing_spreads_its_share_over_all_labels() -> None:
    logits = torch.tensor([[2.0, 0.0, -1.0]])
    loss = Classes(LABELS, 0.3).score(logits, torch.tensor([0])).loss
    spread = torch.tensor([0.7 + 0.1, 0.1, 0.1])
    torch.testing.assert_close(loss, -(spread * logits.log_softmax(-1)).sum())


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_label_sets_are_scored_as_torch_scores_them(weights: tuple[float, ...] | None) -> None:
    answers = LabelSets(LABELS, weights)
    targets = torch.from_numpy(answers.targets([("a", "c"), (), ("b",), ("c",), LABELS]))
    assert targets.tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    logits = some_logits()
    score = answers.score(logits, targets)
    theirs = F.binary_cross_entropy_with_logits(
        logits, targets, weight=None if weights is None else torch.tensor(weights)
    )
    torch.testing.assert_close(score.loss / 5, theirs, atol=1e-6, rtol=1e-5)


def test_a_label_set_is_right_as_a_whole() -> None:
    logits = torch.tensor([[1.0, -1.0], [1.0, -1.0], [-1.0, -1.0]])
    targets = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    assert LabelSets(("a", "b")).score(logits, targets).num_correct == 2


def test_numbers_come_back_in_the_users_scale() -> None:
    answers = RealNumber(lowest=-1.0, highest=5.0)
    scaled = answers.targets([-1.0, 2.0, 5.0])
    assert scaled.tolist() == [0.0, 0.5, 1.0]
    assert answers.values(scaled[:, None], 1.0).tolist() == [-1.0, 2.0, 5.0]
    score = answers.score(torch.tensor([[0.0], [1.0], [1.0]]), torch.from_numpy(scaled))
    assert float(score.loss) == 0.25
    assert score.num_correct is None


def test_balanced_labels_share_the_loss_equally() -> None:
    counts = [6, 3, 1]
    weights = balanced_weights(counts)
    shares = np.array(weights) * counts
    np.testing.assert_allclose(shares, shares.sum() / 3)
    assert shares.sum() == pytest.approx(sum(counts))
    found = {"labels": list(LABELS), "counts": counts}
    chosen = class_answers(found, balanced=True).weights
    assert chosen is not None
    torch.testing.assert_close(chosen, torch.tensor(weights))
    assert class_answers(found).weights is None


def test_weights_are_no_part_of_what_is_kept() -> None:
    assert not Classes(LABELS, weights=WEIGHTS).state_dict()


def test_smoothing_of_label_sets_is_refused() -> None:
    found = {"labels": list(LABELS), "multi_label": True}
    assert isinstance(class_answers(found), LabelSets)
    with pytest.raises(SettingError, match="label_smoothing would have no effect"):
        class_answers(found, smoothing=0.1)
