"""What texts without labels add: heads by propagation and self-training, and naive Bayes by EM.

Each is learned again without every fold, so that cross-validation says what it is worth beside the
heads that learned from the rows alone: where it misleads it gets little weight in the mixture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.metrics import softmax
from foretext.tasks.classification.embeddings.cross_validation import (
    Split,
    held_out_targets,
    out_of_fold,
    split_weights,
)
from foretext.tasks.classification.embeddings.logistic_head import (
    ROUGH_TOLERANCE,
    Targets,
    fitted_head,
    reduced,
)
from foretext.tasks.classification.embeddings.material import Material
from foretext.tasks.classification.embeddings.mixture import JudgedHead, LearnedBy, mixture_weights
from foretext.tasks.classification.embeddings.naive_bayes_em import (
    chosen_temperature,
    naive_bayes_by_weights,
)
from foretext.tasks.classification.embeddings.propagation import neighbor_graph, propagated
from foretext.tasks.classification.embeddings.self_training import own_labels, self_trained_head

__all__ = ["EM_WEIGHTS", "MOST_TEXTS", "ROUNDS", "heads_of_unlabelled", "teaches"]

Array = NDArray[np.float64]

MOST_TEXTS = 8000  # without labels, that heads learn from
MOST_LABELLED = 2000  # with more labels, texts without any have added nothing
ROUNDS = 2  # of cross-validation, in which all is learned again
EM_WEIGHTS: dict[LearnedBy, float] = {"EM 0.03": 0.03, "EM 0.3": 0.3}  # of a text without label


def teaches(targets: Targets, splits: Sequence[Split]) -> bool:
    """Whether texts without labels are learned from: few rows of one label each can be judged."""
    return bool(splits) and not targets.are_sets and len(targets.weights) <= MOST_LABELLED


class _Teacher(NamedTuple):
    """What is said of the texts without labels, by heads of the rows or by their neighbours."""

    learned_by: LearnedBy  # of the heads that learn from it

    every: Array  # (U, C), learned from all rows
    by_split: list[Array]  # (U, C) each, learned without the held-out rows of a split


def heads_of_unlabelled(
    materials: Sequence[Material],
    heads: Sequence[JudgedHead],
    targets: Targets,
    splits: Sequence[Split],
) -> list[JudgedHead]:
    """Learn heads from the rows and from texts without labels.

    Vectors are read all together, and words. The labels of the texts are those of the heads of the
    rows, or of the nearest neighbours among all vectors; naive Bayes finds its own.

    Args:
        materials: with features of both.
        heads: of the same materials, learned from the rows alone.
        targets: of the rows.
        splits: of cross-validation.
    """
    dense = [number for number, each in enumerate(materials) if each.is_dense][-1:]
    words = [number for number, each in enumerate(materials) if not each.is_dense]
    teachers = [_teacher(materials, heads, targets, splits)]
    teachers += [_neighbors(materials[number], targets, splits) for number in dense]
    found = [
        _self_trained(materials[number], heads[number], teacher, targets, splits)
        for teacher in teachers
        for number in [*dense, *words]
    ]
    found += [
        _by_em(materials[number], targets, splits, learned_by)
        for number in words
        for learned_by in EM_WEIGHTS
    ]
    return found


def _teacher(
    materials: Sequence[Material],
    heads: Sequence[JudgedHead],
    targets: Targets,
    splits: Sequence[Split],
) -> _Teacher:
    wanted = held_out_targets(targets, splits)
    weights = mixture_weights(np.array([each.answers for each in heads]), wanted)
    every, by_split = 0.0, [0.0] * len(splits)
    for material, head, weight in zip(materials, heads, weights, strict=True):
        small, strength = reduced(material.features), head.inverse_penalty
        assert strength is not None, "a head of the rows has a penalty"
        _, without = out_of_fold(small.features, targets, splits, strength)
        found = [fitted_head(small.features, targets, strength), *without]
        answers = [
            weight * small.whole(each).probabilities(material.unlabelled, are_sets=False)
            for each in found
        ]
        every = every + answers[0]
        by_split = [own + more for own, more in zip(by_split, answers[1:], strict=True)]
    without_splits = [np.asarray(each) for each in by_split]
    return _Teacher("self-training", np.asarray(every), without_splits)


def _neighbors(material: Material, targets: Targets, splits: Sequence[Split]) -> _Teacher:
    """Spread the labels of the rows among the nearest neighbours of their vectors."""
    num_rows = len(targets.weights)
    assert material.unlabelled is not None, "there are texts without labels"
    graph = neighbor_graph(np.vstack([material.features, material.unlabelled]))

    def said(rows: NDArray[np.int64]) -> Array:
        labels = np.zeros((graph.shape[0], targets.probabilities.shape[1]))
        labels[rows] = targets.probabilities[rows]
        return propagated(graph, labels)[num_rows:]

    every = said(np.arange(num_rows))
    return _Teacher("propagation", every, [said(split.learned) for split in splits])


def _self_trained(
    material: Material,
    head: JudgedHead,
    teacher: _Teacher,
    targets: Targets,
    splits: Sequence[Split],
) -> JudgedHead:
    """Learn a head from the rows, and from texts with the teacher's labels."""
    strength, texts = head.inverse_penalty, material.unlabelled
    assert strength is not None, "a head of the rows has a penalty"
    answers = []
    for split, said in zip(splits, teacher.by_split, strict=True):
        rows, part = material.features[split.learned], targets.part(split.learned)
        judged = self_trained_head(
            rows, part, texts, own_labels(said), strength, tolerance=ROUGH_TOLERANCE
        )
        answers.append(judged.probabilities(material.features[split.held_out], are_sets=False))
    learned = self_trained_head(
        material.features, targets, texts, own_labels(teacher.every), strength
    )
    kept = material.kept(learned)
    return JudgedHead(material.views, teacher.learned_by, kept, strength, np.concatenate(answers))


def _by_em(
    material: Material, targets: Targets, splits: Sequence[Split], learned_by: LearnedBy
) -> JudgedHead:
    """Learn naive Bayes from which words the texts have, however often."""
    weight = EM_WEIGHTS[learned_by]
    assert material.unlabelled is not None, "there are texts without labels"
    present, texts = material.features > 0, material.unlabelled > 0
    weights = np.vstack([*split_weights(targets, splits), targets.weights])
    *models, learned = naive_bayes_by_weights(present, targets, weights, texts, weight)
    sums = [
        model.sums(present[split.held_out]) for model, split in zip(models, splits, strict=True)
    ]
    wanted = held_out_targets(targets, splits)
    every = np.concatenate(sums)
    temperature = chosen_temperature(every, wanted)
    head = learned.head(temperature)
    return JudgedHead(material.views, learned_by, head, None, softmax(every / temperature))
