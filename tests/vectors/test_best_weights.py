"""A training that went past its best ends with the best, whatever ends or interrupts it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tasks.fasttext.config import ResolvedConfig
from foretext.vectors import best_weights
from foretext.vectors.best_weights import STALE_EPOCHS, ending_sentence
from foretext.vectors.hogwild import Hogwild
from foretext.vectors.schedule import DescentConfig, Learned, Slices
from tests.vectors.texts import write_topics

NUM_SLICES = 64
BEST = 10.0  # the weight of the lowest held-out loss


class StoppedError(Exception):
    """In the place of a kill."""


class Learner:
    """Its weight grows by the rate in each of 64 slices; each takes a hundredth of a second."""

    alpha = 0.025

    def __init__(self, stops_at: int | None = None) -> None:
        self.now, self.steps, self.stops_at = 50.0, 0, stops_at
        self.slices = Slices.of_starts(np.arange(NUM_SLICES * 512 + 1))
        self.weights = np.zeros(3)

    def clock(self) -> float:
        return self.now

    def compile(self) -> None: ...

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        self.now += 0.01
        self.steps += 1
        if self.steps == self.stops_at:
            raise StoppedError
        self.weights += rates[0]
        return Learned(1.0, 1, 512)

    def held_out_loss(self) -> float | None:
        return float(1 + abs(self.weights[0] - BEST))

    def arrays(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights}


def trained(
    folder: Path, learner: Learner, *, resume: bool = False, **settings: Any
) -> list[dict[str, Any]]:
    config = DescentConfig(**{"workers": 1, "checkpoint_seconds": 1.0} | settings)
    seconds = config.budget_seconds
    budget = None if seconds is None else Budget.started(seconds, clock=learner.clock)
    context = RunContext(
        folder,
        budget=budget,
        clock=learner.clock,
        checkpoints=Checkpoints(folder),
        resume=resume,
    )
    training = Hogwild(learner, config, context)
    if resume:
        assert training.resume()
    return training.run().history


def test_a_budget_ends_at_the_best_and_is_not_used_up(tmp_path: Path) -> None:
    learner = Learner()
    history = trained(tmp_path, learner, budget_seconds=600.0)
    assert abs(learner.weights[0] - BEST) < NUM_SLICES * learner.alpha
    assert history[-1]["valid_loss"] == pytest.approx(1 + abs(learner.weights[0] - BEST))
    assert history[-1]["valid_loss"] == min(record["valid_loss"] for record in history[63::64])
    assert learner.now - 50 < 60
    assert history[-1]["kept_epoch"] < history[-1]["epoch"]
    sentence = ending_sentence(history)
    assert sentence is not None
    assert "the held-out loss was lowest" in sentence


def test_the_rate_falls_to_its_end_after_the_best(tmp_path: Path) -> None:
    """What a budget holds up would leave vectors that still jump about."""
    history = trained(tmp_path, Learner(), budget_seconds=600.0)
    assert history[-1]["learning_rate"] < 0.02 * Learner.alpha


def test_a_loss_that_falls_to_the_end_uses_the_budget_up(tmp_path: Path) -> None:
    learner = Learner()
    history = trained(tmp_path, learner, budget_seconds=3.0)
    assert learner.now - 50 == pytest.approx(3.0, abs=0.1)
    assert "kept_epoch" not in history[-1]
    assert ending_sentence(history) is None


@pytest.mark.parametrize("stops_at", [200, 600, 760])
@pytest.mark.parametrize("settings", [{"epochs": 40, "patience": 5}, {"budget_seconds": 600.0}])
def test_resumed_equals_unbroken(tmp_path: Path, settings: dict[str, Any], stops_at: int) -> None:
    """Also where the best weights are those of an epoch before the interruption."""
    unbroken = Learner()
    history = trained(tmp_path / "one", unbroken, **settings)
    with pytest.raises(StoppedError):
        trained(tmp_path / "two", Learner(stops_at), **settings)
    resumed = Learner()
    again = trained(tmp_path / "two", resumed, resume=True, **settings)
    assert unbroken.steps > 760
    if "epochs" in settings:
        np.testing.assert_array_equal(resumed.weights, unbroken.weights)
        assert [each["valid_loss"] for each in again] == [each["valid_loss"] for each in history]
    assert again[-1]["kept_epoch"] == history[-1]["kept_epoch"]
    # A training that has ended, and whose result could not be written, ends once more alike.
    once_more = Learner()
    trained(tmp_path / "two", once_more, resume=True, **settings)
    np.testing.assert_array_equal(once_more.weights, resumed.weights)


def test_without_memory_for_a_copy_the_last_weights_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_weights, "free_memory", lambda: 8)
    learner = Learner()
    history = trained(tmp_path, learner, budget_seconds=20.0)
    assert learner.now - 50 == pytest.approx(20.0, abs=0.1)
    assert "kept_epoch" not in history[-1]


def test_without_memory_for_a_copy_patience_ends_the_training_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"epochs": 40, "patience": 2}
    with_copy = trained(tmp_path / "with", Learner(), **settings)
    monkeypatch.setattr(best_weights, "free_memory", lambda: 8)
    without = trained(tmp_path / "without", Learner(), **settings)
    assert "kept_epoch" in with_copy[-1]
    assert "kept_epoch" not in without[-1]
    assert without[-1]["epoch"] == with_copy[-1]["epoch"] < 40


def test_an_end_before_the_budget_is_said_where_the_last_weights_are_the_best() -> None:
    last = {"epoch": 9.0, "valid_loss": 2.5, "cooled_epoch": 6.0}
    history = [{"epoch": each, "valid_loss": 3.0} for each in (1.0, 2.0)]
    sentence = str(ending_sentence([*history, last]))
    assert "stopped falling at epoch 6" in sentence
    assert "ended at epoch 9 (2.5)" in sentence
    assert "went back" not in str(ending_sentence([*history, {**last, "kept_epoch": 7.0}]))


def test_a_training_that_goes_back_has_it_in_its_records(tmp_path: Path) -> None:
    history = trained(tmp_path, Learner(), budget_seconds=600.0)
    cooled = [record["cooled_epoch"] for record in history if "cooled_epoch" in record]
    assert "cooled_epoch" not in history[0]
    assert len(set(cooled)) == 1
    assert 0 < cooled[0] < history[-1]["epoch"]


def test_a_rise_that_was_asked_for_is_said_with_the_epochs_to_set() -> None:
    history = [{"epoch": each, "valid_loss": abs(each - 4.2) + 1} for each in range(1, 9)]
    assert "set vectors.epochs=4" in str(ending_sentence(history))
    assert ending_sentence(history[:4]) is None
    assert ending_sentence([{"epoch": 1.0, "valid_loss": None}]) is None
    assert ending_sentence([]) is None


@pytest.mark.parametrize(
    ("best", "trained", "advice"),
    [
        (0.4, 1, "; lower vectors.alpha, or give more text"),
        (1.8, 2, "; set vectors.epochs=1"),
        (4.6, 5, "; set vectors.epochs=4"),
    ],
)
def test_the_advice_after_a_rise_is_less_than_what_was_done(
    best: float, trained: int, advice: str
) -> None:
    history = [{"epoch": best, "valid_loss": 1.0}, {"epoch": float(trained), "valid_loss": 2.0}]
    assert str(ending_sentence(history)).endswith(advice)


def test_labels_use_a_budget_up_as_their_loss_rises_before_their_accuracy_falls() -> None:
    assert not ResolvedConfig(budget_seconds=5.0).descent.ends_at_best
    assert ResolvedConfig(patience=2).descent.ends_at_best


@pytest.mark.parametrize("recipe", ["word2vec", "glove", "doc2vec"])
def test_a_run_with_a_long_budget_says_where_it_ended(tmp_path: Path, recipe: str) -> None:
    corpus = write_topics(tmp_path / "topics.txt", documents=60, seed=3)
    settings = {"vector_size": 64, "workers": 1}
    opened = ft.Recipe.load(
        recipe,
        ["tokenizer.min_count=1", "data.valid_rate=0.2"]
        + [f"vectors.{name}={value}" for name, value in settings.items()],
    )
    ft.pretrain(opened, corpus, tmp_path / "run", budget="60s", quiet=True)
    facts = json.loads((tmp_path / "run" / "config.json").read_text())
    records = [
        json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    ]
    assert facts["valid_loss"] <= min(record["valid_loss"] for record in records) * 1.02
    assert records[-1]["time"] < 20
    assert records[-1]["kept_epoch"] + STALE_EPOCHS <= records[-1]["epoch"]
    assert "the held-out loss was lowest" in facts["warnings"][0]
    assert facts["warnings"][0] in (tmp_path / "run" / "README.md").read_text()
