"""What may stand between states and the last layer of a task: linear, activation, norm.

A masked language model has it before its vocabulary, and ModernBERT (Warner et al. 2024) before the
last layer of every task, where it starts from the weights of pretraining.
"""

from __future__ import annotations

from typing import Literal

from foretext.heads.task_base import TaskBase
from foretext.nn.feed_forward import ACTIVATIONS
from foretext.nn.vocabulary_head import HeadTransform

__all__ = ["Transform", "default_transform", "made_transform"]

Transform = Literal["none", "gelu", "gelu_tanh", "relu"]  # by its activation


def default_transform(base: TaskBase) -> Transform:
    """Return what the authors of a base put there: nothing, or on pre-norm encoders a transform.

    A transform that was pretrained decides on the activation.
    """
    if base.visibility != "full" or not base.backbone.adds_head_transform:
        return "none"
    learned = None if base.transform is None else base.transform.activation
    names: tuple[Transform, ...] = ("gelu", "gelu_tanh", "relu")
    return next((name for name in names if learned is ACTIVATIONS[name]), "gelu")


def made_transform(base: TaskBase, kind: Transform) -> HeadTransform | None:
    """Return the transform, with pretrained weights if the base has one of the same form.

    Raises:
        SettingError: the backbone has none.
    """
    if kind == "none":
        return None
    made = base.backbone.head_transform(kind)
    if base.transform is not None and _same_form(base.transform, made):
        made.load_state_dict(base.transform.state_dict())
    return made


def _same_form(learned: HeadTransform, made: HeadTransform) -> bool:
    return (
        learned.activation is made.activation
        and type(learned.norm) is type(made.norm)
        and learned.norm.eps == made.norm.eps
        and _shapes(learned) == _shapes(made)
    )


def _shapes(transform: HeadTransform) -> dict[str, tuple[int, ...]]:
    return {name: tuple(weight.shape) for name, weight in transform.state_dict().items()}
