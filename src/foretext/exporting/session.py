"""ONNX Runtime and the tokenizer of a folder, as a program without foretext uses them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tokenizers
from foretext.exporting.foreign import foreign_errors

__all__ = ["Session", "feeds_of", "library_of"]


def library_of(folder: Path) -> tokenizers.Tokenizer:
    """Open the tokenizer of an exported folder by the library alone."""
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


class Session:
    """A graph in ONNX Runtime.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors
        with foreign_errors("ONNX Runtime"):
            self._session: Any = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        self.inputs = [each.name for each in self._session.get_inputs()]

    def outputs(
        self,
        names: Sequence[str],
        ids: Sequence[Sequence[int]],
        segments: Sequence[Sequence[int]] | None = None,
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return the outputs of rows of ids by name, of each without padding.

        Args:
            names: of outputs.
            ids: of N rows.
            segments: of their tokens.
        """
        feeds = feeds_of(ids, segments, self.inputs)
        with foreign_errors("ONNX Runtime"):
            found = self._session.run(list(names), feeds)
        return {name: list(each) for name, each in zip(names, found, strict=True)}


def feeds_of(
    ids: Sequence[Sequence[int]],
    segments: Sequence[Sequence[int]] | None,
    inputs: Sequence[str],
) -> dict[str, NDArray[np.int64]]:
    """Return rows as arrays (N, T), padded at the right, for the names of `inputs`."""
    width = max(1, *map(len, ids)) if ids else 1
    feeds = {name: np.zeros((len(ids), width), np.int64) for name in inputs}
    for index, row in enumerate(ids):
        feeds["input_ids"][index, : len(row)] = row
        feeds["attention_mask"][index, : len(row)] = 1
        if segments is not None and "token_type_ids" in feeds:
            feeds["token_type_ids"][index, : len(row)] = segments[index]
    return feeds
