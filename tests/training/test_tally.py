"""Sums of losses, over batches, processes and a resume."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from foretext.nn.vocabulary_head import Score
from foretext.training.processes import Processes
from foretext.training.tally import Tally


class Twins:
    """Two processes that found the same."""

    device = torch.device("cpu")

    def sum(self, tensors: list[Tensor]) -> None:
        for tensor in tensors:
            tensor.mul_(2)


TWINS = cast(Processes, Twins())


def tally() -> Tally:
    found = Tally()
    found.count({"words": 4, "pairs": 2, "never": 0})
    found.add({"words": Score(torch.tensor(3.0), torch.tensor(1))})
    found.add({"pairs": Score(torch.tensor(0.7)), "words": Score(torch.tensor(1.0))})
    return found


def test_figures() -> None:
    pairs = float(torch.tensor(0.7)) / 2
    assert tally().figures("valid_") == {
        "valid_loss": 1.0 + pairs,
        "valid_words_loss": 1.0,
        "valid_pairs_loss": pairs,
        "valid_words_accuracy": 0.25,
    }


def test_a_total_leaves_the_shares_as_they_are() -> None:
    found = tally()
    total = found.total(TWINS).figures()
    assert total["words_loss"] == 2.0
    assert total["words_accuracy"] == 0.5
    assert found.figures() == tally().figures()


def test_a_resumed_tally_gives_the_same_figures() -> None:
    resumed = Tally()
    resumed.load_state(tally().state(), share=True)
    unbroken = tally()
    for each in (resumed, unbroken):
        each.count({"words": 3})
        each.add({"words": Score(torch.tensor(1 / 3), torch.tensor(2))})
    assert resumed.figures() == unbroken.figures()


def weighted() -> Tally:
    """Three of four are right, and so is the majority answer."""
    found = Tally()
    found.count({"words": 2, "kinds": 4})
    right = torch.tensor(3)
    score = Score(torch.tensor(2.0), right, num_majority=right, weight=10.0)
    found.add({"words": Score(torch.tensor(1.0)), "kinds": score})
    return found


def test_parts_are_weighed_in_the_sum_alone() -> None:
    figures = weighted().figures()
    assert figures == {
        "loss": 0.5 + 10 * 0.5,
        "words_loss": 0.5,
        "kinds_loss": 0.5,
        "kinds_accuracy": 0.75,
        "kinds_majority_accuracy": 0.75,
    }
    resumed = Tally()
    resumed.load_state(weighted().state(), share=True)
    assert resumed.figures() == figures
    assert weighted().total(TWINS).figures()["kinds_majority_accuracy"] == 1.5  # of both
    assert Score(torch.tensor(2.0), weight=10.0).part_of_loss(4) == 5


def test_losses_are_taken_up_by_one_process_alone() -> None:
    other = Tally()
    other.load_state(tally().state(), share=False)
    assert other.figures()["loss"] == 0.0
    other.count({"words": 4})
    assert other.state()["counts"]["words"] == 8  # counts are of the whole
