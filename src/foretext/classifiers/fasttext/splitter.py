"""What separates words: the blanks of the authors' program, or a pre-tokeniser of foretext."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

from foretext.classifiers.fasttext.config import ResolvedConfig
from foretext.corpus.counts import Cutter
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.kernels.letters import SEPARATOR, WORD, Letters

__all__ = ["Blanks", "line_bytes", "splitter_of"]

BLANKS = " \n\r\t\v\f\0"
Lines: TypeAlias = tuple[np.ndarray, np.ndarray]


class Blanks:
    """Words are what stands between blanks of ASCII: wider blanks, such as U+00A0, are letters."""

    @property
    def letters(self) -> Letters:
        """Tables for the kernels."""
        return _letters()

    def utf8(self, text: str) -> np.ndarray:
        """(N,) uint8, what the kernels read; half of a surrogate pair becomes ``?``."""
        return np.frombuffer(text.encode("utf-8", "replace"), np.uint8)


def splitter_of(config: ResolvedConfig, edition: int | None = None) -> Cutter:
    """Return what cuts texts into words.

    Args:
        config: which kind it is.
        edition: of the rules of the pre-tokeniser; None: the newest.

    Raises:
        MissingExtraError: ``chinese_words`` without jieba.
    """
    if config.pre_tokenizer != "blanks":
        return PreTokenizer(config.pre_tokenizer, lowercase=config.lowercase, edition=edition)
    return _SmallBlanks() if config.lowercase else Blanks()


def line_bytes(texts: Sequence[str], splitter: Cutter) -> Lines:
    """Return the texts as lines (uint8), and where each line ends: (N,) int64."""
    lines = (text.replace("\n", " ") if "\n" in text else text for text in texts)
    data = splitter.utf8("\n".join([*lines, ""]))
    return data, np.flatnonzero(data == ord("\n"))


class _SmallBlanks(Blanks):
    """The same in small letters."""

    def utf8(self, text: str) -> np.ndarray:
        return super().utf8(text.lower())


@cache
def _letters() -> Letters:
    classes = np.full(sys.maxunicode + 1, WORD, np.uint8)
    classes[[ord(blank) for blank in BLANKS]] = SEPARATOR
    same = np.arange(sys.maxunicode + 1, dtype=np.int32)
    fast = np.zeros(256, np.uint8)
    fast[:128] = np.where(classes[:128] == WORD, same[:128], 0)
    return Letters(classes, same, fast)
