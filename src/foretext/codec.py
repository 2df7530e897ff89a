"""A trained autoencoder: examples to codes and back, beside principal components.

In a folder it is ``model.safetensors``, the two networks; ``principal_components.safetensors``,
where a code has fewer numbers than an example; and a part of ``config.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from torch import Tensor

from foretext.backbones import AUTOENCODERS
from foretext.backbones.autoencoder import Autoencoder
from foretext.config import Config
from foretext.errors import SettingError, VectorFileError
from foretext.files import atomic_file
from foretext.vectors.principal_components import PrincipalComponents

__all__ = ["Codec"]

_BATCH = 1024  # examples that are computed at a time
_WEIGHTS, _COMPONENTS = "model.safetensors", "principal_components.safetensors"

Values = NDArray[np.float32]


class Codec:
    """Networks to a code and back.

    Args:
        network: the trained one.
        components: principal components of the same examples, as many as a code has numbers, to
            compare with; None where a code has as many numbers as an example, or more.
    """

    def __init__(self, network: Autoencoder, components: PrincipalComponents | None = None) -> None:
        self.network = network.eval()
        self.components = components

    @classmethod
    def load(cls, folder: str | Path) -> Codec:
        """Open what a run left.

        Raises:
            VectorFileError: the folder holds no finished run of an autoencoder, or a damaged one.
        """
        folder = Path(folder)
        try:
            facts = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            kind, settings, shape = facts["autoencoder"], facts["settings"], tuple(facts["shape"])
            component = AUTOENCODERS.resolve(kind)
            network = component(component.Config.checked(settings, "autoencoder"), shape)
            weights = load_file(folder / _WEIGHTS)
            network.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
            return cls(network, _load_components(folder / _COMPONENTS))
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            raise VectorFileError(f"{folder} holds no whole autoencoder: {error}.") from error

    def save(self, folder: Path) -> dict[str, Any]:
        """Write networks and components; returns what ``config.json`` has to say for `load`."""
        weights = {name: w.cpu().numpy() for name, w in self.network.state_dict().items()}
        with atomic_file(folder / _WEIGHTS) as temporary:
            save_file(weights, temporary)
        if self.components is not None:
            with atomic_file(folder / _COMPONENTS) as temporary:
                save_file(_tensors(self.components), temporary)
        return {
            "autoencoder": AUTOENCODERS.name_of(type(self.network)),
            "settings": cast(Config, self.network.config).model_dump(),
            "shape": list(self.shape),
            **self.size,
        }

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one example."""
        return self.network.shape

    @property
    def size(self) -> dict[str, int]:
        """How many numbers were learned, and how many a code has."""
        num_parameters = sum(weights.numel() for weights in self.network.parameters())
        return {"parameters": num_parameters, "code_size": self.network.code_size}

    def encode(self, examples: ArrayLike) -> Values:
        """Return the codes (N, K) of examples (N, *shape).

        Raises:
            SettingError: the examples have another shape.
        """
        return self._mapped(self.network.encode, _checked(examples, self.shape, "examples"))

    def decode(self, codes: ArrayLike) -> Values:
        """Return the examples (N, *shape) that codes (N, K) stand for.

        Raises:
            SettingError: the codes have another number of numbers.
        """
        checked = _checked(codes, (self.network.code_size,), "codes")
        return self._mapped(self.network.decode, checked)

    def reconstruct(self, examples: ArrayLike) -> Values:
        """Return examples (N, *shape) after going to their codes and back."""
        return self.decode(self.encode(examples))

    def squared_error(self, examples: ArrayLike) -> float:
        """Return the mean squared error of a number of the reconstructions."""
        examples = _checked(examples, self.shape, "examples")
        return float(np.square(self.reconstruct(examples) - examples).mean(dtype=np.float64))

    def components_error(self, examples: ArrayLike) -> float | None:
        """Return the same for principal components; None where there is nothing to compare."""
        rows = _checked(examples, self.shape, "examples").reshape(len(np.asarray(examples)), -1)
        return None if self.components is None else self.components.squared_error(rows)

    @torch.inference_mode()
    def _mapped(self, function: Callable[[Tensor], Tensor], values: Values) -> Values:
        weight = next(self.network.parameters())
        batches = range(0, len(values), _BATCH)
        parts = [torch.tensor(values[start : start + _BATCH]).to(weight) for start in batches]
        mapped: Values = torch.cat([function(part).float().cpu() for part in parts]).numpy()
        return mapped


def _checked(values: ArrayLike, shape: tuple[int, ...], what: str) -> Values:
    array = np.ascontiguousarray(values, dtype=np.float32)
    if array.shape[1:] != shape or not len(array):
        raise SettingError(
            f"{what} of shape {array.shape} do not fit this autoencoder: give an array of shape "
            f"(N, {', '.join(map(str, shape))}), with at least one row."
        )
    return array


def _tensors(components: PrincipalComponents) -> dict[str, NDArray[Any]]:
    tensors: dict[str, NDArray[Any]] = {
        "directions": components.directions,
        "variance_rate": np.array([components.variance_rate]),
    }
    return tensors if components.mean is None else {**tensors, "mean": components.mean}


def _load_components(path: Path) -> PrincipalComponents | None:
    if not path.is_file():
        return None
    tensors = load_file(path)
    rate = float(tensors["variance_rate"][0])
    return PrincipalComponents(tensors["directions"], tensors.get("mean"), rate)
