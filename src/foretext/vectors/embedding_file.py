"""Embeddings of texts on disk: a matrix as .npy, or texts and vectors together as .parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from foretext.base.errors import MissingExtraError, SettingError
from foretext.base.files import atomic_file, refuse_existing
from foretext.base.parsing.array_file import write_npy
from foretext.messages import message

__all__ = ["save_embeddings"]


def save_embeddings(
    path: Path, texts: Sequence[str], embeddings: np.ndarray, *, overwrite: bool = False
) -> None:
    """Write embeddings, (N, D) float32, in the format of the file's suffix.

    Raises:
        SettingError: another suffix than .npy or .parquet.
        OutputError: the file exists, or cannot be written.
        MissingExtraError: .parquet without pyarrow.
    """
    refuse_existing(path, overwrite=overwrite)
    if path.suffix == ".npy":
        write_npy(path, embeddings)
    elif path.suffix == ".parquet":
        _write_parquet(path, texts, embeddings)
    else:
        raise SettingError(f"{path}: name the file .npy or .parquet.")


def _write_parquet(path: Path, texts: Sequence[str], embeddings: np.ndarray) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtraError(
            "pyarrow", "parquet", message("errors.purpose.write_parquet")
        ) from None
    flat = pa.array(embeddings.reshape(-1))
    column = pa.FixedSizeListArray.from_arrays(flat, embeddings.shape[1])
    with atomic_file(path) as temporary:
        pq.write_table(pa.table({"text": list(texts), "embedding": column}), temporary)
