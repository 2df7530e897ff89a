"""Texts that were encoded a moment ago."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.tokenizers.subword_tokenizer import RecentTexts, SubwordTokenizer, without_blanks
from foretext.tokenizers.vocabulary import Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer
from tokenizers import Tokenizer, models, pre_tokenizers


@pytest.mark.parametrize(
    ("decoded", "text"),
    [
        ("今 天 天 气 很 好 。", "今天天气很好。"),
        ("我 用 BERT 和 GPT 。", "我用 BERT 和 GPT 。"),
        ("日 本 の 海", "日本の海"),
        ("the ship in the harbour", "the ship in the harbour"),
        ("한국 바다", "한국 바다"),
    ],
)
def test_blanks_between_chinese_words_go(decoded: str, text: str) -> None:
    assert without_blanks(decoded) == text


class Encoder:
    """A letter is an id; it notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        self.asked.append(list(texts))
        return [list(map(ord, text)) for text in texts]


def test_a_text_is_encoded_once() -> None:
    encoder = Encoder()
    recent = RecentTexts(encoder, 100)
    assert recent.encode_batch(["a", "bc", "a", ""]) == [[97], [98, 99], [97], []]
    assert recent.encode_batch(["bc", "d", ""]) == [[98, 99], [100], []]
    assert recent.encode_batch(["d"]) == [[100]]
    assert encoder.asked == [["a", "bc", ""], ["d"]]


def test_who_changes_the_ids_changes_no_others() -> None:
    recent = RecentTexts(Encoder(), 100)
    recent.encode_batch(["a"])[0].append(1)
    first, second = recent.encode_batch(["a", "a"])
    first.clear()
    assert second == [97]
    assert recent.encode_batch(["a"]) == [[97]]


def test_the_oldest_are_forgotten_and_long_ones_at_once() -> None:
    encoder = Encoder()
    recent = RecentTexts(encoder, 4)
    recent.encode_batch(["ab", "cd"])
    recent.encode_batch(["e"])
    assert recent.encode_batch(["cd", "e", "ab"]) == [[99, 100], [101], [97, 98]]
    assert encoder.asked[2:] == [["ab"]]
    assert recent.encode_batch(["longer"]) == [list(map(ord, "longer"))]
    recent.encode_batch(["longer"])
    assert encoder.asked[3:] == [["longer"], ["longer"]]


def test_a_tokenizer_that_remembers_gives_the_same_ids() -> None:
    library = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "cat": 2}, unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    texts = ["a cat", "", "a dog", "a cat"]
    expected = SubwordTokenizer(library).encode_batch(texts)
    tokenizer = SubwordTokenizer(library)
    tokenizer.remember_recent(100)
    for _ in range(2):
        assert tokenizer.encode_batch(texts) == expected
    with pytest.raises(CorpusError, match="not Unicode"):
        tokenizer.encode_batch(["a cat", "\ud800"])
    assert tokenizer.encode_batch(texts) == expected


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
