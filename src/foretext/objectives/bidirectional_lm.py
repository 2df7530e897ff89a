"""Bidirectional language modelling: each word from those before it, and from those after it.

Peters et al. 2018, section 3.1. Both directions share words' vectors and the softmax, whose
frequent words are cheap (Grave et al. 2017); the loss is the mean over the predictions of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from foretext.backbones.base import Backbone, States
from foretext.base.config import Config
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.examples import Examples, ExamplesByRow
from foretext.data.row_draws import RowDraws
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.nn.adaptive_softmax import AdaptiveSoftmax
from foretext.nn.token_head import Score, TokenHead
from foretext.nn.vocabulary_head import VocabularyHead
from foretext.objectives.base import ModelInUse, Objective, TextRules, row_length
from foretext.objectives.causal_lm import SoftmaxConfig, within_vocabulary
from foretext.objectives.expectation import Expected, Row, from_the_left, from_the_right
from foretext.objectives.shown_example import ShownExample, say
from foretext.shown import Note, Part, TokenLines
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["BidirectionalLM"]

PARTS = {"forward_lm": "next", "backward_lm": "previous"}  # of the loss, and their targets
SIDES = ("left", "right")  # from which each of them reads
NUM_ANSWERS = 2  # of each direction in a sample


class BidirectionalLM(Objective):
    """Predicts the next word of every position, and the previous one.

    Args:
        config: the user's settings.
        backbone: with visibility "split": half of each state has seen the left, half the right.
        tokenizer: with a token to stand between documents.
    """

    class Config(SoftmaxConfig):
        """Settings of bidirectional language modelling."""

        row_length: int | None = Field(None, ge=2)
        """Words of a row; none: as suits the backbone."""
        softmax: Literal["full", "adaptive"] = "adaptive"
        """Kind of softmax; adaptive: rare words cost less; full: every word costs the same."""

    text_rules = TextRules(possible=within_vocabulary)
    visibility: Visibility = "split"
    kind = "bidirectional"
    usage = 'model.layers("a text").states  # (layers, words, numbers)'
    row_length: int

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.row_length = row_length(config, backbone)
        self.separator = tokenizer.special.required("sep")
        self.head = _head(config, backbone)

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return each word with the next one, from the left, and the one before, from the right."""
        example, targets = ShownExample(batch, tokenizer), batch.targets
        row = example.lines_of(batch.inputs)
        words = {part: targets[target][0].tolist() for part, target in PARTS.items()}
        lines = [
            example.line(part, example.tokens(ids), ["target"] * len(ids))
            for part, ids in words.items()
        ]
        note = Note(say("bidirectional_lm.note", number=targets["next"].numel()))
        return [note, TokenLines(say("default.row"), (*row, *lines)), *example.seen()]

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut the text into rows, at other places in each epoch."""
        return BidirectionalRows(TokenStream(tokens, self.separator), self.row_length)

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predicted words of each direction."""
        return {part: batch.targets[target].numel() for part, target in PARTS.items()}

    def divisors(self, counts: Mapping[str, int]) -> Mapping[str, int]:
        """Return the predictions of both directions: the loss is the mean of one."""
        return dict.fromkeys(counts, max(sum(counts.values()), 1))

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the next word by what a state has seen on the left, the previous by the right."""
        halves = states.last.chunk(2, -1)  # (B, T, D / 2) each
        return {
            part: self.head.score(half.flatten(0, 1), batch.targets[target].flatten())
            for half, (part, target) in zip(halves, PARTS.items(), strict=True)
        }

    def expected(self, backbone: Backbone, row: Row) -> Expected:
        """Return what the words before each word let expect, and what those after it do."""
        states = backbone(Inputs(row.ids[None], visibility="split", spelling=row.spelling)).last[0]
        left, right = states.chunk(2, -1)
        return {"left": from_the_left(self.head, left), "right": from_the_right(self.head, right)}

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any] | None:
        """Predict the word in the middle of a row, from the left and from the right."""
        hidden = len(row) // 2
        if len(row) < 3:
            return None
        parts = model.tokenizer.decode(row[:hidden]), model.tokenizer.decode(row[hidden + 1 :])
        return {
            "text": " ___ ".join(parts),
            "hidden": model.tokenizer.tokens[row[hidden]],
            "answers": list(self._answers(model, row, hidden)),
        }

    @torch.no_grad()
    def _answers(
        self, model: ModelInUse, row: list[int], hidden: int
    ) -> Iterator[tuple[str, float]]:
        """Yield the likeliest words at a place, by each direction."""
        ids = torch.tensor([row], device=model.backbone.embedding.device)
        states = model.backbone(Inputs(ids, visibility="split")).last[0]  # (T, D)
        halves = states[hidden - 1], states[hidden + 1]  # neither has seen the word between them
        for side, number in zip(SIDES, range(2), strict=True):
            logits = self.head(halves[number].chunk(2)[number][None])[0].float()
            found = logits.softmax(-1).topk(min(NUM_ANSWERS, len(logits)))
            for share, token in zip(found.values.tolist(), found.indices.tolist(), strict=True):
                yield f"{model.tokenizer.tokens[token]}, from the {side}", round(share, 4)


class BidirectionalRows(ExamplesByRow):
    """Rows of a stream and, as targets, the same rows one word later and one word earlier.

    A text of one word is a row of it: the separator stands on both of its sides.
    """

    def __init__(self, stream: TokenStream, length: int) -> None:
        self.stream = stream
        self.length = max(min(length, len(stream) - 2), 1)

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return the place of the word before each row, (N,), shuffled."""
        if len(self.stream) < 3:
            return np.array([-1])
        return rng.permutation(self.stream.row_starts(self.length, rng, ahead=2))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length."""
        return None

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Read the rows."""
        places = (keys[:, None] + np.arange(self.length + 2)) % len(self.stream)
        ids = torch.from_numpy(self.stream.take(places))
        inputs = Inputs(ids[:, 1:-1].contiguous(), visibility="split")
        targets: dict[str, Tensor] = {"next": ids[:, 2:], "previous": ids[:, :-2]}  # (B, T) each
        return Batch(inputs, {name: target.contiguous() for name, target in targets.items()})


def _head(config: BidirectionalLM.Config, backbone: Backbone) -> TokenHead:
    """Return the softmax of both directions."""
    dim, vocab_size = backbone.dim // 2, backbone.vocab_size
    if config.softmax == "full":
        return VocabularyHead(dim, vocab_size, transform=None, tied=None, bias=True)
    cutoffs = config.reached(vocab_size) or _cutoffs(vocab_size)
    return AdaptiveSoftmax(dim, vocab_size, cutoffs, div_value=config.div_value)


def _cutoffs(vocab_size: int) -> list[int]:
    """Return cutoffs that let the two directions take about as long as the layers below them."""
    return sorted({max(vocab_size // 15, 1), max(vocab_size // 3, 1)})
