"""Word vectors of fewer dimensions by an autoencoder, which need not be linear."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from foretext.base.errors import SettingError, did_you_mean
from foretext.language_model.codec import Codec
from foretext.messages import message
from foretext.pretraining.autoencoders import train_autoencoder
from foretext.progress import is_quiet
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.vectors.word_vectors import WordVectors

__all__ = ["METHODS", "CodedVectors", "code_vectors"]

METHODS = {"linear": "linear-autoencoder", "denoising": "denoising-autoencoder"}
FEWEST_STEPS = 3_000  # of a small vocabulary's training; a large one takes the recipe's epochs


class CodedVectors(NamedTuple):
    """Codes in the place of vectors, and how much of the variance around the mean they keep."""

    vectors: WordVectors  # (V, K)
    variance_rate: float  # kept by the reconstructions, at most 1
    components_rate: float  # kept by as many principal components; no linear map keeps more


def code_vectors(
    vectors: WordVectors, dim: int, method: str, *, seed: int = 1, quiet: bool | None = None
) -> CodedVectors:
    """Train an autoencoder on the vectors (V, D), and return the codes (V, `dim`) of the words.

    Raises:
        SettingError: there is no such method, no such `dim`, or the vectors have n-grams, whose
            sums an autoencoder does not keep.
    """
    _check(vectors, dim, method)
    recipe = Recipe.from_settings(METHODS[method], {"dim": dim, "seed": seed, "valid_rate": 0.0})
    recipe = recipe.with_settings("training", epochs=_epochs(recipe, len(vectors)))
    context = RunContext(
        Path(), title=message("progress.autoencoder", method=method), quiet=is_quiet(quiet)
    )
    codec, _ = train_autoencoder(recipe, vectors.vectors, context)
    coded = WordVectors(
        vectors.index_to_key, codec.encode(vectors.vectors), vectors.counts, split=vectors.split
    )
    return CodedVectors(coded, *_rates(codec, vectors.vectors))


def _check(vectors: WordVectors, dim: int, method: str) -> None:
    if method not in METHODS:
        known = ("pca", *METHODS)
        hint = did_you_mean(method, known) or f" There are: {', '.join(known)}."
        raise SettingError(f"method = '{method}': vectors cannot be reduced by this.{hint}")
    if not 1 <= dim < vectors.vector_size:
        raise SettingError(
            f"dim = {dim}: vectors of {vectors.vector_size} dimensions can be coded in 1 to "
            f"{vectors.vector_size - 1} numbers."
        )
    if vectors.subwords is not None:
        raise SettingError(
            f"method = '{method}': an autoencoder has no vectors for n-grams; take 'pca', or "
            "convert the vectors to a file without n-grams, such as .txt, first."
        )


def _epochs(recipe: Recipe, num_words: int) -> float:
    training = recipe.parts["training"].settings()
    steps_per_epoch = num_words / training["batch_examples"]
    return float(max(training["epochs"], FEWEST_STEPS / steps_per_epoch))


def _rates(codec: Codec, rows: np.ndarray) -> tuple[float, float]:
    """Share of the variance around the mean that is kept by the codec, and by its components."""
    assert codec.components is not None, "a code has fewer numbers than a vector"
    variance = float(rows.var(axis=0, dtype=np.float64).mean())
    rate = 1 - codec.squared_error(rows) / variance if variance else 1.0
    return rate, codec.components.variance_rate
