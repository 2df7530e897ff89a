"""What a tagger needs beside its network: decoding.json, and two programs that read it.

``decode.py`` and ``decode.mjs`` turn words into ids and scores into tags. The comparison with the
original runs `decode.py`.
"""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tokenizers
from foretext.exporting.files import write_json
from foretext.interop.graph import NetworkGraph

__all__ = ["TAGS", "Decoder", "write_decoder"]

TAGS = "tags"  # what is compared beside the scores
PROGRAMS = ("decode.py", "decode.mjs")
FILE = "decoding.json"


def write_decoder(folder: Path, graph: NetworkGraph) -> None:
    """Write the programs and what they read.

    Args:
        folder: of the export.
        graph: of a tagger.

    Raises:
        OutputError: it cannot be written.
    """
    for name in PROGRAMS:
        shutil.copyfile(Path(__file__).parent / "decoder" / name, folder / name)
    write_json(folder / FILE, graph.facts["decoding"])


class Decoder(NamedTuple):
    """The program of a folder that was exported."""

    encode: Any
    decode: Any

    @classmethod
    def of(cls, folder: Path) -> Decoder:
        """Run the file of a folder."""
        program = runpy.run_path(str(folder / PROGRAMS[0]))
        return cls(program["encode"], program["decode"])

    def encoded(
        self, sentences: Sequence[Sequence[str]], library: tokenizers.Tokenizer
    ) -> list[tuple[list[int], list[int]]]:
        """Return the ids of each sentence, and where its words begin."""
        return [self.encode(list(words), library) for words in sentences]

    def decoded(
        self, scores: Sequence[NDArray[np.float32]], firsts: Sequence[Sequence[int]]
    ) -> list[NDArray[np.float32]]:
        """Return the tags of each sentence as numbers."""
        return [
            np.array(self.decode(own.tolist(), positions), np.float32)
            for own, positions in zip(scores, firsts, strict=True)
        ]
