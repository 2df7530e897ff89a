"""Pairs for next-sentence prediction: half are successors, and nothing but sense tells which."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.data.token_file import TokenFile, Tokens
from foretext.kernels.segments import fill_rows
from foretext.objectives.masked_rows import Masking
from foretext.objectives.sentence_pairs import SentencePairs, has_pairs
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

CLS, SEP, PAD = 1, 2, 0
PLAIN = Masking(1e-9, 1, 3, np.arange(200) > 9, None)  # asks for one token a row


def token_file(documents: list[list[int]]) -> TokenFile:
    """Documents given as lengths of sentences; ids say document and sentence."""
    ids = [
        10 * (d + 1) + s
        for d, lengths in enumerate(documents)
        for s, length in enumerate(lengths)
        for _ in range(length)
    ]
    sentence_starts = np.cumsum([0, *(length for lengths in documents for length in lengths)])
    document_starts = np.cumsum([0, *(sum(lengths) for lengths in documents)])
    return TokenFile(Path(), np.array(ids, np.uint16), sentence_starts, document_starts, 200)


def test_rows_are_filled_within_documents() -> None:
    starts = np.cumsum([0, 4, 4, 4, 4, 4, 9, 3, 3])
    spans = fill_rows(starts, np.array([0, 5, 6, 8]), 10, 0)
    # three sentences reach 10 tokens; the last two of the first document; the second has one only
    assert spans.tolist() == [[0, 3], [3, 5], [6, 8]]


def test_a_sentence_left_alone_is_joined() -> None:
    assert fill_rows(np.cumsum([0, 4, 4, 4]), np.array([0, 3]), 8, 0).tolist() == [[0, 2], [1, 3]]


def test_pairs_of_single_sentences() -> None:
    spans = fill_rows(np.cumsum([0, 4, 4, 4, 4, 4]), np.array([0, 3, 5]), 8, 2)
    assert spans.tolist() == [[0, 2], [1, 3], [3, 5]]


@pytest.mark.parametrize(
    ("documents", "possible"),
    [([[3, 3], [3, 3]], True), ([[3, 3, 3]], False), ([[3], [3], [3, 3]], False)],
)
def test_which_texts_have_pairs(documents: list[list[int]], possible: bool) -> None:
    assert has_pairs(token_file(documents)) is possible


def test_successors_follow_and_strangers_come_from_elsewhere() -> None:
    tokens = token_file([[3, 4, 5], [2, 6], [4, 4, 4, 4]])
    pairs = SentencePairs(tokens, 24, None, (CLS, SEP, PAD), PLAIN)
    rng = np.random.default_rng(0)
    follows = []
    for _ in range(50):
        batch = pairs.batch(pairs.keys(rng), rng)
        ids, real = batch.targets["original"].numpy(), batch.targets["follows"].numpy()
        for row, is_next in zip(ids, real, strict=True):
            first, second = np.flatnonzero(row == SEP)
            left, right = row[1:first], row[first + 1 : second]
            same = {*(left // 10)} == {*(right // 10)}
            assert same == bool(is_next)
            if is_next:
                assert right[0] - left[-1] in (0, 1)  # the same sentence cut, or the next one
        follows += real.tolist()
    assert 0.4 < np.mean(follows) < 0.6


def test_long_pairs_are_cut_to_the_row() -> None:
    tokens = token_file([[30, 30], [40, 2], [2, 50]])
    pairs = SentencePairs(tokens, 20, None, (CLS, SEP, PAD), PLAIN)
    rng = np.random.default_rng(1)
    for _ in range(20):
        batch = pairs.batch(pairs.keys(rng), rng)
        assert batch.inputs.ids.shape[1] <= 20


def test_segments_and_padding(bert_tokens: Tokens, wordpiece: SubwordTokenizer) -> None:
    special = wordpiece.special
    frame = (special.required("cls"), special.required("sep"), special.required("pad"))
    masking = Masking(0.15, 1, special.required("mask"), wordpiece.ordinary, None)
    pairs = SentencePairs(bert_tokens.train, 40, 1, frame, masking)
    rng = np.random.default_rng(2)
    batch = pairs.batch(pairs.keys(rng)[:8], rng)
    segments, original = batch.inputs.segments, batch.targets["original"]
    assert segments is not None
    for row, segment in zip(original.tolist(), segments.tolist(), strict=True):
        end = len(row) - row[::-1].index(frame[1])  # behind the last [SEP]
        parting = row.index(frame[1])
        assert segment[: parting + 1] == [0] * (parting + 1)
        assert segment[parting + 1 : end] == [1] * (end - parting - 1)
        assert row[end:] == [frame[2]] * (len(row) - end)
    asked = batch.targets["masked"].numpy()
    assert wordpiece.ordinary[original.numpy()[asked]].all()


@pytest.mark.parametrize("room", [24, 64])
def test_lengths_do_not_tell_strangers(room: int) -> None:
    """A threshold on the row's length is right about as often as a coin."""
    rng = np.random.default_rng(3)
    documents = [rng.integers(3, 20, size=rng.integers(1, 9)).tolist() for _ in range(400)]
    starts = np.cumsum([0, *(sum(lengths) for lengths in documents)])
    sentences = np.cumsum([0, *(length for lengths in documents for length in lengths)])
    tokens = TokenFile(Path(), np.full(starts[-1], 50, np.uint16), sentences, starts, 200)
    pairs = SentencePairs(tokens, room, None, (CLS, SEP, PAD), PLAIN)
    batch = pairs.batch(np.repeat(pairs.keys(rng), 4), rng)
    mask = batch.inputs.token_mask
    lengths = (mask if mask is not None else batch.inputs.ids > -1).sum(1).numpy()
    real = batch.targets["follows"].numpy() == 1
    right = [np.mean((lengths > cut) == real) for cut in range(8, room)]
    assert max(*right, 1 - min(right)) < 0.56
