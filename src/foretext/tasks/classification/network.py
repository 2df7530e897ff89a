"""A classifier of texts in use: labels, their probabilities, and how good they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from typing_extensions import TypedDict

from foretext.base.errors import ModelFileError, SettingError
from foretext.data.padded_examples import PaddedExamples
from foretext.data.replaced_examples import ReplacedExamples
from foretext.data.rows import LabelledText
from foretext.heads.base import Head, TaskBase
from foretext.heads.classification import ClassificationHead
from foretext.heads.distilled import IS_LABELLED, TEACHER, Consistent, Taught
from foretext.shown import Part
from foretext.tasks.class_answers import (
    ClassAnswers,
    check_labels,
    check_single,
    label_temperature,
)
from foretext.tasks.classification.ensemble import Ensemble, Logits, Weights
from foretext.tasks.classification.labeller import TextLabeller
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_storage import FILE
from foretext.tasks.classification.linear_words import WORDS_FILE, WordVocabulary
from foretext.tasks.classification.task import Classification
from foretext.tasks.classification.word_reader import ReadWords, WordReader
from foretext.tasks.classification.words import LearnedWords, learned_words
from foretext.tasks.explanation import Texts, Weighed, WeighRequest
from foretext.tasks.explanation.gradients import (
    EXPLAINED_BY,
    TokenRows,
    text_places,
    weigh_by_gradients,
)
from foretext.tasks.head_scales import FEWEST_ROWS, scale_by_rows
from foretext.tasks.lessons import Consistency, Lessons, Teaching
from foretext.tasks.model import KeptFacts, TaskModel
from foretext.tasks.showing import views_table
from foretext.tasks.windows import Windows

__all__ = ["TextClassifier"]

Probabilities = NDArray[np.float64]

_TINY = 1e-12  # a probability
_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Weights(TypedDict):
    network: _Weight
    linear: _Weight


class _Facts(KeptFacts, total=False):
    """What a folder keeps of a classifier."""

    ensemble: _Weights


class TextClassifier(TextLabeller, TaskModel):
    """Texts to one label, or to any number of them; with `task.word_features` wide and deep.

    Attributes:
        words: finds the features of texts; None: the head reads none.
        ensemble: a linear classifier that answers together with the network; None: there is none.
    """

    task: ClassVar = Classification()
    head: ClassificationHead
    facts_type: ClassVar = _Facts
    explained_by = EXPLAINED_BY
    abilities = ("predict", "explain", "tokenize", "decode")
    words: WordReader | None = None
    ensemble: Ensemble | None = None

    @classmethod
    def begin(
        cls,
        base: TaskBase,
        config: Any,
        rows: Sequence[LabelledText],
        words: LearnedWords | None = None,
    ) -> Self:
        """Put an untrained head for these rows on a base.

        Args:
            base: tokenizer and backbone.
            config: the user's settings.
            rows: to learn from.
            words: what is known of their words; None: where the head reads any, it is learned here.

        Raises:
            CorpusError: nothing can be learned from the rows.
            SettingError: the head does not fit the base.
        """
        if not cls.task.head_traits(config).learns_words:
            return super().begin(base, config, rows)
        found = cls.task.find(rows)
        words = words or learned_words(rows, found["labels"])
        head: Head = cls.task.head(config, base, **found, num_word_features=len(words.vocabulary))
        model = cls(base, head)
        model._read_words(words.vocabulary, words)
        return model

    @property
    def can_calibrate(self) -> bool:
        """Whether a temperature can be fitted; the weights of an ensemble calibrate already."""
        return not self.is_multi_label and self.ensemble is None

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return self.head.answers.labels

    @property
    def is_multi_label(self) -> bool:
        """Whether a text may have any number of labels."""
        return self.head.answers.are_sets

    def answers_to(self, texts: list[str]) -> ClassAnswers:
        """Return how probable each label is for each text."""
        labels, merged = self.head.answers.labels, self._merged(texts)
        alone = ClassAnswers(labels, merged, self.is_multi_label)
        if self.ensemble is None:
            return alone
        together = self.ensemble.probabilities(self._as_logits(merged), texts)
        return ClassAnswers(labels, together, self.is_multi_label, network=alone)

    def examples(self, rows: Sequence[LabelledText]) -> PaddedExamples:
        """Return each window of each text, with the labels of the text."""
        if not self.is_multi_label:
            check_single(rows)
        check_labels(rows, self.head.answers.labels)
        windows = self._windows([row.text for row in rows])
        labels = self.head.answers.targets([row.labels for row in rows])
        targets = {self.head.answers.target: labels[windows.owners]}
        return self._padded(windows, targets, self._read_rows(rows))

    def taught(self, lessons: Lessons, config: Teaching) -> tuple[Taught, PaddedExamples]:
        """Return the task with a teacher beside the labels, and each window of each row."""
        soft = self.head.answers.softened(lessons.probabilities, config.temperature)
        examples = self._partly_labelled(lessons.labelled, lessons.unlabelled, {TEACHER: soft})
        return Taught(self.head, *config), examples

    def consistent(
        self,
        labelled: Sequence[LabelledText],
        unlabelled: Sequence[LabelledText],
        config: Consistency,
    ) -> tuple[Consistent, ReplacedExamples]:
        """Return the task with its own answers beside the labels, and each window of each row."""
        examples = self._partly_labelled(labelled, unlabelled, {})
        is_labelled = np.asarray(examples.targets[IS_LABELLED])
        kept = self.base.tokenizer.special.ids
        replaced = ReplacedExamples(examples, is_labelled, config.replaced_rate, kept)
        task = Consistent(self.head, config.weight, config.temperature, config.confidence)
        return task, replaced

    def _partly_labelled(
        self,
        labelled: Sequence[LabelledText],
        unlabelled: Sequence[LabelledText],
        targets: Mapping[str, NDArray[Any]],
    ) -> PaddedExamples:
        """Return each window of rows with and without labels; `targets` are of both, (N + U, C)."""
        rows, answers = [*labelled, *unlabelled], self.head.answers
        windows = self._windows([row.text for row in rows])
        known = answers.targets([row.labels for row in labelled])
        labels = np.zeros((len(rows), *known.shape[1:]), known.dtype)
        labels[: len(known)] = known
        is_labelled = np.arange(len(rows)) < len(known)
        every = {answers.target: labels, IS_LABELLED: is_labelled, **targets}
        examples = {name: target[windows.owners] for name, target in every.items()}
        return self._padded(windows, examples, self._read_rows(rows))

    def num_cut(self, rows: Sequence[LabelledText]) -> int:
        """Return the number of texts that are longer than the model reads at once."""
        return self._windows([row.text for row in rows]).num_cut

    def knows(self, row: LabelledText) -> bool:
        """Whether all labels of a text are known."""
        return set(row.labels) <= set(self.head.answers.labels)

    def finish(self, rows: Sequence[LabelledText]) -> list[str]:
        """Weigh network and words by held-out rows, if there are enough of them."""
        head = self.head.words
        if head is None or self.words is None or len(rows) < FEWEST_ROWS:
            return []
        texts = [row.text for row in rows]
        windows = self._windows(texts)
        words = float(head.scale.detach()) * self.words.logits(texts).astype(np.float64)
        network = windows.merged(self._logits(windows), len(rows)) - words
        both = np.stack([network, words])
        own, answers = self.head.classifier, self.head.answers
        return scale_by_rows(own, head, answers.labels, both, rows, are_sets=answers.are_sets)

    def calibrate(self, rows: Sequence[LabelledText]) -> float:
        """Set and return the temperature by which probabilities fit held-out rows.

        Guo et al. 2017, 4.2; the answers stay the same.

        Raises:
            SettingError: texts have several labels, or an ensemble answers.
            CorpusError: no row has a label that is known.
        """
        if self.ensemble is not None:
            raise SettingError("The weights of the ensemble calibrate already; join it again.")
        if self.is_multi_label:
            raise SettingError("Probabilities of several labels a text cannot be calibrated.")
        windows = self._windows([row.text for row in rows])
        logits = windows.merged(self._logits(windows), len(rows))
        self.temperature = label_temperature(self.head.answers.labels, logits, rows)
        return self.temperature

    def join(self, linear: LinearClassifier, rows: Sequence[LabelledText]) -> Weights:
        """Answer together with a linear classifier from now on; return the weights of both.

        Args:
            linear: that learned the same labels.
            rows: held out from both; they decide on the weights.

        Raises:
            CorpusError: no row has a label that is known.
            SettingError: the linear classifier has other labels, or the head reads words already.
        """
        if (why := self.task.why_not("ensemble", self.head.config)) is not None:
            raise SettingError(why)
        if not self._has_labels_of(linear):
            raise SettingError(
                "The linear classifier has other labels than the network; train both on the same "
                "rows."
            )
        if not self.is_multi_label:
            check_single(rows)
        self.ensemble = None
        answers = self.answer_rows(rows)
        self.ensemble = Ensemble.fit(linear, self._as_logits(answers.probabilities), rows)
        return self.ensemble.weights

    def facts(self) -> Mapping[str, Any]:
        """Return what is kept beside weights and settings."""
        if self.ensemble is None:
            return super().facts()
        return {**super().facts(), "ensemble": self.ensemble.weights._asdict()}

    def save_parts(self, folder: Path) -> None:
        """Write the linear classifier of the ensemble, or the words that the head reads."""
        if self.words is not None:
            self.words.vocabulary.write(folder / WORDS_FILE)
        if self.ensemble is not None:
            self.ensemble.linear.write_file(folder / FILE)

    def load_parts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Read the linear classifier of the ensemble, or the words that the head reads."""
        self._load_words(folder)
        if "ensemble" not in facts:
            return
        linear = LinearClassifier.read_file(folder / FILE)
        if not self._has_labels_of(linear):
            raise ModelFileError(
                f"{folder / FILE} has other labels than the network beside it; fetch or write both "
                "again."
            )
        self.ensemble = Ensemble(linear, Weights(**facts["ensemble"]))

    def num_rows(self, inputs: Sequence[Texts]) -> list[int]:
        """Return how many windows each text has."""
        counts = self._windows([text for (text,) in inputs]).counts(len(inputs))
        return [int(count) for count in counts]

    def token_rows(self, texts: Texts) -> TokenRows:
        """Return the windows of a text, and the characters of their tokens."""
        config = self.head.config
        places = text_places(self.base, texts[0], config.max_length, config.long_texts)
        return TokenRows(self.input_examples(texts), places)

    def input_examples(self, texts: Texts) -> PaddedExamples:
        """Return the windows of a text."""
        return self._padded(self._windows(texts), {})

    def insight(self, texts: Texts) -> list[Part]:
        """Return what decides on the label of a text, with what each part of an ensemble says."""
        parts = super().insight(texts)
        if self.ensemble is None:
            return parts
        answers = self.answers_to(list(texts))
        assert answers.network is not None
        linear = self.ensemble.linear.answers_to(list(texts))
        each = np.stack([answers.network.probabilities[0], linear.probabilities[0]])
        return [
            *parts,
            views_table(self.label_names, list(self.ensemble.weights._asdict().items()), each),
        ]

    def weigh(self, request: WeighRequest, method: str) -> list[Weighed]:
        """Weigh words by gradients; those that the head or an ensemble reads, exactly."""
        found = weigh_by_gradients(self, request)
        if self.words is not None:
            answers = self.head.answers
            found = self.words.weighed(
                found, request, answers.labels, self.temperature, is_multi_label=answers.are_sets
            )
        return found if self.ensemble is None else self.ensemble.weighed(found, request)

    def _has_labels_of(self, linear: LinearClassifier) -> bool:
        own = self.label_names, self.is_multi_label
        return own == (linear.label_names, linear.is_multi_label)

    def _merged(self, texts: Sequence[str]) -> Probabilities:
        """Return the network's probabilities, (N, C): of each text the mean over its windows."""
        windows = self._windows(texts)
        each = self.head.answers.values(self._logits(windows), self.temperature)
        return windows.merged(each, len(texts))

    def _as_logits(self, probabilities: Probabilities) -> Probabilities:
        """Return logits (N, C) that give these probabilities."""
        inside = np.clip(probabilities, _TINY, 1 - _TINY)
        return np.log(inside) - np.log1p(-inside) if self.is_multi_label else np.log(inside)

    def _load_words(self, folder: Path) -> None:
        """Read which words the head reads."""
        if self.head.words is None:
            return
        path = folder / WORDS_FILE
        vocabulary = WordVocabulary.read(path)
        if len(vocabulary) != len(self.head.words.weight):
            raise ModelFileError(
                f"{path} has {len(vocabulary):,} features, and the head beside it weighs "
                f"{len(self.head.words.weight):,}; fetch or write both again."
            )
        self._read_words(vocabulary)

    def _read_words(self, vocabulary: WordVocabulary, learned: LearnedWords | None = None) -> None:
        head = self.head.words
        assert head is not None, "a head without words"
        if learned is not None:
            with torch.no_grad():
                for own, given in zip((head.weight, head.bias), learned.weights, strict=True):
                    own.copy_(torch.from_numpy(given))
        self.words = WordReader(vocabulary, head, learned)

    def _windows(self, texts: Sequence[str]) -> Windows:
        config = self.head.config
        return Windows.of(self.base, texts, config.max_length, config.long_texts)

    def _padded(
        self, windows: Windows, targets: dict[str, Any], read: ReadWords | None = None
    ) -> PaddedExamples:
        """Return windows as examples; `read`: what is known of the words of their texts."""
        if self.words is not None and read is None:
            read = self.words.read(windows.texts)
        return PaddedExamples(
            windows.rows,
            targets,
            pad=self.base.pad,
            visibility=self.base.visibility,
            needed=self.head.needed,
            **(read or ReadWords()).of_rows(windows.owners)._asdict(),
        )

    def _logits(self, windows: Windows) -> Logits:
        """Return the logits of each window, (rows, C)."""
        outputs = self.outputs(self._padded(windows, {}))
        return np.array(outputs, np.float64).reshape(-1, self.head.answers.num_outputs)

    def _read_rows(self, rows: Sequence[LabelledText]) -> ReadWords:
        """Return what the head reads of the words of rows to learn from, or to measure by."""
        return ReadWords() if self.words is None else self.words.read_rows(rows)
