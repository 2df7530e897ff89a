"""Many labels: what fastText's classifier takes is said before it learns."""

from __future__ import annotations

from typing import Any

import pytest

from foretext.tasks.fasttext import training_cost
from foretext.tasks.fasttext.config import FastTextClassifierConfig
from foretext.tasks.fasttext.text_profile import TextProfile
from foretext.tasks.fasttext.training_cost import TrainingCost


@pytest.fixture(autouse=True)
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_cost, "usable_cores", lambda: 2)


def cost_of(num_labels: int, num_texts: int = 24_000, **settings: Any) -> TrainingCost:
    profile = TextProfile(num_texts, num_labels, 50 * num_texts, 0.0, 0.0)
    config = FastTextClassifierConfig(**{"workers": 1, **settings}).resolved(profile)
    return TrainingCost.of(config, profile, num_labels)


def test_what_was_measured_is_fotranslated() -> None:
    assert 40 < cost_of(8_000).seconds < 90  # 61 CPU-seconds were measured
    assert cost_of(8_000, loss="hs").seconds < 3
    assert 1 < cost_of(2_000, 4_000, epochs=5).seconds < 2.5  # 1.4


def test_the_time_grows_with_labels_rows_epochs_and_dim() -> None:
    one = cost_of(1_000, maxn=0, epochs=5).seconds
    for settings in ({"epochs": 10}, {"epochs": 5, "dim": 200}):
        assert cost_of(1_000, maxn=0, **settings).seconds == pytest.approx(2 * one)
    assert cost_of(2_000, maxn=0, epochs=5).seconds == pytest.approx(2 * one, rel=0.05)
    assert cost_of(1_000, 48_000, maxn=0, epochs=5).seconds == pytest.approx(2 * one)
    assert cost_of(1_000, maxn=0, epochs=5, workers=9).seconds == pytest.approx(one / 2)


def test_the_sentence_names_what_is_much_faster() -> None:
    said = str(cost_of(8_000).sentence(1, None))
    assert said.startswith("8,000 labels, 24,000 rows, 8 epochs and dim 100: the training takes ab")
    assert "on a core; classifier.loss=hs takes about" in said
    assert "on 2 free cores" in str(cost_of(8_000, workers=9).sentence(1, None))
    assert "each of 3 trainings" in str(cost_of(8_000).sentence(3, None))
    assert cost_of(8_000, loss="hs").sentence(1, None) is None
    assert cost_of(400).sentence(1, None) is None


def test_other_losses_get_another_advice() -> None:
    said = str(cost_of(8_000, loss="ova").sentence(1, None))
    assert "loss=hs" not in said
    assert said.endswith("fewer classifier.epochs or a smaller classifier.dim take less")


@pytest.mark.parametrize("settings", [{"epochs": 1}, {"budget_seconds": 3.0}])
def test_fewer_epochs_are_not_advised_where_there_are_none(settings: dict[str, Any]) -> None:
    said = str(cost_of(90_000, loss="ova", **settings).sentence(1, None))
    assert said.endswith("; a smaller classifier.dim takes less")


def test_a_time_that_is_too_short_is_named_with_the_epochs_that_it_is_enough_for() -> None:
    cost = cost_of(8_000)
    said = str(cost.sentence(1, cost.seconds / 4))
    assert "would take about" in said
    assert "enough for about 2 epochs" in said
    assert cost.sentence(1, 2 * cost.seconds) is None
    assert cost_of(8_000, budget_seconds=3.0).sentence(1, 3.0) is not None
    assert cost_of(50, 10**6).sentence(1, 1.0) is None  # words decide, which is not fotranslated
