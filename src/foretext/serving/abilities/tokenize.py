"""Texts as the tokens that a model reads, each with its place in the text."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from foretext.serving.ability import Ability

if TYPE_CHECKING:
    from foretext.tokenizers.base import Tokenizer

__all__ = ["Token", "Tokenize", "TokenizeOptions"]


class TokenizeOptions(NamedTuple):
    """How a request wants its tokens."""

    special: bool = True  # with those that stand around a text


class Token(NamedTuple):
    """A token of a text: the characters from `start` up to `stop`; None: they are not known."""

    id: int
    text: str
    special: bool
    start: int | None
    stop: int | None


class Tokenize(Ability):
    """A text becomes its tokens, all of them, however many the model reads at once."""

    name: ClassVar[str] = "tokenize"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.tokenizer: Tokenizer | None = model.tokenizer

    def run(self, items: Sequence[str], options: Hashable) -> list[list[Token]]:
        """Return the tokens of each text; see `Ability.run`."""
        assert isinstance(options, TokenizeOptions)
        framing = self.model.text_framing
        before, after = ([], []) if framing is None else (framing.prefix, framing.suffix)
        if not options.special:
            before, after = [], []
        return [
            [*self._special(before), *tokens, *self._special(after)]
            for tokens in self._texts_tokens(items)
        ]

    def _special(self, ids: Sequence[int]) -> Iterator[Token]:
        for index in ids:
            assert self.tokenizer is not None, "only a tokenizer has special tokens"
            yield Token(index, self.tokenizer.tokens[index], True, None, None)

    def _texts_tokens(self, texts: Sequence[str]) -> Iterator[list[Token]]:
        if self.tokenizer is None:
            yield from map(self._known_words, texts)
            return
        if self.tokenizer.kind == "words":  # it does not know where its words stood
            names = self.tokenizer.tokens
            for words in self.tokenizer.encode_batch(texts):
                yield [Token(index, names[index], False, None, None) for index in words]
            return
        found = self.tokenizer.encode_with_offsets(texts)
        for text, (ids, places) in zip(texts, found, strict=True):
            yield [
                Token(index, text[start:stop], False, start, stop)
                for index, (start, stop) in zip(ids.tolist(), places.tolist(), strict=True)
            ]

    def _known_words(self, text: str) -> list[Token]:
        """Return the words of a text that have a vector, with the number of its row as id."""
        rows = self.model.key_to_index
        words = (word for word in self.model.words_in(text) if word in rows)
        return [Token(rows[word], word, False, None, None) for word in words]
