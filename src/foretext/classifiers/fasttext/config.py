"""Settings of fastText's classifier, with the defaults of the authors' program."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from foretext.config import Config
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.kernels.fasttext_classifier import (
    HIERARCHICAL,
    NEGATIVE_SAMPLING,
    ONE_VS_ALL,
    SOFTMAX,
)
from foretext.runtime import usable_cores
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.schedule import DescentConfig

__all__ = ["LOSSES", "FastTextClassifierConfig", "Loss"]

Loss = Literal["softmax", "hs", "ns", "ova"]

LOSSES: dict[Loss, int] = {
    "softmax": SOFTMAX,
    "hs": HIERARCHICAL,
    "ns": NEGATIVE_SAMPLING,
    "ova": ONE_VS_ALL,
}
LEAST_RATE = 1e-8  # at the end of a training: none


class FastTextClassifierConfig(Config):
    """Settings of the section `[classifier]`."""

    lr: float = Field(0.1, gt=0)
    """Learning rate at the start; it falls in a line to 0."""
    epochs: int = Field(5, ge=1)
    """Passes over the texts."""
    dim: int = Field(100, ge=1, le=10_000)
    """Numbers of a vector."""
    loss: Loss = "softmax"
    """Softmax, hierarchical softmax (hs), negative sampling (ns) or one-vs-all (ova)."""
    word_ngrams: int = Field(1, ge=1, le=100)
    """Length of the longest n-gram of words."""
    minn: int = Field(0, ge=0, le=100)
    """Length of the shortest n-gram of characters."""
    maxn: int = Field(0, ge=0, le=100)
    """Length of the longest n-gram of characters; 0: none."""
    bucket: int = Field(2_000_000, ge=1, le=2**28)
    """Number of rows that n-grams are hashed into."""
    min_count: int = Field(1, ge=1)
    """Occurrences that a word needs; rarer ones are unknown."""
    min_count_label: int = Field(0, ge=0)
    """Occurrences that a label needs; rarer ones are not learned."""
    negative: int = Field(5, ge=1, le=1_000)
    """Other labels that are drawn for each right one, if loss is ns."""
    pre_tokenizer: Literal["blanks"] | PreTokenizerKind = "blanks"
    """What a word is; blanks: as fastText's program cuts."""
    lowercase: bool = False
    """Turn texts to lower case."""
    label_prefix: str = Field("__label__", min_length=1)
    """Beginning of labels within a text of fastText's format; such words are no words."""
    pretrained_vectors: str | None = None
    """A run or a vector file to begin with."""
    budget_seconds: float | None = Field(None, gt=0)
    """Wall-clock time of the training, in place of epochs."""
    patience: int | None = Field(None, ge=1)
    """Early stopping: epochs without a lower held-out loss."""
    workers: int = Field(default_factory=usable_cores, ge=1)
    """Threads; by default the usable cores."""
    seed: int = Field(1, ge=0, lt=2**31)
    """Of all random draws."""

    @model_validator(mode="after")
    def _has_effect(self) -> Self:
        for names, needed, holds in (
            (("negative",), 'without loss = "ns"', self.loss == "ns"),
            (("minn",), "without n-grams of characters (maxn = 0)", self.maxn > 0),
            (("bucket",), "without n-grams (word_ngrams = 1, maxn = 0)", self.has_ngrams),
            (("epochs",), "beside a budget", self.budget_seconds is None),
        ):
            if (idle := [name for name in names if name in self.changed]) and not holds:
                raise ValueError(f"{' and '.join(idle)} would have no effect {needed}")
        if 0 < self.maxn < self.minn:
            raise ValueError(f"maxn = {self.maxn} must not be less than minn = {self.minn}")
        if len(self.label_prefix.split()) != 1 or self.label_prefix.strip() != self.label_prefix:
            raise ValueError(f"label_prefix = {self.label_prefix!r}: it must hold no blank")
        return self

    @property
    def has_ngrams(self) -> bool:
        """Whether anything is hashed into buckets."""
        return self.word_ngrams > 1 or self.maxn > 0

    @property
    def num_buckets(self) -> int:
        """Buckets that there are: none where nothing is hashed."""
        return self.bucket if self.has_ngrams else 0

    @property
    def ngrams(self) -> CharacterNgrams:
        """How words are cut into characters."""
        return CharacterNgrams(self.minn, self.maxn, self.num_buckets)

    @property
    def descent(self) -> DescentConfig:
        """Settings of the loop over slices."""
        shared = ("epochs", "budget_seconds", "workers", "seed", "patience")
        settings = {name: getattr(self, name) for name in shared}
        least = min(LEAST_RATE, self.lr)
        return DescentConfig.checked({**settings, "min_alpha": least}, "classifier")
