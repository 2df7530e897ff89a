"""The reader of pairs against sums in numpy, and what each text knows of the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from foretext.backbones.pair_reader import PairReader
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs

V, DIM = 30, 5
SEGMENTS = torch.tensor([[0, 0, 2, 1, 3, 1, 1]])  # the third word of the first text is the fifth


def reader(**settings: Any) -> PairReader:
    torch.manual_seed(0)
    shape = {"vector_size": 6, "segment_dim": 3, "dim": DIM}
    return PairReader(PairReader.Config(**{**shape, **settings}), V).eval()


def inputs(ids: Tensor | None = None) -> Inputs:
    return Inputs(torch.arange(3, 10)[None] if ids is None else ids, segments=SEGMENTS)


def test_the_last_states_are_those_of_sums() -> None:
    """[h_i; h_i * (W q + b)], where q is the mean of the first text by softmax(w · h_j)."""
    backbone = reader(num_layers=2)
    last = backbone(inputs()).last[0].detach().numpy()
    h, products = np.split(last, 2, 1)
    weights = np.exp(h[:3] @ backbone.relevance.weight[0].detach().numpy())
    summary = backbone.summary(torch.from_numpy(weights @ h[:3] / weights.sum())).detach().numpy()
    np.testing.assert_allclose(products, h * summary, atol=1e-6)


def test_what_the_first_layer_reads() -> None:
    backbone = reader()
    read: list[Tensor] = []
    backbone.blocks[0].register_forward_hook(lambda _, given, __: read.append(given[0]))
    layers = backbone(inputs(), keep_layers=True).layers
    words, aligned, kinds = read[0].split([6, 6, 3], -1)
    assert torch.equal(words, layers[0])
    assert torch.equal(kinds, backbone.kinds.weight[SEGMENTS])
    across = (SEGMENTS[:, :, None] % 2) != (SEGMENTS[:, None] % 2)
    assert torch.equal(aligned, backbone.other_text(words, across))


def test_another_question_changes_the_states_of_the_passage() -> None:
    backbone = reader()
    asked, other = torch.arange(3, 10)[None], torch.arange(3, 10)[None].clone()
    other[0, 0] = 20
    before, after = backbone(inputs(asked)).last, backbone(inputs(other)).last
    assert not torch.isclose(before[:, 3:], after[:, 3:]).all(-1).any()


def test_given_vectors_are_scaled_and_stay() -> None:
    backbone = reader()
    vectors = np.random.default_rng(0).normal(0, 0.1, (V, 6)).astype(np.float32)
    backbone.load_vectors(vectors)
    given = backbone.embedding.detach().numpy()
    assert given.std() == pytest.approx(0.5, rel=1e-3)
    np.testing.assert_allclose(given / vectors, (given / vectors)[0, 0], rtol=1e-4)
    assert not backbone.embedding.requires_grad
    assert reader().embedding.requires_grad


def test_operations_worked_by_hand() -> None:
    per_direction = 4 * DIM * (2 * 6 + 3 + DIM)
    matrices = 6 * 6 + 2 * per_direction + 2 * DIM + (2 * DIM) ** 2
    flops = reader().flops()
    assert flops.per_token == 6 * matrices
    assert flops.per_pair == 12 * 6  # a product of two vectors, and a part of a mean


def test_layers_of_parameters() -> None:
    backbone = reader(num_layers=2)
    assert backbone.layer_of("kinds.weight") == backbone.layer_of("other_text.key.weight") == 1
    assert backbone.layer_of("summary.weight") == 2
    assert backbone.num_mixed == 1


def test_kinds_have_vectors_of_their_own() -> None:
    with pytest.raises(SettingError, match="num_segments"):
        PairReader.Config.checked({"num_segments": 2}, "backbone")
    with pytest.raises(SettingError, match="reads no segments"):
        reader().replace_segments(torch.zeros(4, 6))


@pytest.mark.parametrize("value", [False, 2, "0"])
def test_its_kinds_of_words_are_no_number_to_choose(value: Any) -> None:
    with pytest.raises(SettingError, match="num_segments"):
        PairReader.Config.checked({"num_segments": value}, "backbone")
