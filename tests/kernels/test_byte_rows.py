"""Rows as bytes and scales, against plain numpy."""

from __future__ import annotations

import numpy as np

from foretext.kernels.bfloat16 import from_bits, to_bits
from foretext.kernels.byte_rows import quantize_rows, scale_rows
from foretext.kernels.team import ALONE


def quantized(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    M, K = values.shape
    found, scales = np.empty(M * K, np.uint8), np.empty(M, np.float32)
    quantize_rows(ALONE, values.reshape(-1), found, scales, K)
    return found.reshape(M, K), scales


def test_a_row_by_hand() -> None:
    values = np.zeros((1, 16), np.float32)
    values[0, :4] = 254, -254, 1.2, 5
    found, scales = quantized(values)
    assert scales.tolist() == [2]
    assert found[0, :6].tolist() == [255, 1, 129, 131, 128, 128]  # 0.6 and 2.5 are rounded


def test_bytes_and_scales_give_the_values_back() -> None:
    values = np.random.default_rng(0).normal(size=(37, 48)).astype(np.float32)
    found, scales = quantized(values)
    again = (found.astype(np.float32) - 128) * scales[:, None]
    np.testing.assert_allclose(again, values, atol=scales.max() * 0.501)
    np.testing.assert_allclose(scales, np.abs(values).max(1) / 127, rtol=1e-6)


def test_zeros_have_no_scale() -> None:
    found, scales = quantized(np.zeros((2, 16), np.float32))
    assert (found == 128).all()
    assert (scales == 0).all()


def test_bfloat16_is_read_as_well() -> None:
    values = np.random.default_rng(0).normal(size=(3, 32)).astype(np.float32)
    bits = to_bits(values)
    for found, expected in zip(quantized(bits), quantized(from_bits(bits)), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_scales_and_bias() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(37, 32)).astype(np.float32)
    scales, bias = rng.normal(size=37).astype(np.float32), rng.normal(size=32).astype(np.float32)
    found = values.copy()
    scale_rows(ALONE, found.reshape(-1), scales, bias)
    np.testing.assert_allclose(found, values * scales[:, None] + bias, atol=1e-5)
