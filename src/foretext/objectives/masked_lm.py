"""Masked language modelling, with next-sentence prediction or without (Devlin et al. 2019, 3.1).

Whole words (Cui et al. 2019), and phrases and entities as in ERNIE (Sun et al. 2019), are masked
together by option. The head runs at the masked positions only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.data.batch import Batch, Visibility
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.messages import MessageTable
from foretext.nn.vocabulary_head import HeadTransform, Score, VocabularyHead, class_score
from foretext.objectives.base import ModelInUse, Objective, TaskHeads, row_length
from foretext.objectives.cloze import cloze_head, hide_a_word
from foretext.objectives.masked_rows import MaskedRows
from foretext.objectives.masking import (
    MASKING_RULES,
    MaskingConfig,
    check_words,
    masked_positions,
    with_masked_positions,
)
from foretext.objectives.sentence_pairs import SentencePairs, has_pairs
from foretext.objectives.shown_example import ShownExample, say, say_all
from foretext.shown import Note, Part
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["MaskedLM"]

JUDGED = MessageTable("insight.judged")


def _without_pairs(config: Any, texts: Sequence[TokenFile]) -> tuple[Any, str | None]:
    """Leave next-sentence prediction out where a text has no pairs."""
    pairs = [has_pairs(text, config.pair_sentences) for text in texts]
    if not config.next_sentence or all(pairs):
        return config, None
    given = config.model_dump(exclude_unset=True, exclude={"next_sentence", "pair_sentences"})
    return type(config)(**given), (
        f"next_sentence is left out: the text has no two documents of {_needed(config)} "
        "sentences or more (corpus.documents and corpus.sentences say where documents and "
        "sentences end)"
    )


class MaskedLM(Objective):
    """Predicts masked tokens and, by option, whether one text follows another.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with `[CLS]`, `[SEP]`, `[MASK]` and `[PAD]`.
    """

    class Config(MaskingConfig):
        """Settings of masked language modelling."""

        next_sentence: bool = False
        """Also learn whether a text follows another."""
        pair_sentences: int | None = Field(None, ge=1)
        """Sentences of each of the two texts; none: as many as a row holds."""

        @model_validator(mode="after")
        def _has_effect(self) -> MaskedLM.Config:
            if self.pair_sentences is not None and not self.next_sentence:
                raise ValueError("pair_sentences would have no effect without next_sentence")
            return self

    text_rules = replace(MASKING_RULES, possible=_without_pairs)
    visibility: Visibility = "full"
    fills = True
    kind = "masked"
    usage = 'model.fill("a text with a [MASK] in it")'
    command = 'fill {run} "a text with a [MASK] in it"'
    loss_law = "masked"
    row_length: int

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.tokenizer = tokenizer
        self.row_length = row_length(config, backbone)
        self.head = cloze_head(config, backbone)
        self.next_sentence = NextSentence(backbone.dim) if config.next_sentence else None
        self.cuts_rows = not config.next_sentence

    def check(self, backbone: Backbone) -> None:
        """Refuse a tokenizer that does not mark words, where words are hidden together."""
        check_words(self.config, self.tokenizer)

    def located(self, batch: Batch) -> Batch:
        """Return a batch that names the masked positions."""
        return with_masked_positions(batch)

    def cautions(self, tokens: TokenFile) -> Sequence[str]:
        """Return what words and entities cannot do in this text."""
        cautions: list[str] = self.config.cautions(tokens, self.tokenizer)
        return cautions

    @property
    def token_head(self) -> VocabularyHead:
        """The map from states to masked tokens."""
        return self.head

    @property
    def for_tasks(self) -> TaskHeads:
        """The pooler of next-sentence prediction, and what stands before the vocabulary."""
        pooler = None if self.next_sentence is None else self.next_sentence.pooler.state_dict()
        return TaskHeads(pooler=pooler, transform=cast(HeadTransform, self.head.transform))

    def problem(self, tokens: TokenFile) -> str | None:
        """Return why pairs cannot be predicted, where the model predicts them."""
        if self.next_sentence is None or has_pairs(tokens, self.config.pair_sentences):
            return None
        return (
            "the model predicts whether one text follows another, and here are no two documents "
            f"of {_needed(self.config)} sentences or more; say where documents end, or use another "
            "text"
        )

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any]:
        """Mask the word in the middle of a row, and fill it."""
        return hide_a_word(model, row)

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return which tokens are masked and how, and whether the second text follows."""
        example = ShownExample(batch, tokenizer)
        note, lines = example.cloze()
        parts = [Note(self._rule()), note, lines]
        units = batch.targets.get("unit")
        if units is not None and (number := int(units[0])):  # 0: nothing is masked
            kind = self.config.kinds[number - 1]
            parts.insert(2, Note(say("masked_lm.unit", kind=say(f"units.{kind}"))))
        if (follows := batch.targets.get("follows")) is not None:
            answer = "follows" if int(follows[0]) else "stranger"
            parts.insert(0, Note(say(f"masked_lm.{answer}")))
        return [*parts, *example.seen()]

    def _rule(self) -> str:
        """Say by which rule tokens are masked."""
        config = self.config
        shares = (config.mask_rate, *config.replacements)
        kinds = say_all("masked_lm.or", (say(f"units.{kind}") for kind in config.kinds))
        rate, mask, random, kept = (f"{share:.0%}" for share in shares)
        return say("masked_lm.rule", rate=rate, mask=mask, random=random, kept=kept, kinds=kinds)

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows or pairs from the text; each is masked differently every time it is read."""
        special = self.tokenizer.special
        masking = self.config.masking(self.tokenizer, tokens, held_out=held_out)
        cls, sep = special.required("cls"), special.required("sep")
        if self.next_sentence is None:
            return MaskedRows(TokenStream(tokens, sep), self.row_length, cls, masking)
        frame = (cls, sep, special.required("pad"))
        return SentencePairs(tokens, self.row_length, self.config.pair_sentences, frame, masking)

    def predicted_positions(self, batch: Batch) -> Tensor:
        """Return the masked positions, (M,)."""
        return masked_positions(batch)

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of masked tokens, and of pairs."""
        counts = {"masked_lm": int(batch.targets["masked"].sum())}
        if "follows" in batch.targets:
            counts["next_sentence"] = len(batch)
        return counts

    def judged(self, states: Tensor, tokens: Sequence[str], *, is_pair: bool) -> list[Part]:
        """Return how probable it is that the second text of a pair follows the first."""
        if self.next_sentence is None or not is_pair:
            return []
        share = float(self.next_sentence(states).float().softmax(-1)[0, 1])
        return [Note(JUDGED("follows", share=share))]

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the masked tokens, and the pairs by the state of `[CLS]`."""
        positions = self.predicted_positions(batch)  # (M,)
        hidden = states.last.flatten(0, 1).index_select(0, positions)  # (M, D)
        originals = batch.targets["original"].flatten().index_select(0, positions)
        scores = {"masked_lm": self.head.score(hidden, originals)}
        if self.next_sentence is not None:
            logits = self.next_sentence(states.last)
            scores["next_sentence"] = class_score(logits, batch.targets["follows"])
        return scores


def _needed(config: MaskedLM.Config) -> str:
    """The sentences that a document needs for a pair."""
    number = 2 * (config.pair_sentences or 1)
    return "two" if number == 2 else str(number)


class NextSentence(nn.Module):
    """A tanh layer on the first state, then two classes: unrelated text, next text."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.pooler = nn.Linear(dim, dim)
        self.classifier = nn.Linear(dim, 2)
        for layer in (self.pooler, self.classifier):
            nn.init.normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)

    def forward(self, states: Tensor) -> Tensor:
        """Map states (B, T, D) to logits (B, 2)."""
        return self.classifier(torch.tanh(self.pooler(states[:, 0])))
