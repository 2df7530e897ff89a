"""The words of a pre-tokeniser of `foretext.corpus`, as a tokenizer of the library has them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, ClassVar, Self

from foretext.corpus.pre_tokenizers import PreTokenizer as CorpusPreTokenizer
from foretext.corpus.pre_tokenizers import PreTokenizerKind

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer

__all__ = ["CorpusWords"]

NEEDING_NO_JIEBA: tuple[PreTokenizerKind, ...] = (
    "whitespace",
    "basic_english",
    "unicode_words",
    "words_and_punctuation",
    "chinese_characters",
)


class CorpusWords:
    """The words of a pre-tokeniser of `foretext.corpus`."""

    ignores_line_ends: ClassVar[bool] = True

    def __init__(self, pre_tokenizer: CorpusPreTokenizer) -> None:
        self.letters = pre_tokenizer.letters
        self.utf8 = pre_tokenizer.utf8

    @classmethod
    def of(cls, normalizer: Normalizer | None, cut: PreTokenizer | None) -> Self | None:
        """Return the pre-tokeniser that has these parts of a tokenizer, or None."""
        for kind, lowercase in product(NEEDING_NO_JIEBA, (True, False)):
            known = CorpusPreTokenizer(kind, lowercase=lowercase)
            if _is_same(normalizer, known.library_normalizer()) and _is_same(
                cut, known.library_pre_tokenizer()
            ):
                return cls(known)
        return None

    def spelled(self, word: bytes) -> str:
        """The word as the library writes it."""
        return word.decode()


def _is_same(found: Normalizer | PreTokenizer | None, known: Normalizer | PreTokenizer) -> bool:
    return found is not None and found.__getstate__() == known.__getstate__()
