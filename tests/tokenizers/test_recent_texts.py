"""Texts that were encoded a moment ago."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from foretext.base.errors import CorpusError
from foretext.tokenizers.recent_texts import RecentTexts
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import Tokenizer, models, pre_tokenizers


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
