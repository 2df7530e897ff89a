"""fastText's classifier as an estimator, with the methods of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from foretext.classifiers.fasttext.answers import FastTextLabeller
from foretext.classifiers.fasttext.config import FastTextClassifierConfig
from foretext.classifiers.fasttext.evaluation import evaluate_labels
from foretext.classifiers.fasttext.labelled_texts import (
    Labels,
    Texts,
    TextsWithLabels,
    held_out,
    labelled,
)
from foretext.classifiers.fasttext.model import FastTextModel
from foretext.classifiers.fasttext.quantisation import prune, quantise
from foretext.classifiers.fasttext.rows import DenseRows
from foretext.classifiers.fasttext.text_profile import TextProfile
from foretext.classifiers.fasttext.training import (
    TrainingTexts,
    load_pretrained,
    retrain,
    train,
)
from foretext.data.rows import RowsConfig
from foretext.errors import SettingError
from foretext.progress.run_context import RunContext

__all__ = ["FastTextClassifier"]


class FastTextClassifier(FastTextLabeller):
    """Texts into classes by the mean of their words' vectors; seconds of training on any machine.

    Settings that are chosen for the rows where nothing is given: ``lr, epochs, word_ngrams, minn,
    maxn, bucket, pre_tokenizer, lowercase``. `fit` sets `config` to what was chosen. The defaults
    of fastText's own program are ``FastTextClassifier(lr=0.1, epochs=5, word_ngrams=1, minn=0,
    maxn=0, pre_tokenizer="blanks", lowercase=False)``.

    The others (defaults): ``dim=100, loss="softmax"`` or ``"hs"``, ``"ns"``, ``"ova"`` (several
    labels a text), ``min_count=1, min_count_label=0, negative=5,
    pretrained_vectors=None, budget_seconds=None, patience=None, workers=(all cores), seed=1``.

    Attributes:
        config: the settings; after `fit` with those that were chosen.
        classes_: (L,) the labels, sorted, after `fit`.
        history: the records of the last training.

    >>> FastTextClassifier(lr=0.5, word_ngrams=2)
    FastTextClassifier(lr=0.5, word_ngrams=2)
    """

    def __init__(self, **settings: Any) -> None:
        self._given = dict(settings)
        vectors = settings.get("pretrained_vectors")
        plain = {"pretrained_vectors": str(vectors)} if isinstance(vectors, Path) else {}
        self._asked = FastTextClassifierConfig.checked(settings | plain, "classifier")
        self.config: FastTextClassifierConfig = self._asked
        self.history: list[dict[str, Any]] = []
        self._model: FastTextModel | None = None

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._given.items())
        return f"{type(self).__name__}({given})"

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows: settings, and what was learned."""
        return self._given if self._model is None else {**super().summary(), **self._given}

    @classmethod
    def of_model(cls, model: FastTextModel) -> Self:
        """Wrap a trained model."""
        classifier = cls()
        classifier.config = classifier._asked = model.dictionary.config
        classifier._given = classifier.config.model_dump(exclude_unset=True)
        classifier._model = model
        return classifier

    def fit(
        self,
        texts: Texts,
        labels: Labels | None = None,
        *,
        valid: str | Path | TextsWithLabels | None = None,
        rows: RowsConfig | None = None,
        context: RunContext | None = None,
    ) -> Self:
        """Learn from a file of labelled texts, or from texts and labels.

        Args:
            texts: a file of any format that `foretext.data.rows` reads, or N texts.
            labels: N labels, or N sequences of labels; None with a file.
            valid: held-out texts, whose loss is recorded and which `patience` needs.
            rows: how files are to be read.
            context: where records go, and a title for the progress that is shown there.

        Raises:
            CorpusError: the file, the texts or the labels will not do; the message says why.
            SettingError: texts and labels do not go together, or the loss is no number any more.
        """
        given = labelled(texts, labels, rows)
        config = self._asked.resolved(TextProfile.of(*given))
        trained = train(
            config,
            TrainingTexts.of(given, config),
            held_out(valid, rows),
            load_pretrained(config),
            context,
        )
        self.config = config
        self._model, self.history = trained.model, trained.history
        return self

    @property
    def model(self) -> FastTextModel:
        """What was learned.

        Raises:
            SettingError: nothing was learned yet.
        """
        if self._model is None:
            raise SettingError("This classifier has learned nothing yet; call fit first, or load.")
        return self._model

    def score(self, texts: Sequence[str], labels: Labels) -> float:
        """Return the share of texts whose best label is one of their labels."""
        accuracy: float = self.evaluate(texts, labels)["accuracy"]
        return accuracy

    def evaluate(
        self,
        texts: Texts,
        labels: Labels | None = None,
        *,
        k: int | None = 1,
        threshold: float = 0.0,
        rows: RowsConfig | None = None,
    ) -> dict[str, Any]:
        """Return accuracy, precision and recall of the first `k` labels, and these of each label.

        Raises:
            CorpusError: the file will not do.
            EvaluationError: no text has a label.
        """
        given = labelled(texts, labels, rows)
        found = self.predict_top(given.texts, k, threshold)
        return evaluate_labels(given.labels, [[label for label, _ in row] for row in found], k)

    def quantize(
        self,
        train: Texts | None = None,
        labels: Labels | None = None,
        *,
        cutoff: int | None = None,
        dsub: int = 2,
        qnorm: bool = False,
        epochs: int | None = None,
        lr: float | None = None,
        rows: RowsConfig | None = None,
    ) -> Self:
        """Return a classifier whose rows are codes: about fifteen times smaller on disk.

        Args:
            train: texts to learn on from once rows were left out; None: do not.
            labels: theirs, None with a file.
            cutoff: words and n-grams to keep, those with the longest vectors; None: all.
            dsub: numbers to a byte.
            qnorm: keep the length of a vector in a byte of its own.
            epochs, lr: of that second training; None: as in the first.
            rows: how a file is to be read.

        Raises:
            SettingError: it is quantised already, or the texts could have no effect.
        """
        if not isinstance(self.model.rows, DenseRows):
            raise SettingError("This classifier is quantised already; quantise the one it came of.")
        if train is not None and cutoff is None:
            raise SettingError("Texts to learn on from have no effect without cutoff; set it.")
        if train is None and not (epochs is None and lr is None):
            raise SettingError("epochs and lr have no effect without texts to learn on from.")
        if min(dsub, 1 if cutoff is None else cutoff) < 1 or dsub > self.config.dim:
            raise SettingError(f"cutoff = {cutoff}, dsub = {dsub}: both must be 1 or more.")
        model = self.model
        if cutoff is not None:
            model = prune(model, cutoff)
        if train is not None:
            model = retrain(model, labelled(train, labels, rows), epochs=epochs, lr=lr).model
        return self.of_model(quantise(model, dsub=dsub, qnorm=qnorm))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings that were given; scikit-learn copies estimators by them."""
        return dict(self._given)

    def set_params(self, **settings: Any) -> Self:
        """Change settings before `fit`."""
        self.__init__(**self._given | settings)  # type: ignore[misc]
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn, from 1.6 on, asks of an estimator before it splits data for it."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
        )
