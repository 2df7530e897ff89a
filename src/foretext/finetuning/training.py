"""How the training of a network goes where the user leaves it open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from foretext.backbones.base import Backbone
from foretext.training.settings import TrainingConfig

__all__ = ["training_config"]

CHAIN_RATE = 5.0  # of a BiLSTM or CRF over a pretrained network, times the rate


def training_config(
    settings: Mapping[str, Any],
    backbone: Backbone,
    *,
    is_pretrained: bool,
    num_rows: int,
    is_validated: bool,
    has_chain: bool,
    has_head: bool,
    usual_batch: int,
    seed: int,
) -> TrainingConfig:
    """Return the settings of ``[training]``: the usual ones for a backbone, then the user's.

    A pretrained Transformer learns for the 4 epochs of Devlin et al. 2019 (A.3), longer where the
    rows are few (Zhang et al. 2021, "Revisiting Few-sample BERT Fine-tuning"). Random weights need
    10 epochs or more, of a head alone too, where the backbone stays as it was pretrained. Held-out
    rows decide which weights are kept.

    Args:
        settings: the user's.
        backbone: has defaults of its own.
        is_pretrained: whether its weights are.
        num_rows: to learn from.
        is_validated: whether there are held-out rows.
        has_chain: whether the head has a BiLSTM or a CRF.
        has_head: whether anything but the backbone is learned.
        usual_batch: examples of a step.
        seed: counted from 0.
    """
    is_frozen = is_pretrained and has_head and backbone.feature_based and _leaves_frozen(settings)
    learns_body = is_pretrained and not is_frozen
    defaults: dict[str, Any] = {
        "head_rate": CHAIN_RATE if has_chain and learns_body else 1.0,
        "batch_examples": usual_batch,
        "warmup_rate": 0.1,
        "beta2": 0.999,
        "keep": "best" if is_validated else "last",
        "checkpoint_seconds": 60.0,
        **backbone.fine_tuning_defaults(pretrained=is_pretrained),
        **({"freeze": "backbone"} if is_frozen else {}),
    }
    if not {"epochs", "steps", "budget_seconds"} & settings.keys():
        batch = settings.get("batch_examples", defaults["batch_examples"])
        steps = max(num_rows / batch, 1.0)
        defaults["epochs"] = _usual_epochs(steps, is_pretrained=learns_body)
    if "batch_tokens" in settings:
        del defaults["batch_examples"]
    chosen = {**defaults, **settings}
    chosen["seed"] = chosen.get("seed", 1) + seed
    return TrainingConfig.checked(chosen, "training")


def _leaves_frozen(settings: Mapping[str, Any]) -> bool:
    """Whether settings agree with a backbone that is not trained."""
    other_layers = {"freeze_layers", "layer_decay"} & settings.keys()
    return bool(settings.get("freeze", "none" if other_layers else "backbone") == "backbone")


def _usual_epochs(steps_per_epoch: float, *, is_pretrained: bool) -> int:
    """Return the usual epochs, or as many as make enough steps."""
    fewest, steps, most = (4, 400, 20) if is_pretrained else (10, 1500, 60)
    return min(max(math.ceil(steps / steps_per_epoch), fewest), most)
