"""What a trained classifier of fastText answers, and how it is kept: all of it but learning."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from foretext.classifiers.baseline import Baseline
from foretext.classifiers.class_answers import ClassAnswers, Labelled
from foretext.classifiers.fasttext.bin_reader import read_model
from foretext.classifiers.fasttext.bin_writer import cutting_note, write_model
from foretext.classifiers.fasttext.evaluation import evaluate_labels
from foretext.classifiers.fasttext.labelled_texts import check_texts
from foretext.classifiers.fasttext.model import FastTextModel
from foretext.classifiers.fasttext.storage import KIND, load_folder, save_folder, write_folder
from foretext.classifiers.linear import linear_baseline
from foretext.classifiers.text_labeller import TextLabeller
from foretext.data.rows import LabelledText
from foretext.errors import SettingError
from foretext.explanation import Texts, Values, contrasted, split_chinese
from foretext.files import refuse_existing

__all__ = ["FastTextLabeller"]

_FILES = (".bin", ".ftz")


class FastTextLabeller(TextLabeller):
    """Labels of texts by a model that was learned, here or by fastText's program."""

    kind = KIND
    method = "the mean of word vectors and a linear layer"
    files = (
        '`model.safetensors` holds the model; `model.save("model.bin")` writes it for fastText\'s '
        "own program, `model.quantize()` makes it small."
    )

    @classmethod
    @abstractmethod
    def of_model(cls, model: FastTextModel) -> Self:
        """Wrap a trained model."""

    @property
    @abstractmethod
    def model(self) -> FastTextModel:
        """What was learned.

        Raises:
            SettingError: nothing was learned yet.
        """

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

    def values(self, inputs: Sequence[Texts]) -> Values:
        """Return, for each label, what words can add to, however certain an answer is."""
        texts = [text for (text,) in inputs]
        logits = self.model.logits(texts)[:, self._order]
        by_themselves = self.model.layer.loss in ("ns", "ova")
        chances = self.predict_proba(texts).astype(np.float64)
        return Values(
            tuple(self.classes_.tolist()), contrasted(logits, are_sets=by_themselves), chances
        )

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the words stand: jieba's, if the model was learned from these."""
        is_chinese = self.model.dictionary.config.pre_tokenizer == "chinese_words"
        return split_chinese(text) if is_chinese else super().word_spans(text)

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

    def write(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write ``model.safetensors`` and ``config.json``.

        Raises:
            OutputError: one cannot be written.
        """
        write_folder(folder, self.model, {"task": "classification", **facts})

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
    def load(cls, path: str | Path) -> Self:
        """Open what `save` wrote, or a supervised model of fastText's program.

        Raises:
            VectorFileError: there is no classifier, or the file is damaged.
        """
        path = Path(path)
        return cls.of_model(load_folder(path) if path.is_dir() else read_model(path))

    @property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(np.array(self.model.dictionary.classes), kind="stable")


def _have_one_label(rows: Sequence[LabelledText]) -> bool:
    return all(len(row.labels) == 1 for row in rows)
