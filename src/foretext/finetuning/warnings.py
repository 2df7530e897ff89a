"""What a person should know of a trained model: that it answers alike, or is wrongly sure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from foretext.finetuning.learner import Learner
from foretext.finetuning.verdict import highest
from foretext.tasks.predictor import Predictor

__all__ = ["model_warnings", "remedy"]

MISCALIBRATED = 0.1  # expected calibration error from which probabilities mislead
ENOUGH = 200  # rows; of fewer the error is mostly noise


def model_warnings(
    learner: Learner, model: Predictor, examination: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a sentence, with the remedy, for each thing that is wrong with the answers."""
    if examination["degenerate"] is not None:
        figures = examination.get("figures", {})
        is_right = figures.get(model.judged_by, 0.0) >= highest(model.judged_by)
        advice = "All of them are right; give rows with other answers, too."
        yield f"{examination['degenerate']} {advice if is_right else remedy(learner)}"
    error = examination.get("calibration_error")
    if error is not None and error > MISCALIBRATED and examination["rows"] >= ENOUGH:
        yield f"{_miscalibration(examination, error)} {_calibration_remedy(learner, model)}"


def remedy(learner: Learner) -> str:
    """Return what may make a model better that has learned too little."""
    advice = "Check that the labels fit the texts"
    if "training" not in learner.sections:
        return f"{advice}, or give more rows."
    start = "" if learner.origin == "pretrained" else ", or from a pretrained model as BASE"
    return (
        "Train longer (--budget, or --set training.epochs), with a higher learning rate (--set "
        f"training.learning_rate){start}."
    )


def _miscalibration(examination: Mapping[str, Any], error: float) -> str:
    bins = examination["reliability"]
    sizes = [each["size"] for each in bins]
    sure, right = (
        np.average([each[name] for each in bins], weights=sizes)
        for name in ("confidence", "accuracy")
    )
    return (
        f"Probabilities mislead: the answers have a probability of {sure:.2f} on average, and "
        f"{right:.2f} of them are right (expected calibration error {error:.2f})."
    )


def _calibration_remedy(learner: Learner, model: Predictor) -> str:
    can_be_set = "calibrate" in learner.uses and not learner.finetuning.calibrate
    if can_be_set and model.can_calibrate:
        return "--set finetuning.calibrate=true fits them to held-out rows."
    return "Take them for an order of the answers, not for probabilities."
