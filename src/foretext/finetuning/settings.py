"""What a fine-tuning can be told, and what it does where nobody says anything."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from foretext.backbones.base import Backbone
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.transformer import Transformer
from foretext.config import Config
from foretext.finetuning.start import Beginning
from foretext.training.settings import TrainingConfig

__all__ = ["FinetuningConfig", "training_config"]

CHAIN_RATE = 5.0  # of what is new over a body, where a sentence's tags depend on each other
BASE_WIDTH, BASE_RATE, HIGHEST_RATE = 768, 5e-5, 5e-4  # Devlin et al. 2019, A.3, for size base


class FinetuningConfig(Config):
    """Settings of the section `[finetuning]`."""

    seeds: int = Field(1, ge=1)  # trainings with seeds one after another; the best one is kept
    valid_rate: float | None = Field(None, ge=0, lt=0.5)  # of the rows, where no file is given;
    # None: a tenth for networks that are drawn anew, nothing for pretrained ones
    body_dropout: float | None = Field(None, ge=0, lt=1)  # None: 0.1 of Transformers, else theirs
    fresh: bool = False  # of a pretrained base the shape alone, to see what pretraining gives
    baseline: bool = True  # measure what is learned in seconds beside it
    ensemble: bool = False  # classification: answer together with the linear baseline
    calibrate: bool = False  # fit a temperature of probabilities to the held-out rows


def training_config(
    settings: Mapping[str, Any],
    begun: Beginning,
    *,
    num_rows: int,
    is_validated: bool,
    has_chain: bool,
    seed: int,
) -> TrainingConfig:
    """Return the settings of ``[training]``: the usual ones for the body, then the user's.

    Pretrained Transformers get the rate and the 4 epochs of Devlin et al. 2019 (A.3) at the width
    of their base size, a higher rate where the network is narrower (Turc et al. 2019), and more
    epochs where the rows are few (Zhang et al. 2021, "Revisiting Few-sample BERT Fine-tuning").
    What is drawn anew gets 10 epochs or more; held-out rows decide which weights are kept. A BiLSTM
    or a CRF over a pretrained body (`has_chain`) learns faster than the body.
    """
    defaults: dict[str, Any] = {
        "head_rate": CHAIN_RATE if has_chain and begun.origin == "pretrained" else 1.0,
        "batch_examples": 32,
        "warmup_rate": 0.1,
        "beta2": 0.999,
        "keep": "best" if is_validated else "last",
        "checkpoint_seconds": 60.0,
        **_pace(begun),
    }
    if not {"epochs", "steps", "budget_seconds"} & settings.keys():
        batch = settings.get("batch_examples", defaults["batch_examples"])
        defaults["epochs"] = _epochs(begun, max(num_rows / batch, 1.0))
    chosen = {**defaults, **settings}
    chosen["seed"] = chosen.get("seed", 1) + seed
    return TrainingConfig.checked(chosen, "training")


def _pace(begun: Beginning) -> dict[str, Any]:
    """Rate, batch and decay that suit a backbone."""
    backbone: Backbone = begun.backbone
    if isinstance(backbone, Recurrent):
        return {
            "learning_rate": 3e-3, "batch_examples": 16, "weight_decay": 0.0, "clip_norm": 5.0,
        }  # fmt: skip
    if not isinstance(backbone, Transformer):
        return {"learning_rate": 1e-3, "weight_decay": 0.0}
    rate = BASE_RATE * (BASE_WIDTH / backbone.dim) ** 1.5
    drawn = 1 if begun.origin == "pretrained" else 2
    return {"learning_rate": drawn * min(rate, HIGHEST_RATE)}


def _epochs(begun: Beginning, steps_per_epoch: float) -> int:
    """Return the usual epochs, or as many as make enough steps."""
    fewest, steps, most = (4, 400, 20) if begun.origin == "pretrained" else (10, 1500, 60)
    return min(max(math.ceil(steps / steps_per_epoch), fewest), most)
