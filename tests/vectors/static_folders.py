"""Small static vectors, and folders of them as other libraries lay them out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from foretext.base.parsing import write_tensors
from foretext.vectors.token_vectors import TokenVectors
from tests.language_model.models import learned_tokenizer

__all__ = ["TEXTS", "drawn_vectors", "model2vec_folder", "sentence_folder"]

TEXTS = ["the king and the queen", "a ship ☃ sails", "", "☃", "the castle\nby the sea"]
DIM = 6


def drawn_vectors(kind: str = "wordpiece", **settings: Any) -> TokenVectors:
    """Random vectors of the tokens of a small tokenizer."""
    tokenizer = learned_tokenizer(kind)
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((tokenizer.vocab_size, DIM)).astype(np.float32)
    return TokenVectors(tokenizer, rows, **settings)


def model2vec_folder(
    folder: Path, tensors: dict[str, np.ndarray], *, normalize: bool = True
) -> Path:
    """What releases of model2vec up to 0.4 write, without modules.json."""
    folder.mkdir()
    learned_tokenizer("wordpiece").save(folder / "tokenizer.json")
    write_tensors(folder / "model.safetensors", tensors)
    config = {
        "tokenizer_name": "some/model",
        "apply_pca": DIM,
        "apply_zipf": True,
        "hidden_dim": DIM,
        "seq_length": 1000000,
        "normalize": normalize,
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
    }
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def sentence_folder(folder: Path, rows: np.ndarray, *, normalize: bool = True) -> Path:
    """What sentence-transformers writes of a `StaticEmbedding`."""
    inner = folder / "0_StaticEmbedding"
    inner.mkdir(parents=True)
    learned_tokenizer("wordpiece").save(inner / "tokenizer.json")
    write_tensors(inner / "model.safetensors", {"embedding.weight": rows})
    package = "sentence_transformers.models"
    modules = [{"idx": 0, "name": "0", "path": inner.name, "type": f"{package}.StaticEmbedding"}]
    if normalize:
        modules.append(
            {"idx": 1, "name": "1", "path": "1_Normalize", "type": f"{package}.Normalize"}
        )
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "config_sentence_transformers.json").write_text("{}")
    return folder
