"""How a folder of static vectors of tokens is known, whoever wrote it; nothing heavy is imported.

model2vec says in ``config.json`` what the folder holds, sentence-transformers in ``modules.json``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foretext.base.errors import ModelFileError
from foretext.base.files import is_regular_file
from foretext.base.parsing import read_json

__all__ = ["CLASS", "CONFIG", "MODEL_TYPE", "MODULE", "MODULES", "holds_static_vectors"]

CONFIG, MODULES = "config.json", "modules.json"
MODEL_TYPE, CLASS = "model2vec", "StaticModel"
MODULE = "StaticEmbedding"


def holds_static_vectors(folder: Path) -> bool:
    """Whether a folder holds static vectors of tokens, in either layout.

    Raises:
        ModelFileError: the file that says it is damaged.
    """
    if is_regular_file(folder / CONFIG):
        config = read_json(folder / CONFIG, ModelFileError)
        if config.get("model_type") == MODEL_TYPE or config.get("architectures") == [CLASS]:
            return True
    if not is_regular_file(folder / MODULES):
        return False
    modules = read_json(folder / MODULES, ModelFileError, list[Any])
    first = modules[0] if modules else None
    return isinstance(first, dict) and str(first.get("type")).endswith(f".{MODULE}")
