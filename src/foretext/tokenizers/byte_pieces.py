"""GPT-2's pieces of a text, whose letters stand for bytes."""

from __future__ import annotations

import json
from functools import cache, cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from foretext.base.errors import SettingError
from foretext.base.parsing import parse_json
from foretext.kernels.letters import SEPARATOR, WORD, Letters
from foretext.kernels.pieces import BLANK, LETTER, LINE_END, NUMBER, write_pieces
from foretext.shards.portable import Portable
from foretext.tokenizers.library_characters import NUM_POINTS, matching_points

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer

__all__ = ["BytePieces", "RawPieces", "byte_letters"]


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
        classes[matching_points(pattern)] = kind
    classes[ord("\n")] = LINE_END
    return classes
