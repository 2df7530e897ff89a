"""Encoding at the speed of looking words up: each distinct word is cut into tokens only once.

This equals encoding the whole text where the tokens of a word follow from the word alone: with
WordPiece, BPE and whole words, after pre-tokenisers whose words our kernels find, too. The model of
the `tokenizers` library cuts the words; text that our kernels cannot cut is left to the library.
"""

from __future__ import annotations

import unicodedata
from functools import cache, cached_property, lru_cache
from itertools import product, zip_longest
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from foretext.corpus.decoding import Form, normalize
from foretext.corpus.pre_tokenizers import PreTokenizer as CorpusPreTokenizer
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.corpus.word_table import Numbered, WordTable
from foretext.kernels.letters import ALONE, IGNORED, SEPARATOR, WORD, Letters
from foretext.kernels.words import join_tokens
from foretext.shards.portable import Portable
from foretext.tokenizers.base import EncodedBlock
from foretext.tokenizers.byte_pieces import RawPieces
from foretext.tokenizers.forms import steps_of, without_form
from foretext.tokenizers.library_characters import NUM_POINTS, point_chunks
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer

__all__ = ["LibraryWords", "WordEncoder"]

MAX_WORDS = 1 << 20  # known at a time, about 100 bytes each

NEEDING_NO_JIEBA: tuple[PreTokenizerKind, ...] = (
    "whitespace",
    "basic_english",
    "unicode_words",
    "words_and_punctuation",
    "chinese_characters",
)


class _CorpusWords:
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


class LibraryWords:
    """A normaliser and a pre-tokeniser of the library as tables.

    The normaliser must treat each character separately, the pre-tokeniser must split at spaces and
    around single characters, as BERT's do.
    """

    ignores_line_ends: ClassVar[bool] = True

    def __init__(self, normalizer: Normalizer | None, pre_tokenizer: PreTokenizer) -> None:
        self.normalizer = normalizer
        self.pre_tokenizer = pre_tokenizer

    @property
    def portable(self) -> Portable:
        """What makes an equal one in another process."""
        library = _empty_library()
        if self.normalizer is not None:
            library.normalizer = self.normalizer
        library.pre_tokenizer = self.pre_tokenizer
        return Portable(f"{__name__}:LibraryWords.made", library.to_str())

    @classmethod
    def made(cls, settings: str) -> LibraryWords:
        """Return the one that `portable` stands for."""
        library = _empty_library().from_str(settings)
        return cls(library.normalizer, library.pre_tokenizer)

    @cached_property
    def letters(self) -> Letters:
        """The class of each character, and what it becomes."""
        return self._tables[0]

    def utf8(self, text: str) -> np.ndarray:
        """The text, with characters that become several replaced by these."""
        longer = self._tables[1]
        if not text.isascii() and not longer.keys().isdisjoint(map(ord, set(text))):
            text = text.translate(longer)
        return np.frombuffer(text.encode("utf-8", "replace"), np.uint8)

    def spelled(self, word: bytes) -> str:
        """The word as the library writes it."""
        return word.decode()

    def library_normalizer(self) -> Normalizer | None:
        """The library's normaliser."""
        return self.normalizer

    def library_pre_tokenizer(self) -> PreTokenizer:
        """The library's pre-tokeniser that splits in the same way."""
        return self.pre_tokenizer

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LibraryWords) and self._state == other._state

    def __hash__(self) -> int:
        return hash(self._state)

    @cached_property
    def _state(self) -> tuple[bytes | None, bytes]:
        """The settings of both parts, which decide the tables."""
        normalizer = None if self.normalizer is None else self.normalizer.__getstate__()
        return normalizer, self.pre_tokenizer.__getstate__()

    @cached_property
    def _tables(self) -> tuple[Letters, dict[int, str]]:
        return _tables_of(self)

    def _read_tables(self) -> tuple[Letters, dict[int, str]]:
        classes = np.full(NUM_POINTS, WORD, np.uint8)
        lower = np.arange(NUM_POINTS, dtype=np.int32)
        longer: dict[int, str] = {}
        for points, text in point_chunks():
            kinds = self._kinds(text)
            for point, form in zip(points.tolist(), self._forms(text), strict=True):
                bare = form.strip(" ")
                if len(bare) > 1:
                    longer[point] = form
                elif bare == chr(point) and form == bare:
                    classes[point] = kinds.get(bare, WORD)
                elif bare:
                    lower[point] = ord(bare)
                    classes[point] = ALONE if form != bare else self._kinds(bare).get(bare, WORD)
                else:
                    classes[point] = SEPARATOR if form else IGNORED
        fast = np.zeros(256, np.uint8)
        fast[:128] = np.where(classes[:128] == WORD, lower[:128], 0)
        return Letters(classes, lower, fast), longer

    def _forms(self, text: str) -> list[str]:
        """What each character of `text` becomes."""
        if self.normalizer is None:
            return list(text)
        forms = self.normalizer.normalize_str("|".join(text.replace("|", "a"))).split("|")
        return ["|" if before == "|" else form for before, form in zip(text, forms, strict=True)]

    def _kinds(self, text: str) -> dict[str, int]:
        """SEPARATOR or ALONE for the characters of `text` that are not part of a word."""
        pieces = self.pre_tokenizer.pre_tokenize_str("a" + "a".join(text) + "a")
        kinds = {piece: ALONE for piece, _ in pieces if len(piece) == 1 and piece != "a"}
        left = set(text).difference(*(piece for piece, _ in pieces))
        return kinds | dict.fromkeys(left, SEPARATOR)


WordSplitter = _CorpusWords | LibraryWords | RawPieces


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
        return "none", _CorpusWords.of(library.normalizer, library.pre_tokenizer)
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


def _are_same(found: Normalizer | None, known: Normalizer) -> bool:
    """Whether two normalisers have equal steps; one alone is a sequence of one."""
    pairs = list(zip_longest(steps_of(found), steps_of(known)))
    return all(
        one is not None and other is not None and _is_same(one, other) for one, other in pairs
    )


def _is_same(found: Normalizer | PreTokenizer, known: Normalizer | PreTokenizer) -> bool:
    return bool(found.__getstate__() == known.__getstate__())


@lru_cache(maxsize=4)  # 6 MB each
def _tables_of(words: LibraryWords) -> tuple[Letters, dict[int, str]]:
    """Read them once in a process, however many tokenizers split in this way."""
    return words._read_tables()


def _empty_library() -> Tokenizer:
    from tokenizers import Tokenizer, models

    return Tokenizer(models.WordLevel({}, unk_token=""))
