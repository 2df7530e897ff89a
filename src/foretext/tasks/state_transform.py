"""What may stand between states and the last layer of a task: linear, activation, norm.

A masked language model has it before its vocabulary, and ModernBERT (Warner et al. 2024) before the
answers of every task, where it begins with what it has learned there.
"""

from __future__ import annotations

from typing import Literal

from foretext.backbones.transformer import Transformer
from foretext.errors import SettingError
from foretext.nn.feed_forward import ACTIVATIONS
from foretext.nn.vocabulary_head import HeadTransform
from foretext.tasks.task_base import TaskBase

__all__ = ["Transform", "made_transform", "natural_transform"]

Transform = Literal["none", "gelu", "gelu_tanh", "relu"]  # by its activation


def natural_transform(body: TaskBase) -> Transform:
    """Return what a body's authors put there: nothing, or on pre-norm encoders what ModernBERT has.

    The head of a masked language model that the body comes with is gone on with.
    """
    backbone = body.backbone
    if not isinstance(backbone, Transformer) or body.visibility != "full":
        return "none"
    if backbone.config.norm_position != "pre":
        return "none"
    learned = None if body.transform is None else body.transform.activation
    names: tuple[Transform, ...] = ("gelu", "gelu_tanh", "relu")
    return next((name for name in names if learned is ACTIVATIONS[name]), "gelu")


def made_transform(body: TaskBase, kind: Transform) -> HeadTransform | None:
    """Return the transform, with the weights that a body's head learned, if it has such a one.

    Raises:
        SettingError: the body is no Transformer.
    """
    backbone = body.backbone
    if kind == "none":
        return None
    if not isinstance(backbone, Transformer):
        raise SettingError(f"[task] transform = '{kind}' is for Transformers; leave it out.")
    config = backbone.config
    made = HeadTransform(backbone.dim, kind, config.norm, eps=config.norm_eps, bias=config.bias)
    if body.transform is not None and _same_form(body.transform, made):
        made.load_state_dict(body.transform.state_dict())
    return made


def _same_form(learned: HeadTransform, made: HeadTransform) -> bool:
    return (
        learned.activation is made.activation
        and type(learned.norm) is type(made.norm)
        and learned.norm.eps == made.norm.eps
        and learned.state_dict().keys() == made.state_dict().keys()
    )
