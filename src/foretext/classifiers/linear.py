"""Texts into classes by the words that occur: TF-IDF and logistic regression.

It learns in seconds and is what a network has to beat; often enough it is the model to use, alone
or beside a network (`foretext.task_models.ensemble`).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.classifiers.class_answers import ClassAnswers
from foretext.config import Config
from foretext.corpus.scripts import script_rates
from foretext.data.rows import LabelledText, RowsConfig, read_texts
from foretext.errors import CorpusError, SettingError
from foretext.metrics import sigmoid, softmax

__all__ = ["LinearClassifier", "LinearConfig"]

Labels = Sequence[str] | Sequence[Sequence[str]]  # one a text, or any number
Probabilities = NDArray[np.float64]

_WITHOUT_BLANKS = {"Han", "Kana", "Thai"}
_SAMPLE = 1000  # texts that tell the script
_MANY_TEXTS = 1000  # from here on a feature must occur twice
_CERTAIN = 20.0  # the logit of a label that every text has


class LinearConfig(Config):
    """Features and the regression."""

    features: Literal["auto", "words", "characters"] = "auto"  # auto: by the script
    min_texts: int | None = Field(default=None, ge=1)  # that have a feature; None: 1 or 2
    inverse_penalty: float = Field(default=5.0, gt=0)  # C of scikit-learn
    tolerance: float = Field(default=1e-3, gt=0)  # change of weights at which it stops
    max_passes: int = Field(default=100, ge=1)  # over the texts
    seed: int = Field(default=0, ge=0)


class LinearClassifier:
    """Logistic regression on TF-IDF; deterministic for a seed.

    Features are words and pairs of words, or one to three characters where a script has no blanks;
    their counts enter by logarithm. Settings (defaults): ``features="auto", min_texts=None,
    inverse_penalty=5.0, tolerance=1e-3, max_passes=100, seed=0``.

    Attributes:
        config: the settings; `features` is what was chosen, after `fit`.
        features: (F,) words, pairs of words or characters, after `fit`.
        idf: (F,) float32.
        weights: (F, C) float32, (F, 1) of two labels.
        bias: (C,) or (1,) float32.
        num_passes: over the texts, of the last `fit`.

    >>> texts, labels = ["a fine film", "a bad film"], ["good", "bad"]
    >>> LinearClassifier().fit(texts, labels).predict(["fine"])
    ['good']
    """

    rows_config: ClassVar = RowsConfig
    judged_by: ClassVar = "accuracy"

    def __init__(self, **settings: Any) -> None:
        self.config = self._given = LinearConfig.checked(settings, "linear")
        self.num_passes = 0
        self._labels: tuple[str, ...] = ()
        self._vectorizer: Any = None
        self.is_multi_label = False

    @classmethod
    def of_parts(
        cls,
        config: LinearConfig,
        labels: Sequence[str],
        features: Sequence[str],
        idf: NDArray[np.float32],
        weights: NDArray[np.float32],
        bias: NDArray[np.float32],
        *,
        is_multi_label: bool,
    ) -> Self:
        """Put together what was learned before; shapes as of the attributes."""
        classifier = cls(**config.model_dump())
        classifier._labels, classifier.is_multi_label = tuple(labels), is_multi_label
        classifier._vectorizer = _vectorizer(config, vocabulary=features)
        classifier._vectorizer.idf_ = idf
        classifier.weights, classifier.bias = weights, bias
        return classifier

    def fit(self, texts: Sequence[str], labels: Labels) -> Self:
        """Learn from N texts with one label each, or with any number of them.

        Raises:
            CorpusError: there is no text, no word in them, or a single label alone.
        """
        sets = _label_sets(texts, labels)
        names = tuple(sorted({label for labels in sets for label in labels}))
        if len(names) < 2:
            raise CorpusError(
                f"The texts have {len(names)} different labels; two are needed to learn "
                "a difference."
            )
        config = _resolved(self._given, texts)
        vectorizer = _vectorizer(config)
        try:
            matrix = vectorizer.fit_transform(texts)  # (N, F) sparse
        except ValueError as error:
            raise CorpusError(f"No feature can be had from these texts ({error}).") from None
        self.config, self._vectorizer, self._labels = config, vectorizer, names
        self.is_multi_label = any(len(labels) != 1 for labels in sets)
        self._learn(matrix, sets)
        return self

    @property
    def classes_(self) -> NDArray[np.str_]:
        """(C,) the labels, sorted."""
        return np.array(self._labels)

    @property
    def features(self) -> list[str]:
        """(F,) what texts are taken apart into, sorted."""
        names: list[str] = self._vectorizer.get_feature_names_out().tolist()
        return names

    @property
    def idf(self) -> NDArray[np.float32]:
        """(F,) how rare each feature is."""
        return np.asarray(self._vectorizer.idf_, np.float32)

    def logits(self, texts: Sequence[str]) -> Probabilities:
        """Return (N, C) sums of what the features of each text weigh, before any probability.

        Of two labels of which one is right the first one's are 0.

        Raises:
            SettingError: nothing was learned yet.
        """
        if self._vectorizer is None:
            raise SettingError("This classifier has learned nothing yet; call fit first, or load.")
        if not len(texts):
            return np.zeros((0, len(self._labels)))
        sums: Any = self._vectorizer.transform(texts) @ self.weights + self.bias
        found = np.asarray(sums, np.float64)  # (N, C) or (N, 1)
        return found if found.shape[1] == len(self._labels) else np.insert(found, 0, 0.0, axis=1)

    def predict_proba(self, texts: Sequence[str]) -> Probabilities:
        """Return (N, C) in the order of `classes_`; rows sum to 1 unless texts have several."""
        _check_list(texts)
        logits = self.logits(texts)
        return sigmoid(logits) if self.is_multi_label else softmax(logits)

    def predict(self, texts: Sequence[str]) -> list[str] | list[tuple[str, ...]]:
        """Return the most probable label of each text; of several, those above one half."""
        return self._answers(texts).best()

    def predict_top(
        self, texts: Sequence[str], k: int | None = 1, threshold: float = 0.0
    ) -> list[list[tuple[str, float]]]:
        """Return of each text up to `k` labels with their probabilities, the best first."""
        return self._answers(texts).top(k, threshold)

    def answer_rows(self, rows: Sequence[LabelledText]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        return self._answers([row.text for row in rows])

    def judge(self, rows: Sequence[LabelledText], answers: ClassAnswers) -> dict[str, Any]:
        """Return accuracy, F1 of several kinds, calibration, and the table of labels."""
        return {"texts": len(rows), **answers.figures(rows)}

    def figures(self, rows: Sequence[LabelledText]) -> dict[str, Any]:
        """Answer rows, and say how well."""
        return self.judge(rows, self.answer_rows(rows))

    def evaluate(self, path: str | Path, *, rows: RowsConfig | None = None) -> dict[str, Any]:
        """Return the figures of a file of texts with right labels.

        Raises:
            CorpusError: the file will not do.
        """
        return self.figures(read_texts(path, rows))

    def save(self, folder: str | Path) -> None:
        """Write a folder that `load` opens, whole or not at all.

        Raises:
            OutputError: it cannot be written.
        """
        from foretext.classifiers.linear_storage import save_folder

        save_folder(Path(folder), self)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Open what `save`, or a run, left.

        Raises:
            ModelFileError: there is no such classifier, or a damaged one.
        """
        from foretext.classifiers.linear_storage import load_folder

        classifier = load_folder(Path(folder))
        assert isinstance(classifier, cls)
        return classifier

    def _answers(self, texts: Sequence[str]) -> ClassAnswers:
        return ClassAnswers(self._labels, self.predict_proba(texts), self.is_multi_label)

    def _learn(self, matrix: Any, sets: list[tuple[str, ...]]) -> None:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        config = self.config
        regression = LogisticRegression(
            C=config.inverse_penalty,
            solver="sag",  # on these rows ten times as fast as lbfgs
            tol=config.tolerance,
            max_iter=config.max_passes,
            random_state=config.seed,
        )
        targets: list[list[Any]]  # a regression each
        if self.is_multi_label:
            targets = [[label in labels for labels in sets] for label in self._labels]
        else:
            targets = [[label for (label,) in sets]]
        coefficients, biases, passes = [], [], []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it may stop early
            for target in targets:
                if len(set(target)) == 1:
                    coefficients.append(np.zeros((1, matrix.shape[1])))
                    biases.append(np.array([_CERTAIN]))
                    continue
                regression.fit(matrix, target)
                coefficients.append(regression.coef_)
                biases.append(regression.intercept_)
                passes.append(int(max(regression.n_iter_)))
        self.weights = np.ascontiguousarray(np.concatenate(coefficients).T, np.float32)
        self.bias = np.concatenate(biases).astype(np.float32)
        self.num_passes = max(passes, default=0)


