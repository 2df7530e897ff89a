"""Autoencoders against files of examples: the error, and that of principal components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foretext.data.images import read_images
from foretext.evaluation.figures import Measure
from foretext.language_model.codec import Codec

__all__ = ["evaluate_autoencoder", "measure_of_autoencoder"]


def evaluate_autoencoder(
    codec: Codec, paths: Sequence[str | Path]
) -> dict[str, dict[str, float | int | None]]:
    """Return for each file the mean squared error of a number, ours and that of components.

    Raises:
        ImageFileError: a file cannot be read.
        SettingError: its examples have another shape.
    """
    results: dict[str, dict[str, float | int | None]] = {}
    for path in paths:
        examples = read_images(path)
        results[str(path)] = {
            "examples": len(examples),
            "squared_error": codec.squared_error(examples),
            "principal_components": codec.components_error(examples),
        }
    return results


def measure_of_autoencoder(run: Path, options: Mapping[str, Any]) -> Measure:
    """Return what measures an autoencoder; see `foretext.kinds.Kind.evaluate`."""
    codec = Codec.load(run)
    return lambda path: dict(evaluate_autoencoder(codec, [path])[str(path)])
