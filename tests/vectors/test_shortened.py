"""Vectors that are cut to their first numbers."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.vectors.shortened import shortened

VECTORS = np.array([[3.0, 4.0, 12.0], [0.0, 0.0, 1.0]], np.float32)


def test_they_are_cut_first_and_scaled_then() -> None:
    found = shortened(VECTORS.copy(), 2, normalize=True)
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_array_equal(shortened(VECTORS.copy(), 2, normalize=False), VECTORS[:, :2])
    np.testing.assert_array_equal(shortened(VECTORS.copy(), None, normalize=False), VECTORS)


@pytest.mark.parametrize("dim", [0, 4, -1])
def test_there_are_so_many_numbers(dim: int) -> None:
    with pytest.raises(SettingError, match=rf"dim = {dim}: the vectors have 3 numbers; use 1 to 3"):
        shortened(VECTORS.copy(), dim, normalize=True)
