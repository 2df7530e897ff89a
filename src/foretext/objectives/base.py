"""What every pretraining objective is: it makes its examples from any text and scores the states.

An objective from outside the package needs a nested `Config`, a constructor
`(config, backbone, tokenizer)` that passes them on to `super().__init__`, `examples`, `counts` and
`scores`. Everything else here has a default, and is how the rest of foretext asks what a model
can do: nothing asks for its class.

What an objective may ask of the language model that it trains, to show how far it is.
`foretext.language_model.LanguageModel` is one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.corpus.blocks import Blocks
from foretext.data.batch import Batch, Inputs
from foretext.data.examples import Examples
from foretext.data.segmenter import Segmenter
from foretext.data.token_file import TokenFile
from foretext.nn.token_head import TokenHead
from foretext.nn.vocabulary_head import HeadTransform
from foretext.objectives.criterion import Criterion
from foretext.objectives.expectation import Expected, Row, from_both_sides
from foretext.objectives.gap import Gap
from foretext.objectives.reading import Reading
from foretext.shown import Part
from foretext.tokenizers.frames import FrameKind
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["ModelInUse", "Objective", "TaskHeads", "TextRules", "check_tied", "row_length"]


class TaskHeads(NamedTuple):
    """What pretraining learned above the backbone that a task may start from."""

    vocabulary_head: TokenHead | None = None  # for a language modelling loss beside the task's
    pooler: Mapping[str, Tensor] | None = None  # weight and bias, of a layer on the first state
    transform: HeadTransform | None = None  # between the states and a last layer


def _as_it_is(config: Any, corpus: Blocks) -> Any:
    return config


def _no_segmenter(
    config: Any, tokenizer: SubwordTokenizer, *, held_out: bool = False
) -> Segmenter | None:
    return None


def _all_of_it(config: Any, texts: Sequence[TokenFile]) -> tuple[Any, str | None]:
    return config, None


def _always(config: Any) -> bool:
    return True


@dataclass(frozen=True)
class TextRules:
    """What a text decides of the settings of an objective, before there is a network.

    Attributes:
        resolved: from the settings and the beginning of a text to settings with a value for each
            "auto"; a `MissingExtraError` where the text needs a package that is not installed.
        segmenter: from the settings and a tokenizer to what marks words and entities where a text
            is encoded, with `held_out` one that is measured only; None: nothing has to. A
            `ForetextError` where a file of the settings cannot be read, or they need another
            tokenizer.
        possible: from the settings and texts to the settings that these allow, and a note on what
            is left out.
        plans_rows: whether a plan may choose the length and the number of rows, by the time.
    """

    resolved: Callable[[Any, Blocks], Any] = _as_it_is
    segmenter: Callable[..., Segmenter | None] = _no_segmenter
    possible: Callable[[Any, Sequence[TokenFile]], tuple[Any, str | None]] = _all_of_it
    plans_rows: Callable[[Any], bool] = _always


class Objective(Criterion):
    """Predicts parts of a text from the text itself.

    Args:
        config: the user's settings, of the nested class `Config`; a folder keeps them.
        backbone: whose states are scored.
        tokenizer: of the text.
    """

    # What a trained model can do with its head; see `token_head`.
    fills: ClassVar[bool] = False  # predicts the token at a [MASK] from both sides
    writes_spans: ClassVar[bool] = False  # a [MASK] is any number of tokens; see `gap`
    continues: ClassVar[bool] = False  # predicts each next token, so that it generates text
    continues_sources: ClassVar[bool] = False  # writes a text after another one, its source
    scores_text: ClassVar[bool] = False  # gives a whole text a probability, token by token

    @property
    def abilities(self) -> tuple[str, ...]:
        """What a server can ask of the head, by names of `foretext.serving.abilities`."""
        fills = ("fill",) if self.fills or self.writes_spans else ()
        writes = ("generate",) if self.continues or self.continues_sources else ()
        return (*fills, *writes, *(("likelihood",) if self.scores_text else ()))

    text_rules: ClassVar[TextRules] = TextRules()

    # What people read of it.
    kind: ClassVar[str | None] = None  # of language model, in a word: "masked"
    usage: ClassVar[str | None] = None  # a line of Python that uses `model`, for the card
    command: ClassVar[str] = "embed {run}"  # of foretext, to try first

    # Whether a model folder has its weights in a file of their own where no published class has its
    # head. The folder is then that of the backbone, for all programs but foretext.
    kept_apart: ClassVar[bool] = False

    loss_law: ClassVar[str | None] = (
        None  # of `foretext.pretraining.plan.forecast`; None: no forecast is known
    )

    frame: ClassVar[FrameKind | None] = None  # around a text; None: as its visibility suggests
    row_length: int | None = None  # tokens of a row; None: the backbone's length
    end: int | None = None  # id of the token that ends a text, where it continues texts

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__()
        self.config: Any = config

    @abstractmethod
    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Make examples of a text, to train on or to measure with.

        Args:
            tokens: the encoded text.
            held_out: whether they measure only.
        """

    def reinitialised(self, backbone: Backbone, tokenizer: SubwordTokenizer) -> Self:
        """Return one with the same settings and random weights, for another backbone.

        Args:
            backbone: the other one.
            tokenizer: of its texts.
        """
        return self.__class__(self.config, backbone, tokenizer)

    def learned_length(self, backbone: Backbone) -> int:
        """Return how many positions the rows of the training have taught a backbone to read.

        Behind them a Transformer has vectors or angles that no training has seen. A backbone that
        carries a state has no positions, and reads on.
        """
        longest = backbone.max_length
        return longest if backbone.carries_state else min(self.row_length or longest, longest)

    def begin(self, backbone: Backbone, examples: Examples) -> None:
        """Set first weights that depend on the text, where weights are random until now.

        Args:
            backbone: that is trained.
            examples: of the text.
        """
        return

    @property
    def token_head(self) -> TokenHead | None:
        """The head that maps states to tokens; None: it has none."""
        return None

    def token_network(self, backbone: Backbone) -> Backbone:
        """Return the network whose states `token_head` reads: the backbone, or one of its own."""
        return backbone

    def predicted_positions(self, batch: Batch) -> Tensor | None:
        """Return the positions of all rows whose tokens `token_head` predicts, (M,).

        A student learns the teacher's answers there. None: no other model can be learned from.

        Args:
            batch: of its examples; positions count through its rows, one after the other.
        """
        return None

    def states_of_masks(self, backbone: Backbone, ids: Tensor, masked: Tensor) -> Tensor:
        """Return the states that `token_head` reads to fill masks, (M, D), if it `fills`.

        Args:
            backbone: of the model.
            ids: of a framed text, (1, T).
            masked: (1, T) bool, True = a mask, M of them.
        """
        states: Tensor = self.token_network(backbone)(Inputs(ids)).last[masked]
        return states

    def expected(self, backbone: Backbone, row: Row) -> Expected:
        """Return what the head expects at each position of a text, by the sides that it has seen.

        Args:
            backbone: of the model.
            row: a text with its special tokens.
        """
        head = self.token_head
        if head is None or not self.fills or self.writes_spans:
            return {}
        return {"both": from_both_sides(head, partial(self.states_of_masks, backbone), row)}

    def judged(self, states: Tensor, tokens: Sequence[str], *, is_pair: bool) -> list[Part]:
        """Return what heads other than `token_head` say of a row, for ``foretext show RUN``.

        Args:
            states: of the backbone, (1, T, D).
            tokens: T names.
            is_pair: whether the row has two texts.
        """
        return []

    def gap(self, pieces: Sequence[Sequence[int]], written: Sequence[Sequence[int]]) -> Gap:
        """Return how the next gap of a text is filled, if the objective `writes_spans`.

        Args:
            pieces: ids of the text between the gaps, M + 1 of them.
            written: ids in the gaps before this one, fewer than M.

        Raises:
            ForetextError: the model cannot fill so many gaps, or these.
        """
        raise SettingError(f"[objective] {type(self).__name__} writes no spans.")

    @property
    def for_tasks(self) -> TaskHeads:
        """The heads that a task may start from."""
        return TaskHeads()

    def problem(self, tokens: TokenFile) -> str | None:
        """Return why the model cannot be measured on a text, or None: it can."""
        return None

    def cautions(self, tokens: TokenFile) -> Sequence[str]:
        """Return what a training on a text should be warned of, a sentence each."""
        return ()

    def reading(self, source: Sequence[int] | None = None) -> Reading:
        """Return how a text is read that the model continues.

        Args:
            source: ids of the text that it is written after, if it `continues_sources`.
        """
        return Reading()

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any] | None:
        """Return what the model answers to the ids of a held-out text, to show its progress.

        Args:
            model: what was learned so far.
            row: ids of the text.

        Returns:
            ``text``, what the model was given, and ``answers``, texts or pairs of a text and a
            probability; with ``hidden``, the right answer, where there is one. None: nothing.
        """
        return None

    def start_from(self, other: Objective) -> None:
        """Copy the weights of another objective's heads, as far as both have the same heads."""
        own, theirs = self.state_dict(), other.state_dict()
        shared = [name for name in own if name in theirs and own[name].shape == theirs[name].shape]
        self.load_state_dict({**own, **{name: theirs[name] for name in shared}})


