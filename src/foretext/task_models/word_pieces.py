"""Tokens that somebody has set as ids: one a token by a vocabulary of words, or its sub-words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Protocol

from foretext.corpus.scripts import script_of
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["WITHOUT_BLANKS", "SubwordPieces", "WholeWords", "WordPieces", "pieces_of"]

WITHOUT_BLANKS = {"Han", "Kana", "Thai"}  # scripts
MAX_WORDS = 1 << 20  # known at a time

Pieces = list[list[int]]  # one id or more of each token of a sentence


class WordPieces(Protocol):
    """Sentences of tokens to the ids of each token."""

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Pieces]:
        """Return one id or more of each token."""


class WholeWords:
    """One id a token, looked up as it stands; 0 for those that are unknown."""

    def __init__(self, tokenizer: WordTokenizer) -> None:
        self.lowercase = tokenizer.config.lowercase
        self.ids = tokenizer.vocabulary.ids

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Pieces]:
        """Return one id of each token."""
        return [[[self.ids.get(self._key(token), 0)] for token in tokens] for tokens in sentences]

    def _key(self, token: str) -> str:
        """Lower-case as the tokenizer does, character by character."""
        return "".join(map(str.lower, token)) if self.lowercase else token


class SubwordPieces:
    """The sub-words of each token; one that was met before is looked up.

    A token that follows another has a blank before it, as byte-level tokenizers write words within
    a text, unless the script is written without; WordPiece takes no note of it.
    """

    def __init__(self, tokenizer: SubwordTokenizer) -> None:
        self.tokenizer = tokenizer
        unknown = tokenizer.special.unknown
        self.nothing = [(tokenizer.special.pad or 0) if unknown is None else unknown]
        self._known: dict[str, list[int]] = {}

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Pieces]:
        """Return one id or more of each token, that of the unknown token where it has none."""
        written = [_with_blanks(tokens) for tokens in sentences]
        self._meet({token for tokens in written for token in tokens})
        return [[self._known[token] for token in tokens] for tokens in written]

    def _meet(self, tokens: set[str]) -> None:
        if len(self._known) + len(tokens) > MAX_WORDS:
            self._known = {}
        new = [token for token in tokens if token not in self._known]
        for token, ids in zip(new, self.tokenizer.encode_batch(new), strict=True):
            self._known[token] = ids or self.nothing


def pieces_of(tokenizer: SubwordTokenizer | WordTokenizer) -> WordPieces:
    """Return what makes ids of a tokenizer's tokens."""
    if isinstance(tokenizer, WordTokenizer):
        return WholeWords(tokenizer)
    return SubwordPieces(tokenizer)


def _with_blanks(tokens: Sequence[str]) -> list[str]:
    written = list(tokens[:1])
    for before, token in pairwise(tokens):
        joins = _is_without_blanks(before[-1:]) or _is_without_blanks(token[:1])
        written.append(token if joins else f" {token}")
    return written


@cache
def _is_without_blanks(character: str) -> bool:
    """Whether a character, "" or one, is of a script that has no blanks."""
    return bool(character) and script_of(character) in WITHOUT_BLANKS
