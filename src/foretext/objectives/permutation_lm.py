"""Permutation language modelling: tokens in a random order, each from those before it in the order.

Yang et al. 2019, "XLNet", section 2. A token is predicted from both sides, as by BERT, but no
[MASK] replaces it, and one predicted token helps to predict the next. Two deviations: a row is one
piece of the text, not two segments, and what is not predicted (special tokens too) is visible to
all.

Which tokens a permutation language model predicts, in which order, and who may see whom. Yang et
al. 2019, sections 2.2 and 2.3. Only the last tokens of a random order are predicted (2.3,
"partial prediction"); the order of the others changes nothing, so they are all first.

B rows, T positions, M predicted tokens of a row at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from foretext.backbones.base import Backbone, States
from foretext.base.config import Config as Settings
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.examples import Examples, ExamplesByRow
from foretext.data.row_draws import Draws, RowDraws, whole_numbers
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.nn.vocabulary_head import Score, VocabularyHead
from foretext.objectives.base import ModelInUse, Objective, check_tied, row_length
from foretext.objectives.cloze import hide_a_word
from foretext.objectives.shown_example import NOTHING, ShownExample, say
from foretext.shown import Grid, Note, Part, TokenLines
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.frames import FrameKind
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = [
    "PermutationLM",
    "PermutationRows",
    "choose_predicted",
    "draw_order",
    "predicted_first",
    "shown_order",
    "visible_keys",
]

QUERIES = 8  # of a row, a multiple of it: a CPU's library compiles kernels for each new shape


class PermutationLM(Objective):
    """Predicts the last tokens of a random order, by queries that stand at their positions.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with `[CLS]`, `[SEP]` and `[MASK]`.
    """

    class Config(Settings):
        """Settings of permutation language modelling."""

        row_length: int | None = Field(None, ge=8)
        """Tokens of a row; none: the backbone's length."""
        tokens_per_prediction: int = Field(6, ge=1)
        """One token of so many is predicted: the last ones of the order (K in the paper)."""
        max_span: int = Field(5, ge=1)
        """Tokens side by side that are predicted, at most."""
        tied: bool = True
        """The head's weights are the token vectors."""

    visibility: Visibility = "full"
    fills = True
    kind = "permuted"
    usage = 'model.fill("a text with a [MASK] in it")'
    command = 'fill {run} "a text with a [MASK] in it"'
    frame: ClassVar[FrameKind | None] = "xlnet"
    part = "permutation_lm"
    row_length: int

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.tokenizer = tokenizer
        self.row_length = row_length(config, backbone)
        self.mask = tokenizer.special.required("mask")
        self.head = VocabularyHead(
            backbone.dim,
            backbone.vocab_size,
            transform=None,
            tied=backbone.embedding if config.tied else None,
            bias=True,
        )

    @property
    def trains_with(self) -> frozenset[Visibility]:
        """A matrix, drawn for each row."""
        return frozenset({"matrix"})

    @property
    def token_head(self) -> VocabularyHead:
        """The map from states of queries to tokens."""
        return self.head

    def check(self, backbone: Backbone) -> None:
        """Refuse a backbone whose token vectors cannot be the weights of the head."""
        if self.config.tied:
            check_tied(backbone)

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any]:
        """Hide the word in the middle of a row, and predict it."""
        return hide_a_word(model, row)

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return the order, and who sees whom in either stream."""
        example, inputs = ShownExample(batch, tokenizer), batch.inputs
        assert inputs.visible is not None
        T = inputs.ids.shape[1] - inputs.num_queries
        visible, ids = inputs.visible[0], inputs.ids[0, :T].tolist()
        names, order = example.tokens(ids), shown_order(visible[:T])
        queries = [T + at for at in batch.targets["predicted"][0, T:].nonzero()[:, 0].tolist()]
        places = inputs.positions[0, queries].tolist() if inputs.positions is not None else []
        in_order = sorted(places, key=order.__getitem__)
        lines = (
            example.line("position", range(T)),
            example.line("token", names, ["target" if place else "" for place in order]),
            example.line("id", ids),
            example.line("order", (place or NOTHING for place in order)),
        )
        note = say(
            "permutation_lm.note_one" if len(queries) == 1 else "permutation_lm.note",
            number=len(queries),
            tokens=T,
            order=" → ".join(f"{place} {names[place]}" for place in in_order),
        )
        asked = [f"{place} {names[place]}" for place in places]
        return [
            Note(note),
            TokenLines(say("default.row"), lines),
            Note(say("permutation_lm.content")),
            _seen("content", names, names, visible[:T]),
            Note(say("permutation_lm.query")),
            _seen("query", asked, names, visible[queries]),
        ]

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows from the text; each gets another order every time it is read."""
        special = self.tokenizer.special
        stream = TokenStream(tokens, special.required("sep"))
        ids = special.required("cls"), self.mask
        return PermutationRows(stream, self.row_length, ids, self.tokenizer.ordinary, self.config)

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predicted tokens."""
        return {self.part: int(batch.targets["predicted"].sum())}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the states of the queries."""
        of_queries = slice(-batch.inputs.num_queries, None)  # a backbone may give no other states
        positions = batch.targets["predicted"][:, of_queries].flatten().nonzero()[:, 0]  # (M,)
        queries = states.last[:, of_queries].flatten(0, 1).index_select(0, positions)  # (M, D)
        originals = batch.targets["original"][:, of_queries].flatten().index_select(0, positions)
        return {self.part: self.head.score(queries, originals)}

    def states_of_masks(self, backbone: Backbone, ids: Tensor, masked: Tensor) -> Tensor:
        """Return the states of queries at the masks, (M, D); nobody looks at these tokens."""
        (positions,) = masked[0].nonzero(as_tuple=True)
        order = masked.long().cpu().numpy()  # all of them after the others, none after another
        visible = torch.from_numpy(visible_keys(order, positions[None].cpu().numpy()))
        states = backbone(_two_streams(ids, positions[None], visible.to(ids.device), self.mask))
        queries: Tensor = states.last[0, -positions.numel() :]
        return queries


