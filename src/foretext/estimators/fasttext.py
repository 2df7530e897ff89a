"""fastText's word vectors as an estimator."""

from __future__ import annotations

from typing import ClassVar, Literal

from foretext.base.parameters import keeping
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.estimators.vector_estimator import VectorEstimator

__all__ = ["FastText"]


class FastText(VectorEstimator):
    """Skip-gram and CBOW over character n-grams, so that unseen words have vectors too.

    ``minn`` and ``maxn`` are the least and the greatest number of characters of an n-gram;
    ``workers=None`` takes all cores.

    >>> FastText(minn=2, maxn=4)
    FastText(minn=2, maxn=4)
    """

    recipe_name: ClassVar[str] = "fasttext"

    @keeping
    def __init__(
        self,
        *,
        epochs: int = 5,
        budget_seconds: float | None = None,
        workers: int | None = None,
        seed: int = 1,
        checkpoint_seconds: float = 60.0,
        min_alpha: float = 0.0001,
        patience: int | None = None,
        processes: int = 1,
        sync_words: int = 16384,
        model: Literal["skipgram", "cbow"] = "skipgram",
        loss: Literal["ns", "hs"] = "ns",
        vector_size: int = 100,
        window: int = 5,
        negative: int = 5,
        ns_exponent: float = 0.5,
        sample: float = 0.0001,
        minn: int = 3,
        maxn: int = 6,
        bucket: int = 2000000,
        alpha: float = 0.05,
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
