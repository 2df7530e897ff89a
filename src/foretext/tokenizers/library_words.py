"""The words of a normaliser and a pre-tokeniser of the `tokenizers` library, as tables."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from foretext.kernels.letters import ALONE, IGNORED, SEPARATOR, WORD, Letters
from foretext.shards.portable import Portable
from foretext.tokenizers.library_characters import NUM_POINTS, point_chunks

if TYPE_CHECKING:
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer

    from tokenizers import Tokenizer

__all__ = ["LibraryWords"]


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


@lru_cache(maxsize=4)  # 6 MB each
def _tables_of(words: LibraryWords) -> tuple[Letters, dict[int, str]]:
    """Read them once in a process, however many tokenizers split in this way."""
    return words._read_tables()


def _empty_library() -> Tokenizer:
    from tokenizers import Tokenizer, models

    return Tokenizer(models.WordLevel({}, unk_token=""))
