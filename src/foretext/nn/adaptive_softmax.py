"""Adaptive softmax: an exact softmax over many words that spends its time on the frequent ones.

Grave et al. 2017, "Efficient softmax approximation for GPUs", section 4. The head scores the most
frequent words and, as further classes, the clusters of all others; a rare word's probability is
that of its cluster times its own within the cluster. Clusters see states that are mapped to fewer
numbers, and a position costs only the head and the cluster of its target. Nothing is approximated:
the probabilities of all words sum to 1.

M: target positions, V: vocabulary, D: width, C: clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from foretext.base.errors import SettingError
from foretext.nn.linear_cross_entropy import linear_cross_entropy
from foretext.nn.token_head import Score, TokenHead

__all__ = ["AdaptiveSoftmax", "usual_cutoffs"]

CHUNK_BYTES = 1 << 25  # of log-probabilities at a time
SMALL_VOCABULARY = 20_000  # words


class AdaptiveSoftmax(TokenHead):
    """A head of frequent words and clusters of rare ones.

    It is exact in any order of ids, and fast where the frequent words have the first ones. The
    parameters are those of `torch.nn.AdaptiveLogSoftmaxWithLoss` without a bias: the first ids of
    its head are `words`, the others `clusters`.

    Args:
        dim: width of a state, D.
        vocab_size: words, V.
        cutoffs: the first id of each cluster, in increasing order; ids below the first one are
            scored by the head.
        div_value: cluster number i sees states of D / div_value^i numbers, the first is number 1.
        tied: the token vectors, (V, D), whose first ones are the head's weights for its words;
            None: weights of its own.

    Raises:
        SettingError: cutoffs do not increase, or reach beyond the vocabulary.
    """

    smooths = False  # it would need the logits of all clusters at every position

    def __init__(
        self,
        dim: int,
        vocab_size: int,
        cutoffs: Sequence[int],
        *,
        div_value: float = 4.0,
        tied: nn.Parameter | None = None,
    ) -> None:
        super().__init__()
        _check(cutoffs, vocab_size)
        self.vocab_size = vocab_size
        self.cutoffs = tuple(cutoffs)
        starts, ends = self.cutoffs, (*self.cutoffs[1:], vocab_size)
        if tied is None:
            tied = _drawn(starts[0], dim)
        self.words = tied  # (V or the first cutoff, D)
        self.clusters = _drawn(len(starts), dim)  # (C, D)
        self.tails = nn.ModuleList(
            _tail(dim, max(int(dim // div_value**number), 1), end - start)
            for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
        )

    def forward(self, hidden: Tensor) -> Tensor:
        """Map states (..., D) to log-probabilities (..., V), float32."""
        return self.log_probs(hidden.flatten(0, -2)).view(*hidden.shape[:-1], self.vocab_size)

    def log_probs(self, hidden: Tensor) -> Tensor:
        """Return the log-probability of every word, (M, V) float32, after states (M, D)."""
        head = _log_softmax(F.linear(hidden, self._head_weight()))
        words, clusters = head[:, : self.cutoffs[0]], head[:, self.cutoffs[0] :]
        parts = [words]
        for tail, cluster in zip(self.tails, clusters.unbind(1), strict=True):
            parts.append(_log_softmax(tail(hidden)) + cluster[:, None])
        return torch.cat(parts, dim=1)

    def score(self, hidden: Tensor, targets: Tensor, smoothing: float = 0.0) -> Score:
        """Score states (M, D) against the ids (M,) of their positions; nothing is smoothed.

        Right answers are counted where nothing learns (`torch.no_grad`), as they need the words of
        other clusters, too. The loss is the same with and without.
        """
        assert not smoothing, "smooths is False"
        if torch.is_grad_enabled():
            return Score(self._loss(hidden, targets))
        rows = max(1, CHUNK_BYTES // (4 * self.vocab_size))
        parts = [
            self._measured(hidden[first : first + rows], targets[first : first + rows])
            for first in range(0, max(len(hidden), 1), rows)
        ]
        losses, correct = zip(*parts, strict=True)
        return Score(torch.stack(losses).sum(), torch.stack(correct).sum())

    def _loss(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Return the summed loss: of the head at every position, of a cluster at its own."""
        numbers, classes = self._classes(targets)
        loss, _ = linear_cross_entropy(hidden, self._head_weight(), None, classes)
        for number, (start, tail) in enumerate(zip(self.cutoffs, self.tails, strict=True), 1):
            rows = (numbers == number).nonzero()[:, 0]
            narrow, words = cast(nn.Sequential, tail)
            states = narrow(hidden.index_select(0, rows))
            weight = cast(nn.Linear, words).weight
            loss = loss + linear_cross_entropy(states, weight, None, targets[rows] - start)[0]
        return loss

    def _measured(self, hidden: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Return the summed loss, and how often the target is the likeliest word.

        A cluster is looked into where the target is in it, or where it is likelier than the best
        word so far: a word of it can be that, too.
        """
        numbers, classes = self._classes(targets)
        head = _log_softmax(F.linear(hidden, self._head_weight()))
        found = head.gather(1, classes[:, None])[:, 0]  # (M,) log-probability of the target
        best, answers = head[:, : self.cutoffs[0]].max(1)
        for number, (start, tail) in enumerate(zip(self.cutoffs, self.tails, strict=True), 1):
            cluster, own = head[:, self.cutoffs[0] + number - 1], numbers == number
            rows = (own | (cluster > best)).nonzero()[:, 0]
            words = _log_softmax(tail(hidden[rows])) + cluster[rows, None]
            top, places = words.max(1)
            answers[rows] = torch.where(top > best[rows], start + places, answers[rows])
            best[rows] = torch.maximum(top, best[rows])
            scored = words.gather(1, (targets[rows] - start).clamp(0, words.shape[1] - 1)[:, None])
            found[rows] = torch.where(own[rows], scored[:, 0], found[rows])
        return -found.sum(), (answers == targets).sum()

    def _classes(self, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Return the cluster of each target, 0 = none, and its class in the head, (M,) each."""
        numbers = torch.bucketize(targets, targets.new_tensor(self.cutoffs), right=True)
        return numbers, torch.where(numbers == 0, targets, self.cutoffs[0] + numbers - 1)

    def _head_weight(self) -> Tensor:
        """Return the vectors of the head's words and of the clusters, (first cutoff + C, D)."""
        return torch.cat((self.words[: self.cutoffs[0]], self.clusters))


def usual_cutoffs(vocab_size: int) -> list[int]:
    """Return cutoffs for a vocabulary: one cluster of a small one, two of a large one.

    With 33,000 words and counts that fall as 1/rank, two clusters take 0.4 of the time of one.
    """
    if vocab_size <= SMALL_VOCABULARY:
        return [max(vocab_size // 5, 1)]
    return [max(vocab_size // 20, 2_000), vocab_size // 4]


def _check(cutoffs: Sequence[int], vocab_size: int) -> None:
    wrong = None
    if not cutoffs or cutoffs[0] < 1 or sorted({*cutoffs}) != [*cutoffs]:
        wrong = "give one or more ids above 0, in increasing order"
    elif cutoffs[-1] >= vocab_size:
        wrong = f"the vocabulary has {vocab_size:,} tokens; give smaller ids or a larger vocabulary"
    if wrong is not None:
        raise SettingError(f"[objective] cutoffs = {[*cutoffs]}: {wrong}.")


def _drawn(rows: int, dim: int) -> nn.Parameter:
    """Return weights (rows, D) in the range that PyTorch draws linear layers from."""
    weights = nn.Parameter(torch.empty(rows, dim))
    nn.init.uniform_(weights, -(dim**-0.5), dim**-0.5)
    return weights


def _tail(dim: int, narrow: int, num_words: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(dim, narrow, bias=False), nn.Linear(narrow, num_words, bias=False)
    )


def _log_softmax(logits: Tensor) -> Tensor:
    return logits.float().log_softmax(-1)
