"""UniLM: one masked language model that learns to look in several ways (Dong et al. 2019).

In a third of the batches a position sees the whole row, as in BERT; in a third, a source as a whole
and then what is left of it; in a sixth each, only what is left or what is right of it. So one model
fills masks, continues texts, and writes a text after a source. Deviations from the paper: the kind
is drawn for a batch, no next sentences are predicted, and separators between documents are masked
like any token, so that a text that is generated can end.

Rows of UniLM: masked text, and what each position of it may look at. Dong et al. 2019, "Unified
Language Model Pre-training", section 2.3 and figure 1. B rows of T positions, W tokens of text in
each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field, model_validator
from torch import Tensor

from foretext.backbones.base import Backbone, States
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.examples import Examples, ExamplesByRow
from foretext.data.row_draws import RowDraws, whole_numbers
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.nn.vocabulary_head import HeadTransform, Score, VocabularyHead
from foretext.objectives.base import ModelInUse, Objective, TaskHeads, row_length
from foretext.objectives.cloze import ClozeConfig, cloze_head, hide_a_word
from foretext.objectives.masked_rows import Masking
from foretext.objectives.reading import Reading
from foretext.objectives.shown_example import ShownExample, say, say_all
from foretext.shown import Note, Part
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["KINDS", "Segments", "UniLM", "UnifiedRows", "visible_matrix"]

KINDS = ("bidirectional", "left_to_right", "right_to_left", "sequence_to_sequence")
BIDIRECTIONAL, LEFT_TO_RIGHT, RIGHT_TO_LEFT, SEQUENCE_TO_SEQUENCE = range(len(KINDS))
FAST: dict[int, Visibility] = {BIDIRECTIONAL: "full", LEFT_TO_RIGHT: "causal"}  # without a matrix

Numbers = NDArray[np.int64]


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

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return the masks, and who would see whom in each of the four ways to read the row."""
        example, kind = ShownExample(batch, tokenizer), int(batch.targets["kind"][0])
        T, end = batch.inputs.ids.shape[1], self._end_of_source(batch, kind)
        shares = np.array(self.config.weights) / sum(self.config.weights)
        named = zip(KINDS, shares, strict=True)
        kinds = say_all(
            "unilm.also", (f"{say(f'unilm.{one}')} {share:.0%}" for one, share in named)
        )
        parts: list[Part] = [Note(say("unilm.note", kind=say(f"unilm.{KINDS[kind]}"), kinds=kinds))]
        parts += [*example.cloze(), Note(say("unilm.grids", end=end))]
        every = torch.arange(len(KINDS))
        for number, visible in enumerate(visible_matrix(every, torch.full((4,), end), T)):
            name = say(f"unilm.{KINDS[number]}")
            title = say("unilm.this", kind=name) if number == kind else name
            parts.append(example.grid(title, visible))
        return parts

    def _end_of_source(self, batch: Batch, kind: int) -> int:
        """Return where a row's source ends, or would end if it had one: in its middle."""
        visible = batch.inputs.visible
        if kind != SEQUENCE_TO_SEQUENCE or visible is None:
            return batch.inputs.ids.shape[1] // 2
        return int(visible[0, 0].sum()) - 1  # all that the first token sees is the source

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


class Segments(NamedTuple):
    """The segments of each kind: of the text, or the source, and of what comes after the source."""

    first: tuple[int, ...]
    second: tuple[int, ...]

    @classmethod
    def of(cls, num_segments: int) -> Segments:
        """Return the segments for a backbone that has so many.

        With six, they say what kind a row is, as in the authors' program. With fewer, they only
        tell a source from what comes after it.
        """
        if num_segments >= 6:
            return cls((0, 2, 3, 4), (1, 2, 3, 5))
        return cls((0, 0, 0, 0), (0, 0, 0, min(1, max(num_segments - 1, 0))))


