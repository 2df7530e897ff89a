"""Sentences that are split into words already, as ids."""

from __future__ import annotations

import numpy as np

from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer


def flat(ids: list[list[int]]) -> list[int]:
    return [each for word in ids for each in word]


def test_wordpiece_gives_the_ids_of_the_text(wordpiece: SubwordTokenizer) -> None:
    words = ["the", "cat", "purrs", "in", "the", "morning", "."]
    (ids,) = wordpiece.encode_words([words])
    assert len(ids) == len(words)
    assert flat(ids) == wordpiece.encode(" ".join(words))


def test_byte_level_words_have_the_blank_before_them(byte_bpe: SubwordTokenizer) -> None:
    words = ["the", "cat", "purrs", "in", "the", "morning", "."]
    (ids,) = byte_bpe.encode_words([words])
    assert flat(ids) == byte_bpe.encode(" ".join(words))


def test_no_blank_stands_between_han_characters(byte_bpe: SubwordTokenizer) -> None:
    (ids,) = byte_bpe.encode_words([["我", "爱", "the", "cat"]])
    assert flat(ids) == byte_bpe.encode("我爱the cat")


def test_a_word_without_ids_is_unknown(wordpiece: SubwordTokenizer) -> None:
    sentences = [["the", "\u200b", "cat"], [], [" "]]
    found = wordpiece.encode_words(sentences)
    unknown = wordpiece.special.unknown
    assert [len(ids) for ids in found] == [3, 0, 1]
    assert found[0][1] == found[2][0] == [unknown]


def test_whole_words_are_looked_up_as_they_stand() -> None:
    vocabulary = Vocabulary(["[UNK]", "u.s.", "cat"], np.ones(3, np.int64))
    tokenizer = WordTokenizer(WordTokenizer.Config(pre_tokenizer="unicode_words"), vocabulary)
    assert tokenizer.encode_words([["U.S.", "Cat", "dog"], []]) == [[[1], [2], [0]], []]
    config = WordTokenizer.Config(pre_tokenizer="unicode_words", lowercase=False)
    assert WordTokenizer(config, vocabulary).encode_words([["Cat", "cat"]]) == [[[0], [2]]]
