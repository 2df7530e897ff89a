"""Tensors as numpy arrays, without a copy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.nn.views import flat_view, weight_view

VIEWS = [flat_view, weight_view]


@pytest.mark.parametrize("view", VIEWS)
def test_both_have_one_memory(view: object) -> None:
    tensor = torch.nn.Parameter(torch.arange(6.0).view(2, 3))
    array = view(tensor)  # type: ignore[operator]
    assert array.tolist() == [0, 1, 2, 3, 4, 5]
    array[4] = 9
    assert tensor[1, 1] == 9


@pytest.mark.parametrize("view", VIEWS)
def test_bfloat16_is_its_bits(view: object) -> None:
    array = view(torch.tensor([1.0, -2.0], dtype=torch.bfloat16))  # type: ignore[operator]
    assert array.dtype == np.uint16
    assert array.tolist() == [0x3F80, 0xC000]


def test_the_memory_of_a_weight_can_be_given_back() -> None:
    weight = torch.zeros(8)
    weight_view(weight)
    weight.untyped_storage().resize_(0)
    seen = torch.zeros(8)
    flat_view(seen)
    with pytest.raises(RuntimeError, match="not resizable"):  # or weight_view is not needed
        seen.untyped_storage().resize_(0)
