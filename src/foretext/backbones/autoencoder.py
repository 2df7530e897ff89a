"""Autoencoders: a network F into a code, z = F(x), and a network G back, y = G(z).

Linear: what it learns is the subspace of principal components (Baldi and Hornik 1989). Dense: a
hidden layer on both sides; trained on corrupted inputs it is the denoising autoencoder (Vincent et
al. 2008). Convolutional: two convolutions of stride 2 and two transposed ones back (Masci et al.
2011). These networks read numbers, not ids, so they are no `Backbone`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import torch
from pydantic import Field
from torch import Tensor, nn

from foretext.base.config import Config as Settings
from foretext.base.errors import SettingError

__all__ = [
    "Autoencoder",
    "ConvolutionalAutoencoder",
    "DenseAutoencoder",
    "Layer",
    "LinearAutoencoder",
]

Shape = tuple[int, ...]


class Layer(NamedTuple):
    """One layer of a network, for a drawing of it."""

    name: str
    shape: Shape  # of what comes out for one example


class Autoencoder(nn.Module, ABC):
    """Two networks that are trained together.

    Args:
        shape: of one example.
    """

    answers_pictures: ClassVar[bool] = False  # whether reconstructions lie between 0 and 1

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.encoder, self.decoder = self._networks()

    @abstractmethod
    def _networks(self) -> tuple[nn.Sequential, nn.Sequential]:
        """Make the encoder, from (B, *shape) to (B, K), and the decoder back."""

    def encode(self, examples: Tensor) -> Tensor:
        """Map examples (B, *shape) to codes (B, K)."""
        codes: Tensor = self.encoder(examples)
        return codes

    def decode(self, codes: Tensor) -> Tensor:
        """Map codes (B, K) to reconstructions (B, *shape)."""
        reconstructions: Tensor = self.decoder(codes)
        return reconstructions

    def forward(self, examples: Tensor) -> Tensor:
        """Reconstruct examples (B, *shape)."""
        return self.decode(self.encode(examples))

    @property
    def code_size(self) -> int:
        """Numbers of a code, K."""
        return self.structure()[len(self.encoder)].shape[0]

    @torch.inference_mode()
    def structure(self) -> list[Layer]:
        """Return the layers from the input to the reconstruction."""
        value = next(self.parameters()).new_zeros(1, *self.shape)
        layers = [Layer("input", self.shape)]
        for module in (*self.encoder, *self.decoder):
            value = module(value)
            layers.append(Layer(type(module).__name__, tuple(value.shape[1:])))
        return layers


ACTIVATIONS: dict[str, type[nn.Module]] = {
    "relu": nn.ReLU,
    "sigmoid": nn.Sigmoid,
    "tanh": nn.Tanh,
}


class LinearAutoencoder(Autoencoder):
    """One linear map to the code and one back; by option each has an activation behind it."""

    class Config(Settings):
        """Settings of a linear autoencoder."""

        dim: int = Field(32, ge=1)
        """Numbers of a code."""
        bias: bool = True
        """Remove the mean, as PCA does; without it as an SVD."""
        activation: Literal["none", "relu", "sigmoid", "tanh"] = "none"
        """Activation a of the code, a(W x + b); none: what is learned is the subspace of PCA."""
        decoder_activation: Literal["none", "relu", "sigmoid", "tanh"] = "none"
        """Activation of the reconstruction, which then lies in its range; none: that of PCA."""

    def __init__(self, config: Config, shape: Shape) -> None:
        self.config = config
        super().__init__(shape)

    def _networks(self) -> tuple[nn.Sequential, nn.Sequential]:
        size, dim, bias = math.prod(self.shape), self.config.dim, self.config.bias
        code, answer = (
            [ACTIVATIONS[name]()] if name in ACTIVATIONS else []
            for name in (self.config.activation, self.config.decoder_activation)
        )
        return (
            nn.Sequential(nn.Flatten(), nn.Linear(size, dim, bias), *code),
            nn.Sequential(nn.Linear(dim, size, bias), *answer, nn.Unflatten(1, self.shape)),
        )


class DenseAutoencoder(Autoencoder):
    """A hidden layer with ReLU on either side of a linear code."""

    class Config(Settings):
        """Settings of a dense autoencoder."""

        dim: int = Field(32, ge=1)
        """Numbers of a code."""
        hidden_dim: int = Field(512, ge=1)
        """Width of the hidden layer on either side."""

    def __init__(self, config: Config, shape: Shape) -> None:
        self.config = config
        super().__init__(shape)

    def _networks(self) -> tuple[nn.Sequential, nn.Sequential]:
        size, dim, hidden = math.prod(self.shape), self.config.dim, self.config.hidden_dim
        encoder = [nn.Flatten(), nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, dim)]
        decoder = [nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, size)]
        return nn.Sequential(*encoder), nn.Sequential(*decoder, nn.Unflatten(1, self.shape))


class ConvolutionalAutoencoder(Autoencoder):
    """Convolutions 1 → 16 → 32 of stride 2, and back to values between 0 and 1.

    Raises:
        SettingError: examples are not images whose sides are multiples of 4.
    """

    class Config(Settings):
        """Settings of a convolutional autoencoder."""

        dim: int | None = Field(None, ge=1)
        """Numbers of a code; none: the 32 planes themselves."""

    answers_pictures = True
    PLANES = (16, 32)

    def __init__(self, config: Config, shape: Shape) -> None:
        if len(shape) != 2 or any(side % 4 for side in shape):
            raise SettingError(
                f"A convolutional autoencoder needs images whose sides are multiples of 4, not "
                f"examples of shape {shape}; crop or pad them, or use a linear or dense one."
            )
        self.config = config
        super().__init__(shape)

    def _networks(self) -> tuple[nn.Sequential, nn.Sequential]:
        few, many = self.PLANES
        planes = (many, self.shape[0] // 4, self.shape[1] // 4)
        size, dim = math.prod(planes), self.config.dim
        encoder = [
            nn.Unflatten(1, (1, self.shape[0])),  # (B, H, W) to one plane, (B, 1, H, W)
            nn.Conv2d(1, few, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(few, many, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        ]
        decoder = [
            nn.Unflatten(1, planes),
            nn.ConvTranspose2d(many, few, 3, stride=2, padding=1, output_padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(few, 1, 3, stride=2, padding=1, output_padding=1),
            nn.Sigmoid(),
            nn.Flatten(1, 2),
        ]
        code = [] if dim is None else [nn.Linear(size, dim)]
        back = [] if dim is None else [nn.Linear(dim, size), nn.ReLU()]
        return nn.Sequential(*encoder, *code), nn.Sequential(*back, *decoder)
