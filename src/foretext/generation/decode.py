"""Many texts are decoded in batches of similar length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from foretext.backbones.base import Backbone
from foretext.generation.beam_search import BeamSearch
from foretext.generation.decoder import Decoder
from foretext.generation.decoding import Decoding, Output
from foretext.generation.greedy import choose_tokens
from foretext.nn.quantized_linear import packed, packed_head
from foretext.nn.token_head import TokenHead
from foretext.objectives.reading import Reading

__all__ = ["decode"]

MANY_TEXTS = 16  # from here on, laying out weights for the matrix library takes less than it saves


@torch.inference_mode()
def decode(
    backbone: Backbone,
    head: TokenHead,
    readings: Sequence[Reading],
    decoding: Decoding,
    *,
    end: int | None,
    num_ids: int | None = None,
    advance: Callable[[int], None] | None = None,
    pause: Callable[[], None] | None = None,
) -> list[list[Output]]:
    """Decode the text of each reading; return its outputs, the best one first.

    Texts with sources or openings of similar length are decoded together. The result does not
    depend on what stands beside a text, but for rounding.

    Args:
        backbone: one that `continues_texts`, in the number format to compute in.
        head: maps states (B, D) to logits (B, V).
        readings: one a text, with its source or with an opening of at least one id.
        decoding: the settings.
        end: id of the token that ends an output; None: none does.
        num_ids: that the tokenizer has; a head may have rows behind them.
        advance: is called with the number of texts of each batch that is done.
        pause: is called before each token, so that other work can have its turn.

    Raises:
        SettingError: the backbone cannot continue a text.
    """
    maps = head if len(readings) < MANY_TEXTS else packed_head(head)
    if len(readings) >= MANY_TEXTS:
        backbone = packed(backbone)
    outputs: list[list[Output]] = [[] for _ in readings]
    for batch in _batches(readings, decoding.batch_texts):
        decoder = Decoder(backbone, maps, [readings[text] for text in batch], num_ids, pause=pause)
        if decoding.num_beams > 1:
            found = BeamSearch(decoder, len(batch), decoding, end).outputs()
        else:
            found = choose_tokens(decoder, batch, decoding, end)
        for text, best in zip(batch, found, strict=True):
            outputs[text] = best
        if advance is not None:
            advance(len(batch))
    return outputs


def _batches(readings: Sequence[Reading], size: int) -> list[list[int]]:
    """Group the numbers of the readings by the length of opening and source, the longest first."""
    lengths = [(len(each.opening), len(each.source or ())) for each in readings]
    batches: list[list[int]] = []
    for text in sorted(range(len(readings)), key=lambda text: lengths[text], reverse=True):
        last = batches[-1] if batches else []
        if not last or len(last) == size or lengths[last[0]][0] != lengths[text][0]:
            batches.append([text])
        else:
            last.append(text)
    return batches
