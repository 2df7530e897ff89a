"""Trainings that diverge: none ends with weights that are no numbers, or are of no use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import DivergedError
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.vectors.divergence import refuse_divergence, refuse_loss
from foretext.vectors.hogwild import Hogwild, HogwildState
from foretext.vectors.schedule import DescentConfig, Learned, Slices


class Broken:
    """Its loss stays a number, but a weight that no loss is measured on does not."""

    alpha = 5.0

    def __init__(self, value: float) -> None:
        self.slices = Slices.of_starts(np.arange(64 * 512 + 1))
        self.weights = np.zeros(8, np.float32)
        self.value = np.float32(value)

    def compile(self) -> None:
        pass

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        self.weights[3] = self.value
        return Learned(1.0, 1, 512)

    def held_out_loss(self) -> float | None:
        return None

    def arrays(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.nan, r"weights are no longer numbers after .* words; .* than alpha = 5\.0"),
        (-np.inf, "weights are no longer numbers"),
        (3e7, r"have grown to 3e\+07 after .* words, and learn nothing there"),
    ],
)
def test_no_checkpoint_is_saved_of_weights_that_diverged(
    tmp_path: Path, value: float, said: str
) -> None:
    checkpoints = Checkpoints(tmp_path)
    context = RunContext(tmp_path, checkpoints=checkpoints)
    config = DescentConfig(workers=1, epochs=1, checkpoint_seconds=0)
    with pytest.raises(DivergedError, match=said):
        Hogwild(Broken(value), config, context).run()
    assert checkpoints.newest(HogwildState) is None


def test_weights_that_learned_are_taken() -> None:
    refuse_divergence([np.array([-90.0, 3.0]), np.empty(0)], "2 words", "alpha = 1")
    refuse_loss(None, "2 words", "alpha = 1")
    refuse_loss(4.0, "2 words", "alpha = 1")
    with pytest.raises(DivergedError, match=r"after 2 cells; choose a lower .* than lr = 1"):
        refuse_loss(np.inf, "2 cells", "lr = 1")


TEXTS = [f"{a} {b} {c} {d}" for a in "abcd" for b in "efg" for c in "hij" for d in "klm"]


MORE: dict[str, Any] = {"min_count": 1, "epochs": 3, "workers": 1, "vector_size": 8}


@pytest.mark.parametrize("rate", [1e5, 1e6])
@pytest.mark.parametrize(
    ("estimator", "settings"),
    [
        (ft.Word2Vec, {}),
        (ft.Word2Vec, {"model": "cbow", "loss": "hs"}),
        (ft.Word2Vec, {"loss": "hs", "valid_rate": 0.0}),
        (ft.FastText, {"bucket": 100}),
        (ft.Doc2Vec, {}),
    ],
)
def test_a_rate_far_too_high_is_refused(
    estimator: Any, settings: dict[str, Any], rate: float
) -> None:
    with pytest.raises(DivergedError, match=rf"lower learning rate than alpha = {rate}"):
        estimator(alpha=rate, **MORE, **settings).fit(TEXTS)


@pytest.mark.parametrize("estimator", [ft.Word2Vec, ft.FastText, ft.GloVe])
def test_a_high_rate_that_learns_is_taken(estimator: Any) -> None:
    found = estimator(alpha=0.3, **MORE).fit(TEXTS).vectors_.vectors
    assert 0 < np.abs(found).max() < 1e4
