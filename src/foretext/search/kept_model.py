"""The copy of the model in an index."""

from __future__ import annotations

from pathlib import Path

from foretext.artifact import load_vectors
from foretext.base.files import output_error
from foretext.search.folder import KEPT_VECTORS, IndexFolder
from foretext.search.model_files import copy_model, fingerprint

__all__ = ["keep_model"]


def keep_model(path: Path, folder: IndexFolder) -> str:
    """Copy a model into an index, and return the fingerprint of the copy.

    A file of word vectors becomes safetensors, which opens faster than text.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        folder.model.mkdir(exist_ok=True)
    except OSError as error:
        raise output_error(folder.model, error) from error
    if path.is_dir():
        copy_model(path, folder.model)
    else:
        load_vectors(path).save(folder.model / KEPT_VECTORS)
    return fingerprint(folder.kept_model)
