"""What a prediction is scored against: noise words, a Huffman path, or the whole vocabulary."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.alias import alias_table
from foretext.kernels.huffman import huffman_paths
from foretext.kernels.word2vec_arrays import Targets
from foretext.vectors.held_out import logistic_losses, softmax_losses

__all__ = [
    "FullSoftmax",
    "HierarchicalSoftmax",
    "NegativeSampling",
    "OutputLayer",
    "as_chances",
    "centre_chances",
    "keep_rates",
    "noise_weights",
    "random64",
]


class OutputLayer(ABC):
    """One of three: `targets` is what the kernel reads, `losses` the same in numpy."""

    targets: Targets
    weights: NDArray[np.float64] | None = None  # (V,) the chance of each as a noise word, if any

    @abstractmethod
    def draw(self, centres: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Output rows (P, N), -1 where there is none, and labels (P, N) of fixed predictions."""

    @abstractmethod
    def uses(self, chances: np.ndarray) -> np.ndarray:
        """Return how often each output row is met, from how often each word is a centre, (V,)."""

    def losses(
        self,
        hidden: np.ndarray,  # (P, D)
        outputs: np.ndarray,  # (rows, D)
        rows: np.ndarray,  # (P, N)
        labels: np.ndarray,  # (P, N) bool
    ) -> np.ndarray:
        """Return the loss of each prediction: (P,)."""
        return logistic_losses(hidden, outputs, rows, labels)


class NegativeSampling(OutputLayer):
    """The centre word against K noise words, drawn by count ** exponent."""

    def __init__(self, counts: np.ndarray, negatives: int, exponent: float) -> None:
        weights = noise_weights(counts, exponent)
        self.weights: NDArray[np.float64] = weights / weights.sum()
        self.targets = _targets(counts, negatives, alias_table(weights), most=negatives + 1)

    def draw(self, centres: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Row 0 is the centre; the others are noise words, none of them the centre."""
        rng = np.random.default_rng(seed)
        noise = np.repeat(centres[:, None], self.targets.negatives, axis=1)
        while (same := noise == centres[:, None]).any():
            noise[same] = rng.choice(len(self.weights), same.sum(), p=self.weights)
        rows = np.concatenate([centres[:, None], noise], axis=1)
        return rows, np.broadcast_to(np.arange(rows.shape[1]) == 0, rows.shape)

    def uses(self, chances: np.ndarray) -> np.ndarray:
        """Each word as a centre and as noise: (V,)."""
        return np.asarray(chances + chances.sum() * self.targets.negatives * self.weights)


class HierarchicalSoftmax(OutputLayer):
    """A yes or no at each inner node on the way to the centre word; costs log2 V a word.

    Of the `num_hot` nodes nearest to the root every worker has copies, which it exchanges now and
    then.
    """

    def __init__(self, counts: np.ndarray, *, num_hot: int = 0) -> None:
        order = np.argsort(counts, kind="stable")
        order = order[counts[order] > 0]
        starts, nodes, codes = huffman_paths(order, counts)
        num_nodes = len(order) - 1
        num_hot = min(num_hot, num_nodes)
        self.targets = _targets(counts, 0, None, most=int(np.diff(starts).max()))._replace(
            path_starts=starts,
            path_nodes=nodes,
            path_codes=codes,
            hot_first=num_nodes - num_hot,  # the root has the highest number
            num_hot=num_hot,
        )

    def draw(self, centres: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Nothing is random here: the nodes of each path, labelled 1 - code."""
        starts, nodes, codes = self.targets[2:5]
        lengths = np.diff(starts)[centres]
        steps = np.arange(lengths.max(initial=0))
        inside = steps < lengths[:, None]
        at = np.where(inside, starts[centres][:, None] + steps, 0)
        return np.where(inside, nodes[at], -1), codes[at] == 0

    def uses(self, chances: np.ndarray) -> np.ndarray:
        """Each node by the words below it, (nodes,)."""
        starts, nodes = self.targets.path_starts, self.targets.path_nodes
        number = self.targets.hot_first + self.targets.num_hot
        return np.bincount(nodes, np.repeat(chances, np.diff(starts)), minlength=number)


class FullSoftmax(OutputLayer):
    """Every word of the vocabulary: exact, and as slow as the vocabulary is large."""

    def __init__(self, counts: np.ndarray) -> None:
        self.targets = _targets(counts, 0, None, most=1)
        self.vocab_size = len(counts)

    def draw(self, centres: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Only the centre is named; all other words are scored anyway."""
        return centres[:, None], np.ones((len(centres), 1), bool)

    def uses(self, chances: np.ndarray) -> np.ndarray:
        """Each word as a centre, (V,); as one of all others it moves little."""
        return chances

    def losses(
        self, hidden: np.ndarray, outputs: np.ndarray, rows: np.ndarray, labels: np.ndarray
    ) -> np.ndarray:
        """Return -log P(centre) of each prediction: (P,)."""
        return softmax_losses(hidden, outputs[1 : self.vocab_size], rows[:, 0] - 1)


def _targets(counts: np.ndarray, negatives: int, noise: np.ndarray | None, *, most: int) -> Targets:
    return Targets(
        negatives,
        np.zeros((0, 2), np.uint32) if noise is None else noise,
        np.zeros(len(counts) + 1, np.int64),
        np.zeros(0, np.int32),
        np.zeros(0, np.uint8),
        most,
        hot_first=len(counts),
        num_hot=0,
    )


def keep_rates(counts: np.ndarray, sample: float, formula: str) -> np.ndarray:
    """Return the chance of each word to survive sub-sampling.

    counts: (V,) int64; result: (V,) float64. With f a word's share of the text and t = `sample`:
    "word2vec" keeps with (sqrt(f / t) + 1) * t / f, as the authors' program and gensim do (t about
    1e-3); "paper" drops with 1 - sqrt(t / f) (Mikolov et al. 2013, eq. 5; t about 1e-4). A word
    that never occurs is never kept; `sample` 0 keeps all others.
    """
    occurs = counts > 0
    if sample == 0:
        return occurs.astype(np.float64)
    shares = np.maximum(counts, 1) / max(counts.sum(), 1)
    if formula == "paper":
        rates = np.sqrt(sample / shares)
    else:
        rates = (np.sqrt(shares / sample) + 1) * sample / shares
    return np.where(occurs, np.minimum(rates, 1.0), 0.0)


def noise_weights(counts: np.ndarray, exponent: float) -> np.ndarray:
    """Return count ** exponent for each word, zero for those that never occur: (V,) float64."""
    return np.where(counts > 0, np.maximum(counts, 1).astype(np.float64) ** exponent, 0.0)


def as_chances(rates: np.ndarray) -> np.ndarray:
    """Return rates from 0 to 1 as uint32 thresholds for 32 random bits: (V,)."""
    return np.minimum(rates * 2.0**32, 2.0**32 - 1).astype(np.uint32)


def centre_chances(counts: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Return how often each word is a centre, in a token of the text: (V,) float64."""
    return np.asarray(counts * keep / max(counts.sum(), 1))


def random64(counter: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return what `foretext.kernels.draws.random64` gives for each counter, of any shape."""
    mixed = counter * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return result
