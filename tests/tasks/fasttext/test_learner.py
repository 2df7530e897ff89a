"""Which features a text has: the kernels against plain Python, and against facts of the program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.tasks.fasttext import labelled_texts
from foretext.tasks.fasttext.config import ResolvedConfig
from foretext.tasks.fasttext.dictionary import Dictionary, WordIds
from foretext.tasks.fasttext.labelled_texts import (
    InternedTexts,
    LabelTable,
    blocks_of,
    number_labels,
)
from foretext.tasks.fasttext.model import OutputLayer
from foretext.tasks.fasttext.splitter import splitter_of

BLANKS = " \n\r\t\v\f\0"
BUCKET = 997
LABEL = (["__label__x"], np.array([1]))

texts_of_words = st.lists(
    st.lists(st.sampled_from(["the", "cat", "日本", "é", "</s>", "__label__y", "a\u00a0b", "İx"]))
    .map(" ".join)
    .flatmap(lambda text: st.sampled_from([text, f" {text}\t", text.replace(" ", "\n")])),
    min_size=1,
    max_size=6,
)


def learn(texts: list[str], **settings: Any) -> tuple[Dictionary, WordIds]:
    config = ResolvedConfig(**settings)
    found = InternedTexts.of(texts, splitter_of(config), config.label_prefix)
    return Dictionary.learn(found, *LABEL, config)


def words_of(text: str) -> list[str]:
    for blank in BLANKS[1:]:
        text = text.replace(blank, " ")
    words = [word for word in text.split(" ") if word and not word.startswith("__label__")]
    return [*words, "</s>"]


def fnv(text: str) -> int:
    """FNV-1a of 32 bits, each byte taken as signed, as the program does."""
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) % 2**32
    return value


def signed(value: int, bits: int) -> int:
    return value - 2**bits if value >= 2 ** (bits - 1) else value


def character_buckets(word: str, minn: int, maxn: int) -> list[int]:
    if word == "</s>" or maxn == 0:
        return []
    marked = f"<{word}>"
    grams = [
        marked[first : first + n]
        for first in range(len(marked))
        for n in range(minn, maxn + 1)
        if first + n <= len(marked) and not (n == 1 and first in (0, len(marked) - 1))
    ]
    return [fnv(gram) % BUCKET for gram in grams]


def units_of(text: str, words: list[str], config: ResolvedConfig) -> list[int]:
    """Line by line what the program's own ``getLine`` does."""
    found, tokens = [], words_of(text)
    for token in tokens:
        found += [words.index(token)] if token in words else []
        found += [
            len(words) + bucket for bucket in character_buckets(token, config.minn, config.maxn)
        ]
    hashes = [signed(fnv(token), 32) % 2**64 for token in tokens]
    for first in range(len(tokens)):
        value = hashes[first]
        for other in hashes[first + 1 : first + config.word_ngrams]:
            value = (value * 116049371 + other) % 2**64
            found.append(len(words) + value % BUCKET)
    return found


@given(
    texts_of_words, st.integers(1, 3), st.sampled_from([(0, 0), (2, 3), (1, 2)]), st.integers(1, 2)
)
def test_features_equal_those_of_plain_python(
    texts: list[str], word_ngrams: int, lengths: tuple[int, int], min_count: int
) -> None:
    settings: dict[str, Any] = {"word_ngrams": word_ngrams, "min_count": min_count}
    if lengths[1]:
        settings |= {"minn": lengths[0], "maxn": lengths[1]}
    if lengths[1] or word_ngrams > 1:
        settings["bucket"] = BUCKET
    dictionary, tokens = learn(texts, **settings)
    expected = [units_of(text, dictionary.words, dictionary.config) for text in texts]
    for encoded in (tokens, dictionary.encode(texts)):
        features = dictionary.units(encoded)
        parts = np.split(features.units, features.starts[1:-1])
        assert [sorted(part.tolist()) for part in parts] == [sorted(row) for row in expected]


@given(texts_of_words)
def test_words_are_counted_and_sorted(texts: list[str]) -> None:
    dictionary, _ = learn(texts)
    tokens = [token for text in texts for token in words_of(text)]
    counts = {word: tokens.count(word) for word in tokens}
    assert dict(zip(dictionary.words, dictionary.counts.tolist(), strict=True)) == counts
    assert (np.diff(dictionary.counts) <= 0).all()


def test_many_words_make_the_table_grow() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 200_000, 300_000)
    texts = [" ".join(f"word{n}" for n in part) for part in np.array_split(numbers, 500)]
    dictionary, tokens = learn(texts)
    assert len(dictionary) == len(np.unique(numbers)) + 1
    np.testing.assert_array_equal(tokens.words, dictionary.encode(texts).words)


def test_texts_go_through_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelled_texts, "BLOCK", 12)
    texts = ["one two", "three", "", "four five six seven", "eight"]
    assert [list(block) for block in blocks_of(texts)] == [texts[:2], texts[2:4], texts[4:]]
    dictionary, tokens = learn(texts)
    monkeypatch.undo()
    whole, others = learn(texts)
    assert dictionary.words == whole.words
    np.testing.assert_array_equal(tokens.words, others.words)
    np.testing.assert_array_equal(tokens.starts, [0, 3, 5, 6, 11, 13])


def test_words_too_long_are_left_out() -> None:
    dictionary, tokens = learn(["a " + "x" * 1001 + " b", "y" * 1000])
    assert dictionary.words == ["</s>", "a", "b", "y" * 1000]
    assert tokens.starts.tolist() == [0, 3, 5]


def test_labels_are_numbered_by_frequency() -> None:
    labels = [("b",), ("a", "c"), ("c",), ("c", "b"), ()]
    table = LabelTable.of(labels, 0)
    assert (table.names, table.counts.tolist()) == (["c", "b", "a"], [3, 2, 1])
    numbered = number_labels([*labels, ("new", "a")], table.names)
    assert numbered.ids.tolist() == [1, 2, 0, 0, 0, 1, 2]
    assert numbered.starts.tolist() == [0, 1, 3, 4, 6, 6, 7]
    taken = numbered.taken(np.array([3, 4, 0]))
    assert (taken.ids.tolist(), taken.starts.tolist()) == ([0, 1, 1], [0, 2, 2, 3])
    assert numbered.matrix(3).sum(axis=0).tolist() == [3, 2, 2]


@pytest.mark.parametrize("counts", [[5, 3, 2, 2, 1, 1], [1, 1], [9, 9, 9, 9, 9], [50, 3, 1]])
def test_chances_along_the_tree_sum_to_one(counts: list[int]) -> None:
    layer = OutputLayer("hs", np.array(counts))
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(7, 4)).astype(np.float32)
    outputs = rng.normal(size=(layer.num_outputs, 4)).astype(np.float32)
    chances = layer.chances(hidden, outputs)
    assert chances.shape == (7, len(counts))
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-5)


def test_losses_by_hand() -> None:
    chances = np.array([[0.7, 0.2, 0.1], [0.5, 0.25, 0.25]], np.float32)
    wanted = np.array([[True, False, False], [False, True, True]])
    softmax, each = (OutputLayer(loss, np.array([3, 2, 1])) for loss in ("softmax", "ova"))
    np.testing.assert_allclose(softmax.losses(chances, wanted), -np.log([0.7, 0.25]), rtol=1e-5)
    expected = [-np.log(0.7 * 0.8 * 0.9), -np.log(0.5 * 0.25 * 0.25)]
    np.testing.assert_allclose(each.losses(chances, wanted), expected, rtol=1e-5)
