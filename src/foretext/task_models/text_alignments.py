"""Which words of a source an encoder-decoder looked at for each word of an output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.backbones.base import Backbone
from foretext.data.batch import Inputs
from foretext.errors import SettingError
from foretext.objectives.reading import Reading
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Sides", "alignment_of"]

Words = list[list[int]]  # places of the tokens of each word


class Sides(NamedTuple):
    """The tokenizers of sources and of outputs; the same, unless they have vocabularies apart."""

    source: SubwordTokenizer
    output: SubwordTokenizer


@torch.inference_mode()
def alignment_of(
    backbone: Backbone, sides: Sides, reading: Reading, output: Sequence[int]
) -> dict[str, Any] | None:
    """Return words, and what each word of an output takes from each word of its source.

    The heads of a layer are averaged. Of the layers, that is shown which looks at the fewest tokens
    at a time. None: source or output has no word.

    Args:
        backbone: that reads a source.
        sides: tokenizers.
        reading: of the source.
        output: ids that were written, without their end.
    """
    framed = list(reading.source or ())
    first = [] if reading.first is None else [reading.first]
    ids = [*reading.opening, *first, *output]
    device = backbone.embedding.device
    source = Inputs(torch.tensor([framed], device=device))
    inputs = Inputs(torch.tensor([ids], device=device), visibility="causal", source=source)
    maps = [layer[0].float().mean(0) for layer in backbone.cross_attention_maps(inputs)]
    sharpness = [float(weights.max(1).values.mean()) for weights in maps]
    layer = int(np.argmax(sharpness))
    predicts = len(reading.opening) + len(first) - 1  # the position that predicts the first token
    weights = maps[layer][predicts : predicts + len(output)].cpu().numpy()  # (T, S)
    theirs, own = _words(sides.source, framed), _words(sides.output, output)
    if not theirs or not own:
        return None
    return {
        "source": [sides.source.decode([framed[i] for i in word]).strip() for word in theirs],
        "output": [sides.output.decode([output[i] for i in word]).strip() for word in own],
        "weights": _of_words(weights, own, theirs),
        "layer": layer + 1,
    }


def _words(tokenizer: SubwordTokenizer, ids: Sequence[int]) -> Words:
    """Return the places of the tokens of each word; special tokens are of none."""
    begins = _begins(tokenizer, np.array(ids, np.int64))
    words: Words = []
    for place, token in enumerate(ids):
        if not tokenizer.ordinary[token]:
            continue
        if begins[place] or not words:
            words.append([])
        words[-1].append(place)
    return words


def _begins(tokenizer: SubwordTokenizer, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return where words begin, (T,): at each token, where the tokenizer does not mark them."""
    try:
        marks = tokenizer.word_marks
    except SettingError:
        return np.ones(len(ids), np.bool_)
    begins: NDArray[np.bool_] = marks.starts(ids)
    return begins


def _of_words(weights: NDArray[np.float32], own: Words, theirs: Words) -> list[list[float]]:
    """Return (output words, source words): sums over a source word, means over an output word."""
    sums = np.stack([weights[:, word].sum(1) for word in theirs], axis=1)
    return [[round(float(each), 4) for each in sums[word].mean(0)] for word in own]
