"""What separates words: the blanks of the authors' program, or a pre-tokeniser of foretext."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

from foretext.corpus.counts import Cutter
from foretext.corpus.decoding import Form, normalize
from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.kernels.letters import SEPARATOR, WORD, Letters
from foretext.tasks.fasttext.config import ResolvedConfig

__all__ = ["Blanks", "line_bytes", "splitter_of"]

BLANKS = " \n\r\t\v\f\0"
Lines: TypeAlias = tuple[np.ndarray, np.ndarray]


class Blanks:
    """Words are what stands between blanks of ASCII: wider blanks, such as U+00A0, are letters.

    Args:
        lowercase: whether texts are read in small letters.
        form: the Unicode normal form that texts are brought into; "none": as they are written.
    """

    def __init__(self, *, lowercase: bool = False, form: Form = "none") -> None:
        self._lowercase, self._form = lowercase, form

    @property
    def letters(self) -> Letters:
        """Tables for the kernels."""
        return _letters()

    def utf8(self, text: str) -> np.ndarray:
        """(N,) uint8, what the kernels read; half of a surrogate pair becomes ``?``."""
        text = normalize(text, self._form)
        small = text.lower() if self._lowercase else text
        return np.frombuffer(small.encode("utf-8", "replace"), np.uint8)


def splitter_of(
    config: ResolvedConfig, edition: int | None = None, form: Form | None = None
) -> Cutter:
    """Return what cuts texts into words.

    Args:
        config: which kind it is.
        edition: of the rules of the pre-tokeniser; None: the newest.
        form: the Unicode normal form of the rows that were learned from; None: blanks leave texts
            as they are written, and a pre-tokeniser composes them (NFC).

    Raises:
        MissingExtraError: ``chinese_words`` without jieba.
    """
    if config.pre_tokenizer != "blanks":
        return PreTokenizer(
            config.pre_tokenizer,
            lowercase=config.lowercase,
            form="NFKC" if form == "NFKC" else "NFC",
            edition=edition,
        )
    return Blanks(lowercase=config.lowercase, form=form or "none")


def line_bytes(texts: Sequence[str], splitter: Cutter) -> Lines:
    """Return the texts as lines (uint8), and where each line ends: (N,) int64."""
    lines = (text.replace("\n", " ") if "\n" in text else text for text in texts)
    data = splitter.utf8("\n".join([*lines, ""]))
    return data, np.flatnonzero(data == ord("\n"))


@cache
def _letters() -> Letters:
    classes = np.full(sys.maxunicode + 1, WORD, np.uint8)
    classes[[ord(blank) for blank in BLANKS]] = SEPARATOR
    same = np.arange(sys.maxunicode + 1, dtype=np.int32)
    fast = np.zeros(256, np.uint8)
    fast[:128] = np.where(classes[:128] == WORD, same[:128], 0)
    return Letters(classes, same, fast)
