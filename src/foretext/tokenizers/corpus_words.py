"""The words of a pre-tokeniser of `foretext.corpus`, as a tokenizer of the library has them."""

from __future__ import annotations

from itertools import product, zip_longest
from typing import TYPE_CHECKING, ClassVar, Self

from foretext.corpus.normalization import Form
from foretext.corpus.pre_tokenizers import PreTokenizer as CorpusPreTokenizer
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.tokenizers.forms import steps_of

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
        forms: tuple[Form, ...] = ("none", "NFC", "NFKC")
        for kind, lowercase, form in product(NEEDING_NO_JIEBA, (True, False), forms):
            known = CorpusPreTokenizer(kind, lowercase=lowercase, form=form)
            has_cut = cut is not None and _is_same(cut, known.library_pre_tokenizer())
            if has_cut and _are_same(normalizer, known.library_normalizer()):
                return cls(known)
        return None

    def spelled(self, word: bytes) -> str:
        """The word as the library writes it."""
        return word.decode()


def _are_same(found: Normalizer | None, known: Normalizer) -> bool:
    """Whether two normalisers have equal steps; one alone is a sequence of one."""
    pairs = list(zip_longest(steps_of(found), steps_of(known)))
    return all(
        one is not None and other is not None and _is_same(one, other) for one, other in pairs
    )


def _is_same(found: Normalizer | PreTokenizer, known: Normalizer | PreTokenizer) -> bool:
    return bool(found.__getstate__() == known.__getstate__())
