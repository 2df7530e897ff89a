"""Settings of fastText's classifier: as a person gives them, and as a model has them."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.base.runtime import usable_cores
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.kernels.fasttext_classifier import (
    HIERARCHICAL,
    NEGATIVE_SAMPLING,
    ONE_VS_ALL,
    SOFTMAX,
)
from foretext.tasks.fasttext.text_profile import TextProfile
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.schedule import DescentConfig

__all__ = [
    "LOSSES",
    "PROGRAM_DEFAULTS",
    "FastTextClassifierConfig",
    "Loss",
    "ResolvedConfig",
    "Splitting",
]

Loss = Literal["softmax", "hs", "ns", "ova"]
Splitting = Literal["blanks"] | PreTokenizerKind  # blanks: as the authors' program

LOSSES: dict[Loss, int] = {
    "softmax": SOFTMAX,
    "hs": HIERARCHICAL,
    "ns": NEGATIVE_SAMPLING,
    "ova": ONE_VS_ALL,
}
LEAST_RATE = 1e-8  # at the end of a training: none

PROGRAM_DEFAULTS: dict[str, Any] = {
    "lr": 0.1,
    "epochs": 5,
    "word_ngrams": 1,
    "minn": 0,
    "maxn": 0,
    "pre_tokenizer": "blanks",
    "lowercase": False,
}
"""What fastText's own program takes where nobody says anything."""


class FastTextClassifierConfig(Config):
    """Settings of the section `[classifier]`; what is open is chosen for the rows."""

    lr: float | None = Field(None, gt=0)
    """Learning rate at the start, which falls in a line to 0; none: chosen for the rows."""
    epochs: int | None = Field(None, ge=1)
    """Passes over the texts; none: chosen for the rows."""
    dim: int = Field(100, ge=1, le=10_000)
    """Numbers of a vector."""
    loss: Loss = "softmax"
    """Softmax, hierarchical softmax (hs), negative sampling (ns) or one-vs-all (ova)."""
    word_ngrams: int | None = Field(None, ge=1, le=100)
    """Length of the longest n-gram of words; none: chosen for the rows."""
    minn: int | None = Field(None, ge=0, le=100)
    """Length of the shortest n-gram of characters; none: chosen with maxn."""
    maxn: int | None = Field(None, ge=0, le=100)
    """Length of the longest n-gram of characters; 0: without; none: chosen for the rows."""
    bucket: int | None = Field(None, ge=1, le=2**28)
    """Number of rows that n-grams are hashed into; none: chosen for the rows, or 2,000,000."""
    min_count: int = Field(1, ge=1)
    """Occurrences that a word needs; rarer ones are unknown."""
    min_count_label: int = Field(0, ge=0)
    """Occurrences that a label needs; rarer ones are not learned."""
    negative: int = Field(5, ge=1, le=1_000)
    """Other labels that are drawn for each right one, if loss is ns."""
    pre_tokenizer: Literal["auto"] | Splitting = "auto"
    """What a word is; auto: chosen for the script; blanks: as fastText's program cuts."""
    lowercase: bool | None = None
    """Turn texts to lower case; none: yes, unless pre_tokenizer is blanks."""
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
        has_ngrams = self.word_ngrams != 1 or self.maxn != 0
        for names, needed, holds in (
            (("negative",), 'without loss = "ns"', self.loss == "ns"),
            (("minn",), "without n-grams of characters (maxn = 0)", bool(self.maxn)),
            (("bucket",), "without n-grams (word_ngrams = 1, maxn = 0)", has_ngrams),
            (("epochs",), "beside a budget", self.budget_seconds is None),
        ):
            if (idle := [name for name in names if self._is_given(name)]) and not holds:
                raise ValueError(f"{' and '.join(idle)} would have no effect {needed}")
        if self.maxn and 0 < self.maxn < (self.minn or 0):
            raise ValueError(f"maxn = {self.maxn} must not be less than minn = {self.minn}")
        if len(self.label_prefix.split()) != 1 or self.label_prefix.strip() != self.label_prefix:
            raise ValueError(f"label_prefix = {self.label_prefix!r}: it must hold no blank")
        return self

    @property
    def open(self) -> list[str]:
        """Names of the settings that are chosen for the rows."""
        return [name for name in PROGRAM_DEFAULTS if getattr(self, name) in (None, "auto")]

    def resolved(self, profile: TextProfile) -> ResolvedConfig:
        """Return the settings with those that are chosen for the rows.

        Args:
            profile: of the texts to learn from.
        """
        given = self.model_dump(exclude=set(self.open), exclude_none=True)
        by_character = self.pre_tokenizer in ("auto", "chinese_characters")
        chosen: dict[str, Any] = {
            "lr": profile.learning_rate,
            "word_ngrams": profile.word_ngrams(by_character=by_character),
            "pre_tokenizer": profile.pre_tokenizer,
            "lowercase": self.pre_tokenizer != "blanks",
        }
        if self.budget_seconds is None:
            chosen["epochs"] = profile.epochs
        settings = {**chosen, **given}
        if self.maxn is None and self.pretrained_vectors is None:
            minn, maxn = profile.letter_ngrams(settings["word_ngrams"])
            settings |= {"minn": minn, "maxn": maxn}
        if {"word_ngrams", "maxn"} & set(self.open):
            settings.setdefault("bucket", profile.bucket)
        if settings["word_ngrams"] == 1 and not settings.get("maxn"):
            settings.pop("bucket", None)  # there is nothing to hash into them
        return ResolvedConfig.checked(settings, "classifier")

    def _is_given(self, name: str) -> bool:
        """Whether a setting has another value than that of a training that does without it."""
        return name in self.changed and getattr(self, name) != _WITHOUT.get(name)


class _ClassifierDescent(DescentConfig):
    """The loss of labels rises long before their accuracy falls: a budget is used up."""

    rate_name: ClassVar[str] = "lr"

    @property
    def ends_at_best(self) -> bool:
        """Only where the user asks for early stopping."""
        return self.patience is not None


_WITHOUT = {"minn": 0}  # a resolved recipe names it in any case


class ResolvedConfig(FastTextClassifierConfig):
    """Settings of which none is open; those that are not given are the program's."""

    lr: float = Field(0.1, gt=0)
    epochs: int = Field(5, ge=1)
    word_ngrams: int = Field(1, ge=1, le=100)
    minn: int = Field(0, ge=0, le=100)
    maxn: int = Field(0, ge=0, le=100)
    bucket: int = Field(2_000_000, ge=1, le=2**28)
    pre_tokenizer: Splitting = "blanks"
    lowercase: bool = False

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
        return _ClassifierDescent.checked({**settings, "min_alpha": least}, "classifier")

    def recipe(self) -> dict[str, Any]:
        """Return the settings as a recipe names them: without those that have no effect."""
        idle = set() if self.budget_seconds is None else {"epochs"}
        idle |= set() if self.has_ngrams else {"bucket"}
        return self.model_dump(exclude_none=True, exclude=idle)
