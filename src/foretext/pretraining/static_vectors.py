"""Static token vectors in the place of a network: what it says of texts, without its layers.

Without texts each token goes through the teacher alone, between its special tokens; principal
components take the place of the dimensions, and a token weighs the less the more frequent its place
in the vocabulary says it is (model2vec, van Dongen & Tulkens 2024). With texts, vectors begin as
the mean of a token's states in them (Bommasani et al. 2020), and are then fitted so that the mean
of a text's tokens is the teacher's vector of the text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.base.config import Config
from foretext.base.errors import CorpusError, SettingError
from foretext.language_model import LanguageModel
from foretext.language_model.embedding import ReadTokens
from foretext.nn.pooling import through_layers
from foretext.pretraining.token_regression import TokenShares, regress
from foretext.tokenizers.laid_texts import laid
from foretext.vectors.principal_components import principal_components
from foretext.vectors.token_vectors import TokenVectors

__all__ = ["StaticConfig", "static_vectors"]

ALONE = 5  # occurrences that the vector of a token alone counts as, beside those in texts


class StaticConfig(Config):
    """How a network becomes static vectors."""

    dim: int = Field(256, ge=1)
    """Numbers of a vector; a narrower teacher gives as many as it has."""
    sif: float = Field(1e-4, gt=0)
    """Without texts a token weighs a / (a + p): this is a, and p the share of all tokens."""
    normalize: bool = True
    """Whether vectors of texts get length 1."""
    ridge: float = Field(0.01, gt=0)
    """With texts: how much a token's vector keeps to its mean state."""
    steps: int = Field(20, ge=0)
    """With texts: steps of the fit; 0 keeps the mean states."""
    num_texts: int = Field(4000, ge=1)
    """Texts of a corpus that the teacher reads, drawn at random from its beginning."""
    text_length: int = Field(128, ge=1)
    """Tokens of a text; longer documents are cut into several."""
    seed: int = 0
    """Which texts are drawn."""


Done = Callable[[int], object]


def static_vectors(
    teacher: LanguageModel,
    config: StaticConfig,
    texts: Sequence[str] | None = None,
    done: Done = int,
) -> TokenVectors:
    """Return static vectors of a teacher's tokens; special ones and unknown text have zeros.

    Args:
        teacher: any model that embeds.
        config: settings.
        texts: that the teacher reads; None: its tokens alone.
        done: is called with each number of tokens or pieces of texts that were read.

    Raises:
        CorpusError: there is no token in the texts.
        SettingError: the vocabulary has no token of text.
    """
    ordinary = np.flatnonzero(teacher.tokenizer.ordinary)
    if not len(ordinary):
        raise SettingError("The teacher's vocabulary has special tokens alone; give another model.")
    alone = teacher.read_tokens([[token] for token in ordinary.tolist()], done)
    if texts is None:
        found = _weighted(alone.texts, ordinary, config)
    else:
        found = _fitted(teacher, alone.means, texts, config, done)[ordinary]
    vectors = np.zeros((teacher.tokenizer.vocab_size, found.shape[1]), np.float32)
    vectors[ordinary] = found
    return TokenVectors(teacher.tokenizer, vectors, normalize=config.normalize)


def _weighted(
    alone: NDArray[np.float32], ordinary: NDArray[np.intp], config: StaticConfig
) -> NDArray[np.float32]:
    """Return components of what tokens give alone (V, D), weighted by Zipf's law, (V, K)."""
    found = principal_components(alone, min(config.dim, *alone.shape), remove_mean=True)
    assert found.mean is not None
    ranks = ordinary + 2.0  # the first one is no token of text, as in model2vec
    shares = (1 / ranks) / (1 / np.arange(2.0, ordinary.max() + 3)).sum()
    weights = config.sif / (config.sif + shares)
    vectors: NDArray[np.float64] = (alone - found.mean) @ found.directions * weights[:, None]
    return vectors.astype(np.float32)


def _fitted(
    teacher: LanguageModel,
    alone: NDArray[np.float32],
    texts: Sequence[str],
    config: StaticConfig,
    done: Done,
) -> NDArray[np.float32]:
    """Return vectors of all tokens (V, K) whose means are near the teacher's vectors of texts.

    Raises:
        CorpusError: there is no token in the texts.
    """
    rows = teacher.cut(texts, config.text_length)
    if not rows:
        raise CorpusError("There is no token of the teacher in the texts; give other ones.")
    if len(rows) > config.num_texts:
        rows = random.Random(config.seed).sample(rows, config.num_texts)
    read = teacher.read_tokens(rows, done)
    found = principal_components(read.texts, min(config.dim, *read.texts.shape), remove_mean=True)
    assert found.mean is not None
    targets = ((read.texts - found.mean) @ found.directions).astype(np.float32)
    first = through_layers(teacher.dense, _means_with_alone(read, alone))
    shares = read.counts / read.counts.sum()
    known = ((first - shares @ first) @ found.directions).astype(np.float32)
    return regress(
        TokenShares(laid(rows), len(known)), targets, known, ridge=config.ridge, steps=config.steps
    )


def _means_with_alone(read: ReadTokens, alone: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean state of each token (V, D), near that of the token alone if it is rare."""
    sums = read.sums + ALONE * alone
    counts = (read.counts + ALONE).astype(np.float32)
    means: NDArray[np.float32] = sums / counts[:, None]
    return means
