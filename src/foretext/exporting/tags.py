"""What a tagger needs beside its network: decoding.json, and programs that read it.

``decode.py`` and, of sub-words, ``decode.mjs`` turn words into ids and scores into tags. The
comparison with the original runs `decode.py`.
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

__all__ = ["JAVASCRIPT", "TAGS", "Decoder", "decoder_programs", "write_decoder"]

TAGS = "tags"  # what is compared beside the scores
PYTHON, JAVASCRIPT = "decode.py", "decode.mjs"
FILE = "decoding.json"


def decoder_programs(graph: NetworkGraph) -> list[str]:
    """Return the programs that turn a tagger's words into ids; only `decode.py` looks words up."""
    return [PYTHON] if graph.tokenizer.word_rules is not None else [PYTHON, JAVASCRIPT]


def write_decoder(folder: Path, graph: NetworkGraph) -> None:
    """Write the programs and what they read.

    Args:
        folder: of the export.
        graph: of a tagger.

    Raises:
        OutputError: it cannot be written.
    """
    for name in decoder_programs(graph):
        shutil.copyfile(Path(__file__).parent / "decoder" / name, folder / name)
    write_json(folder / FILE, graph.facts["decoding"])


class EncodedSentence(NamedTuple):
    """What the program makes of the words of a sentence."""

    ids: list[int]
    firsts: list[int]  # the position of each word's first id
    characters: list[list[int]]  # of each id's word


class Decoder(NamedTuple):
    """The program of a folder that was exported."""

    encode: Any
    decode: Any
    spell: Any

    @classmethod
    def of(cls, folder: Path) -> Decoder:
        """Run the file of a folder."""
        program = runpy.run_path(str(folder / PYTHON))
        return cls(program["encode"], program["decode"], program["spell"])

    def encoded(
        self, sentences: Sequence[Sequence[str]], library: tokenizers.Tokenizer
    ) -> list[EncodedSentence]:
        """Return the ids of each sentence, where its words begin, and their characters."""
        found = []
        for words in sentences:
            ids, firsts = self.encode(list(words), library)
            found.append(EncodedSentence(ids, firsts, self.spell(list(words), ids)))
        return found

    def decoded(
        self, scores: Sequence[NDArray[np.float32]], firsts: Sequence[Sequence[int]]
    ) -> list[NDArray[np.float32]]:
        """Return the tags of each sentence as numbers."""
        return [
            np.array(self.decode(own.tolist(), positions), np.float32)
            for own, positions in zip(scores, firsts, strict=True)
        ]
