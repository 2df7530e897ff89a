"""Tokens that somebody has set, as ids."""

from __future__ import annotations

import numpy as np

from foretext.task_models.word_pieces import pieces_of
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer


def flat(pieces: list[list[int]]) -> list[int]:
    return [piece for token in pieces for piece in token]


def test_wordpiece_gives_the_ids_of_the_text(wordpiece: SubwordTokenizer) -> None:
    tokens = ["the", "cat", "purrs", "in", "the", "morning", "."]
    (pieces,) = pieces_of(wordpiece).encode([tokens])
    assert len(pieces) == len(tokens)
    assert flat(pieces) == wordpiece.encode(" ".join(tokens))


def test_byte_level_tokens_have_the_blank_before_them(byte_bpe: SubwordTokenizer) -> None:
    tokens = ["the", "cat", "purrs", "in", "the", "morning", "."]
    (pieces,) = pieces_of(byte_bpe).encode([tokens])
    assert flat(pieces) == byte_bpe.encode(" ".join(tokens))


def test_no_blank_stands_between_han_characters(byte_bpe: SubwordTokenizer) -> None:
    (pieces,) = pieces_of(byte_bpe).encode([["我", "爱", "the", "cat"]])
    assert flat(pieces) == byte_bpe.encode("我爱the cat")


def test_a_token_without_pieces_is_unknown(wordpiece: SubwordTokenizer) -> None:
    sentences = [["the", "\u200b", "cat"], [], [" "]]
    found = pieces_of(wordpiece).encode(sentences)
    unknown = wordpiece.special.unknown
    assert [len(pieces) for pieces in found] == [3, 0, 1]
    assert found[0][1] == found[2][0] == [unknown]


def test_words_are_looked_up_as_they_stand() -> None:
    vocabulary = Vocabulary(["[UNK]", "u.s.", "cat"], np.ones(3, np.int64))
    tokenizer = WordTokenizer(WordTokenizer.Config(pre_tokenizer="unicode_words"), vocabulary)
    assert pieces_of(tokenizer).encode([["U.S.", "Cat", "dog"], []]) == [[[1], [2], [0]], []]
    config = WordTokenizer.Config(pre_tokenizer="unicode_words", lowercase=False)
    assert pieces_of(WordTokenizer(config, vocabulary)).encode([["Cat", "cat"]]) == [[[0], [2]]]
