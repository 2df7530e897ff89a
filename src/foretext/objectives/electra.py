"""Replaced-token detection: which tokens did a small network replace? ELECTRA (Clark et al. 2020).

A generator, a small masked language model, draws a token for each masked position from what it
predicts. The backbone, which the paper calls the discriminator, then says of every token of the row
whether it is the original one. So it learns at all positions, and not at the 15 % that are masked.
Both networks are trained together and share their token vectors (sections 2 and 3.2). No gradient
flows through the tokens that are drawn.

Two deviations: all masked positions show `[MASK]` to the generator, and only token vectors are
shared, not those of positions and segments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.examples import Examples, ExamplesByRow
from foretext.data.framing import Framing
from foretext.data.row_draws import RowDraws
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.messages import MessageTable
from foretext.nn.feed_forward import ACTIVATIONS, Activation
from foretext.nn.parameters import share_parameter
from foretext.nn.vocabulary_head import Score, VocabularyHead
from foretext.objectives.base import ModelInUse, Objective, row_length
from foretext.objectives.cloze import cloze_head
from foretext.objectives.masked_rows import MaskedRows
from foretext.objectives.masking import (
    MASKING_RULES,
    MaskingConfig,
    check_words,
    masked_positions,
    with_masked_positions,
)
from foretext.objectives.shown_example import ShownExample, say
from foretext.shown import Cell, Note, Part, Table, TokenLines
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Detector", "Electra"]

JUDGED = MessageTable("insight.judged")

INIT_STD = 0.02  # of the detector's first weights, as of those of other heads

STEPS = 1 << 24  # between 0 and 1 that a float32 tells apart: none of them is rounded to 1

NUM_ANSWERS = 3  # of a sample


class Electra(Objective):
    """Says of every token whether a generator replaced it.

    Args:
        config: the user's settings.
        backbone: the discriminator, whose states are scored.
        tokenizer: with `[CLS]`, `[SEP]` and `[MASK]`.
    """

    class Config(MaskingConfig):
        """Settings of replaced-token detection, and of the masks and the head of its generator."""

        mask_token_rate: float = Field(1.0, ge=0, le=1)
        """Share of the hidden tokens that become the mask token."""
        random_token_rate: float = Field(0.0, ge=0, le=1)
        """Share of the hidden tokens that become a random token; the others stay as they are."""
        generator_rate: float = Field(0.25, ge=0, le=1)
        """Width of the generator, as a share of the backbone's; 0: a model folder without one."""
        generator_layers: int | None = Field(None, ge=1)
        """Layers of the generator; none: as many as the backbone has."""
        replaced_weight: float = Field(50.0, gt=0)
        """Weight of the detection in the loss (λ); that of the generator is 1."""
        detector_activation: Activation = "gelu"
        """Activation of the head on the backbone."""

        @model_validator(mode="after")
        def _has_effect(self) -> Electra.Config:
            if self.generator_layers is not None and not self.generator_rate:
                raise ValueError("generator_layers would have no effect with generator_rate = 0")
            return self

    text_rules = MASKING_RULES
    visibility: Visibility = "full"
    cuts_rows = True
    kept_apart = True
    usage = 'model.embed(["a text", "another text"])'
    row_length: int

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.tokenizer = tokenizer
        self.row_length = row_length(config, backbone)
        self.replaced = Detector(backbone.dim, config.detector_activation)
        self.generator: Backbone | None = None
        self.head: VocabularyHead | None = None
        if config.generator_rate:
            self.generator = backbone.narrower(config.generator_rate, config.generator_layers)
            share_parameter(self.generator, self.generator.embedding, backbone.embedding)
            self.head = cloze_head(config, self.generator)

    @property
    def fills(self) -> bool:  # type: ignore[override]
        """Whether it has a generator, which fills masks."""
        return self.generator is not None

    @property
    def networks(self) -> Mapping[str, Backbone]:
        """The generator."""
        return {} if self.generator is None else {"generator": self.generator}

    @property
    def token_head(self) -> VocabularyHead | None:
        """The map from the generator's states to masked tokens."""
        return self.head

    def token_network(self, backbone: Backbone) -> Backbone:
        """Return the generator: only this network predicts tokens."""
        return backbone if self.generator is None else self.generator

    def check(self, backbone: Backbone) -> None:
        """Refuse to train or to measure without a generator, or without the words to hide.

        Raises:
            SettingError: there is none, or the tokenizer does not mark words.
        """
        check_words(self.config, self.tokenizer)
        if self.generator is None:
            raise SettingError(
                "[objective] generator_rate = 0: without a generator no token is replaced, and "
                "nothing can be trained or measured; set objective.generator_rate = 0.25."
            )

    def located(self, batch: Batch) -> Batch:
        """Return a batch that names the masked positions."""
        return with_masked_positions(batch)

    def cautions(self, tokens: TokenFile) -> Sequence[str]:
        """Return what words and entities cannot do in this text."""
        cautions: list[str] = self.config.cautions(tokens, self.tokenizer)
        return cautions

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any] | None:
        """Replace a word of a row by one of the generator's, and ask which it is."""
        return _plant_a_word(model, row, self.replaced)

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return what the generator reads, what it draws, and what the backbone predicts."""
        assert self.generator is not None
        was_training = self.training
        with torch.no_grad():
            prepared = self.eval().prepare(batch, self.generator)
        self.train(was_training)
        example = ShownExample(batch, tokenizer)
        masked, replaced = (prepared.targets[name][0].tolist() for name in ("masked", "replaced"))
        position, read, _, *others = example.lines_of(
            batch.inputs, marks=example.masks(batch.inputs.ids[0].tolist())
        )
        drawn = prepared.inputs.ids[0].tolist()
        marks = ["replaced" if each else "" for each in replaced]
        lines = (
            position,
            example.line("original", example.tokens(batch.targets["original"][0].tolist())),
            example.line("generator", read.tokens, read.marks),
            example.line("discriminator", example.tokens(drawn), marks),
            example.line("id", drawn),
            *others,
            example.line("label", map(int, replaced)),
        )
        num_masked, num_replaced = sum(masked), sum(replaced)
        note = say(
            "electra.note",
            masked=num_masked,
            replaced=num_replaced,
            right=num_masked - num_replaced,
            tokens=batch.inputs.num_tokens,
        )
        return [Note(note), TokenLines(say("default.row"), lines), *example.seen()]

    def judged(self, states: Tensor, tokens: Sequence[str], *, is_pair: bool) -> list[Part]:
        """Return how probable the discriminator finds it that each token was replaced."""
        shares = self.replaced(states)[0].float().sigmoid().tolist()
        rows: list[tuple[Cell, ...]] = [
            (token, round(share, 4)) for token, share in zip(tokens, shares, strict=True)
        ]
        columns = JUDGED.columns("token", "replaced")
        return [Table.of(JUDGED("replaced_table"), columns, rows)]

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows from the text; each is masked differently every time it is read."""
        special = self.tokenizer.special
        stream = TokenStream(tokens, special.required("sep"))
        masking = self.config.masking(self.tokenizer, tokens, held_out=held_out)
        return _DrawnRows(MaskedRows(stream, self.row_length, special.required("cls"), masking))

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of masked tokens, and of all."""
        num_masked = int(batch.targets["masked"].sum())
        return {"generator": num_masked, "replaced": batch.inputs.num_tokens}

    def prepare(self, batch: Batch, backbone: Backbone) -> Batch:
        """Let the generator fill the masked positions; its score goes along with the targets."""
        assert self.generator is not None
        assert self.head is not None
        targets = batch.targets
        originals = targets["original"].flatten()  # (B * T,)
        places = masked_positions(batch)  # (M,)
        states = self.generator(batch.inputs).last.flatten(0, 1)  # (B * T, D')
        score, drawn = self.head.score_and_draw(
            states.index_select(0, places),
            originals.index_select(0, places),
            targets["draws"].flatten().index_select(0, places),
        )
        ids = originals.index_copy(0, places, drawn).view_as(targets["original"])  # (B, T)
        assert score.num_correct is not None
        found = {
            "replaced": ids != targets["original"],  # (B, T); a token may be drawn that was there
            "generator_loss": score.loss,  # ()
            "generator_correct": score.num_correct,  # ()
        }
        inputs = replace(batch.inputs, ids=ids)
        return replace(batch, inputs=inputs, targets={**targets, **found})

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the generator, and what the states say of every token."""
        targets, real = batch.targets, batch.inputs.token_mask
        logits, replaced = self.replaced(states.last).float(), targets["replaced"]  # (B, T)
        if real is not None:
            logits, replaced = logits[real], replaced[real]
        losses = F.binary_cross_entropy_with_logits(logits, replaced.float(), reduction="sum")
        return {
            "generator": Score(targets["generator_loss"], targets["generator_correct"]),
            "replaced": Score(
                losses,
                ((logits > 0) == replaced).sum(),
                num_majority=(~replaced).sum(),
                weight=self.config.replaced_weight,
            ),
        }


