"""fastText's classifier as an estimator, with the methods of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from foretext.classifiers.baseline import Baseline
from foretext.classifiers.class_answers import ClassAnswers, Labelled
from foretext.classifiers.fasttext.bin_reader import read_model
from foretext.classifiers.fasttext.bin_writer import write_model
from foretext.classifiers.fasttext.config import FastTextClassifierConfig
from foretext.classifiers.fasttext.evaluation import evaluate_labels
from foretext.classifiers.fasttext.labelled_texts import (
    Labels,
    Texts,
    TextsWithLabels,
    check_texts,
    held_out,
    labelled,
)
from foretext.classifiers.fasttext.model import FastTextModel
from foretext.classifiers.fasttext.quantisation import prune, quantise
from foretext.classifiers.fasttext.rows import DenseRows
from foretext.classifiers.fasttext.storage import KIND, load_folder, save_folder, write_folder
from foretext.classifiers.fasttext.training import (
    TrainingTexts,
    load_pretrained,
    retrain,
    train,
)
from foretext.classifiers.linear import linear_baseline
from foretext.classifiers.text_labeller import TextLabeller
from foretext.data.rows import LabelledText, RowsConfig
from foretext.errors import SettingError
from foretext.files import refuse_existing
from foretext.progress.run_context import RunContext

__all__ = ["FastTextClassifier"]

_FILES = (".bin", ".ftz")


class FastTextClassifier(TextLabeller):
    """Texts into classes by the mean of their words' vectors; minutes of training on any machine.

    Settings (defaults): ``lr=0.1, epochs=5, dim=100, loss="softmax"`` or ``"hs"``, ``"ns"``,
    ``"ova"`` (several labels a text), ``word_ngrams=1, minn=0, maxn=0, bucket=2_000_000,
    min_count=1, min_count_label=0, negative=5, pre_tokenizer="blanks", lowercase=False,
    pretrained_vectors=None, budget_seconds=None, patience=None, workers=(all cores), seed=1``.

    Attributes:
        classes_: (L,) the labels, sorted, after `fit`.
        history: the records of the last training.

    >>> FastTextClassifier(lr=0.5, word_ngrams=2)
    FastTextClassifier(lr=0.5, word_ngrams=2)
    """

    kind = KIND
    method = "the mean of word vectors and a linear layer"
    files = (
        '`model.safetensors` holds the model; `model.save("model.bin")` writes it for fastText\'s '
        "own program, `model.quantize()` makes it small."
    )

    def __init__(self, **settings: Any) -> None:
        self._given = dict(settings)
        vectors = settings.get("pretrained_vectors")
        plain = {"pretrained_vectors": str(vectors)} if isinstance(vectors, Path) else {}
        self.config = FastTextClassifierConfig.checked(settings | plain, "classifier")
        self.history: list[dict[str, Any]] = []
        self._model: FastTextModel | None = None

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._given.items())
        return f"{type(self).__name__}({given})"

    @classmethod
    def of_model(cls, model: FastTextModel) -> Self:
        """Wrap a trained model."""
        classifier = cls()
        classifier.config = model.dictionary.config
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
        trained = train(
            self.config,
            TrainingTexts.of(given, self.config),
            held_out(valid, rows),
            load_pretrained(self.config),
            context,
        )
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

    @property
    def classes_(self) -> NDArray[np.str_]:
        """(L,) the labels, sorted."""
        return np.array(self.model.dictionary.classes)[self._order]

    @property
    def is_multi_label(self) -> bool:
        """Whether each label is predicted by itself, as with the loss "ova"."""
        return self.model.dictionary.config.loss == "ova"

    @property
    def num_parameters(self) -> int:
        """Number of weights."""
        return len(self.model.rows) * self.model.rows.dim + self.model.outputs.size

    @classmethod
    def baseline(cls, rows: Sequence[LabelledText]) -> Baseline:
        """Learn the linear classifier."""
        return linear_baseline(rows)

    def answer_rows(self, rows: Sequence[LabelledText]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        probabilities = self.predict_proba([row.text for row in rows]).astype(np.float64)
        return ClassAnswers(tuple(self.classes_.tolist()), probabilities, self.is_multi_label)

    def judge(self, rows: Sequence[LabelledText], answers: ClassAnswers) -> dict[str, Any]:
        """Return accuracy, F1 of several kinds, calibration, and the table of labels.

        Where one label is predicted and texts have several, any of them is right, as in `evaluate`.

        Raises:
            EvaluationError: no text has a label.
        """
        if answers.is_multi_label or _have_one_label(rows):
            return super().judge(rows, answers)
        given = [[label] for label in answers.most_probable()]
        return evaluate_labels([row.labels for row in rows], given, 1)

    def findings(self, rows: Sequence[LabelledText], answers: ClassAnswers) -> dict[str, Any]:
        """Return confusions, calibration and errors, where texts have as many labels as answers."""
        if answers.is_multi_label or _have_one_label(rows):
            return super().findings(rows, answers)
        return {}

    def predict(
        self, texts: Sequence[str], k: int | None = 1, threshold: float = 0.0
    ) -> NDArray[np.str_] | list[list[str]]:
        """Return the best label of each text, (N,); with another k or a threshold, a list for each.

        See `predict_top`, which gives the chances as well.
        """
        if k == 1 and threshold <= 0:
            best: NDArray[np.str_] = self.classes_[self.predict_proba(texts).argmax(axis=1)]
            return best
        return [[label for label, _ in row] for row in self.predict_top(texts, k, threshold)]

    def predict_top(
        self, texts: Sequence[str], k: int | None = 1, threshold: float = 0.0
    ) -> list[list[Labelled]]:
        """Return up to `k` labels (None: all) of each text with their chances, the best first.

        Labels whose chance is below `threshold` are left out: with loss ``"ova"`` 0.5 gives those
        that are likelier than not.
        """
        if k is not None and k < 1:
            raise SettingError(f"k = {k}: ask for one label or more, or for all with k=None.")
        chances = self.predict_proba(texts)
        best = np.argsort(-chances, axis=1, kind="stable")[:, :k]
        labels, shares = self.classes_[best], np.take_along_axis(chances, best, axis=1)
        return [
            [(label, chance) for label, chance in zip(*row, strict=True) if chance >= threshold]
            for row in zip(labels.tolist(), shares.tolist(), strict=True)
        ]

    def predict_proba(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the chance of each label of `classes_`, (N, L); with ns and ova each by itself."""
        check_texts(texts)
        return self.model.chances(texts)[:, self._order]

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

    def write(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write ``model.safetensors`` and ``config.json``.

        Raises:
            OutputError: one cannot be written.
        """
        write_folder(folder, self.model, {"task": "classification", **facts})

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write a folder, or a file of fastText's where the name ends in ``.bin`` or ``.ftz``.

        Raises:
            OutputError: it exists already, or cannot be written.
            VectorFileError: fastText's files cannot hold this model; the message says why.
        """
        path = Path(path)
        refuse_existing(path, overwrite=overwrite)
        if path.suffix in _FILES:
            write_model(path, self.model)
        else:
            save_folder(path, self.model)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Open what `save` wrote, or a supervised model of fastText's program.

        Raises:
            VectorFileError: there is no classifier, or the file is damaged.
        """
        path = Path(path)
        return cls.of_model(load_folder(path) if path.is_dir() else read_model(path))

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

    @property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(np.array(self.model.dictionary.classes), kind="stable")


def _have_one_label(rows: Sequence[LabelledText]) -> bool:
    return all(len(row.labels) == 1 for row in rows)
