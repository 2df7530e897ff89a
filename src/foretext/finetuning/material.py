"""What a network from scratch learns its words from: the rows of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foretext.base.config import Config
from foretext.corpus.decoding import Form
from foretext.data.rows.row_texts import RowTexts
from foretext.tasks.model import TaskModel

__all__ = ["Material"]


@dataclass(frozen=True)
class Material:
    """The texts to learn from, for a task.

    Attributes:
        model: that is learned.
        texts: of the rows.
        apart: sources and targets, where each side gets a tokenizer of its own; None: one does.
        over_vectors: the name of the network over word vectors, if the user names none.
        num_characters: ids of characters that words are spelled with.
        is_spelled: whether a network over words reads these too.
        in_bigrams: whether it reads pairs of neighbouring words.
        form: the Unicode normal form of the texts.
    """

    model: type[TaskModel]
    texts: RowTexts
    apart: tuple[RowTexts, RowTexts] | None = None
    over_vectors: str = "textcnn"
    num_characters: int = 0
    is_spelled: bool = False
    in_bigrams: bool = False
    form: Form = "NFC"

    @classmethod
    def of(
        cls, model: type[TaskModel], task: Config, rows: Sequence[Any], form: Form = "NFC"
    ) -> Material:
        """Return what a task finds in its rows.

        Args:
            model: that is learned.
            task: the section `[task]`.
            rows: to learn from.
            form: the Unicode normal form of their texts.
        """
        return cls(
            model,
            model.texts(rows),
            model.texts_apart(task, rows),
            model.over_vectors(task, rows),
            model.num_characters(rows),
            model.gains_from_spelling(rows),
            model.gains_from_bigrams(rows),
            form,
        )

    def suited(self, backbone: Any, settings: Mapping[str, Any]) -> Any:
        """Return the shape of a new backbone that suits the rows.

        Args:
            backbone: its class, a `Backbone`.
            settings: that were chosen or follow from the base; what they say stays.

        Raises:
            SettingError: they do not fit.
        """
        spelling = backbone.spelling_settings if self.is_spelled else {}
        bigrams = backbone.bigram_settings(settings) if self.in_bigrams else {}
        return backbone.Config.checked({**spelling, **bigrams, **settings}, "backbone")
