"""Settings of the linear classifier, and what they mean for texts: the vectorizer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from foretext.base.config import Config
from foretext.corpus.decoding import Form
from foretext.corpus.scripts import WITHOUT_BLANKS, script_rates
from foretext.tasks.spelled_words import Splitting, prepared, words_of

__all__ = ["LONGEST_GRAM", "LinearConfig"]

SIGNS_KEPT = ("words_and_punctuation", "whitespace")  # which characters always are
LONGEST_GRAM = {"words": 2, "characters": 3}  # of words, or of characters

_SAMPLE = 1000  # texts that the script is found from
_MANY_TEXTS = 1000  # from here on a feature must occur twice


class LinearConfig(Config):
    """Features and the regression."""

    features: Literal["auto", "words", "characters"] = "auto"
    """N-grams that are counted: of words or of characters; auto: by the script."""
    pre_tokenizer: Splitting = "unicode_words"
    """What a word is; words_and_punctuation and whitespace keep signs such as :)."""
    min_texts: int | None = Field(default=None, ge=1)
    """Texts that a feature must occur in; none: 1 or 2."""
    inverse_penalty: float = Field(default=5.0, gt=0)
    """Inverse strength of the L2 penalty, C of scikit-learn."""
    tolerance: float = Field(default=1e-3, gt=0)
    """Change of the weights at which the training stops."""
    max_passes: int = Field(default=100, ge=1)
    """Passes over the texts, at most."""
    seed: int = Field(default=0, ge=0)
    """Of all random draws."""

    @model_validator(mode="after")
    def _has_words(self) -> Self:
        if self.features == "characters" and self.pre_tokenizer in SIGNS_KEPT:
            raise ValueError(
                f"pre_tokenizer = {self.pre_tokenizer!r} has no effect on features = 'characters'"
            )
        return self

    def resolved(self, texts: Sequence[str]) -> Self:
        """Return the settings with those that depend on the texts."""
        features = self.features
        if features == "auto" and "pre_tokenizer" in self.changed:
            features = "words"
        elif features == "auto":
            features = "characters" if _has_no_blanks(texts[:_SAMPLE]) else "words"
        min_texts = self.min_texts or (2 if len(texts) >= _MANY_TEXTS else 1)
        return self.model_copy(update={"features": features, "min_texts": min_texts})

    def vectorizer(self, vocabulary: Sequence[str] | None = None, form: Form = "NFC") -> Any:
        """Return scikit-learn's TF-IDF of these settings, once they are resolved.

        Args:
            vocabulary: the features, where they are known.
            form: the Unicode normal form that texts are brought into.
        """
        from sklearn.feature_extraction.text import TfidfVectorizer

        by_word = self.features == "words"
        return TfidfVectorizer(
            analyzer="word" if by_word else "char",
            preprocessor=partial(prepared, splitting=self.pre_tokenizer, form=form),
            tokenizer=partial(words_of, splitting=self.pre_tokenizer) if by_word else None,
            token_pattern=None,
            ngram_range=(1, LONGEST_GRAM["words" if by_word else "characters"]),
            min_df=self.min_texts,
            sublinear_tf=True,
            dtype=np.float32,
            vocabulary=vocabulary,
        )


def _has_no_blanks(texts: Iterable[str]) -> bool:
    """Whether most letters are of a script that is written without blanks between words."""
    characters = Counter[str]()
    for text in texts:
        characters.update(text)
    rates = script_rates(characters) if characters else {}
    return sum(rates.get(script, 0.0) for script in WITHOUT_BLANKS) > 0.5
