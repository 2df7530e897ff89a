"""A trained autoencoder: examples to codes and back, and principal components to compare with.

In a folder it is ``model.safetensors``, the two networks; ``principal_components.safetensors``,
where a code has fewer numbers than an example; and a part of ``config.json``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from pydantic import Field
from torch import Tensor
from typing_extensions import TypedDict

from foretext.backbones import AUTOENCODERS
from foretext.backbones.autoencoder import Autoencoder
from foretext.base.arguments import checked_arguments, given_array
from foretext.base.config import Config
from foretext.base.errors import SettingError, VectorFileError
from foretext.base.parsing import read_json, read_tensors, write_tensors
from foretext.base.replacement import refuse_unfinished
from foretext.base.representation import represented
from foretext.data.images import scaled_examples
from foretext.interop.no_init import no_init
from foretext.messages import message
from foretext.shown import Shown
from foretext.vectors.principal_components import PrincipalComponents

__all__ = ["Codec"]

_BATCH = 1024  # examples that are computed at a time
_LARGEST = 1 << 26  # numbers of an example
_LARGEST_OF_UNIT = 1.0 + 1e-6  # of the numbers of a vector of length 1
_LARGEST_NUMBER = float(np.finfo(np.float32).max)
_WEIGHTS, _COMPONENTS = "model.safetensors", "principal_components.safetensors"

Values = NDArray[np.float32]


class _Facts(TypedDict):
    """What ``config.json`` says of a network; there is more."""

    autoencoder: str
    settings: dict[str, Any]
    shape: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]


@represented
class Codec:
    """Networks to a code and back.

    Args:
        network: the trained one.
        components: principal components of the same examples, as many as a code has numbers, to
            compare with; None where a code has as many numbers as an example, or more.
    """

    kind: ClassVar[str] = "autoencoder"
    abilities: ClassVar[tuple[str, ...]] = ()  # none of texts, which servers are asked about

    def __init__(self, network: Autoencoder, components: PrincipalComponents | None = None) -> None:
        self.network = network.eval()
        self.components = components

    @classmethod
    @checked_arguments
    def load(cls, folder: str | Path) -> Codec:
        """Open what a run left.

        Raises:
            VectorFileError: the folder holds no finished run of an autoencoder, or a damaged one.
            UntrustedError: it names a network that is neither foretext's nor trusted.
        """
        refuse_unfinished(Path(folder), VectorFileError)
        return cls.read(Path(folder))

    @classmethod
    @checked_arguments
    def read(cls, folder: Path) -> Codec:
        """Open a run whose networks are written, finished or not."""
        network = _load_network(folder)
        return cls(network, _load_components(folder / _COMPONENTS, network))

    @checked_arguments
    def save(self, folder: Path) -> dict[str, Any]:
        """Write networks and components; returns what `load` needs in ``config.json``."""
        weights = {name: w.cpu().numpy() for name, w in self.network.state_dict().items()}
        write_tensors(folder / _WEIGHTS, weights)
        if self.components is not None:
            write_tensors(folder / _COMPONENTS, _tensors(self.components))
        return {
            "autoencoder": AUTOENCODERS.name_of(type(self.network)),
            "settings": cast(Config, self.network.config).model_dump(),
            "shape": list(self.shape),
            **self.size,
        }

    def served_facts(self) -> dict[str, Any]:
        """Return what a server says of the networks, as JSON has it."""
        return dict(self.size)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one example."""
        return self.network.shape

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the networks."""
        shape = " x ".join(map(str, self.shape))
        return {"network": type(self.network).__name__, "examples": shape, **self.size}

    @property
    def size(self) -> dict[str, int]:
        """How much was learned, for a summary."""
        num_parameters = sum(weights.numel() for weights in self.network.parameters())
        return {"parameters": num_parameters, "code_size": self.network.code_size}

    @checked_arguments
    def encode(self, examples: ArrayLike) -> Values:
        """Return the codes (N, K) of examples (N, *shape).

        Raises:
            SettingError: the examples have another shape.
        """
        return self._mapped(self.network.encode, _checked(examples, self.shape, "examples"))

    @checked_arguments
    def decode(self, codes: ArrayLike) -> Values:
        """Return the examples (N, *shape) that codes (N, K) stand for.

        Raises:
            SettingError: the codes have another number of numbers.
        """
        checked = _checked(codes, (self.network.code_size,), "codes")
        return self._mapped(self.network.decode, checked)

    @checked_arguments
    def reconstruct(self, examples: ArrayLike) -> Values:
        """Return examples (N, *shape) after going to their codes and back."""
        return self.decode(self.encode(examples))

    @checked_arguments
    def squared_error(self, examples: ArrayLike) -> float:
        """Return the mean squared error of a number of the reconstructions."""
        examples = _checked(examples, self.shape, "examples")
        return float(np.square(self.reconstruct(examples) - examples).mean(dtype=np.float64))

    @checked_arguments
    def components_error(self, examples: ArrayLike) -> float | None:
        """Return the error of as many principal components; None where there are none."""
        rows = _checked(examples, self.shape, "examples").reshape(len(np.asarray(examples)), -1)
        return None if self.components is None else self.components.squared_error(rows)

    @checked_arguments
    def show(self, examples: ArrayLike) -> list[Shown]:
        """Return each example (N, *shape) beside its code and what the code becomes.

        Raises:
            SettingError: the examples have another shape.
        """
        from foretext.language_model.codec_showing import example_parts

        given = _checked(examples, self.shape, "examples")
        codes, back = self.encode(given), self.reconstruct(given)
        return [
            Shown(
                message("insight.codes.example", number=number), tuple(example_parts(self, *each))
            )
            for number, each in enumerate(zip(given, codes, back, strict=True), 1)
        ]

    @torch.inference_mode()
    def _mapped(self, function: Callable[[Tensor], Tensor], values: Values) -> Values:
        weight = next(self.network.parameters())
        batches = range(0, len(values), _BATCH)
        parts = [torch.tensor(values[start : start + _BATCH]).to(weight) for start in batches]
        mapped: Values = torch.cat([function(part).float().cpu() for part in parts]).numpy()
        return mapped


def _checked(values: ArrayLike, shape: tuple[int, ...], what: str) -> Values:
    """Return examples, or codes, as the networks take them; pixels are scaled as for training."""
    is_code = what == "codes"
    array = given_array(values, what, np.float32) if is_code else scaled_examples(values)
    array = np.ascontiguousarray(array)
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


def _load_network(folder: Path) -> Autoencoder:
    path = folder / "config.json"
    facts: _Facts = read_json(path, VectorFileError, _Facts)
    if math.prod(facts["shape"]) > _LARGEST:
        raise VectorFileError(
            f"{path}: no example has a shape of {facts['shape']}; fetch it again."
        )
    arrays = read_tensors(folder / _WEIGHTS, VectorFileError).tensors
    if bad := [name for name, array in arrays.items() if not _is_usable(array)]:
        raise VectorFileError(
            f"{folder / _WEIGHTS}: '{bad[0]}' does not hold finite numbers of type float32; fetch "
            "or train the model again."
        )
    weights = {name: torch.from_numpy(array) for name, array in arrays.items()}
    try:
        component = AUTOENCODERS.resolve(facts["autoencoder"], source=path)
        config = component.Config.checked(facts["settings"], "autoencoder")
        with no_init(weights, path):
            network: Autoencoder = component(config, tuple(facts["shape"]))
    except (SettingError, AttributeError, TypeError) as error:
        raise VectorFileError(f"{path} describes no autoencoder: {error}") from error
    if _shapes(network.state_dict()) != _shapes(weights):
        raise VectorFileError(
            f"{folder / _WEIGHTS} lacks weights that {path} describes; fetch both again."
        )
    network.load_state_dict(weights)
    return network


def _shapes(weights: dict[str, Tensor]) -> dict[str, torch.Size]:
    return {name: weight.shape for name, weight in weights.items()}


def _load_components(path: Path, network: Autoencoder) -> PrincipalComponents | None:
    if not path.is_file():
        return None
    expected = {"directions": ("float64", 2), "variance_rate": ("float64", 1)}
    tensors = read_tensors(path, VectorFileError, expected).tensors
    directions, rates = tensors["directions"], tensors["variance_rate"]
    size = math.prod(network.shape)
    mean = tensors.get("mean", np.zeros(size))
    fits = directions.shape == (size, network.code_size) and rates.shape == (1,)
    if not fits or mean.shape != (size,) or mean.dtype != np.float64:
        raise VectorFileError(f"{path} does not fit the network in its folder; fetch both again.")
    if not (_within(directions, _LARGEST_OF_UNIT) and _within(mean, _LARGEST_NUMBER)):
        raise VectorFileError(f"{path} holds numbers that no components have; fetch it again.")
    return PrincipalComponents(directions, tensors.get("mean"), float(rates[0]))


def _within(array: NDArray[Any], largest: float) -> bool:
    return bool((np.abs(array) <= largest).all())  # which no NaN is


def _is_usable(array: NDArray[Any]) -> bool:
    return array.dtype == np.float32 and bool(np.isfinite(array).all())
