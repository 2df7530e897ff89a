"""Texts as rows of a model's length."""

from __future__ import annotations

import numpy as np

from foretext.tasks.windows import Windows
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.text_bodies import bert_body, gpt_body, word_body

LONG = "the dog barks in the morning . every cat purrs again . " * 6
TEXTS = ["the dog barks .", LONG, "a hen"]


def test_every_token_of_a_text_is_in_a_window(wordpiece: SubwordTokenizer) -> None:
    body = bert_body(wordpiece)
    windows = Windows.of(body, TEXTS, 20, "windows")
    special, encoded = wordpiece.special, wordpiece.encode_batch(TEXTS)
    assert set(windows.rows.lengths.tolist()) <= set(range(3, 21))
    found: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for row, owner in enumerate(windows.owners):
        first, *ids, last = windows.rows[row].tolist()
        assert (first, last) == (special.cls, special.sep)
        overlap = 18 // 8 if found[owner] else 0
        assert found[owner][len(found[owner]) - overlap :] == ids[:overlap]
        found[owner] += ids[overlap:]
    assert [found[owner] for owner in range(3)] == encoded
    assert windows.num_cut == 1
    assert (np.diff(windows.owners) >= 0).all()


def test_one_row_a_text_is_framed_and_cut(wordpiece: SubwordTokenizer) -> None:
    windows = Windows.of(bert_body(wordpiece), TEXTS, 20, "tail")
    special, ids = wordpiece.special, wordpiece.encode(LONG)
    assert windows.owners.tolist() == [0, 1, 2]
    assert windows.rows[1].tolist() == [special.cls, *ids[-18:], special.sep]
    assert windows.num_cut == 1


def test_a_row_is_no_longer_than_the_body_reads(byte_bpe: SubwordTokenizer) -> None:
    body = gpt_body(byte_bpe)
    windows = Windows.of(body, [LONG], 512, "head")
    assert windows.rows[0].tolist() == byte_bpe.encode(LONG)[: body.backbone.max_length]


def test_a_text_without_tokens_is_a_row(wordpiece: SubwordTokenizer) -> None:
    special = wordpiece.special
    windows = Windows.of(bert_body(wordpiece), [""], 20, "head")
    assert windows.rows[0].tolist() == [special.cls, special.sep]
    assert Windows.of(word_body("lookup"), [""], 20, "head").rows[0].tolist() == [0]
    assert not len(Windows.of(word_body("lookup"), [], 20, "windows").rows)


def test_values_are_the_mean_over_the_windows_of_a_text(wordpiece: SubwordTokenizer) -> None:
    windows = Windows.of(bert_body(wordpiece), TEXTS, 20, "windows")
    values = np.random.default_rng(0).random((len(windows.owners), 3))
    merged = windows.merged(values, 3)
    expected = [values[windows.owners == text].mean(0) for text in range(3)]
    np.testing.assert_allclose(merged, expected)
    np.testing.assert_allclose(windows.merged(values[:, 0], 3), merged[:, 0])
