"""How text is split before sub-words are learned: for our counter and for `tokenizers` alike.

A splitter does two things: it gives the counter of `foretext.corpus` a text that it can count
(`utf8` and `letters`), and it names the parts of the `tokenizers` library that split in the same
way when the tokenizer is used. All character classes are read from the library, so that both agree
in every version of Unicode; hypothesis tests it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

import numpy as np

from foretext.corpus.pre_tokenizers import PreTokenizer as CorpusPreTokenizer
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.errors import SettingError
from foretext.kernels.letters import ALONE, IGNORED, SEPARATOR, WORD, Letters
from foretext.kernels.pieces import BLANK, LETTER, LINE_END, NUMBER, write_pieces
from foretext.parsing import parse_json
from foretext.shards.portable import Portable

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer

    from tokenizers import Tokenizer

__all__ = ["BytePieces", "CorpusWords", "LibraryWords", "RawPieces", "Splitter", "byte_letters"]

NUM_POINTS = sys.maxunicode + 1
NEEDING_NO_JIEBA: tuple[PreTokenizerKind, ...] = (
    "whitespace",
    "basic_english",
    "unicode_words",
    "words_and_punctuation",
    "chinese_characters",
)
SURROGATES = range(0xD800, 0xE000)
ASSIGNED = (*range(0x33000), *range(0xE0000, 0xE0200))  # where Unicode 17 has any character
CHUNK = 1 << 14  # characters per call of the library, which needs 20 bytes for each


class Splitter(Protocol):
    """How text is split; learning sub-words needs this."""

    @property
    def letters(self) -> Letters:
        """Tables of the word counter."""
        ...

    def utf8(self, text: str) -> np.ndarray:
        """(N,) uint8, the text as the word counter reads it."""
        ...

    @property
    def portable(self) -> Portable:
        """What makes an equal one in another process."""
        ...

    def library_normalizer(self) -> Normalizer | None:
        """The library's normaliser; None: characters stay as they are."""
        ...

    def library_pre_tokenizer(self) -> PreTokenizer:
        """The library's pre-tokeniser."""
        ...


class BytePieces:
    """GPT-2's pieces: words with the space before them, each byte a visible character.

    Each line is a text; its end belongs to no piece. Only `lowercase` loses information.
    """

    def __init__(self, *, lowercase: bool = False) -> None:
        self.lowercase = lowercase

    @property
    def portable(self) -> Portable:
        """What makes an equal one in another process."""
        return Portable(f"{__name__}:{type(self).__name__}.made", json.dumps(self.lowercase))

    @classmethod
    def made(cls, settings: str) -> Self:
        """Return the one that `portable` stands for."""
        return cls(lowercase=parse_json(settings, "the splitter", SettingError, bool))

    @cached_property
    def letters(self) -> Letters:
        """Tables by which everything between spaces and line ends is a word."""
        classes = np.full(NUM_POINTS, WORD, np.uint8)
        classes[[ord(" "), ord("\n")]] = SEPARATOR
        fast = np.zeros(256, np.uint8)
        fast[33:127] = np.arange(33, 127)
        return Letters(classes, np.arange(NUM_POINTS, dtype=np.int32), fast)

    def utf8(self, text: str) -> np.ndarray:
        """The pieces of `text`, separated by spaces, with its line ends."""
        return self._pieces(text, byte_letters())

    def library_normalizer(self) -> Normalizer | None:
        """The library's normaliser."""
        from tokenizers import normalizers

        return normalizers.Lowercase() if self.lowercase else None

    def library_pre_tokenizer(self) -> PreTokenizer:
        """The library's pre-tokeniser that splits in the same way."""
        from tokenizers import pre_tokenizers

        return pre_tokenizers.ByteLevel(add_prefix_space=False)

    def _pieces(self, text: str, letters: np.ndarray) -> np.ndarray:
        if self.lowercase:
            text = text.replace("Σ", "σ").lower()  # the library has no final sigma
        data = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
        pieces = np.empty(3 * data.size, np.uint8)
        return pieces[: write_pieces(data, _piece_classes(), letters, pieces)]


