"""Taggers: entities of a text with their places, or its tokens with their tags.

The graph scores each tag at each token; what decodes the scores is data in ``page.json``. Long
texts are read in windows, as foretext reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from foretext.exporting.form import Texts
from foretext.exporting.network import EncodedRow
from foretext.exporting.page.network_kinds.kind import NetworkKind, Wanted
from foretext.exporting.page.token_tables import token_tables
from foretext.metrics.tag_schemes import tag_mark
from foretext.tasks.tagging.scores import SentenceScores
from foretext.tasks.tagging.sentence_tagger import words_of
from foretext.tasks.tagging.windows import SentenceWindows

__all__ = ["TagsOfTexts"]


class TagsOfTexts(NetworkKind):
    """The entities of a text, or the tag of each token."""

    abilities: ClassVar = ("tag",)
    outputs: ClassVar = ("logits",)

    @property
    def facts(self) -> Mapping[str, Any]:
        """How texts are split, how scores become tags, and how tags become entities."""
        model = self.model
        labels = model.tag_set.labels
        marks = None if model.tag_set.learned is None else [tag_mark(label) for label in labels]
        return {
            "tokens": {**token_tables(), "by_character": model.by_character},
            "decoding": self.form.graph.facts["decoding"],
            "marks": marks,
            "temperature": model.temperature,
        }

    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return the scores of a text's tokens, and the entities or tags that these stand for."""
        model = self.model
        tokens = model.tokens(texts)
        windows = SentenceWindows.of(
            model.base.reader().encode_words(words_of(tokens)),
            model.base.framing(model.head.config.max_length),
            model.base.pad,
        )
        rows = [EncodedRow(ids, [0] * len(ids)) for ids in windows.rows]
        outputs = [np.asarray(each[0]) for each in self.outputs_of(folder, rows)]
        scores = windows.gathered(outputs, 1)
        top = model.options(None, None)
        (record,) = model.scored_records([texts], tokens, SentenceScores(model.head, scores), top)
        numbers: list[float] = scores[0].astype(np.float64).ravel().tolist()
        return Wanted(rows, numbers, {"text": texts[0], **record})