def _seen(name: str, rows: list[str], columns: list[str], visible: Tensor) -> Grid:
    title = say(f"permutation_lm.{name}_title")
    return Grid.of(title, rows, columns, visible.tolist(), is_mask=True)


class PermutationRows(ExamplesByRow):
    """``text [SEP] [CLS]`` with an order of its own; the text may span several documents.

    Args:
        stream: of the text, with `[SEP]` between documents.
        length: tokens of a row.
        special: ids of `[CLS]`, and of `[MASK]`, which stands at queries.
        ordinary: (V,) bool, True = no special token.
        config: how many tokens are predicted, and how many side by side.
    """

    drawing = 2

    def __init__(
        self,
        stream: TokenStream,
        length: int,
        special: tuple[int, int],
        ordinary: np.ndarray,
        config: PermutationLM.Config,
    ) -> None:
        self.stream = stream
        self.width = min(length - 2, len(stream))
        self.cls, self.mask = special
        self.ordinary = ordinary
        self.config = config

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return where the rows begin, (N,), shuffled."""
        return rng.permutation(self.stream.row_starts(self.width, rng))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length."""
        return None

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Read the rows, and draw what is predicted and in which order."""
        ids = np.empty((len(keys), self.width + 2), np.int64)  # (B, T)
        ids[:, -2], ids[:, -1] = self.stream.separator, self.cls
        ids[:, :-2] = self.stream.take(keys[:, None] + np.arange(self.width))
        config = self.config
        predicted = choose_predicted(
            self.ordinary[ids], config.tokens_per_prediction, config.max_span, draws
        )
        positions = predicted_first(predicted, QUERIES)  # (B, M)
        visible = visible_keys(draw_order(predicted, draws), positions)
        is_query = np.take_along_axis(predicted, positions, axis=1)  # False: no query, only padding
        originals = np.take_along_axis(ids, positions, axis=1)
        tokens, places, matrix = map(torch.from_numpy, (ids, positions, visible))
        inputs = _two_streams(tokens, places, matrix, self.mask, torch.from_numpy(is_query))
        none = np.zeros_like(predicted)
        targets = {
            "original": torch.from_numpy(np.concatenate([ids, originals], axis=1)),
            "predicted": torch.from_numpy(np.concatenate([none, is_query], axis=1)),  # (B, T + M)
        }
        return Batch(inputs, targets)


def _two_streams(
    ids: Tensor, positions: Tensor, visible: Tensor, mask: int, is_query: Tensor | None = None
) -> Inputs:
    """Return rows of tokens (B, T), and queries at `positions` (B, M) behind them.

    Args:
        ids: of the tokens.
        positions: of the queries.
        visible: (B, T + M, T), see `visible_keys`.
        mask: id that stands at queries.
        is_query: (B, M) bool, False = padding in place of a query; None: all are queries.
    """
    token_mask = None
    if is_query is not None and not is_query.all():
        token_mask = torch.cat([torch.ones_like(ids, dtype=torch.bool), is_query], 1)
    places = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
    return Inputs(
        torch.cat([ids, torch.full_like(positions, mask)], 1),
        token_mask,
        "matrix",
        visible=visible,
        needed="queries",
        positions=torch.cat([places, positions], 1),
        num_queries=positions.shape[1],
    )


def choose_predicted(
    eligible: np.ndarray,  # (B, T) bool, True = may be predicted: not special
    tokens_per_prediction: int,  # K
    max_span: int,
    rng: Draws,
) -> np.ndarray:
    """Draw the tokens to predict, (B, T) bool: spans of L tokens in windows of K L.

    L is drawn from 1 to `max_span` (section 3.1). A span is cut at the end of a row and at tokens
    that are not eligible; a row with eligible tokens has one to predict at least.
    """
    B, T = eligible.shape
    drawn = rng.random((B, -(-T // tokens_per_prediction)))
    lengths = 1 + whole_numbers(drawn, max_span)
    windows = tokens_per_prediction * lengths
    starts = np.cumsum(windows, axis=1) - windows
    starts += (rng.random(lengths.shape) * (windows - lengths + 1)).astype(np.int64)
    edges = np.zeros((B, T + 1), np.int64)  # 1 where a span begins, -1 behind its end
    rows = np.broadcast_to(np.arange(B)[:, None], lengths.shape)
    np.add.at(edges, (rows, np.minimum(starts, T)), 1)
    np.add.at(edges, (rows, np.minimum(starts + lengths, T)), -1)
    chosen: np.ndarray = (np.cumsum(edges, axis=1)[:, :T] > 0) & eligible
    empty = np.flatnonzero(~chosen.any(axis=1) & eligible.any(axis=1))
    which = whole_numbers(rng.random((B, 1))[empty], eligible[empty].sum(axis=1, keepdims=True))
    so_far = np.cumsum(eligible[empty], axis=1)
    chosen[empty, (so_far > which).argmax(axis=1)] = True
    return chosen


def draw_order(predicted: np.ndarray, rng: Draws) -> np.ndarray:
    """Return each token's place in the order, (B, T): 0 = it is not predicted, then 1, 2, ..."""
    draw = np.where(predicted, rng.random(predicted.shape), 2.0)
    ranks = draw.argsort(axis=1).argsort(axis=1)
    order: np.ndarray = np.where(predicted, ranks + 1, 0)
    return order


