"""Why llama.cpp splits a text differently from foretext: what a file cannot express."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from foretext.exporting.gguf.reading import Reading
from foretext.exporting.gguf.vocabulary import Vocabulary
from foretext.messages import message
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Causes"]

FORM, LONG = "letters that are not composed (NFC)", "words of more than {} letters"
RARE = "characters that it splits or simplifies in another way, such as İ"


class Causes:
    """Distinguishes texts that both split differently from faults of the file.

    Args:
        vocabulary: as llama.cpp has it.
        tokenizer: of foretext.
    """

    def __init__(self, vocabulary: Vocabulary, tokenizer: SubwordTokenizer) -> None:
        self._vocabulary = vocabulary
        self._reading = Reading(vocabulary)
        self._library: Any = tokenizer.library
        self._known: dict[str, bool] = {}  # characters: whether both read them in the same way

    def of(self, text: str, own: Sequence[int]) -> str | None:
        """Return why both read a text in different ways; None: they should not.

        Args:
            text: that is read.
            own: ids of foretext.
        """
        is_composed = self._is_composed(text)
        if self._vocabulary.model != "bert" and is_composed:
            return None
        if self._reading.ids(text) == list(own):
            return None
        if not is_composed:
            return FORM
        if not all(map(self._is_known, {*text})):
            return RARE
        longest = self._vocabulary.longest_word
        if longest is not None and any(len(word) > longest for word in self._reading.words(text)):
            return LONG.format(longest)
        return None

    def _is_composed(self, text: str) -> bool:
        """Whether a text is in the form that foretext brings it into."""
        form: Any = self._vocabulary.form
        return form == "none" or unicodedata.is_normalized(form, text)

    def _is_known(self, character: str) -> bool:
        """Whether both read a character in the same way."""
        if character not in self._known:
            text = f"a{character}b"
            self._known[character] = self._reading.words(text) == self._words(text)
        return self._known[character]

    def _words(self, text: str) -> list[str]:
        normal = self._library.normalizer.normalize_str(text)
        return [word for word, _ in self._library.pre_tokenizer.pre_tokenize_str(normal)]

    @cached_property
    def notes(self) -> list[str]:
        """What a user has to know of texts, as sentences."""
        found = []
        if self._vocabulary.form != "none":
            found.append(message("exporting.use.compose", form=self._vocabulary.form))
        if self._vocabulary.longest_word is not None:
            found.append(message("exporting.use.long_word", number=self._vocabulary.longest_word))
        return found