def _check_list(texts: Sequence[str]) -> None:
    if isinstance(texts, str):
        raise SettingError("predict takes several texts; put a single one into a list.")


def _label_sets(texts: Sequence[str], labels: Labels) -> list[tuple[str, ...]]:
    """Return the labels of each text, sorted; one as several."""
    sets = [(each,) if isinstance(each, str) else tuple(sorted(each)) for each in labels]
    if len(sets) != len(texts):
        raise CorpusError(f"{len(texts)} texts have {len(sets)} labels; give one label a text.")
    if not sets:
        raise CorpusError("There is no text to learn from; give texts with labels.")
    return sets


def _resolved(config: LinearConfig, texts: Sequence[str]) -> LinearConfig:
    """The settings as they are for these texts."""
    features = config.features
    if features == "auto":
        features = "characters" if _has_no_blanks(texts[:_SAMPLE]) else "words"
    min_texts = config.min_texts or (2 if len(texts) >= _MANY_TEXTS else 1)
    return config.model_copy(update={"features": features, "min_texts": min_texts})


def _vectorizer(config: LinearConfig, vocabulary: Sequence[str] | None = None) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    by_word = config.features == "words"
    return TfidfVectorizer(
        analyzer="word" if by_word else "char",
        token_pattern=r"\b\w+\b" if by_word else None,  # one letter is a word too
        ngram_range=(1, 2) if by_word else (1, 3),
        min_df=config.min_texts,
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
    return sum(rates.get(script, 0.0) for script in _WITHOUT_BLANKS) > 0.5
