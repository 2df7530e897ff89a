"""What a model cannot do is refused in one sentence, which says what it can do instead."""

from __future__ import annotations

from foretext.base.errors import SettingError
from foretext.objectives.base import Objective

__all__ = ["cannot"]


def cannot(verb: str, needed: str, objective: Objective | None) -> SettingError:
    """Return the error of a verb that needs another kind of model.

    Args:
        verb: that was called, or an argument of `generate` with its ``=``.
        needed: the kind of model that it needs, such as "a causal model (GPT)".
        objective: that the model was pretrained by, or None.
    """
    if objective is None:
        what, instead = "has no head", "embed"
    else:
        by = f"was pretrained by {type(objective).__name__}"
        what = by if objective.kind is None else f"is {objective.kind}"
        instead = "fill" if objective.fills else "generate" if objective.continues else "embed"
    advice = "leave it out" if verb.endswith("=") and instead == "generate" else f"use {instead}"
    return SettingError(f"{verb.removesuffix(' =')} needs {needed}; this one {what}: {advice}.")
