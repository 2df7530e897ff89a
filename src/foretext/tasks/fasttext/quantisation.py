"""Smaller classifiers: fewer rows, and rows of bytes (Joulin et al. 2016, "FastText.zip")."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.simd import aligned_zeros, padded
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.product_quantizer import ProductQuantizer
from foretext.tasks.fasttext.rows import DenseRows
from foretext.vectors.ngrams import LINE_END

__all__ = ["QuantisedRows", "prune", "quantise"]

BLOCK_ROWS = 1 << 16  # decoded at once


class QuantisedRows:
    """R rows as codes; what a text needs of them is decoded when it is needed.

    Args:
        codes: (R, P) uint8.
        quantizer: what they mean.
        norm_codes: (R,) uint8, the length of each row where codes are of its direction; or None.
        norm_quantizer: of lengths, one number each.
    """

    def __init__(
        self,
        codes: NDArray[np.uint8],
        quantizer: ProductQuantizer,
        norm_codes: NDArray[np.uint8] | None = None,
        norm_quantizer: ProductQuantizer | None = None,
    ) -> None:
        assert (norm_codes is None) == (norm_quantizer is None)
        self.codes = codes
        self.quantizer = quantizer
        self.norm_codes = norm_codes
        self.norm_quantizer = norm_quantizer
        self.dim = quantizer.dim

    def __len__(self) -> int:
        return len(self.codes)

    def gather(self, numbers: NDArray[np.int32]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Decode the rows that occur, flat and padded; return them and `numbers` within them."""
        used = np.zeros(len(self) + 1, bool)
        used[numbers] = True  # -1 marks the last place, which is no row
        needed = np.flatnonzero(used[:-1]).astype(np.int32)
        places = np.full(len(self) + 1, -1, np.int32)
        places[needed] = np.arange(len(needed))
        stride = padded(self.dim)
        flat = aligned_zeros(len(needed), stride)
        flat.reshape(-1, stride)[:, : self.dim] = self.take(needed)
        return flat, places[numbers]

    def take(self, numbers: NDArray[np.int32]) -> NDArray[np.float32]:
        """Decode rows (K, D)."""
        rows = self.quantizer.decode(self.codes[numbers])
        if self.norm_codes is not None and self.norm_quantizer is not None:
            rows *= self.norm_quantizer.decode(self.norm_codes[numbers, None])
        return rows


def prune(model: FastTextModel, cutoff: int) -> FastTextModel:
    """Keep the `cutoff` words and buckets with the longest rows, the line end in any case.

    The words left out are unknown from then on, and n-grams left out count as nothing.
    """
    dictionary, num_words = model.dictionary, len(model.dictionary)
    rows = np.concatenate([model.word_rows, model.bucket_rows])
    lengths = np.concatenate(
        [
            np.linalg.norm(model.rows.take(rows[at : at + BLOCK_ROWS]), axis=1)
            for at in range(0, len(rows), BLOCK_ROWS)
        ]
    )
    if LINE_END in dictionary.words:
        lengths[dictionary.words.index(LINE_END)] = np.inf
    kept = np.sort(np.argsort(-lengths, kind="stable")[:cutoff])
    words = kept[kept < num_words]
    buckets = kept[len(words) :] - num_words
    used, places = np.unique(rows[kept], return_inverse=True)
    numbers: NDArray[np.int32] = places.astype(np.int32)
    return replace(
        model,
        dictionary=dictionary.of_words(words),
        word_rows=numbers[: len(words)],
        buckets=model.buckets[buckets],
        bucket_rows=numbers[len(words) :],
        rows=DenseRows.of(model.rows.take(used)),
        pruned=True,
    )


def quantise(model: FastTextModel, *, dsub: int = 2, qnorm: bool = False) -> FastTextModel:
    """Turn the rows into codes of a byte for every `dsub` numbers; outputs stay as they are.

    With `qnorm` the length of a row has a byte of its own, and the codes are of its direction.
    N-grams without a row count as nothing from then on.
    """
    config = model.dictionary.config
    rows = model.rows.take(np.arange(len(model.rows), dtype=np.int32))
    norms: tuple[NDArray[np.uint8] | None, ProductQuantizer | None] = (None, None)
    if qnorm:
        lengths = np.linalg.norm(rows, axis=1)[:, None]  # (R, 1)
        rows /= np.where(lengths > 0, lengths, 1)
        of_norms = ProductQuantizer.learn(lengths, 1, config.seed)
        norms = of_norms.encode(lengths)[:, 0].copy(), of_norms
    quantizer = ProductQuantizer.learn(rows, dsub, config.seed, config.workers)
    codes = quantizer.encode(rows, config.workers)
    return replace(model, rows=QuantisedRows(codes, quantizer, *norms), pruned=True)
