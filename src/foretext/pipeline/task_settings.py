"""What a fine-tuning can be told, and what it does where nobody says anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from foretext.backbones.base import Backbone
from foretext.backbones.recurrent import Recurrent
from foretext.backbones.transformer import Transformer
from foretext.config import Config
from foretext.pipeline.bodies import Beginning
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
    calibrate: bool = False  # fit a temperature of probabilities to the held-out rows


def training_config(
    settings: Mapping[str, Any],
    begun: Beginning,
    *,
    is_validated: bool,
    has_chain: bool,
    seed: int,
) -> TrainingConfig:
    """Return the settings of ``[training]``: the usual ones for the body, then the user's.

    Pretrained Transformers get 4 epochs in batches of 32 with the rate of Devlin et al. 2019 at
    the width of their base size, and more where the network is narrower; what is drawn anew gets 10
    epochs. Held-out rows decide which weights are kept. A BiLSTM or a CRF over a pretrained body
    (`has_chain`) learns faster than the body.
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
    if {"steps", "budget_seconds"} & settings.keys():
        del defaults["epochs"]
    chosen = {**defaults, **settings}
    chosen["seed"] = chosen.get("seed", 1) + seed
    return TrainingConfig.checked(chosen, "training")


def _pace(begun: Beginning) -> dict[str, Any]:
    backbone: Backbone = begun.backbone
    if isinstance(backbone, Recurrent):
        return {
            "epochs": 10, "learning_rate": 3e-3, "batch_examples": 16, "weight_decay": 0.0,
            "clip_norm": 5.0,
        }  # fmt: skip
    if not isinstance(backbone, Transformer):
        return {"epochs": 10, "learning_rate": 1e-3, "weight_decay": 0.0}
    rate = min(BASE_RATE * BASE_WIDTH / backbone.dim, HIGHEST_RATE)
    if begun.origin == "pretrained":
        return {"epochs": 4, "learning_rate": rate}
    return {"epochs": 10, "learning_rate": 2 * rate}