class Detector(nn.Module):
    """Linear, activation, and a number for each position: above 0 it is a replaced token."""

    def __init__(self, dim: int, activation: Activation) -> None:
        super().__init__()
        self.dense = nn.Linear(dim, dim)
        self.activation = ACTIVATIONS[activation]
        self.output = nn.Linear(dim, 1)
        for layer in (self.dense, self.output):
            nn.init.normal_(layer.weight, std=INIT_STD)
            nn.init.zeros_(layer.bias)

    def forward(self, states: Tensor) -> Tensor:
        """Map states (..., D) to logits (...)."""
        logits: Tensor = self.output(self.activation(self.dense(states)))
        return logits.squeeze(-1)


class _DrawnRows(ExamplesByRow):
    """Examples with a number in [0, 1) for each position, as the target `draws`, (B, T) float32.

    The numbers are part of the batch of a step. So a generator draws the same tokens whether a run
    was interrupted or not, in micro-batches and on several processes.

    Args:
        rows: with the target `original`, (B, T).
    """

    drawing = 2

    def __init__(self, rows: ExamplesByRow) -> None:
        self.rows = rows

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return the keys of the rows, shuffled."""
        return self.rows.keys(rng)

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """Return the tokens of each row; None: all have as many."""
        return self.rows.lengths(keys)

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Make the rows, then draw their numbers."""
        batch = self.rows.batch_of(keys, draws)
        drawn = np.floor(draws.random(tuple(batch.targets["original"].shape)) * STEPS) / STEPS
        found = torch.from_numpy(drawn.astype(np.float32))
        return replace(batch, targets={**batch.targets, "draws": found})


