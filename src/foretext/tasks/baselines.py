"""What a pretrained model has to beat: answers that are learned in seconds, without a network.

Texts: TF-IDF of words and pairs of words, of one to three characters where a script has no blanks,
and logistic regression; or the most frequent label. Tags: the most frequent one of each word.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.config import Config
from foretext.corpus.scripts import script_rates
from foretext.errors import CorpusError

__all__ = ["LinearBaseline", "MajorityBaseline", "WordTagBaseline"]

Labels = Sequence[str] | Sequence[Sequence[str]]  # one a text, or any number
Answers = list[str] | list[tuple[str, ...]]
Probabilities = NDArray[np.float64]

_WITHOUT_BLANKS = {"Han", "Kana", "Thai"}
_SAMPLE = 1000  # texts that tell the script
_MANY_TEXTS = 1000  # from here on a feature must occur twice
_MAX_PASSES = 100


class MajorityBaseline:
    """The most frequent label, whatever the text; of equals the first in the alphabet."""

    def fit(self, texts: Sequence[str], labels: Labels) -> Self:
        """Count labels.

        Raises:
            CorpusError: there is none.
        """
        sets = _label_sets(texts, labels)
        self.is_multi_label = any(len(labels) != 1 for labels in sets)
        self.classes_ = tuple(sorted({label for labels in sets for label in labels}))
        counts = Counter(label for labels in sets for label in labels)
        self._rates = np.array([counts[label] / len(sets) for label in self.classes_])
        self._answer = min(Counter(sets).items(), key=lambda item: (-item[1], item[0]))[0]
        return self

    def predict(self, texts: Sequence[str]) -> Answers:
        """Return the same label, or set of labels, for every text."""
        return _answers([self._answer] * len(texts), self.is_multi_label)

    def predict_proba(self, texts: Sequence[str]) -> Probabilities:
        """(N, C) share of the training texts that have each label, by the order of `classes_`."""
        return np.tile(self._rates, (len(texts), 1))


class LinearBaseline:
    """Logistic regression on TF-IDF; deterministic for a seed.

    Attributes:
        classes_: (C,) labels, sorted, after `fit`.
    """

    class Config(Config):
        """Features and the regression."""

        features: Literal["auto", "words", "characters"] = "auto"  # auto: by the script
        min_texts: int | None = Field(default=None, ge=1)  # that have a feature; None: 1 or 2
        inverse_penalty: float = Field(default=5.0, gt=0)  # C of scikit-learn
        tolerance: float = Field(default=1e-3, gt=0)  # change of weights at which it stops
        seed: int = Field(default=0, ge=0)

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or self.Config()

    def fit(self, texts: Sequence[str], labels: Labels) -> Self:
        """Learn from texts with one label each, or with any number of them.

        Raises:
            CorpusError: there is no text, no word in them, or a single label alone.
        """
        sets = _label_sets(texts, labels)
        self.is_multi_label = any(len(labels) != 1 for labels in sets)
        self.classes_ = tuple(sorted({label for labels in sets for label in labels}))
        if len(self.classes_) < 2:
            raise CorpusError(
                f"The texts have {len(self.classes_)} different labels; two are needed to learn "
                "a difference."
            )
        self._vectorizer = _vectorizer(self.config, texts)
        try:
            matrix = self._vectorizer.fit_transform(texts)  # (N, F) sparse
        except ValueError as error:
            raise CorpusError(f"No feature can be had from these texts ({error}).") from None
        self._learn(matrix, sets)
        return self

    def predict(self, texts: Sequence[str]) -> Answers:
        """Return the most probable label of each text; of several, those above one half."""
        probabilities = self.predict_proba(texts)
        if not self.is_multi_label:
            return [self.classes_[best] for best in probabilities.argmax(axis=1)]
        return [
            tuple(label for label, is_on in zip(self.classes_, row, strict=True) if is_on)
            for row in probabilities > 0.5
        ]

    def predict_proba(self, texts: Sequence[str]) -> Probabilities:
        """(N, C) by the order of `classes_`; rows sum to one unless texts have several labels."""
        if not texts:
            return np.zeros((0, len(self.classes_)))
        probabilities: Any = self._regression.predict_proba(self._vectorizer.transform(texts))
        return np.asarray(probabilities, np.float64)

    def _learn(self, matrix: Any, sets: list[tuple[str, ...]]) -> None:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
        from sklearn.multiclass import OneVsRestClassifier

        config = self.config
        regression = LogisticRegression(
            C=config.inverse_penalty,
            solver="sag",  # on these rows ten times as fast as lbfgs
            tol=config.tolerance,
            max_iter=_MAX_PASSES,
            random_state=config.seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a baseline may stop early
            if self.is_multi_label:
                targets = np.array(
                    [[label in labels for label in self.classes_] for labels in sets]
                )
                self._regression: Any = OneVsRestClassifier(regression).fit(matrix, targets)
            else:
                self._regression = regression.fit(matrix, [label for (label,) in sets])


class WordTagBaseline:
    """The tag that each word had most often; unknown words get the most frequent tag of all.

    Attributes:
        classes_: (C,) tags, sorted, after `fit`.
    """

    def fit(self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> Self:
        """Count the tags of words.

        Raises:
            CorpusError: there is no token.
        """
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for tokens, own in zip(sentences, tags, strict=True):
            for token, tag in zip(tokens, own, strict=True):
                counts[token][tag] += 1
        total = sum(counts.values(), Counter[str]())
        if not total:
            raise CorpusError("There is no tagged token; give sentences with tags.")
        self.classes_ = tuple(sorted(total))
        self._rates = {token: self._shares(tags) for token, tags in counts.items()}
        self._unknown = self._shares(total)
        return self

    def predict(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return a tag a token; of equals the first in the alphabet."""
        return [
            [self.classes_[best] for best in shares.argmax(axis=1)]
            for shares in self.predict_proba(sentences)
        ]

    def predict_proba(self, sentences: Sequence[Sequence[str]]) -> list[Probabilities]:
        """Return (T, C) a sentence: how often the word had each tag, as a share."""
        empty = np.zeros((0, len(self.classes_)))
        return [
            np.array([self._rates.get(token, self._unknown) for token in tokens])
            if tokens
            else empty
            for tokens in sentences
        ]

    def _shares(self, counts: Counter[str]) -> NDArray[np.float64]:
        return np.array([counts[tag] for tag in self.classes_]) / counts.total()


