"""From labelled texts to a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.errors import CorpusError
from foretext.data.rows.label import kept_values
from foretext.progress.run_context import RunContext
from foretext.tasks.fasttext.config import ResolvedConfig
from foretext.tasks.fasttext.dictionary import Dictionary
from foretext.tasks.fasttext.interned import InternedTexts
from foretext.tasks.fasttext.labelled_texts import TextsWithLabels
from foretext.tasks.fasttext.labels import LabelTable, number_labels
from foretext.tasks.fasttext.learner import ClassifierLearner, LabelledTokens
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.splitter import splitter_of
from foretext.vectors.hogwild import train_hogwild
from foretext.vectors.ngrams import LINE_END
from foretext.vectors.word_vectors import WordVectors

__all__ = ["Trained", "TrainingTexts", "load_pretrained", "retrain", "train"]


@dataclass(frozen=True)
class TrainingTexts:
    """Texts that were cut into words once, for any number of trainings with these words."""

    interned: InternedTexts
    labels: Sequence[Sequence[str]]

    @classmethod
    def of(cls, given: TextsWithLabels, config: ResolvedConfig) -> TrainingTexts:
        """Cut texts by the settings that say what a word is."""
        splitter = splitter_of(config)
        return cls(InternedTexts.of(given.texts, splitter, config.label_prefix), given.labels)


class Trained(NamedTuple):
    """What one training gave."""

    model: FastTextModel
    history: list[dict[str, Any]]  # the records of metrics.jsonl


def train(
    config: ResolvedConfig,
    texts: TrainingTexts,
    valid: TextsWithLabels | None = None,
    pretrained: WordVectors | None = None,
    context: RunContext | None = None,
) -> Trained:
    """Learn a classifier.

    Raises:
        CorpusError: there are not two labels, or no words that are frequent enough.
        SettingError: `pretrained` has another size, or the loss is no longer a number.
        Interrupted: a signal asked for it.
    """
    table = LabelTable.of(texts.labels, config.min_count_label)
    names = [config.label_prefix + name for name in table.names]
    more = () if pretrained is None else pretrained.index_to_key
    dictionary, tokens = Dictionary.learn(
        texts.interned, names, table.counts, config, more, kept_values(table.names)
    )
    if set(dictionary.words) <= {LINE_END}:
        raise CorpusError(
            f"The texts hold no word that occurs min_count = {config.min_count} times; give texts "
            "with words, or lower min_count."
        )
    learner = ClassifierLearner(
        dictionary,
        LabelledTokens(tokens, number_labels(texts.labels, table.names)),
        valid=None if valid is None else _encoded(valid, dictionary),
        pretrained=pretrained,
    )
    return _trained(learner, context)


def retrain(
    model: FastTextModel,
    texts: TextsWithLabels,
    *,
    epochs: int | None = None,
    lr: float | None = None,
    context: RunContext | None = None,
) -> Trained:
    """Continue the training of a model; its words, labels and n-grams stay as they are."""
    changes: dict[str, Any] = {} if lr is None else {"lr": lr}
    if epochs is not None:
        changes |= {"epochs": epochs, "budget_seconds": None}
    dictionary = model.dictionary.with_config(model.dictionary.config.model_copy(update=changes))
    encoded = _encoded(texts, dictionary)
    return _trained(ClassifierLearner(dictionary, encoded, base=model), context)


def load_pretrained(config: ResolvedConfig) -> WordVectors | None:
    """Open the vectors that the settings name: a run's folder, or a vector file.

    Raises:
        VectorFileError: there are none, or the file is damaged.
    """
    if config.pretrained_vectors is None:
        return None
    path = Path(config.pretrained_vectors)
    return WordVectors.load(path / "vectors.safetensors" if path.is_dir() else path)


def _encoded(given: TextsWithLabels, dictionary: Dictionary) -> LabelledTokens:
    return LabelledTokens(
        dictionary.encode(given.texts), number_labels(given.labels, dictionary.classes)
    )


def _trained(learner: ClassifierLearner, context: RunContext | None) -> Trained:
    context = context or RunContext(Path(), title="fasttext")
    history = train_hogwild(learner, learner.config.descent, context)
    return Trained(learner.model(), history)
