"""Whether vectors have left their start: words that have nothing to do with each other differ.

The first updates move all words in one direction (Mimno and Thompson 2017), and only later ones
part them. Where there were too few, all words are near all words, and neighbours mean nothing. How
many are enough was measured: what counts is the learning rate times the words that are learned,
for each word of the vocabulary (`docs/decisions/0154-how-much-learning-parts-words.md`).
"""

from __future__ import annotations

import math

import numpy as np

from foretext.messages import clauses, message
from foretext.vectors.word_vectors import WordVectors

__all__ = ["crowding_sentence", "longer_learning", "mean_cosine"]

PAIRS = 10_000  # of words, drawn
USUAL = 0.6  # below, words are apart: 0.05 to 0.55 wherever neighbours made sense
FEWEST = 500  # words; of fewer, many pairs are related

ENOUGH = {"skipgram": 25.0, "cbow": 50.0}  # rate times words learned, for each word
HIGHEST_RATE = {"skipgram": 0.1, "cbow": 0.2}  # that is advised; higher ones may diverge
LEAST_FACTOR = 2.0  # by which there is more learning; less would change little
NEARLY = 1.1  # times a figure that is as good


def mean_cosine(vectors: WordVectors, seed: int = 0) -> float:
    """Return the mean cosine of pairs of words that are drawn; vectors of zeros count as 0."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, len(vectors), (2, PAIRS))
    differ = first != second
    rows = np.asarray(vectors.vectors, np.float32)
    left, right = rows[first[differ]], rows[second[differ]]  # (P, D)
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines = (left * right).sum(1) / np.maximum(lengths, np.finfo(np.float32).tiny)
    return float(cosines.mean()) if cosines.size else 0.0


def crowding_sentence(
    vectors: WordVectors, remedy: str = "", *, went_past_best: bool = False
) -> str | None:
    """Return what a person should know where all words are near each other; None: they are not.

    Args:
        vectors: that were learned.
        remedy: what to do about it, such as `longer_learning` says; "": what suits any vectors.
        went_past_best: whether more epochs learn the text by heart, as `ending_sentence` says. A
            higher rate gets there sooner, and only more text helps.
    """
    if len(vectors) < FEWEST or (cosine := mean_cosine(vectors)) < USUAL:
        return None
    said = message("findings.vectors.crowded", cosine=cosine, usual=USUAL)
    more = message("findings.vectors.more_text")
    return clauses(
        [said, more if went_past_best else remedy or message("findings.vectors.general")]
    )


def longer_learning(
    model: str, alpha: float, epochs: float | None, learned: float, vocab_size: int
) -> str:
    """Return which rate or how many epochs part the words, for `crowding_sentence`.

    Args:
        model: "skipgram" or "cbow".
        alpha: learning rate at the start.
        epochs: passes over the text; None: a time was given instead.
        learned: words that all of these learned, after sub-sampling.
        vocab_size: words with a vector.
    """
    factor = max(ENOUGH[model] * vocab_size / (alpha * max(learned, 1.0)), LEAST_FACTOR)
    rate = float(f"{min(alpha * factor, HIGHEST_RATE[model]):.2g}")
    raised = rate / alpha
    if raised < NEARLY:
        advice = _longer(epochs, factor)
    elif factor < NEARLY * raised:
        longer = _longer(epochs, factor)
        advice = message("findings.vectors.rate_or", rate=rate, longer=longer)
    else:
        longer = _longer(epochs, factor / raised)
        advice = message("findings.vectors.rate_and", rate=rate, longer=longer)
    return message("findings.vectors.or_text", advice=advice)


def _longer(epochs: float | None, factor: float) -> str:
    if epochs is None:
        return message("findings.vectors.time", factor=math.ceil(factor))
    return message("findings.vectors.fewer", epochs=math.ceil(factor * epochs))
