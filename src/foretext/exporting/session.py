"""ONNX Runtime and the tokenizer of a folder, as a program without foretext uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tokenizers
from foretext.exporting.foreign import foreign_errors

__all__ = ["Session", "feeds_of", "library_of", "plain_row"]


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
        rows: Sequence[Mapping[str, NDArray[np.int64]]],
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return the outputs of rows by name, of each without padding.

        Args:
            names: of outputs.
            rows: N of them, (T, ...) of each input by its name.
        """
        feeds = feeds_of(rows, self.inputs)
        with foreign_errors("ONNX Runtime"):
            found = self._session.run(list(names), feeds)
        return {name: list(each) for name, each in zip(names, found, strict=True)}


def plain_row(ids: Sequence[int]) -> dict[str, NDArray[np.int64]]:
    """Return a row of ids as what goes into a graph."""
    return {"input_ids": np.array(ids, np.int64), "attention_mask": np.ones(len(ids), np.int64)}


def feeds_of(
    rows: Sequence[Mapping[str, NDArray[np.int64]]], inputs: Sequence[str]
) -> dict[str, NDArray[np.int64]]:
    """Return rows as arrays (N, T, ...), padded with 0 at the right, for the names of `inputs`."""
    width = max(1, *(len(row["input_ids"]) for row in rows)) if rows else 1
    feeds = {}
    for name in inputs:
        shape = rows[0][name].shape[1:] if rows else ()
        feeds[name] = np.zeros((len(rows), width, *shape), np.int64)
        for index, row in enumerate(rows):
            feeds[name][index, : len(row[name])] = row[name]
    return feeds
