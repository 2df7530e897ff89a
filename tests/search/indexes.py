"""Small indexes to ask: texts of sea and court, and word vectors that tell the two apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from foretext.search import SearchIndex
from foretext.search.index import index
from foretext.vectors.word_vectors import WordVectors

__all__ = ["TEXTS", "VECTORS", "made", "write_model"]

WORDS = {"ship": (1, 0.1), "wave": (1, 0), "harbour": (0.9, 0.2), "judge": (0, 1), "law": (0.1, 1)}
VECTORS = WordVectors(list(WORDS), np.array(list(WORDS.values()), np.float32), [9, 8, 7, 6, 5])
TEXTS = """\
The ship left the harbour.
A wave, and then another wave.
The judge knows the law.

Room 4711 is closed.
The ship left the harbour.
"""


def write_model(folder: Path) -> Path:
    """Write the vectors, and return their path."""
    path = folder / "vectors.safetensors"
    VECTORS.save(path)
    return path


def made(folder: Path, text: str = TEXTS, **options: object) -> SearchIndex:
    """Make an index of one file in `folder`."""
    path = folder / "texts.txt"
    if not path.exists() or path.read_text(encoding="utf-8") != text:  # a file that changes is told
        path.write_text(text, encoding="utf-8")
    given = {"quiet": True, "text": {"documents": "line"}, **options}
    return index(write_model(folder), path, folder / "index", **given)