class UnifiedRows(ExamplesByRow):
    """``[CLS] text [SEP]``, or ``[CLS] source [SEP] text [SEP]``, as `MaskedRows` cuts them.

    The rows of a batch are of one kind in training, so that most batches need no matrix. Held-out
    batches have all kinds side by side, in their shares: a sample of any size measures each.

    Args:
        stream: the text.
        length: tokens of a row, at most.
        cls: id of the first token.
        masking: of the text; it may mask the separators between documents, too.
        shares: of each kind, (4,); their sum is 1.
        segments: of each kind.
        mixed: whether the rows of a batch are of all kinds.
    """

    drawing = 2

    def __init__(
        self,
        stream: TokenStream,
        length: int,
        cls: int,
        masking: Masking,
        shares: NDArray[np.float64],
        segments: Segments,
        *,
        mixed: bool,
    ) -> None:
        self.stream, self.cls, self.masking = stream, cls, masking
        self.width = min(length - 2, len(stream))
        self.ends = np.cumsum(shares)[:-1]  # of the kinds, in 0 to 1
        self.segments, self.mixed = segments, mixed

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return where the rows begin, (N,), shuffled."""
        return rng.permutation(self.stream.row_starts(self.width, rng))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length."""
        return None

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Draw the kinds of the rows and where sources end, read the rows and mask them."""
        kinds = self._kinds(draws)
        has_source = kinds == SEQUENCE_TO_SEQUENCE
        # A source and the text after it have a token less than a text alone: [SEP] is between them.
        most = max(self.width - 1, 2)
        cut = 1 + whole_numbers(draws.random((len(keys), 1))[:, 0], most - 1)
        separators = np.where(has_source, cut, self.width) + 1  # positions of the first [SEP]
        text = self.stream.take(keys[:, None] + np.arange(self.width))  # (B, W)
        corrupted, masked, _ = self.masking.apply(text, draws)
        targets = {
            "original": torch.from_numpy(self._framed(text, separators)),
            "masked": torch.from_numpy(self._framed(masked, separators, of_frame=False)),
            "kind": torch.from_numpy(kinds),  # (B,)
        }
        return Batch(self._inputs(self._framed(corrupted, separators), kinds, separators), targets)

    def _kinds(self, draws: RowDraws) -> Numbers:
        drawn = draws.once()  # of all rows where each batch is of one kind
        rows = np.array(draws.rows)
        places = (rows + drawn) / draws.num_rows if self.mixed else np.full(len(rows), drawn)
        kinds: Numbers = np.searchsorted(self.ends, places, side="right")
        return kinds

    def _framed(
        self, text: np.ndarray, separators: np.ndarray, *, of_frame: bool = True
    ) -> np.ndarray:
        """Put values (B, W) of the text between those of special tokens, (B, T)."""
        B, T = len(text), self.width + 2
        places = np.arange(T)
        framed = np.zeros((B, T), text.dtype)
        if of_frame:
            framed[:, 0], framed[:, 1:] = self.cls, self.stream.separator
        from_text = (places != separators[:, None]) & (places > 0) & (places < T - 1)
        columns = np.maximum(places - 1 - (places > separators[:, None]), 0)
        columns = np.minimum(columns, self.width - 1)
        framed[from_text] = np.take_along_axis(text, columns, axis=1)[from_text]
        return framed

    def _inputs(self, ids: np.ndarray, kinds: Numbers, separators: np.ndarray) -> Inputs:
        read = torch.from_numpy(ids)
        segments = self._segments(kinds, separators)
        if (kinds == kinds[0]).all() and int(kinds[0]) in FAST:
            return Inputs(read, visibility=FAST[int(kinds[0])], segments=segments)
        visible = visible_matrix(
            torch.from_numpy(kinds), torch.from_numpy(separators), read.shape[1]
        )
        return Inputs(read, visibility="matrix", visible=visible, segments=segments)

    def _segments(self, kinds: Numbers, separators: np.ndarray) -> Tensor | None:
        """Return the segments, (B, T); None where all are the first."""
        first, second = (np.array(each)[kinds][:, None] for each in self.segments)
        segments = np.where(np.arange(self.width + 2) > separators[:, None], second, first)
        return torch.from_numpy(segments) if segments.any() else None


def visible_matrix(kinds: Tensor, separators: Tensor, length: int) -> Tensor:
    """Return which positions look at which, (B, T, T) bool, [b, i, j] = i may look at j.

    Args:
        kinds: of the rows, (B,), as numbers of `KINDS`.
        separators: where the source ends, (B,); the source looks at itself as a whole, and what
            comes after it looks at the source and to the left.
        length: T.
    """
    places = torch.arange(length)
    num_seen = torch.where(kinds == SEQUENCE_TO_SEQUENCE, separators + 1, 0)  # by every position
    num_seen = torch.where(kinds == BIDIRECTIONAL, length, num_seen)
    to_left = places <= places[:, None]  # (T, T)
    visible = to_left | (places < num_seen[:, None, None])
    return torch.where((kinds == RIGHT_TO_LEFT)[:, None, None], to_left.T, visible)
