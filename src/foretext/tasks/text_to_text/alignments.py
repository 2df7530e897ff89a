"""Which words of a source each word of an output looks at (Bahdanau et al. 2015, 5.2.1).

Of several layers the one is shown that points most clearly: in a Transformer one layer, often the
last but one, holds most of what an alignment is (Garg et al. 2019, section 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.backbones.base import Backbone
from foretext.corpus.text_tokens import split_text
from foretext.data.padded_examples import IGNORED
from foretext.data.rows import ParallelText
from foretext.heads.base import TaskBase
from foretext.heads.text_to_text import TextToTextHead
from foretext.tasks.text_to_text.examples import pair_examples
from foretext.tokenizers.base import Tokenizer

__all__ = ["Alignment", "TokenWords", "merged", "text_alignment", "text_alignments"]

Weights = NDArray[np.float32]

FEWEST, MOST = 3, 25  # words of a text in a picture
PICTURES = 4


class TokenWords(NamedTuple):
    """The words of a text, and to which of them each of its tokens belongs; -1: to none."""

    words: list[str]
    owners: NDArray[np.int64]  # (T,)
    ids: list[int]  # (T,)

    @classmethod
    def of(cls, tokenizer: Tokenizer, text: str) -> TokenWords:
        """Split a text into words, and encode it."""
        words = split_text(text)
        [found] = tokenizer.encode_with_offsets([text])
        lasts = found.offsets[:, 1].astype(np.int64) - 1  # a token may begin with a blank
        starts, ends = (np.array([word[side] for word in words], np.int64) for side in (1, 2))
        owners = np.searchsorted(starts, lasts, side="right") - 1
        is_inside = (owners >= 0) & (lasts < ends[owners]) if words else owners >= 0
        return cls(
            [word.text for word in words], np.where(is_inside, owners, -1), found.ids.tolist()
        )

    @property
    def is_shown(self) -> bool:
        """Whether a picture has room for it."""
        return FEWEST <= len(self.words) <= MOST


class Alignment(NamedTuple):
    """Which words of a source each word of an output looks at."""

    source: list[str]  # S words
    output: list[str]  # T words
    weights: Weights  # (T, S), the mean of the heads
    layer: int  # the one that points most clearly, from 1


class _Pair(NamedTuple):
    place: str
    source: TokenWords
    output: TokenWords
    layers: Weights  # (L, output words, source words)


@torch.inference_mode()
def text_alignment(
    backbone: Backbone, base: TaskBase, head: TextToTextHead, source: str, output: str
) -> Alignment:
    """Return the alignment of one output with its source.

    Args:
        backbone: that of the base, in the precision of answers.
        base: with the tokenizers.
        head: that says how sources and targets are read; it has an encoder.
        source: a text.
        output: what it became.
    """
    assert head.needs_source, "a model without an encoder has no cross-attention"
    row = ParallelText(source, output, "")
    of_source = TokenWords.of(base.tokenizer, source)
    of_output = TokenWords.of(base.target_tokenizer or base.tokenizer, output)
    if not of_source.words or not of_output.words:
        nothing = np.zeros((len(of_output.words), len(of_source.words)), np.float32)
        return Alignment(of_source.words, of_output.words, nothing, 1)
    layers = merged(_token_maps(backbone, base, head, row, of_source), of_source, of_output)
    layer = _clearest([layers])
    return Alignment(of_source.words, of_output.words, layers[layer], layer + 1)


@torch.inference_mode()
def text_alignments(
    backbone: Backbone,
    base: TaskBase,
    head: TextToTextHead,
    rows: Sequence[ParallelText],
    outputs: Sequence[str],
) -> list[dict[str, Any]]:
    """Return pictures of some rows, as ``examination.json`` has them; none without attention.

    Args:
        backbone: that of the base, in the precision of answers.
        base: with the tokenizers.
        head: that says how sources and targets are read.
        rows: with their sources.
        outputs: what they became.
    """
    if not head.needs_source or not backbone.has_cross_attention:
        return []
    pairs = []
    for row, text in zip(rows, outputs, strict=True):
        source = TokenWords.of(base.tokenizer, row.source)
        output = TokenWords.of(base.target_tokenizer or base.tokenizer, text)
        if source.is_shown and output.is_shown:
            maps = _token_maps(backbone, base, head, row._replace(target=text), source)
            pairs.append(_Pair(row.place, source, output, merged(maps, source, output)))
        if len(pairs) == PICTURES:
            break
    layer = _clearest([pair.layers for pair in pairs])
    return [
        {
            "source": pair.source.words,
            "output": pair.output.words,
            "weights": np.round(pair.layers[layer].astype(np.float64), 4).tolist(),
            "layer": layer + 1,
            "place": pair.place,
        }
        for pair in pairs
    ]


def merged(maps: Weights, source: TokenWords, output: TokenWords) -> Weights:
    """Return weights of words, (L, output words, source words), of those of tokens (L, T, S).

    A word gets what all of its tokens get, and gives the mean of what they give. Tokens that belong
    to no word, and outputs whose tokens were cut, are left out.
    """
    of_source = _membership(source, maps.shape[2])  # (S, words)
    of_output = _membership(output, maps.shape[1])  # (T, words)
    shares = of_output / np.maximum(of_output.sum(axis=0), 1)
    found: Weights = np.einsum("lts,tw,sv->lwv", maps, shares, of_source)
    return found


def _membership(text: TokenWords, size: int) -> Weights:
    """Return which of the first `size` tokens belongs to which word, (size, words)."""
    found = np.zeros((size, len(text.words)), np.float32)
    owners = text.owners[:size]
    tokens = np.flatnonzero(owners >= 0)
    found[tokens, owners[tokens]] = 1
    return found


def _token_maps(
    backbone: Backbone, base: TaskBase, head: TextToTextHead, row: ParallelText, source: TokenWords
) -> Weights:
    """Return the mean attention of the heads, (L, tokens of the target, tokens of the source)."""
    batch = pair_examples(base, head, [row]).batch(np.zeros(1, np.int64))
    inputs = batch.inputs.to(backbone.embedding.device)
    maps = torch.stack([each[0].float().mean(0) for each in backbone.cross_attention_maps(inputs)])
    predicts = (batch.targets["next"][0] != IGNORED).numpy()  # (T,)
    framed = cast(Any, batch.inputs.source).ids[0].tolist()
    start = _place(framed, source.ids[: head.source_room])
    columns = slice(start, start + len(source.ids))
    found: Weights = maps.cpu().numpy()[:, predicts, columns]
    return found


def _place(framed: list[int], ids: list[int]) -> int:
    """Return where a source begins within its frame."""
    places = range(len(framed) - len(ids) + 1)
    return next(start for start in places if framed[start : start + len(ids)] == ids)


def _clearest(pairs: Sequence[Weights]) -> int:
    """Return the layer in which the largest weight of a word is the largest in the mean."""
    if not pairs:
        return 0
    return int(np.concatenate([each.max(axis=2) for each in pairs], axis=1).mean(axis=1).argmax())
