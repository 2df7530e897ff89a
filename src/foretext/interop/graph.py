"""A network as a graph of plain tensors, for programs without foretext.

Rows of ids and which of them are tokens go in, named outputs come out. What is a part of foretext
alone, such as marks of the tokens that two texts share, is computed in the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs, Visibility
from foretext.heads.base import TaskBase
from foretext.nn.pooling import Dense
from foretext.tokenizers.alphabet import LONGEST_WORD
from foretext.tokenizers.base import Tokenizer

__all__ = [
    "GraphNetwork",
    "NetworkGraph",
    "ReadInput",
    "TextVector",
    "Texts",
    "check_base",
    "joined_rows",
    "one_row",
]

BREAK = -1  # between the ids of two rows
Texts = tuple[str, ...]  # of one input
Answer = Callable[[States, Inputs], tuple[Tensor, ...]]


class ReadInput(NamedTuple):
    """What a model reads of an input at once, and what it makes of that."""

    ids: list[int]
    outputs: Mapping[str, NDArray[np.float32]]  # by name


class GraphNetwork(nn.Module):
    """A backbone and what is made of its states.

    Args:
        backbone: of the model.
        visibility: that it is read with.
        parts: with the weights that `answer` needs.
        answer: makes outputs of the states.
        needs_layers: whether it reads the states of every layer.
        has_segments: whether it reads which text of a pair a token is of.
        marks_shared: whether the tokens that both texts have are of segments of their own.
        special: ids that stand around texts, and are never shared.
        reads_characters: whether it reads the characters of words.
        group: rows of an input, one below the other.
    """

    def __init__(
        self,
        backbone: Backbone,
        visibility: Visibility,
        parts: nn.Module | None,
        answer: Answer,
        *,
        needs_layers: bool = False,
        has_segments: bool = False,
        marks_shared: bool = False,
        special: Sequence[int] = (),
        reads_characters: bool = False,
        group: int = 1,
    ) -> None:
        super().__init__()
        self.backbone = backbone
        self.parts = parts
        self.visibility: Visibility = visibility
        self.answer = answer
        self.needs_layers = needs_layers
        self.has_segments = has_segments
        self.marks_shared = marks_shared
        self.special = list(special)
        self.reads_characters = reads_characters
        self.group = group

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of what goes in, in order; (B, T, ...) int64 each."""
        return tuple(self.input_widths)

    @property
    def input_widths(self) -> dict[str, tuple[int, ...]]:
        """What goes in, by name: how many numbers a position has; () is one."""
        found: dict[str, tuple[int, ...]] = {"input_ids": (), "attention_mask": ()}
        if self.has_segments:
            found["token_type_ids"] = ()
        if self.reads_characters:
            found["characters"] = (LONGEST_WORD,)
        return found

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor | None = None,
        characters: Tensor | None = None,
    ) -> tuple[Tensor, ...]:
        """Compute the outputs.

        Args:
            input_ids: (B, T) int64.
            attention_mask: (B, T) int64, 1 where there is a token.
            token_type_ids: (B, T) int64, 1 where there is a token of the second text.
            characters: (B, T, K) int64, of the words; 0: none.
        """
        mask, segments = attention_mask > 0, token_type_ids
        if self.marks_shared and segments is not None:
            segments = segments + 2 * self._shared(input_ids, mask, segments).to(torch.int64)
        inputs = Inputs(input_ids, mask, self.visibility, segments=segments, characters=characters)
        return self.answer(self.backbone(inputs, keep_layers=self.needs_layers), inputs)

    def _shared(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """Return which tokens stand in both texts of a row, (B, T) bool."""
        of_text = mask
        for token in self.special:
            of_text = of_text & (ids != token)
        equal = ids[:, :, None] == ids[:, None, :]  # (B, T, T)
        apart = segments[:, :, None] != segments[:, None, :]
        return (equal & apart & of_text[:, None, :]).any(2) & of_text


class TextVector(nn.Module):
    """One vector a text, of the states of its positions; zeros for a text without tokens.

    Args:
        pool: how states become a vector.
        dense: layers that follow.
        normalize: whether vectors get length 1.
        num_around: tokens that stand around a text.
    """

    def __init__(
        self, pool: Any, dense: Sequence[Dense], *, normalize: bool, num_around: int
    ) -> None:
        super().__init__()
        self.pool = pool
        self.dense = nn.ModuleList(dense)
        self.normalize = normalize
        self.num_around = num_around

    def forward(self, states: Tensor, token_mask: Tensor | None) -> Tensor:
        """Return vectors (B, D) of states (B, T, D)."""
        vectors = self.pool(states, token_mask)
        for layer in self.dense:
            vectors = layer(vectors)
        if self.normalize:
            vectors = F.normalize(vectors, dim=-1)
        if token_mask is None:
            return vectors
        return vectors * (token_mask.sum(1, keepdim=True) > self.num_around)


def one_row(texts: Texts) -> list[str | Texts]:
    """Return the one row of an input, as `NetworkGraph.rows_of` does."""
    return [texts if len(texts) > 1 else texts[0]]


@dataclass(frozen=True)
class NetworkGraph:
    """A network, the files beside it, and how foretext itself reads inputs.

    Attributes:
        network: from plain tensors to outputs.
        outputs: their names; those of `of_positions` are (B, T, ...), the others (B, ...).
        of_positions: names of outputs that have a row for each token.
        pipeline: what the hub of Hugging Face calls models that answer so.
        tokenizer: of the texts, without a template.
        max_length: tokens of an input that are read at once, with those around the texts.
        num_texts: of an input.
        cut: what of an input that is too long is left out, as `tokenizers` calls it.
        save: writes the folder of Hugging Face.
        read: what the model reads of an input, and its outputs in float32.
        words: cuts a text into words where these are what is answered; None: they are not.
        rows_of: the rows that are read of an input, as `tokenizers` takes them: texts or pairs.
        facts: what else a program needs, as JSON has it.
        longer: what foretext does with longer inputs, for people; "": the same.
    """

    network: GraphNetwork
    outputs: tuple[str, ...]
    of_positions: frozenset[str]
    pipeline: str
    tokenizer: Tokenizer
    max_length: int
    save: Callable[[Path], None]
    read: Callable[[Texts], ReadInput]
    num_texts: int = 1
    cut: Literal["longest_first", "only_second"] = "longest_first"
    words: Callable[[str], list[str]] | None = None
    rows_of: Callable[[Texts], list[str | Texts]] = one_row
    facts: Mapping[str, Any] = field(default_factory=dict)
    longer: str = ""


def joined_rows(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return the ids of the rows of an input one after another, with `BREAK` between them."""
    found = list(rows[0])
    for row in rows[1:]:
        found += [BREAK, *row]
    return found


def check_base(base: TaskBase, what: str) -> Tokenizer:
    """Return the tokenizer of a base whose network can be a graph.

    Args:
        base: tokenizer and backbone.
        what: of a model, for the sentence, such as "The classifier".

    Raises:
        SettingError: other programs do not have its tokenizer, or its backbone.
    """
    backbone, kind = base.backbone, type(base.backbone).__name__
    if not base.tokenizer.is_in_library:
        raise SettingError(
            f"{what} reads jieba's words, and the tokenizers library has no jieba, so it cannot be "
            "exported; learn it on vectors with tokenizer.pre_tokenizer=words_and_punctuation."
        )
    if backbone.reads_source:
        raise SettingError(
            f"{what} is an encoder-decoder ({kind}), which cannot be exported; "
            "its folder opens in transformers."
        )
    if not backbone.is_graph:
        raise SettingError(
            f"{what} has the backbone {kind}, which cannot be exported; a Transformer can."
        )
    return base.tokenizer
