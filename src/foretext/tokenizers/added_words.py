"""Whole words as further tokens of a tokenizer; every other word is cut as before.

They become added tokens of the `tokenizers` library, which it looks for before it cuts words, and
not entries of the vocabulary: there "covid" would also be taken out of "covid19", which has had
other tokens so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from foretext.base.errors import SettingError
from foretext.corpus.pre_tokenizers import HAN
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import AddedToken, Tokenizer

__all__ = ["AddedWords", "add_words", "pieces_of", "read_word"]

BLANK_MARKS = ("Ġ", "▁")  # of byte-level BPE and of SentencePiece, before a word


class AddedWords(NamedTuple):
    """A larger tokenizer, and what became tokens of it."""

    tokenizer: SubwordTokenizer
    words: list[str]
    pieces: list[list[int]]  # the ids of each word before


def pieces_of(tokenizer: SubwordTokenizer, words: Sequence[str]) -> list[list[int]]:
    """Return the ids of each word as it stands in a text, after a blank."""
    return tokenizer.encode_batch([f" {word}" for word in words])


def add_words(tokenizer: SubwordTokenizer, words: Iterable[str]) -> AddedWords:
    """Return a tokenizer with a token for each word that is cut into pieces, or unknown, so far.

    Words that are one token already are left out. `tokenizer` does not change.

    Raises:
        SettingError: a word is empty or has a blank in it, or no word needs a token.
    """
    given = list(dict.fromkeys(words))
    for word in given:
        if not word or word.split() != [word]:
            raise SettingError(f"The token {word!r} is empty or has a blank in it; give one word.")
    library = Tokenizer.from_str(tokenizer.library.to_str())
    folds, takes_blank = _folds_case(library), _marks_blanks(tokenizer)
    found: dict[str, list[int]] = {}  # by how the tokenizer reads them
    for word, pieces in zip(given, pieces_of(tokenizer, given), strict=True):
        read = read_word(tokenizer, word)
        is_cut = len(pieces) > 1 or pieces == [tokenizer.special.unknown]
        if is_cut and library.token_to_id(read) is None:
            found.setdefault(read, pieces)
    if not found:
        raise SettingError(
            f"None of the {len(given):,} words is cut into pieces by this tokenizer; give others, "
            "or leave the model as it is."
        )
    library.add_tokens(
        [
            AddedToken(
                word,
                single_word=not re.search(
                    f"[{HAN}]", word
                ),  # no blanks stand between Chinese words
                lstrip=takes_blank,
                normalized=folds,
            )
            for word in found
        ]
    )
    return AddedWords(SubwordTokenizer(library, tokenizer.ends), list(found), list(found.values()))


def read_word(tokenizer: SubwordTokenizer, word: str) -> str:
    """Return a word as the tokenizer reads it, in small letters where it makes letters small."""
    if not _folds_case(tokenizer.library):
        return word
    # BERT's normaliser puts blanks around Chinese characters.
    return "".join(tokenizer.library.normalizer.normalize_str(word).split())


def _folds_case(library: Tokenizer) -> bool:
    """Whether capitals become small letters before words are looked for."""
    normalizer = library.normalizer
    return normalizer is not None and normalizer.normalize_str("A") == "a"


def _marks_blanks(tokenizer: SubwordTokenizer) -> bool:
    """Whether the blank before a word is a part of its tokens."""
    first = tokenizer.tokens[pieces_of(tokenizer, ["a"])[0][0]]
    return first.startswith(BLANK_MARKS)
