"""The heads of all views, and how much each counts: one look at features and targets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from foretext.tasks.classification.embeddings.cross_validation import (
    Split,
    chosen_strength,
    out_of_fold,
    stratified_splits,
)
from foretext.tasks.classification.embeddings.logistic_head import (
    Features,
    Targets,
    fitted_head,
    reduced,
)
from foretext.tasks.classification.embeddings.material import Material, materials_of
from foretext.tasks.classification.embeddings.mixture import JudgedHead, LearnedHeads, weighed
from foretext.tasks.classification.embeddings.unlabelled import (
    ROUNDS,
    heads_of_unlabelled,
    teaches,
)

__all__ = ["USUAL_STRENGTH", "learn_heads"]

USUAL_STRENGTH = 1.0  # inverse penalty where no row can be held out


def learn_heads(
    features: Sequence[Features],
    targets: Targets,
    strata: Sequence[Hashable],
    *,
    inverse_penalty: float | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: Sequence[Features] = (),
) -> LearnedHeads:
    """Learn heads, with penalties and weights in the mixture chosen on held-out rows.

    Args:
        features: of each view, (N, D) with a D of its own.
        targets: of the N rows.
        strata: (N,) the class of each row, for the folds.
        inverse_penalty: of all heads; None: chosen by cross-validation.
        folds: of cross-validation.
        seed: of the folds.
        unlabelled: features (U, D) of texts without labels, which teach, too; (): there are none.
    """
    splits = stratified_splits(strata, folds, seed)
    learns_more = bool(unlabelled) and teaches(targets, splits)
    if learns_more:
        splits = splits[: ROUNDS * folds]
    materials = materials_of(features, unlabelled)
    heads = [_by_rows(each, targets, splits, inverse_penalty) for each in materials]
    if learns_more:
        heads += heads_of_unlabelled(materials, heads, targets, splits)
    return weighed(heads, targets, splits)


def _by_rows(
    material: Material, targets: Targets, splits: Sequence[Split], inverse_penalty: float | None
) -> JudgedHead:
    """Learn a head from the rows alone."""
    small: Any = reduced(material.features)
    strength, answers = inverse_penalty or USUAL_STRENGTH, None
    if splits and inverse_penalty is None:
        best = chosen_strength(small.features, targets, splits)
        strength, answers = best.inverse_penalty, best.probabilities
    elif splits:
        answers, _ = out_of_fold(small.features, targets, splits, strength)
    head = small.whole(fitted_head(small.features, targets, strength))
    return JudgedHead(material.views, "rows", material.kept(head), strength, answers)
