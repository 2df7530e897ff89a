"""Unknown words with ids of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.corpus import Corpus
from foretext.tokenizers.alphabet import spelled
from foretext.tokenizers.open_vocabulary import OpenVocabulary
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords


@pytest.fixture
def closed(tmp_path: Path) -> SubwordTokenizer:
    text = tmp_path / "text.txt"
    text.write_text("The cat sleeps .\nThe cat sleeps .\n", encoding="utf-8")
    return learn_subwords("word", {"special_tokens": ["[UNK]", "[SEP]"]}, Corpus(text))


@pytest.fixture
def opened(closed: SubwordTokenizer) -> OpenVocabulary:
    found = closed.opened()
    assert isinstance(found, OpenVocabulary)
    return found


def test_known_words_keep_their_ids(closed: SubwordTokenizer, opened: OpenVocabulary) -> None:
    assert opened.encode_batch(["the cat sleeps"]) == closed.encode_batch(["the cat sleeps"])
    assert opened.spelling.shape[0] == 0


def test_unknown_words_follow_the_vocabulary(
    closed: SubwordTokenizer, opened: OpenVocabulary
) -> None:
    V = closed.vocab_size
    first, second = opened.encode_batch(["the owl sleeps", "an owl . a été owl"])
    assert first == [closed.encode("the")[0], V, closed.encode("sleeps")[0]]
    assert [token for token in second if token >= V] == [V + 1, V, V + 2, V + 3, V]
    assert opened.tokens[V:] == ["owl", "an", "a", "été"]
    assert np.array_equal(opened.spelling, spelled(["owl", "an", "a", "été"]))
    assert closed.encode("owl") == [closed.special.unknown]  # it stays as it was


def test_words_are_spelled_as_the_tokenizer_writes_them(opened: OpenVocabulary) -> None:
    """It turns text to lower case."""
    opened.encode("OWL Owl")
    assert opened.tokens[-1] == "owl"
    assert len(opened.spelling) == 1


def test_split_words_and_offsets_have_the_same_ids(
    closed: SubwordTokenizer, opened: OpenVocabulary
) -> None:
    V = closed.vocab_size
    assert opened.encode_words([["the", "owl"], ["owl"]]) == [[closed.encode("the"), [V]], [[V]]]
    (found,) = opened.encode_with_offsets(["the owl"])
    assert found.ids.tolist() == [*closed.encode("the"), V]
    assert found.offsets.tolist() == [[0, 3], [4, 7]]


def test_special_tokens_are_no_words(opened: OpenVocabulary) -> None:
    assert opened.encode("[SEP]") == [opened.special.sep]


def test_a_tokenizer_without_unknown_tokens_has_no_new_ids(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the cat sleeps\n" * 20, encoding="utf-8")
    settings = {"vocab_size": 300, "special_tokens": ["<|endoftext|>"]}
    bpe = learn_subwords("bpe", settings, Corpus(text))
    found = bpe.opened()
    assert found.encode_batch(["the owl 😀"]) == bpe.encode_batch(["the owl 😀"])
    assert found.spelling is not None
    assert len(found.spelling) == 0
