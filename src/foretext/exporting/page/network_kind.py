"""A kind of networks that a page runs: the data that it needs, and the answers it must give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tokenizers
from foretext.corpus.texts import TextSource
from foretext.data.framing import Framing
from foretext.exporting.form import Texts
from foretext.exporting.network import EncodedRow, NetworkExport

__all__ = ["Completed", "NetworkKind", "Wanted"]


class Wanted(NamedTuple):
    """What a page must compute from an input."""

    rows: list[EncodedRow]  # that the network reads
    numbers: list[float]  # probabilities, scores or a vector
    answer: Any = None  # of the page by these numbers, as JSON has it; None: not compared


class Completed(NamedTuple):
    """What a page has beside its network."""

    wanted: Mapping[str, Any] = MappingProxyType({})  # more for `static/engine/network_check.js`
    notes: tuple[str, ...] = ()  # for the user


class NetworkKind(ABC):
    """A kind of networks.

    Args:
        form: writes and runs the graph.
    """

    most_texts: ClassVar[int] = 120  # that Node.js computes
    files: ClassVar[tuple[str, ...]] = ()  # that `complete` writes, and a visitor loads
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
        """The data that the page's class needs, as JSON has it."""
        return {}

    @property
    def framing(self) -> Framing:
        """What stands around a text, and how much of a text is read at once."""
        found: Framing = self.model.text_framing
        return found

    def own_texts(self) -> TextSource | None:
        """Return texts of the user that are compared where none are given; None: the run's."""
        return None

    def unknown_rule(self, library: tokenizers.Tokenizer) -> str:
        """Return a sentence on a rule of the tokenizer that a page does not know; or ""."""
        return ""

    @abstractmethod
    def wanted(self, folder: Path, texts: Texts) -> Wanted:
        """Return what the page must compute from an input, by ONNX Runtime in Python.

        Args:
            folder: of the exported files.
            texts: of the input.
        """

    def num_tokens(self, library: tokenizers.Tokenizer, texts: Texts) -> int:
        """Return how many tokens the network reads of an input, in all its rows.

        Args:
            library: the exported tokenizer.
            texts: of the input.
        """
        (row,) = self.form.encoded(library, [texts])
        return len(row.ids)

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

    def complete(self, folder: Path, inputs: Sequence[Texts], found: Sequence[Wanted]) -> Completed:
        """Write what a page has beside the network, and return what else is compared.

        Args:
            folder: of the page.
            inputs: that are compared.
            found: what the page must compute of them.

        Raises:
            ModelFileError: the copy answers differently from the original.
            OutputError: a file cannot be written.
        """
        return Completed()