def _label_sets(texts: Sequence[str], labels: Labels) -> list[tuple[str, ...]]:
    """Return the labels of each text, sorted; one as several."""
    sets = [(each,) if isinstance(each, str) else tuple(sorted(each)) for each in labels]
    assert len(sets) == len(texts), f"{len(sets)} labels of {len(texts)} texts"
    if not sets:
        raise CorpusError("There is no text to learn from; give texts with labels.")
    return sets


def _answers(sets: list[tuple[str, ...]], is_multi_label: bool) -> Answers:
    return sets if is_multi_label else [label for (label,) in sets]


def _vectorizer(config: LinearBaseline.Config, texts: Sequence[str]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    features = config.features
    if features == "auto":
        features = "characters" if _has_no_blanks(texts[:_SAMPLE]) else "words"
    by_word = features == "words"
    return TfidfVectorizer(
        analyzer="word" if by_word else "char",
        token_pattern=r"\b\w+\b" if by_word else None,  # one letter is a word too
        ngram_range=(1, 2) if by_word else (1, 3),
        min_df=config.min_texts or (2 if len(texts) >= _MANY_TEXTS else 1),
        sublinear_tf=True,
        dtype=np.float32,
    )


def _has_no_blanks(texts: Iterable[str]) -> bool:
    """Whether most letters are of a script that is written without blanks between words."""
    characters = Counter[str]()
    for text in texts:
        characters.update(text)
    rates = script_rates(characters) if characters else {}
    return sum(rates.get(script, 0.0) for script in _WITHOUT_BLANKS) > 0.5
