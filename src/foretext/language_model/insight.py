"""What a network makes of one text: its states by layer, and which position attends to which."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.base.errors import CorpusError
from foretext.data.batch import Inputs, Visibility
from foretext.data.framing import Framing
from foretext.language_model.embedding import framed_pair
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["AttentionMaps", "LayerStates", "OneText", "attention_of", "layers_of"]


class LayerStates(NamedTuple):
    """The states of a text's positions."""

    tokens: list[str]  # T
    # (L + 1, T, D): the embeddings, then each layer; those of another width are left out.
    states: NDArray[np.float32]


class AttentionMaps(NamedTuple):
    """The attention weights of a text's positions."""

    tokens: list[str]  # T
    weights: NDArray[np.float32]  # (L, H, T, T); a row sums to 1


class OneText(NamedTuple):
    """One text as the network reads it."""

    tokens: list[str]  # T
    inputs: Inputs  # (1, T)

    @classmethod
    def of(
        cls,
        text: str,
        tokenizer: SubwordTokenizer,
        framing: Framing,
        visibility: Visibility,
        device: torch.device,
        second: str | None = None,
        num_segments: int = 0,
    ) -> OneText:
        """Encode a text, and put the special tokens around it.

        Args:
            text: the text.
            tokenizer: of the model.
            framing: the special tokens.
            visibility: that the model is read with.
            device: of the model.
            second: another text in the same row, or None.
            num_segments: kinds of tokens that the model tells apart.

        Raises:
            CorpusError: the text is empty, or longer than the model.
        """
        ids = tokenizer.encode(text)
        if not ids:
            raise CorpusError("The text is empty: there is nothing to look at.")
        if len(ids) > framing.room:
            raise CorpusError(
                f"The text has {len(ids):,} tokens, and the model sees {framing.room:,} at "
                "once; look at a shorter part of it."
            )
        segments = None
        if second is None:
            row = framing.around(ids)
        else:
            row = framed_pair(framing, ids, tokenizer.encode(second))
            if num_segments > 1:
                is_second = torch.arange(len(row)) >= framing.second_starts(ids)
                segments = is_second.long()[None]
        spelling = _spelling(tokenizer)
        inputs = Inputs(
            torch.tensor([row]), visibility=visibility, segments=segments, spelling=spelling
        ).to(device)
        return cls([tokenizer.tokens[token] for token in row], inputs)


def _spelling(tokenizer: SubwordTokenizer) -> Tensor | None:
    found = tokenizer.spelling
    return None if found is None else torch.from_numpy(found)


def layers_of(backbone: Backbone, text: OneText) -> LayerStates:
    """Return the states after each layer; the last ones are those that `embed` pools."""
    states = backbone(text.inputs, keep_layers=True)
    layers = [*states.layers[:-1], states.last][-backbone.num_mixed :]
    return LayerStates(text.tokens, np.stack([state[0].float().cpu().numpy() for state in layers]))


def attention_of(backbone: Backbone, text: OneText) -> AttentionMaps:
    """Return the attention weights of each layer.

    Raises:
        SettingError: the backbone has no attention.
    """
    maps = backbone.attention_maps(text.inputs)
    return AttentionMaps(text.tokens, np.stack([layer[0].float().cpu().numpy() for layer in maps]))