def shown_order(visible: Tensor) -> list[int]:
    """Return each token's place in the order, (T,), from whom the tokens see, (T, T).

    0 = it is not predicted, and everybody sees it.
    """
    seen_by_all = int(visible.all(0).sum())
    counts = visible.sum(1).tolist()  # a token sees these, and the predicted ones before itself
    return [int(count) - seen_by_all for count in counts]


def predicted_first(predicted: np.ndarray, multiple: int = 1) -> np.ndarray:
    """Return the positions of predicted tokens, (B, M), from the left, and then others.

    Args:
        predicted: (B, T) bool.
        multiple: M is one, so that few shapes occur.
    """
    num_predicted = int(predicted.sum(axis=1).max())
    width = min(-(-num_predicted // multiple) * multiple, predicted.shape[1])
    positions: np.ndarray = np.argsort(~predicted, axis=1, kind="stable")[:, :width]
    return positions


def visible_keys(order: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return who may look at whom, (B, T + M, T) bool: the tokens, then queries at `positions`.

    A token sees itself and what comes before it in the order; a query sees only what comes before
    the token that it predicts.

    Args:
        order: (B, T), from `draw_order`.
        positions: (B, M).
    """
    before = np.take_along_axis(order, positions, axis=1) - 1
    last_seen = np.concatenate([order, before], axis=1)  # (B, T + M)
    visible: np.ndarray = order[:, None, :] <= last_seen[:, :, None]
    return visible
