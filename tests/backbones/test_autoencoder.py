"""The shapes of autoencoders, and the convolutional one layer by layer."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from foretext.backbones.autoencoder import (
    Autoencoder,
    ConvolutionalAutoencoder,
    DenseAutoencoder,
    LinearAutoencoder,
)
from foretext.base.errors import SettingError


def convolutional(dim: int | None = None, shape: tuple[int, ...] = (28, 28)) -> Autoencoder:
    return ConvolutionalAutoencoder(ConvolutionalAutoencoder.Config(dim=dim), shape)


NETWORKS = {
    "linear": lambda: LinearAutoencoder(LinearAutoencoder.Config(dim=5), (8, 12)),
    "dense": lambda: DenseAutoencoder(DenseAutoencoder.Config(dim=5, hidden_dim=7), (8, 12)),
    "convolutional": lambda: convolutional(5, (8, 12)),
    "vectors": lambda: LinearAutoencoder(LinearAutoencoder.Config(dim=5), (9,)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_codes_and_reconstructions_have_their_shapes(name: str) -> None:
    network = NETWORKS[name]()
    examples = torch.rand(3, *network.shape)
    codes = network.encode(examples)
    assert codes.shape == (3, 5)
    assert network.code_size == 5
    assert network(examples).shape == examples.shape
    torch.testing.assert_close(network(examples), network.decode(codes))


@pytest.mark.parametrize("name", NETWORKS)
def test_the_structure_goes_from_input_to_reconstruction(name: str) -> None:
    network = NETWORKS[name]()
    layers = network.structure()
    assert layers[0] == ("input", network.shape)
    assert layers[-1].shape == network.shape
    assert len(layers) == 1 + len(network.encoder) + len(network.decoder)


def test_the_convolutional_one_is_that_of_the_book() -> None:
    network = convolutional()
    maps = [
        layer for layer in network.modules() if isinstance(layer, nn.Conv2d | nn.ConvTranspose2d)
    ]
    assert [(layer.in_channels, layer.out_channels) for layer in maps] == [
        (1, 16), (16, 32), (32, 16), (16, 1),
    ]  # fmt: skip
    for layer in maps:
        assert (layer.kernel_size, layer.stride, layer.padding) == ((3, 3), (2, 2), (1, 1))
    assert [layer.output_padding for layer in maps[2:]] == [(1, 1), (1, 1)]
    kinds = [type(layer) for layer in (*network.encoder, *network.decoder)]
    assert kinds.count(nn.ReLU) == 3
    assert nn.Linear not in kinds
    assert kinds[-2] is nn.Sigmoid
    planes = [layer.shape for layer in network.structure() if len(layer.shape) == 3]
    assert planes[0] == (1, 28, 28)
    assert {(16, 14, 14), (32, 7, 7)} < set(planes)
    assert network.code_size == 32 * 7 * 7
    reconstructed = network(3 * torch.randn(2, 28, 28))
    assert 0 < reconstructed.min() < reconstructed.max() < 1


def test_a_dense_code_stands_in_the_middle() -> None:
    maps = [layer for layer in convolutional(32).modules() if isinstance(layer, nn.Linear)]
    assert [(layer.in_features, layer.out_features) for layer in maps] == [(1568, 32), (32, 1568)]


@pytest.mark.parametrize("shape", [(28,), (28, 30), (3, 28, 28)])
def test_what_is_no_image_for_convolutions(shape: tuple[int, ...]) -> None:
    with pytest.raises(SettingError, match=r"sides are multiples of 4, not examples of shape \("):
        convolutional(shape=shape)


def test_without_bias_zeros_stay_zeros() -> None:
    network = LinearAutoencoder(LinearAutoencoder.Config(dim=2, bias=False), (4,))
    assert not network(torch.zeros(1, 4)).any()
