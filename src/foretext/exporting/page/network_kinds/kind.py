"""What a page does with a kind of networks: what it has to know, and the answers it has to give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.exporting.form import Texts
from foretext.exporting.network import EncodedRow, NetworkExport

__all__ = ["NetworkKind", "Wanted", "activated"]


class Wanted(NamedTuple):
    """What a page has to make of an input."""

    rows: list[EncodedRow]  # that the network reads
    numbers: list[float]  # what it makes of them
    answer: Any = None  # that the page makes of these very numbers, as JSON has it; None: no other


class NetworkKind(ABC):
    """A kind of networks, of which the page has a class in ``static/engine/network_models.js``.

    Args:
        form: writes and runs the graph.
    """

    abilities: ClassVar[tuple[str, ...]]  # as of `foretext.serving.abilities`
    outputs: ClassVar[tuple[str, ...]]  # of the graph that the page reads

    def __init__(self, form: NetworkExport) -> None:
        self.form = form

    @property
    def model(self) -> Any:
        """The model whose network it is."""
        return self.form.model

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the page's class has to know, as JSON has it."""
        return {}

    @abstractmethod
    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return what the page has to make of an input, by ONNX Runtime in Python.

        Args:
            folder: of the exported files.
            texts: of the input.
        """

    def read_whole(self, folder: Path, texts: Texts) -> tuple[EncodedRow, NDArray[np.float32]]:
        """Return the row of an input, and the first output of the graph for it."""
        computed = self.form.theirs(folder, [texts])
        (ids,) = computed.ids
        return EncodedRow(ids, [0] * len(ids)), computed.outputs[self.outputs[0]][0]

    def outputs_of(
        self, folder: Path, rows: Sequence[EncodedRow]
    ) -> list[tuple[NDArray[np.float32], ...]]:
        """Return the outputs of the graph for some rows, each computed alone."""
        found = [self.form.computed(folder, [row]) for row in rows]
        return [tuple(each[name][0] for name in self.outputs) for each in found]


def activated(scores: NDArray[np.float32], activation: str | None) -> list[float]:
    """Return probabilities of scores (C,), or the scores as they are.

    Args:
        scores: of the graph.
        activation: "softmax", "sigmoid", or another.
    """
    values = np.asarray(scores, np.float64)
    if activation == "sigmoid":
        values = 1 / (1 + np.exp(-values))
    elif activation == "softmax":
        values = np.exp(values - values.max())
        values /= values.sum()
    found: list[float] = values.tolist()
    return found
