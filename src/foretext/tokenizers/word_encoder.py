"""Encoding at the speed of looking words up: each distinct word is cut into tokens only once.

This equals encoding the whole text where the tokens of a word follow from the word alone: with
WordPiece, BPE and whole words, after pre-tokenisers whose words our kernels find, too. The model of
the `tokenizers` library cuts the words; text that our kernels cannot cut is left to the library.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from threading import Lock
from typing import Self

import numpy as np

from foretext.corpus.normalization import Form, normalize
from foretext.corpus.word_table import Numbered, WordTable
from foretext.kernels.word_tokens import join_tokens
from foretext.tokenizers.base import EncodedBlock
from foretext.tokenizers.byte_pieces import RawPieces
from foretext.tokenizers.corpus_words import CorpusWords
from foretext.tokenizers.forms import without_form
from foretext.tokenizers.library_characters import NUM_POINTS
from foretext.tokenizers.library_words import LibraryWords
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

__all__ = ["WordEncoder"]

MAX_WORDS = 1 << 20  # known at a time, about 100 bytes each

WordSplitter = CorpusWords | LibraryWords | RawPieces


class WordEncoder:
    """Remembers the tokens of words; threads may share it.

    Args:
        splitter: splits text as the library does.
        library: the tokenizer, which must not change.
        form: the Unicode normal form that it brings text into before it splits it.
        max_words: with more, all are forgotten.
    """

    def __init__(
        self,
        splitter: WordSplitter,
        library: Tokenizer,
        form: Form = "none",
        max_words: int = MAX_WORDS,
    ) -> None:
        self.splitter, self.form = splitter, form
        self.model = library.model
        self.added = [token.content for token in library.get_added_tokens_decoder().values()]
        self.max_words = max_words
        self._lock = Lock()
        self._forget()

    @classmethod
    def of(cls, library: Tokenizer) -> Self | None:
        """Return an encoder, or None where tokens depend on more than a word."""
        form, splitter = _splitter(library)
        if splitter is None or not _is_of_words(library):
            return None
        return cls(splitter, library, form)

    @property
    def ignores_line_ends(self) -> bool:
        """Whether a line end is a blank like any other, and not a token."""
        return self.splitter.ignores_line_ends

    def encode(self, text: str) -> EncodedBlock | None:
        """Return ids of a text where "\\n" ends a sentence and "\\n\\n" a document.

        None where only the library can encode: the text contains added tokens, a word of more than
        1,000 bytes, marks that change places, or too many distinct words. Sentences and documents
        without tokens have starts, too.
        """
        if any(token in text for token in self.added):
            return None
        text = normalize(text, self.form)
        if _has_moving_marks(text):
            return None
        data = self.splitter.utf8(text)
        with self._lock:
            found = self._meet(data)
            if found is None:
                return None
            starts, tokens = self._starts, self._tokens  # later additions do no harm
        words, sentences, documents = found
        ids = np.empty((starts[words + 1] - starts[words]).sum(), np.uint32)
        join_tokens(words, starts, tokens, sentences, documents, ids)
        return EncodedBlock(ids, sentences, documents)

    def _forget(self) -> None:
        self._table = WordTable(self.max_words)
        self._starts = np.zeros(self.max_words + 1, np.int64)  # of each word in the tokens
        self._tokens = np.empty(1 << 16, np.uint32)

    def _meet(self, data: np.ndarray) -> Numbered | None:
        """Find the words, with tokens of new ones; None where a word cannot be remembered."""
        found = self._number(data)
        if found is None:
            self._forget()
            found = self._number(data)
        return None if self._table.arrays.used[2] else found

    def _number(self, data: np.ndarray) -> Numbered | None:
        first = len(self._table)
        self._table.arrays.used[2] = 0  # counts words that are too long
        found = self._table.number(data, self.splitter.letters)
        tokenize, spelled = self.model.tokenize, self.splitter.spelled
        new = self._table.words(np.arange(first, len(self._table)))
        self._append(first, [[token.id for token in tokenize(spelled(word))] for word in new])
        return found

    def _append(self, first: int, tokens: list[list[int]]) -> None:
        used = self._starts[first]
        ends = used + np.cumsum([len(ids) for ids in tokens], dtype=np.int64)
        self._starts[first + 1 : first + 1 + len(tokens)] = ends
        flat = [index for ids in tokens for index in ids]
        if used + len(flat) > self._tokens.size:
            room = np.empty(2 * (used + len(flat)), np.uint32)
            room[:used] = self._tokens[:used]
            self._tokens = room
        self._tokens[used : used + len(flat)] = flat


def _is_of_words(library: Tokenizer) -> bool:
    """Whether a word always has the same tokens, and added tokens are found in the plain text."""
    model = library.model
    if not isinstance(model, models.WordPiece | models.BPE | models.WordLevel):
        return False
    if isinstance(model, models.BPE) and model.dropout:
        return False
    if library.truncation is not None or library.padding is not None:
        return False
    return not any(token.normalized for token in library.get_added_tokens_decoder().values())


def _splitter(library: Tokenizer) -> tuple[Form, WordSplitter | None]:
    """Return the form that text is brought into first, and what splits it then."""
    form, normalizer = without_form(library.normalizer)
    if isinstance(library.model, models.WordLevel):
        return "none", CorpusWords.of(library.normalizer, library.pre_tokenizer)
    return form, _splitter_of(normalizer, library.pre_tokenizer)


def _splitter_of(
    normalizer: normalizers.Normalizer | None, cut: pre_tokenizers.PreTokenizer | None
) -> WordSplitter | None:
    lowercase = isinstance(normalizer, normalizers.Lowercase)
    if isinstance(cut, pre_tokenizers.ByteLevel):
        plain = cut.use_regex and not cut.add_prefix_space and (lowercase or normalizer is None)
        return RawPieces(lowercase=lowercase) if plain else None
    if not isinstance(cut, pre_tokenizers.BertPreTokenizer | pre_tokenizers.WhitespaceSplit):
        return None
    plain = lowercase or normalizer is None or isinstance(normalizer, normalizers.BertNormalizer)
    return LibraryWords(normalizer, cut) if plain else None


def _has_moving_marks(text: str) -> bool:
    """Whether a normaliser could reorder marks, which tables cannot do."""
    return not text.isascii() and any(mark in text for mark in _moving_marks())


@cache
def _moving_marks() -> list[str]:
    """The marks with an order in a cluster that are not removed with the accents."""
    return [
        mark
        for mark in map(chr, range(NUM_POINTS))
        if unicodedata.combining(mark) and unicodedata.category(mark) != "Mn"
    ]
