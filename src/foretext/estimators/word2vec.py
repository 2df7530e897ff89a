"""word2vec as an estimator."""

from __future__ import annotations

from typing import ClassVar, Literal

from foretext.base.parameters import keeping
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.estimators.vector_estimator import VectorEstimator

__all__ = ["Word2Vec"]


class Word2Vec(VectorEstimator):
    """Skip-gram and CBOW with negative sampling, hierarchical softmax or the full softmax.

    The guide of word2vec says when to change which setting. ``workers=None`` takes all cores;
    ``alpha=None`` is 0.025, of CBOW 0.05, and up to 0.1 for skip-gram of few words.

    >>> Word2Vec(model="cbow", vector_size=50)
    Word2Vec(model='cbow', vector_size=50)
    """

    recipe_name: ClassVar[str] = "word2vec"

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
        sync_words: int = 65536,
        model: Literal["skipgram", "cbow"] = "skipgram",
        loss: Literal["ns", "hs", "softmax"] = "ns",
        vector_size: int = 100,
        window: int = 5,
        negative: int = 5,
        ns_exponent: float = 0.75,
        noise_outside_context: bool = False,
        sample: float = 0.001,
        subsampling: Literal["word2vec", "paper"] = "word2vec",
        alpha: float | None = None,
        cbow_mean: bool = True,
        cbow_gradient: Literal["whole", "divided"] = "whole",
        keep: Literal["input", "mean"] = "input",
        exact: bool = False,
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
