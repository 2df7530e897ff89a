"""Which layers of a backbone a task reads: the last, or a learned mix (Peters et al. 2018, 3.2)."""

from __future__ import annotations

from typing import Literal

from foretext.base.errors import SettingError
from foretext.heads.task_base import TaskBase
from foretext.nn.scalar_mix import ScalarMix

__all__ = ["Layers", "default_layers", "layer_mix"]

# The last layer; a weighted sum of all, the embeddings among them; the same after a norm of each.
Layers = Literal["last", "mix", "normed_mix"]


def default_layers(base: TaskBase) -> Layers:
    """Return what suits a base: a mix where it stays as it was pretrained."""
    return "mix" if base.backbone.feature_based else "last"


def layer_mix(base: TaskBase, layers: Layers) -> ScalarMix | None:
    """Return the weights of the layers, to be learned; None: the last layer alone is read.

    Raises:
        SettingError: the backbone has one layer only.
    """
    if layers == "last":
        return None
    backbone = base.backbone
    if backbone.num_mixed < 2:
        raise SettingError(
            f"[task] layers = '{layers}': {type(backbone).__name__} has one layer of this width, "
            "and a mix needs two; leave it out."
        )
    return ScalarMix(backbone.num_mixed, normed=layers == "normed_mix")
