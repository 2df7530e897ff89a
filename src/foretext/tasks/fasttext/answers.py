"""What a trained classifier of fastText answers, and how it is kept: all of it but learning."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.files import refuse_existing
from foretext.data.rows.given import given_texts, one_or_each
from foretext.tasks.class_answers import ClassAnswers
from foretext.tasks.classification.labeller import TextLabeller, check_top
from foretext.tasks.classification.task import Classification
from foretext.tasks.explanation import Texts, Values, contrasted, split_chinese
from foretext.tasks.fasttext.bin_reader import read_model
from foretext.tasks.fasttext.bin_writer import cutting_note, write_model
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.storage import KIND, load_folder, save_folder, write_folder

__all__ = ["FastTextLabeller"]

_FILES = (".bin", ".ftz")


class FastTextLabeller(TextLabeller):
    """Labels of texts by a model that was learned, here or by fastText's program."""

    task: ClassVar = Classification(counts_any=True)
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
    def label_names(self) -> tuple[str, ...]:
        """The labels, sorted by their values."""
        classes = self.model.dictionary.classes
        return tuple(classes[place] for place in self.model.dictionary.class_order.tolist())

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

        Raises:
            CorpusError: something is no text.
            SettingError: `k` or `threshold` is no valid value, or nothing was learned yet.
        """
        check_top(k, threshold)
        return one_or_each(texts, lambda each: self._predicted(given_texts(each), k, threshold))

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
