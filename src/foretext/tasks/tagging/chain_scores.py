"""The scores of a linear chain for the tokens of sentences, decoded to tags and probabilities."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.heads.tag_set import TagSet
from foretext.kernels.crf import expectations
from foretext.kernels.viterbi import best_paths

__all__ = ["ChainScores", "ScoredPath"]

Array = NDArray[np.float64]


class ScoredPath(NamedTuple):
    """The tags of a sentence, by their numbers."""

    tags: list[int]  # T
    score: float  # the sum of emissions and steps
    log_probability: float  # among all paths


class ChainScores:
    """Scores of N tokens of some sentences that lie end to end, C tags.

    Args:
        tag_set: the tags.
        scores: (N, C) of each tag at each token; -inf where it is forbidden.
        steps: (C, C) of the column's tag after the row's; -inf where it never follows.
        starts: (B + 1,) where sentences start.
    """

    def __init__(
        self, tag_set: TagSet, scores: Array, steps: Array, starts: NDArray[np.int64]
    ) -> None:
        self.tag_set = tag_set
        self.scores = scores
        self.steps = steps
        self.starts = starts

    def tags(self) -> list[list[str]]:
        """Return the best tags of each sentence, as the user's files write them."""
        return [self.tag_set.written(tags) for tags in self.plain_tags()]

    def plain_tags(self) -> list[list[str]]:
        """Return the best tags of each sentence, such as "B-PER", in the user's scheme."""
        return [self.tag_set.tags(indices) for indices in self.indices()]

    def indices(self) -> list[list[int]]:
        """Return the best tags of each sentence as indices."""
        if not len(self.scores):
            return [[] for _ in self.starts[1:]]
        found = best_paths(self.scores, self.steps, self.starts).tolist()
        return [found[first:last] for first, last in pairwise(self.starts.tolist())]

    def probabilities(self, temperature: float = 1.0) -> list[Array]:
        """Return each tag's probability at each token over all paths, (T, C) of each sentence."""
        if not len(self.scores):
            return [self.scores for _ in self.starts[1:]]
        tags = expectations(self.scores / temperature, self.steps / temperature, self.starts).tags
        assert tags is not None
        return [tags[first:last] for first, last in pairwise(self.starts.tolist())]

    def confidences(self) -> Array:
        """Return the probability of the best tags of each sentence, (B,), per token.

        It is the geometric mean over the tokens, as of `foretext.tasks.tagging.scores`.
        """
        logs = self.log_probabilities(self.indices())
        lengths = np.maximum(np.diff(self.starts), 1)
        found: Array = np.exp(logs / lengths).clip(0.0, 1.0)
        return found

    def log_probabilities(self, paths: list[list[int]]) -> Array:
        """Return log P of a path of tags of each sentence, (B,)."""
        found = np.zeros(len(paths))
        for number, ((first, last), path) in enumerate(
            zip(pairwise(self.starts.tolist()), paths, strict=True)
        ):
            if first < last:
                own = self.scores[first:last]
                bounds = np.array([0, last - first], np.int64)
                total = expectations(own, self.steps, bounds, learns=False).log_partition
                found[number] = self.path_score(own, path) - total
        return found

    def best(self) -> ScoredPath:
        """Return the best path of a single sentence, which has tokens."""
        (path,) = self.indices()
        (log,) = self.log_probabilities([path]).tolist()
        return ScoredPath(path, self.path_score(self.scores, path), log)

    def path_score(self, scores: Array, path: list[int]) -> float:
        """Return the sum of emissions and steps of a sentence (T, C)."""
        steps = sum(self.steps[a, b] for a, b in pairwise(path))
        return float(scores[np.arange(len(path)), path].sum() + steps)
