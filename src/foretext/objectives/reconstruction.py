"""Reconstruction: the output of an autoencoder should equal its input, |x - y|² small.

With noise on the input only, it is the denoising autoencoder of Vincent et al. 2008, "Extracting
and Composing Robust Features with Denoising Autoencoders". Masked language modelling is its
discrete case.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.autoencoder import Autoencoder
from foretext.backbones.base import States
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.data.array_examples import ArrayExamples, Corruption
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.nn.vocabulary_head import Score
from foretext.objectives.criterion import Criterion

__all__ = [
    "Reconstruction",
    "ReconstructionConfig",
    "Reconstructor",
    "gaussian_noise",
    "masking_noise",
]

Values = NDArray[np.float32]


class ReconstructionConfig(Config):
    """Settings of reconstruction."""

    noise: Literal["none", "gaussian", "masking"] = "none"
    """Noise on the input, in training."""
    noise_std: float = Field(0.3, gt=0)
    """Gaussian noise: standard deviation."""
    mask_rate: float = Field(0.3, gt=0, lt=1)
    """Masking: share of the numbers that become 0."""

    @model_validator(mode="after")
    def _has_effect(self) -> ReconstructionConfig:
        for setting, noise in (("noise_std", "gaussian"), ("mask_rate", "masking")):
            if setting in self.changed and self.noise != noise:
                raise ValueError(f"{setting} would have no effect without {noise} noise")
        return self


class Reconstruction(Criterion):
    """Predicts every number of an example; the loss is the mean squared error of a number.

    Args:
        config: the user's settings.
    """

    visibility: Visibility = "full"
    part = "reconstruction"

    def __init__(self, config: ReconstructionConfig) -> None:
        super().__init__()
        self.config = config

    def examples(self, array: Values, *, held_out: bool = False) -> ArrayExamples:
        """Make examples of the rows of an array (N, ...); held-out ones get no noise."""
        return ArrayExamples(array, None if held_out else self._corruption())

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return how many numbers are predicted."""
        return {self.part: batch.targets["clean"].numel()}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score reconstructions (B, ...) by their summed squared error."""
        errors = states.last.float() - batch.targets["clean"]
        return {self.part: Score(errors.square().sum())}

    def _corruption(self) -> Corruption | None:
        if self.config.noise == "gaussian":
            return partial(gaussian_noise, std=self.config.noise_std)
        if self.config.noise == "masking":
            return partial(masking_noise, rate=self.config.mask_rate)
        return None


class Reconstructor(nn.Module):
    """An autoencoder in the place of a backbone: it reads the values of a batch, not its ids.

    It answers what the training loop asks of a backbone: it is one layer that reads no tokens.
    """

    visibilities: frozenset[Visibility] = frozenset({"full"})
    num_layers = 1
    embedding = None
    reads_source = False
    keeps_fp32 = False
    stacks_layers = False
    can_be_shared_out = True

    def __init__(self, network: Autoencoder) -> None:
        super().__init__()
        self.network = network

    def forward(self, inputs: Inputs, *, keep_layers: bool = False) -> States:
        """Reconstruct the examples (B, ...); it has no layers to keep."""
        assert inputs.values is not None, "an autoencoder reads values"
        reconstructed: Tensor = self.network(inputs.values.to(next(self.parameters()).dtype))
        return States(reconstructed)

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter: the only one."""
        return 1

    def matrices_for_muon(self) -> dict[str, int]:
        """Return none: Muon moves no weights of it."""
        return {}

    def flops(self) -> None:
        """Return that no formula is known."""
        return

    def recompute_layers(self) -> None:
        """Refuse: there are no layers to be computed again.

        Raises:
            SettingError: always.
        """
        raise SettingError(
            "[training] gradient_checkpointing: an autoencoder cannot compute its layers again; "
            "leave it out."
        )


def gaussian_noise(values: Values, rng: np.random.Generator, *, std: float) -> Values:
    """Return the values with normally distributed noise added."""
    noise = rng.standard_normal(values.shape, dtype=np.float32)
    noisy: Values = values + np.float32(std) * noise
    return noisy


def masking_noise(values: Values, rng: np.random.Generator, *, rate: float) -> Values:
    """Return the values, each of them set to 0 with probability `rate`."""
    kept = rng.random(values.shape, dtype=np.float32) >= rate
    masked: Values = values * kept
    return masked
