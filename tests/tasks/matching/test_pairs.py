"""Pairs of texts as rows, in each of the three modes."""

from __future__ import annotations

import numpy as np

from foretext.tasks.matching.pairs import PairRows
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import bert_body, gpt_body, word_body

LONG = "the dog barks in the morning . every cat purrs again . " * 6
PAIRS = [("the dog", "a hen clucks"), (LONG, "a cat"), ("", "")]


def test_both_in_one_row(wordpiece: SubwordTokenizer) -> None:
    rows = PairRows.of(bert_body(wordpiece), PAIRS, 24, "pair")
    cls, sep = wordpiece.special.cls, wordpiece.special.sep
    dog, hen, cat = (wordpiece.encode(text) for text in ("the dog", "a hen clucks", "a cat"))
    assert rows.rows[0].tolist() == [cls, *dog, sep, *hen, sep]
    kept = 24 - 3 - len(cat)
    assert rows.rows[1].tolist() == [cls, *wordpiece.encode(LONG)[:kept], sep, *cat, sep]
    assert rows.rows[2].tolist() == [cls, sep, sep]
    assert rows.second_starts is not None
    assert rows.second_starts.tolist() == [len(dog) + 2, kept + 2, 2]
    assert (rows.group, rows.num_cut) == (1, 1)


def test_both_orders(byte_bpe: SubwordTokenizer) -> None:
    rows = PairRows.of(gpt_body(byte_bpe), PAIRS, 24, "both_orders")
    end = byte_bpe.special.end
    dog, hen = (byte_bpe.encode(text) for text in PAIRS[0])
    assert rows.rows[0].tolist() == [*dog, end, *hen]
    assert rows.rows[1].tolist() == [*hen, end, *dog]
    assert rows.rows.lengths.tolist()[2:] == [24, 24, 1, 1]
    assert rows.second_starts is None
    assert (rows.group, rows.num_cut) == (2, 1)


def test_tokens_of_both_texts_are_told(wordpiece: SubwordTokenizer) -> None:
    pairs = [("the dog", "a dog"), ("a cat", "")]
    body = bert_body(wordpiece)
    rows = PairRows.of(body, pairs, 24, "pair", marks_shared=True)
    assert rows.shared is not None
    assert rows.shared[0].tolist() == [0, 0, 1, 0, 0, 1, 0]  # [CLS] the dog [SEP] a dog [SEP]
    assert rows.shared[1].tolist() == [0] * 5
    inputs = rows.examples(body, {}).batch(np.array([0])).inputs
    assert inputs.segments is not None
    assert inputs.segments.tolist() == [[0, 0, 2, 0, 1, 3, 1]]
    assert PairRows.of(body, pairs, 24, "pair").shared is None


def test_both_orders_tell_the_same_of_their_tokens(byte_bpe: SubwordTokenizer) -> None:
    rows = PairRows.of(
        gpt_body(byte_bpe), [("the dog", "a dog")], 24, "both_orders", marks_shared=True
    )
    assert rows.shared is not None
    there, back = rows.shared[0].tolist(), rows.shared[1].tolist()
    size = len(byte_bpe.encode("the dog"))
    assert sum(there) > 0
    assert there[:size] == back[-size:]
    assert there[size + 1 :] == back[: -size - 1]


def test_a_row_for_each_text(wordpiece: SubwordTokenizer) -> None:
    rows = PairRows.of(bert_body(wordpiece), PAIRS, 24, "siamese")
    cls, sep = wordpiece.special.cls, wordpiece.special.sep
    assert rows.rows[1].tolist() == [cls, *wordpiece.encode("a hen clucks"), sep]
    assert rows.rows[2].tolist() == [cls, *wordpiece.encode(LONG)[:22], sep]
    assert rows.rows[4].tolist() == rows.rows[5].tolist() == [cls, sep]
    assert (rows.group, rows.num_cut) == (2, 1)


def test_a_text_without_words_is_a_row_of_one_unknown_word() -> None:
    rows = PairRows.of(word_body("lookup"), [("", "dog")], 24, "siamese")
    assert rows.rows[0].tolist() == [0]


def test_examples_have_the_targets_of_pairs(byte_bpe: SubwordTokenizer) -> None:
    body = gpt_body(byte_bpe)
    rows = PairRows.of(body, PAIRS, 24, "both_orders")
    batch = rows.examples(body, {"labels": np.array([4, 5, 6])}).batch(np.array([2, 0]))
    assert batch.targets["labels"].tolist() == [6, 4]
    assert len(batch.inputs.ids) == 4
    assert batch.inputs.visibility == "causal"