def row_length(config: Any, backbone: Backbone) -> int:
    """Return the tokens of a row: what the user chose, within the length of the backbone.

    Args:
        config: settings of an objective, with a `row_length` that may be None.
        backbone: that reads the rows.

    Raises:
        SettingError: the backbone's rows are shorter than those of the objective may be.
    """
    length: int = min(config.row_length or backbone.usual_length, backbone.max_length)
    if not config.allows("row_length", length):
        least = next(more for more in count(length) if config.allows("row_length", more))
        raise SettingError(
            f"[backbone] max_length = {backbone.max_length}: rows of this objective have {least} "
            f"tokens at least; set backbone.max_length = {least} or more."
        )
    return length


def check_tied(backbone: Backbone) -> None:
    """Check that the token vectors of a backbone can be the weights of a head on its states.

    Raises:
        SettingError: they are of another width than the states.
    """
    width = backbone.embedding.shape[1]
    if width != backbone.dim:
        raise SettingError(
            f"[objective] tied = true makes the token vectors the weights of the head, but those "
            f"of {type(backbone).__name__} have {width} numbers and its states {backbone.dim}; set "
            "objective.tied = false, or give both the same width."
        )


class Answer(Protocol):
    """A token for a masked position."""

    @property
    def token(self) -> str:
        """As the vocabulary writes it."""

    @property
    def probability(self) -> float:
        """Of all tokens."""


class Written(Protocol):
    """What was generated."""

    @property
    def text(self) -> str:
        """Without the prompt."""


class ModelInUse(Protocol):
    """A tokenizer, a backbone and an objective, with the verbs of a language model."""

    tokenizer: SubwordTokenizer
    backbone: Backbone

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, (N, D)."""

    def fill(self, text: str, topn: int = 5) -> Sequence[Sequence[Answer]]:
        """Return the likeliest tokens of each ``[MASK]``."""

    def generate(
        self, prompt: str = "", max_new_tokens: int = 50, *, source: str | None = None
    ) -> Sequence[Written]:
        """Continue a prompt, or write a text after a source."""
