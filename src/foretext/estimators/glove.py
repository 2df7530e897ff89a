"""GloVe as an estimator."""

from __future__ import annotations

from typing import ClassVar, Literal

from foretext.base.parameters import keeping
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.estimators.vector_estimator import VectorEstimator

__all__ = ["GloVe"]


class GloVe(VectorEstimator):
    """Vectors whose dot products are the logarithms of how often words stand near each other.

    The result is the same, to the bit, for any number of workers; ``workers=None`` takes all cores.
    ``valid_rate`` is the share of cells held out.

    >>> GloVe(vector_size=50, x_max=10.0)
    GloVe(vector_size=50, x_max=10.0)
    """

    recipe_name: ClassVar[str] = "glove"

    @keeping
    def __init__(
        self,
        *,
        epochs: int = 25,
        budget_seconds: float | None = None,
        workers: int | None = None,
        seed: int = 1,
        checkpoint_seconds: float = 60.0,
        processes: int = 1,
        vector_size: int = 100,
        window: int = 15,
        by_distance: bool = True,
        x_max: float = 100.0,
        exponent: float = 0.75,
        alpha: float = 0.05,
        memory: str = "2GB",
        cooccurrence: str | None = None,
        # words and text
        format: str = "auto",
        column: str = "text",
        encoding: str = "utf-8",
        lines: Literal["auto", "whole", "wrapped"] = "auto",
        documents: Literal["auto", "line", "blank_line", "blank_lines", "file"] = "auto",
        sentences: Literal["line", "punctuation"] = "line",
        normalization: Literal["none", "NFC", "NFKC"] = "NFC",
        max_piece_bytes: int = LARGEST_PIECE,
        pre_tokenizer: Literal["auto"] | PreTokenizerKind = "auto",
        lowercase: bool = True,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        unknown_words: tuple[str, ...] = (),
        valid_rate: float = 0.01,
    ) -> None: ...
