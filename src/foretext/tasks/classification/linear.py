"""Texts into classes by the words that occur: TF-IDF and logistic regression.

It learns in seconds and is what a network has to beat. It is often good enough, alone or together
with a network (`foretext.tasks.classification.ensemble`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments, shown_value
from foretext.base.errors import CorpusError, GivenError, SettingError
from foretext.base.parameters import keeping
from foretext.corpus.decoding import Form
from foretext.data.rows import LabelledText
from foretext.data.rows.given import given_label_sets, given_texts, given_weights, weighed_rows
from foretext.data.rows.label import Label, ordered_labels
from foretext.metrics import sigmoid, softmax
from foretext.progress.run_context import RunContext
from foretext.tasks.baseline import Baseline
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.classification.labeller import TextLabeller, check_same_number
from foretext.tasks.classification.linear_storage import (
    FILE,
    KIND,
    LinearConfig,
    LinearParts,
    read_parts,
    write_parts,
)
from foretext.tasks.classification.linear_words import weigh_linear
from foretext.tasks.classification.task import Classification
from foretext.tasks.explanation import Texts, Values, Weighed, WeighRequest, contrasted
from foretext.tasks.linear_estimator import LinearEstimator
from foretext.tasks.logistic_regression import learn_regressions
from foretext.tasks.regression_cost import RegressionCost
from foretext.tasks.spelled_words import Splitting

__all__ = [
    "LinearClassifier",
    "LinearConfig",
    "informative_features",
    "linear_baseline",
    "linear_baseline_cost",
]

MANY_LABELS = 100  # with fewer it learns in seconds
LONG_SECONDS = 20.0  # from here on a run says it
Probabilities = NDArray[np.float64]

MOST = 12  # of a label
MOST_LABELS = 100  # of which features are named; those of more labels nobody reads


class LinearClassifier(LinearEstimator, TextLabeller):
    """Logistic regression on TF-IDF; deterministic for a seed.

    Features are words and pairs of words, or one to three characters where a script has no blanks;
    their counts enter by logarithm.

    Attributes:
        config: the settings; `features` is what was chosen, after `fit`.

    >>> texts, labels = ["a fine film", "a bad film"], ["good", "bad"]
    >>> LinearClassifier().fit(texts, labels).predict(["fine"]).tolist()
    ['good']
    """

    settings = LinearConfig
    section = "linear"

    task: ClassVar = Classification(has_baseline=False)
    kind = KIND
    method = "TF-IDF and logistic regression"
    files = "`linear.safetensors` holds features, weights and settings."
    explained_by = ("linear", "occlusion")
    _num_passes = 0
    _vectorizer: Any = None

    @keeping
    def __init__(
        self,
        *,
        features: Literal["auto", "words", "characters"] = "auto",
        pre_tokenizer: Splitting = "unicode_words",
        min_texts: int | None = None,
        inverse_penalty: float = 5.0,
        tolerance: float = 1e-3,
        max_passes: int = 100,
        class_weight: Literal["balanced"] | dict[Any, float] | None = None,
        seed: int = 0,
    ) -> None: ...

    @property
    def given(self) -> LinearConfig:
        """The settings of the constructor, checked.

        Raises:
            SettingError: a value is not allowed.
        """
        weights = self.chosen().get("class_weight")
        if not isinstance(weights, Mapping):
            return self.checked(self.chosen())
        named = {_label_name(label): weight for label, weight in weights.items()}
        return self.checked({**self.chosen(), "class_weight": named})

    @classmethod
    def of_parts(cls, parts: LinearParts) -> Self:
        """Return the classifier that has learned these."""
        classifier = super().of_parts(parts._replace(labels=tuple(map(Label.read, parts.labels))))
        classifier._vectorizer = parts.config.vectorizer(parts.features, parts.form)
        classifier._vectorizer.idf_ = parts.idf
        return classifier

    def composing(self, form: Form) -> Self:
        """Return what was learned from texts in a Unicode normal form, for texts in any form.

        Args:
            form: of the rows; NFKC has NFC in it, which all texts are brought into anyway.
        """
        if form != "NFKC" or self.parts.form == form:
            return self
        classifier = self.of_parts(self.parts._replace(form=form)).set_params(**self.get_params())
        classifier._num_passes = self.num_passes
        return classifier

    @checked_arguments
    def fit(
        self,
        texts: Any,
        labels: Any,
        sample_weight: Any = None,
        *,
        context: RunContext | None = None,
    ) -> Self:
        """Learn from N texts with one label each, or with any number of them.

        Labels are texts, whole numbers or booleans, and come back as they came.

        Args:
            texts: to learn from.
            labels: of each text.
            sample_weight: how much each text counts; one with 0 is left out; None: all the same.
            context: a title for the progress, which is shown label by label where texts have any
                number of labels; None: nothing is shown.

        Raises:
            CorpusError: there is no text, no word in them, or a single label alone.
            SettingError: labels and features are more than the memory holds.
        """
        texts, sets = given_texts(texts), given_label_sets(labels)
        check_same_number(texts, sets)
        weights = given_weights(sample_weight, len(texts))
        if weights is not None:
            [texts, sets], weights = weighed_rows(weights, texts, sets)
        names = ordered_labels(label for labels in sets for label in labels)
        if len(names) < 2:
            alone = f"the one class '{names[0]}' alone" if names else "no label"
            raise GivenError(f"The texts have {alone}; two are needed to learn a difference.")
        config = self.given.resolved(texts)
        vectorizer = config.vectorizer()
        try:
            matrix = vectorizer.fit_transform(texts)  # (N, F) sparse
        except ValueError as error:
            raise CorpusError(f"The texts have no feature ({error}); give longer ones.") from None
        if weights is not None:  # of a text with the weight 2 there might as well be two
            found = np.asarray((matrix > 0).T @ weights)
            vectorizer.idf_ = np.log((1 + weights.sum()) / (1 + found)) + 1
            matrix = vectorizer.transform(texts)
        RegressionCost.of(matrix, len(names), config.max_passes).refuse_without_memory()
        is_multi_label = any(len(labels) != 1 for labels in sets)
        regressions = learn_regressions(
            matrix,
            sets,
            names,
            config,
            is_multi_label=is_multi_label,
            sample_weight=weights,
            context=context,
        )
        features, idf = vectorizer.get_feature_names_out().tolist(), vectorizer.idf_
        self._vectorizer = vectorizer
        self._learned = LinearParts(
            config, names, features, np.asarray(idf, np.float32), regressions.weights,
            regressions.bias, is_multi_label,
        )  # fmt: skip
        self._num_passes = regressions.num_passes
        return self

    def long_cost(self, texts: Sequence[str], labels: Sequence[Any]) -> RegressionCost | None:
        """Return what `fit` would take, where that is long; None: seconds, or it is refused.

        Args:
            texts: what it would learn from.
            labels: of the texts.
        """
        cost = self.cost(texts, labels)
        return cost if cost is not None and cost.seconds > LONG_SECONDS else None

    def cost(self, texts: Sequence[str], labels: Sequence[Any]) -> RegressionCost | None:
        """Return what `fit` would take; None: seconds, as labels are few, or it is refused.

        Args:
            texts: what it would learn from.
            labels: of the texts.
        """
        names = {label for labels in given_label_sets(labels) for label in labels}
        if len(names) < MANY_LABELS:
            return None
        config = self.given.resolved(texts)
        try:
            matrix = config.vectorizer().fit_transform(texts)
        except ValueError:  # no feature
            return None
        return RegressionCost.of(matrix, len(names), config.max_passes)

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels, sorted by their values."""
        return tuple(self.parts.labels)

    @property
    def is_multi_label(self) -> bool:
        """Whether a text may have any number of labels."""
        return bool(self.parts.is_multi_label)

    @property
    def num_parameters(self) -> int:
        """Number of weights."""
        return self.weights.size + self.bias.size

    @property
    def feature_names(self) -> list[str]:
        """(F,) what texts are taken apart into, sorted: words, pairs of words or characters."""
        return list(self.parts.features)

    @property
    def idf(self) -> NDArray[np.float32]:
        """(F,) how rare each feature is."""
        return np.asarray(self.parts.idf)

    @property
    def weights(self) -> NDArray[np.float32]:
        """(F, C) what each feature adds to each label; (F, 1) to the second of two."""
        return np.asarray(self.parts.weights)

    @property
    def bias(self) -> NDArray[np.float32]:
        """(C,) or (1,) what is added to their sums."""
        return np.asarray(self.parts.bias)

    @property
    def num_passes(self) -> int:
        """Passes over the texts, of the last `fit`."""
        return self._num_passes

    @property
    def informative_features(self) -> dict[str, list[str]]:
        """By label, the features that speak for it most."""
        return informative_features(self.label_names, self.feature_names, self.weights)

    def logits(self, texts: Sequence[str]) -> Probabilities:
        """Return (N, C) sums of what the features of each text weigh, before any probability.

        Of two labels of which one is right the first one's are 0.

        Raises:
            SettingError: nothing was learned yet.
        """
        num_labels = len(self.label_names)
        if not len(texts):
            return np.zeros((0, num_labels))
        sums: Any = self._vectorizer.transform(texts) @ self.weights + self.bias
        found = np.asarray(sums, np.float64)  # (N, C) or (N, 1)
        return found if found.shape[1] == num_labels else np.insert(found, 0, 0.0, axis=1)

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return the sums of what features weigh for each label and against the others."""
        logits = self.logits([text for (text,) in inputs])
        values = contrasted(logits, are_sets=self.is_multi_label)
        return Values(self.label_names, values, self._probabilities(logits))

    def weigh(self, request: WeighRequest, method: str) -> list[Weighed]:
        """Share out among words what their features add; nothing is left over.

        Args:
            request: the inputs, and which answers are to be explained.
            method: one of `explained_by`.
        """
        answers, bias = self.values(request.inputs), self.values([("",)])
        rows = self._vectorizer.transform([text for (text,) in request.inputs])
        return weigh_linear(self.parts, rows, request, answers, bias)

    def answers_to(self, texts: list[str]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        return ClassAnswers(
            self.label_names, self._probabilities(self.logits(texts)), self.is_multi_label
        )

    def write_parts(self, folder: Path) -> None:
        """Write ``linear.safetensors``."""
        self.write_file(folder / FILE)

    @staticmethod
    def read_parts(folder: Path) -> LinearParts:
        """Read ``linear.safetensors``."""
        return read_parts(folder / FILE)

    def write_file(self, path: Path) -> None:
        """Write ``linear.safetensors`` alone.

        Raises:
            OutputError: it cannot be written.
        """
        write_parts(path, self.parts)

    @classmethod
    def read_file(cls, path: Path) -> Self:
        """Read what `write_file` wrote.

        Raises:
            ModelFileError: the file is missing, or damaged.
        """
        return cls.of_parts(read_parts(path))

    def _probabilities(self, logits: Probabilities) -> Probabilities:
        return sigmoid(logits) if self.is_multi_label else softmax(logits)


def linear_baseline(rows: Sequence[LabelledText]) -> Baseline:
    """Learn the linear classifier as the baseline of others that classify texts.

    Raises:
        CorpusError: nothing can be learned from the rows.
    """
    texts, labels = [row.text for row in rows], [row.labels for row in rows]
    learned = LinearClassifier().fit(texts, labels)
    return Baseline(LinearClassifier.method, learned.answer_rows, "linear", learned)


def linear_baseline_cost(rows: Sequence[LabelledText]) -> RegressionCost | None:
    """Return what `linear_baseline` would take; None: seconds."""
    return LinearClassifier().cost([row.text for row in rows], [row.labels for row in rows])


def informative_features(
    labels: Sequence[str], features: Sequence[str], weights: NDArray[np.float32]
) -> dict[str, list[str]]:
    """Return, by label, the features with the largest weights above 0, the largest first.

    Args:
        labels: C names.
        features: F names.
        weights: (F, C); (F, 1) of two labels, where a weight speaks for the second one.
    """
    if weights.shape[1] == 1:
        weights = np.concatenate([-weights, weights], axis=1)
    by_label = zip(labels[:MOST_LABELS], weights.T, strict=False)
    return {label: [features[place] for place in _largest(own)] for label, own in by_label}


def _largest(weights: NDArray[np.float32]) -> list[int]:
    size = min(MOST, len(weights))
    best = np.sort(np.argpartition(-weights, size - 1)[:size])
    order = best[np.argsort(-weights[best], kind="stable")]
    return [place for place in order.tolist() if weights[place] > 0]


def _label_name(given: Any) -> str:
    """Return the name of a label whose class is weighed.

    Raises:
        SettingError: it is no label.
    """
    try:
        return str(Label(given))
    except ValueError:
        raise SettingError(
            f"class_weight names {shown_value(given)}, which is no label; give texts, whole "
            "numbers or booleans, as labels are."
        ) from None