class RawPieces(BytePieces):
    """The same pieces as plain bytes, with 0xFF, which UTF-8 does not use, for a space.

    They are shorter to look up; `spelled` makes them readable.
    """

    ignores_line_ends: ClassVar[bool] = False

    @cached_property
    def letters(self) -> Letters:
        """Tables by which every byte except spaces and line ends belongs to a word."""
        fast = np.arange(256, dtype=np.uint8)
        fast[[ord(" "), ord("\n")]] = 0
        return super().letters._replace(fast=fast)

    def utf8(self, text: str) -> np.ndarray:
        """The pieces of `text`, separated by spaces, with its line ends."""
        return self._pieces(text, _raw_letters())

    def spelled(self, word: bytes) -> str:
        """The piece as the library writes it."""
        spelling = _spelling()
        return "".join([spelling[byte] for byte in word])


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


def _empty_library() -> Tokenizer:
    from tokenizers import Tokenizer, models

    return Tokenizer(models.WordLevel({}, unk_token=""))


def _is_same(found: Normalizer | PreTokenizer | None, known: Normalizer | PreTokenizer) -> bool:
    return found is not None and found.__getstate__() == known.__getstate__()


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
        for points, text in _chunks():
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


@lru_cache(maxsize=4)  # 6 MB each
def _tables_of(words: LibraryWords) -> tuple[Letters, dict[int, str]]:
    """Read them once in a process, however many tokenizers split in this way."""
    return words._read_tables()


@cache
def byte_letters() -> np.ndarray:
    """(256, 2) uint8, the character that stands for each byte, in UTF-8 of one or two bytes.

    Printable characters of Latin-1 stand for themselves, the others are taken from U+0100 on
    (GPT-2's `bytes_to_unicode`).
    """
    plain = [*range(33, 127), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    points = {**{byte: byte for byte in plain}, **{b: 256 + n for n, b in enumerate(others)}}
    letters = np.zeros((256, 2), np.uint8)
    for byte, point in points.items():
        encoded = chr(point).encode()
        letters[byte, : len(encoded)] = list(encoded)
    return letters


@cache
def _raw_letters() -> np.ndarray:
    """(256, 2) uint8, each byte for itself, 0xFF for the space."""
    letters = np.zeros((256, 2), np.uint8)
    letters[:, 0] = np.arange(256)
    letters[ord(" "), 0] = 0xFF
    return letters


@cache
def _spelling() -> list[str]:
    """The character of each raw letter."""
    spelling = [bytes(row[row > 0]).decode() for row in byte_letters()]
    spelling[0xFF] = spelling[ord(" ")]
    return spelling


@cache
def _piece_classes() -> np.ndarray:
    """(0x110000,) uint8."""
    classes = np.zeros(NUM_POINTS, np.uint8)
    for kind, pattern in ((LETTER, r"\p{L}"), (NUMBER, r"\p{N}"), (BLANK, r"\s")):
        classes[_members(pattern)] = kind
    classes[ord("\n")] = LINE_END
    return classes


def _members(pattern: str) -> np.ndarray:
    """(M,) int64, code points that match a regular expression of the library."""
    from tokenizers import Regex, pre_tokenizers

    split = pre_tokenizers.Split(Regex(f"(?:{pattern})+"), behavior="removed", invert=True)
    found = [
        points[start:end]
        for points, text in _chunks()
        for _, (start, end) in split.pre_tokenize_str(text)
    ]
    return np.concatenate(found)


def _chunks() -> Iterator[tuple[np.ndarray, str]]:
    """Characters for calls of the library, with their code points (C,) int64."""
    points = np.array([point for point in ASSIGNED if point not in SURROGATES])
    for first in range(0, points.size, CHUNK):
        chunk = points[first : first + CHUNK]
        yield chunk, chunk.astype("<u4").tobytes().decode("utf-32-le")