def _plant_a_word(
    model: ModelInUse, row: list[int], detect: Callable[[Tensor], Tensor]
) -> Mapping[str, Any] | None:
    """Replace the word in the middle of a row as the model would fill it, and ask which it is.

    Args:
        model: that fills masks.
        row: ids of a text.
        detect: maps the backbone's states (..., D) to logits (...), high at replaced tokens.

    Returns:
        As `Objective.sample`; None for a row without a word.
    """
    tokenizer = model.tokenizer
    words = np.flatnonzero((tokenizer.ordinary & tokenizer.word_starts)[row])
    if not len(words):
        return None
    place = int(words[len(words) // 2])
    parts = [tokenizer.decode(row[:place]), "[MASK]", tokenizer.decode(row[place + 1 :])]
    answers = model.fill(" ".join(parts).strip(), topn=2)[0]
    planted = next(each.token for each in answers if each.token != tokenizer.tokens[row[place]])
    ids = [*row[:place], tokenizer.tokens.index(planted), *row[place + 1 :]]
    chances = _chances(model, ids, detect)
    likeliest = np.argsort(-chances, kind="stable")[:NUM_ANSWERS].tolist()
    return {
        "text": f"Which token was replaced? {tokenizer.decode(ids)}",
        "hidden": planted,
        "answers": [[tokenizer.tokens[ids[at]], round(float(chances[at]), 4)] for at in likeliest],
    }


@torch.inference_mode()
def _chances(model: ModelInUse, ids: list[int], detect: Callable[[Tensor], Tensor]) -> np.ndarray:
    """The probability that each token was replaced, (T,)."""
    backbone = model.backbone
    framing = Framing.of(model.tokenizer, "full", backbone.max_length)
    row = torch.tensor([framing.around(ids)], device=backbone.embedding.device)  # (1, T)
    first = len(framing.prefix)
    logits = detect(backbone(Inputs(row)).last)[0, first : first + len(ids)]
    chances: np.ndarray = logits.float().sigmoid().cpu().numpy()
    return chances
