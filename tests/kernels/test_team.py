"""Every portion is done once, whoever does it."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core.errors import TypingError

from foretext.kernels.compile import kernel
from foretext.kernels.team import ALONE, share_out


@kernel()
def add_square(values, offset, k):
    values[k] += k * k + offset


@kernel()
def add_squares(team, values, offset):
    share_out(team, add_square, (values, offset), values.size)


def teams() -> list:
    torch = pytest.importorskip("torch")
    from foretext.nn.team import torch_team

    assert torch.get_num_threads() >= 1
    return [ALONE, torch_team()]


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("count", [0, 1, 1000])
def test_each_portion_is_done_once(which: int, count: int) -> None:
    values = np.zeros(count, np.int64)
    add_squares(teams()[which], values, 3)
    np.testing.assert_array_equal(values, np.arange(count) ** 2 + 3)


def test_a_portion_must_be_a_kernel() -> None:
    @kernel()
    def wrong(team, values):
        share_out(team, 5, (values,), 1)

    with pytest.raises(TypingError, match="takes a kernel, not"):
        wrong(ALONE, np.zeros(1))
