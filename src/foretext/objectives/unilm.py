"""UniLM: one masked language model that learns to look in several ways (Dong et al. 2019).

In a third of the batches a position sees the whole row, as in BERT; in a third, a source as a whole
and then what is left of it; in a sixth each, only what is left or what is right of it. So one model
fills masks, continues texts, and writes a text after a source. Deviations from the paper: the kind
is drawn for a batch, no next sentences are predicted, and separators between documents are masked
like any token, so that a text that is generated can end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
from pydantic import Field, model_validator

from foretext.backbones.base import Backbone, States
from foretext.data.batch import Batch, Visibility
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.nn.vocabulary_head import HeadTransform, Score, VocabularyHead
from foretext.objectives.base import Objective, TaskHeads, row_length
from foretext.objectives.cloze import ClozeConfig, cloze_head, hide_a_word
from foretext.objectives.in_use import ModelInUse
from foretext.objectives.masked_rows import Masking
from foretext.objectives.reading import Reading
from foretext.objectives.unified_rows import (
    KINDS,
    LEFT_TO_RIGHT,
    SEQUENCE_TO_SEQUENCE,
    Segments,
    UnifiedRows,
)
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["UniLM"]


class UniLM(Objective):
    """Predicts masked tokens from what their positions see, which differs from batch to batch.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with `[CLS]`, `[SEP]` and `[MASK]`.
    """

    class Config(ClozeConfig):
        """Settings of UniLM."""

        bidirectional: float = Field(2.0, ge=0)
        """Batches in which a position sees the whole row, relative to the other kinds."""
        left_to_right: float = Field(1.0, ge=0)
        """Batches in which a position sees what is left of it."""
        right_to_left: float = Field(1.0, ge=0)
        """Batches in which a position sees what is right of it."""
        sequence_to_sequence: float = Field(2.0, ge=0)
        """Batches in which it sees a source, and then what is left of it."""
        next_sentence: ClassVar[bool] = False  # as BERT's folders ask

        @model_validator(mode="after")
        def _has_a_kind(self) -> UniLM.Config:
            if not sum(self.weights):
                raise ValueError(f"{', '.join(KINDS)} are all 0: give one of them a share")
            return self

        @property
        def weights(self) -> list[float]:
            """The share of each kind, relative to the others."""
            return [getattr(self, kind) for kind in KINDS]

    visibility: Visibility = "full"
    fills = True
    continues = True
    continues_sources = True
    kind = "unified"
    usage = 'model.fill("a text with a [MASK] in it")'
    command = 'generate {run} "a text that begins"'
    row_length: int
    end: int

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.tokenizer = tokenizer
        self.row_length = row_length(config, backbone)
        self.end = tokenizer.special.required("sep")
        self.segments = Segments.of(backbone.num_segments)
        self.head = cloze_head(config, backbone)

    @property
    def trains_with(self) -> frozenset[Visibility]:
        """All of them: two of the four kinds, and held-out batches, have a matrix."""
        return frozenset({"full", "causal", "matrix"})

    @property
    def token_head(self) -> VocabularyHead:
        """The map from states to masked tokens."""
        return self.head

    @property
    def for_tasks(self) -> TaskHeads:
        """What stands before the vocabulary."""
        return TaskHeads(transform=cast(HeadTransform, self.head.transform))

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any]:
        """Mask the word in the middle of a row, and fill it."""
        return hide_a_word(model, row)

    def reading(self, source: Sequence[int] | None = None) -> Reading:
        """Return how a text is read that is continued: after a source, or by itself."""
        special = self.tokenizer.special
        mask, cls = special.required("mask"), special.required("cls")
        first, second = self.segments
        if source is None:
            segment = first[LEFT_TO_RIGHT]
            return Reading((cls,), mask, segment, segment, "full", never=self._never)
        opening = (cls, *source, self.end)
        of_source, of_text = first[SEQUENCE_TO_SEQUENCE], second[SEQUENCE_TO_SEQUENCE]
        return Reading(opening, mask, of_source, of_text, "full", never=self._never)

    @property
    def _never(self) -> tuple[int, ...]:
        """Tokens that no text has: the head has not learned where they stand."""
        special = self.tokenizer.special
        found = (special.mask, special.cls, special.pad)
        return tuple(index for index in found if index is not None)

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows from the text; the kind of a batch and its masks differ every time."""
        weights = np.array(self.config.weights)
        return UnifiedRows(
            TokenStream(tokens, self.end),
            self.row_length,
            self.tokenizer.special.required("cls"),
            self._masking(held_out),
            weights / weights.sum(),
            self.segments,
            mixed=held_out,
        )

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of masked tokens of each kind that the batch has."""
        of_rows, kinds = batch.targets["masked"].sum(1), batch.targets["kind"]
        return {KINDS[kind]: int(of_rows[kinds == kind].sum()) for kind in _present(batch)}

    def divisors(self, counts: Mapping[str, int]) -> Mapping[str, int]:
        """Return all masked tokens for each kind: a token is of one kind, and all count alike."""
        return dict.fromkeys(counts, max(sum(counts.values()), 1))

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the masked tokens of each kind."""
        masked, originals = batch.targets["masked"], batch.targets["original"]
        scores = {}
        for kind in _present(batch):
            of_kind = masked & (batch.targets["kind"] == kind)[:, None]  # (B, T)
            places = of_kind.flatten().nonzero()[:, 0]  # (M,)
            hidden = states.last.flatten(0, 1).index_select(0, places)  # (M, D)
            right = originals.flatten().index_select(0, places)
            scores[KINDS[kind]] = self.head.score(hidden, right)
        return scores

    def _masking(self, held_out: bool) -> Masking:
        config, tokenizer = self.config, self.tokenizer
        hideable = tokenizer.ordinary.copy()
        hideable[self.end] = True  # where a document ends is predicted, too
        rate = config.valid_mask_rate if held_out else config.mask_rate
        mask = tokenizer.special.required("mask")
        return Masking(rate, 1, mask, hideable, None, config.replacements)


def _present(batch: Batch) -> list[int]:
    """The kinds that a batch has, as numbers of `KINDS`."""
    return sorted({*batch.targets["kind"].tolist()})
