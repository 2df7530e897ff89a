"""TextCNN against Kim's sums, written as loops over words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from foretext.backbones.textcnn import TextCNN
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs

V = 30
LENGTHS = (11, 4, 1)
WIDTHS = [1, 2, 3, 4, 5]


def textcnn(**settings: Any) -> TextCNN:
    torch.manual_seed(0)
    shape = {"vector_size": 6, "widths": WIDTHS, "num_maps": 4}
    return TextCNN(TextCNN.Config(**{**shape, **settings}), V)


def windows(words: np.ndarray, width: int) -> list[np.ndarray]:
    """The windows (width, D) of a sentence (n, D) with (width - 1) zeros shared by its two ends."""
    before = np.zeros(((width - 1) // 2, words.shape[1]), np.float32)
    after = np.zeros((width // 2, words.shape[1]), np.float32)
    padded = np.concatenate((before, words, after))
    return [padded[first : first + width] for first in range(len(words))]


def maps_by_loops(backbone: TextCNN, ids: list[int]) -> np.ndarray:
    """(n, D) of a sentence: c_i = max(0, w · x_{i:i+h-1} + b), equation 2."""
    vectors = backbone.embedding.detach().numpy()[ids]
    maps = []
    for convolution in backbone.convolutions:
        weight = convolution.weight.detach().numpy()  # (M, D, width)
        bias = convolution.bias.detach().numpy()
        for filter_, offset in zip(weight, bias, strict=True):
            sums = [(filter_.T * w).sum() + offset for w in windows(vectors, convolution.width)]
            maps.append(np.maximum(sums, 0))
    return np.stack(maps, 1)


def test_maps_are_those_of_loops_and_so_are_the_largest() -> None:
    """The largest over a row's real positions is Kim's, of the sentence without any padding."""
    backbone = textcnn()
    for convolution in backbone.convolutions:
        torch.nn.init.normal_(convolution.bias)  # so that windows of padding alone would count
    ids = torch.randint(V, (len(LENGTHS), max(LENGTHS)))
    token_mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    states = backbone(Inputs(ids, token_mask)).last.detach()
    largest = states.masked_fill(~token_mask[..., None], -torch.inf).amax(1)
    for row, length in enumerate(LENGTHS):
        expected = maps_by_loops(backbone, ids[row, :length].tolist())
        np.testing.assert_allclose(states[row, :length], expected, atol=1e-5)
        np.testing.assert_allclose(largest[row], expected.max(0), atol=1e-5)


def test_the_defaults_are_kims() -> None:
    backbone = TextCNN(TextCNN.Config(), V)
    assert [convolution.width for convolution in backbone.convolutions] == [3, 4, 5]
    assert backbone.dim == 300
    assert backbone.num_layers == 1


def test_a_window_is_all_that_is_seen() -> None:
    backbone = textcnn(widths=[4])
    states = backbone(Inputs(torch.arange(9)[None])).last[0]
    (gradient,) = torch.autograd.grad(states[4].sum(), backbone.embedding)
    assert gradient.abs().sum(-1).nonzero().flatten().tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"widths": []}, r"widths = \[\]: List should have at least 1 item"),
        ({"widths": [3, 0]}, r"widths\.1 = 0"),
        ({"widths": [3, 3]}, r"widths = \[3, 3\] names one twice; raise num_maps instead"),
    ],
)
def test_shapes_that_cannot_be(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        TextCNN.Config.checked(settings, "backbone")
