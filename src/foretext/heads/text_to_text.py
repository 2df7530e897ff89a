"""A text that becomes another one: translation, summaries, answers (Sutskever et al. 2014).

The network is trained by teacher forcing: each token of the target is predicted from the source and
from the right tokens before it. How a source and a target are read is what the objective of the
base says: by an encoder and a decoder (T5, BART), or in one row (GPT, UniLM).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import Field
from torch import Tensor

from foretext.backbones.base import States
from foretext.base.config import Config as Settings
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.padded_examples import IGNORED
from foretext.heads.base import Head, TaskBase
from foretext.nn.token_head import Score, TokenHead
from foretext.objectives import OBJECTIVES
from foretext.objectives.base import Objective, TaskHeads
from foretext.objectives.reading import Reading
from foretext.objectives.shown_example import ShownExample, say
from foretext.shown import Note, Part, TokenLines
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Figure", "TextToTextHead"]

Figure = Literal["bleu", "chrf", "rouge_l"]

SCRATCH = "prefix_lm"  # the objective of a base that was pretrained without one
WRITERS = (
    "an encoder-decoder (a run or a folder of T5, BART or Marian), GPT or UniLM, or a name, to "
    "learn from scratch: transformer-2017, gru-attention, lstm-attention"
)
GROWTH = 1.25  # how much longer an output may be than the longest target that was learned from


class TextToTextHead(Head):
    """The head and the frame of the base's objective, on pairs of texts.

    Args:
        config: the user's settings.
        base: tokenizer and backbone, with the objective that it was pretrained with.
        objective: name and settings of that objective, where the base has none.
        longest: tokens of the longest target that was learned from.

    Raises:
        SettingError: the base writes no texts, or cannot smooth labels.
    """

    class Config(Settings):
        """Settings of text-to-text."""

        max_length: int = Field(512, ge=8)
        """Positions of a source, and of a target, if the base allows as many."""
        long_sources: Literal["warn", "cut", "refuse"] = "warn"
        """Sources that are longer: cut with a warning, cut, or an error."""
        label_smoothing: float | None = Field(None, ge=0, lt=1)
        """Share of each target that all tokens divide; none: 0.1 where weights are random."""
        redraw_cross_attention: bool | None = None
        """Begin with random cross-attention; none: on a T5 of our recipe that has seen no pairs."""
        vocabularies: Literal["shared", "separate"] = "shared"
        """From scratch: one vocabulary for sources and targets, or one for each."""
        judged_by: Figure | Literal["loss"] = "chrf"
        """Held-out figure that weights are chosen by; loss: nothing is decoded for it."""
        num_beams: int = Field(4, ge=1)
        """Hypotheses that a beam search keeps for each text; 1: greedy decoding."""
        max_new_tokens: int | None = Field(None, ge=1)
        """Tokens of an output, at most; none: a quarter more than the longest target."""
        min_new_tokens: int = Field(0, ge=0)
        """Tokens of an output, at least."""
        length_penalty: float = 1.0
        """Power of the length that scores of a beam are divided by; higher: longer outputs."""
        length_norm: Literal["power", "wu"] = "power"
        """What is raised to it: the length, or (5 + length) / 6 (Wu et al. 2016)."""
        early_stopping: bool | Literal["never"] = False
        """True: a beam search stops at num_beams ended outputs; "never": if none can improve."""
        no_repeat_ngram_size: int = Field(0, ge=0)
        """Length of the n-grams that an output may not have twice; 0: all may come again."""

    name = "text_to_text"
    writes_texts = True
    objective: Objective
    end: int  # id of the token that ends a target

    def __init__(
        self,
        config: Config,
        base: TaskBase,
        *,
        objective: Mapping[str, Any] | None = None,
        longest: int = 0,
    ) -> None:
        super().__init__(config, base)
        tokenizer = base.target_tokenizer or base.tokenizer
        if base.objective is None and objective is not None:  # of a folder
            base = base._replace(objective=_made(objective, base, tokenizer))
        _check_base(base)
        self.source_tokenizer = base.tokenizer
        self.objective = base.objective or _made(None, base, tokenizer)
        self.head = _head(self.objective)
        if config.label_smoothing and not self.head.smooths:
            raise SettingError(
                "[task] label_smoothing needs the probabilities of all tokens, which an adaptive "
                "softmax computes for some alone; set it to 0."
            )
        assert self.objective.end is not None, "it continues texts"
        self.end = self.objective.end
        self.needs_source = base.backbone.reads_source
        if self.needs_source:
            self.visibility = "causal"  # of the decoder; the base is read by its encoder alone
        self.longest = longest
        reading = self.reading(())
        self.hides_tokens = reading.mask is not None
        self.sees_prefix = not self.needs_source and reading.opening_visibility == "full"
        self.source_room, self.target_room = self._rooms(base.backbone.max_length, longest)
        self.found = {"objective": _described(self.objective), "longest": longest}

    @property
    def trains_with(self) -> frozenset[Visibility]:
        """One: whether a source in the same row is seen as a whole decides."""
        return frozenset({"matrix" if self.sees_prefix else "causal"})

    @property
    def writer(self) -> Objective:
        """The objective whose head and ids it writes with."""
        return self.objective

    @property
    def for_tasks(self) -> TaskHeads:
        """The heads of the objective."""
        return self.objective.for_tasks

    @property
    def max_new_tokens(self) -> int:
        """Tokens of an output, at most, with its end."""
        usual = min(int(GROWTH * self.longest) + 2, self.target_room)
        most: int = self.config.max_new_tokens or max(usual, self.config.min_new_tokens + 1)
        return most

    def reading(self, source: Sequence[int]) -> Reading:
        """Return what is read before a target: in one row, the end token parts it from its source.

        Args:
            source: ids, without a frame.
        """
        objective = self.objective
        reads = objective.continues_sources
        own = objective.reading(source) if reads else objective.reading()
        if self.needs_source:
            return own
        opening = own.opening if reads else (*own.opening, *source)
        if opening[-1:] != (self.end,):
            opening = (*opening, self.end)
        return own._replace(opening=opening)

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return the logits of the token after each position, (B, T, V)."""
        logits: Tensor = self.head(states.last).float()
        return logits

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return source, decoder input and target, which are shifted by one, and the first steps.

        In one row, the source stands before the target and is not predicted.
        """
        example, source = ShownExample(batch, tokenizer), batch.inputs.source
        number = int((batch.targets["next"] != IGNORED).sum())
        parts: list[Part] = [Note(say("seq2seq.rule", number=number))]
        if source is not None:
            read = ShownExample(batch, self.source_tokenizer).lines_of(source)
            parts.append(TokenLines(say("default.source"), read))
        names = ("token", "next") if source is None else ("decoder", "next")
        parts += [example.shifted(names), example.steps()]
        return [*parts, *([] if source is None else [Note(say("seq2seq.seen"))]), *example.seen()]

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of target tokens."""
        return {self.name: int((batch.targets["next"] != IGNORED).sum())}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the tokens of targets; they are smoothed in training alone."""
        right = batch.targets["next"].flatten()
        places = (right != IGNORED).nonzero()[:, 0]  # (M,)
        hidden = states.last.flatten(0, 1).index_select(0, places)
        smoothing = (self.config.label_smoothing or 0.0) if self.training else 0.0
        return {self.name: self.head.score(hidden, right[places], smoothing)}

    def _rooms(self, positions: int, longest: int) -> tuple[int, int]:
        """Return the tokens of a source, and of a target with its end, for which there is room.

        Where both stand in one row, a target has as much as the longest one needs, and half of the
        row at most.
        """
        frame = self.reading(())
        if self.needs_source:
            length = min(self.config.max_length, positions)
            around = len(frame.source or ())
            return length - around, length + 1 - len(frame.opening) - (frame.first is not None)
        length = min(2 * self.config.max_length, positions)
        length -= len(frame.opening) + self.hides_tokens
        target = min(longest + 1, length // 2) if longest else length // 2
        return length - target, target


def _check_base(base: TaskBase) -> None:
    """Refuse a base that reads a text and writes none."""
    objective, backbone = base.objective, base.backbone
    writes = backbone.continues_texts and base.tokenizer.kind == "subwords"
    if objective is None:
        writes = writes and (backbone.reads_source or "matrix" in backbone.visibilities)
    else:
        writes = writes and objective.continues
    if base.target_tokenizer is not None and not backbone.reads_source:
        raise SettingError(
            "[task] vocabularies = 'separate' needs an encoder for the source, and "
            f"{type(backbone).__name__} reads both texts in one row; leave it out."
        )
    if not writes:
        raise SettingError(
            f"BASE, a {type(backbone).__name__}, reads texts and writes none; text_to_text is "
            f"learned on {WRITERS}."
        )


def _made(described: Mapping[str, Any] | None, base: TaskBase, tokenizer: object) -> Objective:
    """Return an objective with random weights."""
    embedding = base.backbone.embedding
    settings = dict(described or {"name": SCRATCH, "tied": embedding.shape[1] == base.backbone.dim})
    name = str(settings.pop("name"))
    component = OBJECTIVES.resolve(name, Path("config.json"))
    config = component.Config.checked(settings, "objective")
    made: Objective = component(config, base.backbone, cast(SubwordTokenizer, tokenizer))
    made.check(base.backbone)
    return made


def _described(objective: Objective) -> dict[str, Any]:
    """Return name and settings of an objective, as JSON has them."""
    name = OBJECTIVES.name_of(type(objective))
    return {"name": name, **objective.config.model_dump(mode="json")}


def _head(objective: Objective) -> TokenHead:
    head = objective.token_head
    assert head is not None, f"{type(objective).__name__} continues texts and has no head"
    return head
