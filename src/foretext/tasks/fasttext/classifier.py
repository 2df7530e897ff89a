"""fastText's classifier: learned here, as scikit-learn does, or by fastText's program."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.base.files import refuse_existing
from foretext.base.not_fitted import not_fitted
from foretext.base.parameters import Parameters, keeping
from foretext.data.rows import RowsConfig
from foretext.data.rows.given import given_texts, given_weights, one_or_each
from foretext.data.rows.label import Label
from foretext.progress.run_context import RunContext
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.classification.labeller import TextLabeller, check_top
from foretext.tasks.classification.task import Classification
from foretext.tasks.explanation.words import Texts, Values, contrasted, split_chinese
from foretext.tasks.fasttext.bin_file import cutting_note, read_model, write_model
from foretext.tasks.fasttext.config import FastTextClassifierConfig, Loss, Splitting
from foretext.tasks.fasttext.labelled_texts import (
    Labels,
    form_of,
    held_out,
    labelled,
)
from foretext.tasks.fasttext.learner import (
    TrainingTexts,
    load_pretrained,
    retrain,
    train,
)
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.quantisation import prune, quantise
from foretext.tasks.fasttext.rows import DenseRows
from foretext.tasks.fasttext.storage import KIND, load_folder, save_folder, write_folder
from foretext.tasks.fasttext.text_profile import TextProfile
from foretext.tasks.label_figures import label_figures

__all__ = ["FastTextClassifier"]

_FILES = (".bin", ".ftz")


class FastTextClassifier(Parameters, TextLabeller):
    """Texts into classes by the mean of their words' vectors; seconds of training on any machine.

    What is None, and ``pre_tokenizer="auto"``, is chosen for the rows: `fit` sets `config` to what
    was chosen; ``workers=None`` takes all cores. The defaults of fastText's own program are
    ``FastTextClassifier(lr=0.1, epochs=5, word_ngrams=1, minn=0, maxn=0, pre_tokenizer="blanks",
    lowercase=False)``. ``loss="ova"`` is for several labels a text.

    Attributes:
        classes_: (L,) the labels, sorted, after `fit`.

    >>> FastTextClassifier(lr=0.5, word_ngrams=2)
    FastTextClassifier(lr=0.5, word_ngrams=2)
    """

    task: ClassVar = Classification(counts_any=True)
    kind = KIND
    method = "the mean of word vectors and a linear layer"
    files = (
        '`model.safetensors` holds the model; `model.save("model.bin")` writes it for fastText\'s '
        "own program, `model.quantize()` makes it small."
    )

    _model: FastTextModel | None = None
    _history: list[dict[str, Any]] = []  # noqa: RUF012  replaced by fit, never changed

    @keeping
    def __init__(
        self,
        *,
        lr: float | None = None,
        epochs: int | None = None,
        dim: int = 100,
        loss: Loss = "softmax",
        word_ngrams: int | None = None,
        minn: int | None = None,
        maxn: int | None = None,
        bucket: int | None = None,
        min_count: int = 1,
        min_count_label: int = 0,
        negative: int = 5,
        pre_tokenizer: Literal["auto"] | Splitting = "auto",
        lowercase: bool | None = None,
        label_prefix: str = "__label__",
        pretrained_vectors: str | Path | None = None,
        budget_seconds: float | None = None,
        patience: int | None = None,
        workers: int | None = None,
        seed: int = 1,
    ) -> None: ...

    @property
    def given(self) -> FastTextClassifierConfig:
        """The settings of the constructor, checked.

        Raises:
            SettingError: a value is not allowed.
        """
        chosen = self.chosen()
        if isinstance(vectors := chosen.get("pretrained_vectors"), Path):
            chosen["pretrained_vectors"] = str(vectors)
        return FastTextClassifierConfig.checked(chosen, "classifier")

    @property
    def config(self) -> FastTextClassifierConfig:
        """The settings; after `fit` with those that were chosen.

        Raises:
            SettingError: a value is not allowed.
        """
        return self.given if self._model is None else self._model.dictionary.config

    @property
    def history(self) -> list[dict[str, Any]]:
        """The records of the last training."""
        return self._history

    @property
    def is_fitted(self) -> bool:
        """Whether `fit` has learned something."""
        return self._model is not None

    def summary(self) -> dict[str, Any]:
        """Return what a notebook shows: settings, and what was learned."""
        return {**(TextLabeller.summary(self) if self.is_fitted else {}), **self.chosen()}

    @classmethod
    def of_model(cls, model: FastTextModel) -> Self:
        """Wrap a trained model."""
        classifier = cls(**model.dictionary.config.model_dump(exclude_unset=True))
        classifier._model = model
        return classifier

    @checked_arguments
    def fit(
        self,
        texts: Any,
        labels: Any = None,
        *,
        valid: Any = None,
        rows: RowsConfig | None = None,
        context: RunContext | None = None,
    ) -> Self:
        """Learn from a file of labelled texts, or from texts and labels.

        Args:
            texts: a file of any format that `foretext.data.rows` reads, rows, or N texts.
            labels: N labels, or N sequences of labels; None with a file.
            valid: a file, rows or `TextsWithLabels` that are held out; their loss is recorded, and
                `patience` needs it.
            rows: how files are to be read.
            context: where records go, and a title for the progress that is shown there.

        Raises:
            CorpusError: the file, the texts or the labels will not do; the message says why.
            SettingError: texts and labels do not go together, or the loss is no number any more.
        """
        given = labelled(texts, labels, rows)
        config = self.given.resolved(TextProfile.of(*given))
        trained = train(
            config,
            TrainingTexts.of(given, config),
            held_out(valid, rows),
            load_pretrained(config),
            context,
        )
        form = form_of(labels, rows)
        self._model = trained.model if form is None else trained.model.composing(form)
        self._history = trained.history
        return self

    @property
    def model(self) -> FastTextModel:
        """What was learned.

        Raises:
            SettingError: nothing was learned yet.
        """
        if self._model is None:
            raise not_fitted()
        return self._model

    @checked_arguments
    def score(self, texts: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the share of texts whose best label is one of their labels.

        Args:
            texts: N texts.
            labels: their labels, one or several of each.
            sample_weight: how much each text counts; None: all the same.
        """
        if sample_weight is None:
            accuracy: float = self.evaluate(texts, labels)["accuracy"]
            return accuracy
        given = labelled(texts, labels, None)
        best = self.answers_to(list(given.texts)).most_probable()
        are_right = [label in own for label, own in zip(best, given.labels, strict=True)]
        return float(np.average(are_right, weights=given_weights(sample_weight, len(best))))

    @checked_arguments
    def evaluate(
        self,
        texts: Any,
        labels: Labels | None = None,
        *,
        k: int | None = 1,
        threshold: float = 0.0,
        rows: Config | Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return accuracy, precision and recall of the first `k` labels, and these of each label.

        Args:
            texts: texts, or a file of labelled ones.
            labels: of the texts; None with a file.
            k: labels of a text, at most; None: all.
            threshold: probability that a label needs.
            rows: how a file is to be read.

        Raises:
            CorpusError: the file will not do.
            EvaluationError: no text has a label.
        """
        config: Any = rows if labels is not None else self.reading_for(texts, rows)
        given = labelled(texts, labels, config)
        check_top(k, threshold)
        found = self.answers_to(list(given.texts)).top(k, threshold)
        return label_figures(given.labels, [[Label(label) for label, _ in row] for row in found], k)

    @checked_arguments
    def quantize(
        self,
        train: Any = None,
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
            epochs: of that second training; None: as in the first.
            lr: its learning rate; None: as in the first.
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

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels, sorted by their values."""
        classes = self.model.dictionary.classes
        return tuple(classes[place] for place in self.model.dictionary.class_order.tolist())

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words of its dictionary, the most frequent first."""
        return self.model.dictionary.words

    @property
    def is_multi_label(self) -> bool:
        """Whether each label is predicted by itself, as with the loss "ova"."""
        return self.model.dictionary.config.loss == "ova"

    @property
    def num_parameters(self) -> int:
        """Number of weights."""
        return len(self.model.rows) * self.model.rows.dim + self.model.outputs.size

    def answers_to(self, texts: list[str]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        probabilities = self._chances(texts).astype(np.float64)
        return ClassAnswers(self.label_names, probabilities, self.is_multi_label, counts_any=True)

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return, for each label, what words can add to, however certain an answer is."""
        texts = [text for (text,) in inputs]
        logits = self.model.logits(texts)[:, self.model.dictionary.class_order]
        by_themselves = self.model.layer.loss in ("ns", "ova")
        chances = self._chances(texts).astype(np.float64)
        return Values(self.label_names, contrasted(logits, are_sets=by_themselves), chances)

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the words stand: jieba's, if the model was learned from these."""
        is_chinese = self.model.dictionary.config.pre_tokenizer == "chinese_words"
        return split_chinese(text) if is_chinese else super().word_spans(text)

    @checked_arguments
    def predict(self, texts: Any, k: int | None = 1, threshold: float = 0.0) -> Any:
        """Return the best label of each text, (N,); with another k or a threshold, a list for each.

        A single text gets a single answer. See `predict_top`, which gives the chances as well.

        Args:
            texts: N texts, or one.
            k: labels of a text, at most; None: all.
            threshold: probability that a label needs.

        Raises:
            CorpusError: something is no text.
            SettingError: `k` or `threshold` is no valid value, or nothing was learned yet.
        """
        check_top(k, threshold)
        return one_or_each(texts, lambda each: self._predicted(given_texts(each), k, threshold))

    @checked_arguments
    def predict_proba(  # type: ignore[override]
        self, texts: Any
    ) -> NDArray[np.float32]:
        """Return the chance of each label of `classes_`, (N, L); with ns and ova each by itself.

        A single text gets its row, (L,).

        Raises:
            CorpusError: something is no text.
            SettingError: nothing was learned yet.
        """
        found: NDArray[np.float32] = one_or_each(
            texts, lambda each: self._chances(given_texts(each))
        )
        return found

    def write(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write ``model.safetensors`` and ``config.json``.

        Args:
            folder: where to.
            facts: what else ``config.json`` holds.

        Raises:
            OutputError: one cannot be written.
        """
        write_folder(folder, self.model, {"task": "classification", **facts})

    @checked_arguments
    def save(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        note: Callable[[str], object] = warnings.warn,
    ) -> None:
        """Write a folder, or a file of fastText's where the name ends in ``.bin`` or ``.ftz``.

        Args:
            path: of the folder or the file.
            overwrite: replace what is there.
            note: is called with a sentence where fastText's program would cut text in another way.

        Raises:
            OutputError: it exists already, or cannot be written.
            VectorFileError: fastText's files cannot hold this model; the message says why.
        """
        path = Path(path)
        refuse_existing(path, overwrite=overwrite)
        if path.suffix in _FILES:
            write_model(path, self.model)
            if (sentence := cutting_note(self.model)) is not None:
                note(f"{path}: {sentence}.")
        else:
            save_folder(path, self.model)

    @classmethod
    @checked_arguments
    def load(cls, path: str | Path) -> Self:
        """Open what `save` wrote, or a supervised model of fastText's program.

        Raises:
            VectorFileError: there is no classifier, or the file is damaged.
        """
        path = Path(path)
        return cls.of_model(load_folder(path) if path.is_dir() else read_model(path))

    def _chances(self, texts: list[str]) -> NDArray[np.float32]:
        """Return the chance of each label, (N, L), in the order of `label_names`."""
        model = self.model
        return model.chances(texts)[:, model.dictionary.class_order]

    def _predicted(self, texts: list[str], k: int | None, threshold: float) -> Any:
        if k == 1 and threshold <= 0:
            return self.classes_[self._chances(texts).argmax(axis=1)]
        found = self.answers_to(texts).top(k, threshold)
        return [[label for label, _ in row] for row in found]
