"""Pairs for next-sentence prediction: half are successors, and nothing but sense tells which."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from foretext.corpus import Corpus
from foretext.corpus.settings import CorpusConfig
from foretext.data import write_tokens
from foretext.data.token_file import TokenFile, Tokens
from foretext.kernels.segments import fill_rows
from foretext.objectives.masked_rows import Masking
from foretext.objectives.sentence_pairs import STRANGERS, SentencePairs, has_pairs
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

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


def unequal_documents(seed: int) -> TokenFile:
    """Documents whose sentences are short in one, and long in another."""
    rng = np.random.default_rng(seed)
    documents = [
        (2 + rng.poisson(mean, size=rng.integers(1, 20))).tolist()
        for mean in rng.uniform(1, 30, size=400)
    ]
    starts = np.cumsum([0, *(sum(lengths) for lengths in documents)])
    sentences = np.cumsum([0, *(length for lengths in documents for length in lengths)])
    return TokenFile(Path(), np.full(starts[-1], 50, np.uint16), sentences, starts, 200)


def counts_of(pairs: SentencePairs, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Tokens and sentences of both texts of each row, (N, 4), and whether the second is next."""
    rng = np.random.default_rng(seed)
    keys = np.resize(pairs.keys(rng), count)
    drawn, follows = rng.random((count, 1 + 2 * STRANGERS)), rng.random(count) < 0.5
    return counted(pairs, pairs._pairs(keys, follows, drawn)), follows


def counted(pairs: SentencePairs, rows: list[tuple[slice, slice]]) -> np.ndarray:
    """Tokens and sentences of both texts of each row, (N, 4)."""
    starts, found = pairs.tokens.sentence_starts, []
    for row in rows:
        bounds = np.array([(text.start, text.stop) for text in row])
        sentences = np.searchsorted(starts, bounds[:, 1]) - np.searchsorted(starts, bounds[:, 0])
        found.append([*(bounds[:, 1] - bounds[:, 0]), *sentences])
    return np.array(found)


def share_right(counts: np.ndarray, follows: np.ndarray) -> float:
    """How often a logistic regression on the counts is right, on halves that it has not seen."""
    scaled = (counts - counts.mean(0)) / (counts.std(0) + 1e-9)
    return float(cross_val_score(LogisticRegression(), scaled, follows, cv=4).mean())


@pytest.mark.parametrize("sentences", [None, 1, 2, 3])
@pytest.mark.parametrize("room", [24, 64])
def test_no_length_depends_on_the_answer(room: int, sentences: int | None) -> None:
    """With the same draws a row is as long with its own second text as with the stranger's."""
    pairs = SentencePairs(unequal_documents(3), room, sentences, (CLS, SEP, PAD), PLAIN)
    rng = np.random.default_rng(4)
    keys, drawn = pairs.keys(rng), rng.random((len(pairs.spans), 1 + 2 * STRANGERS))
    real, strange = (
        counted(pairs, pairs._pairs(keys, np.full(len(keys), follows), drawn))
        for follows in (True, False)
    )
    np.testing.assert_array_equal(real[:, :2], strange[:, :2])
    assert np.mean(real[:, 2:] == strange[:, 2:]) > 0.95
    assert real[:, :2].sum(1).max() <= room - 3
    if sentences is not None:
        assert real[:, 2:].max() == sentences


@pytest.mark.parametrize("sentences", [None, 1])
def test_counting_is_right_as_often_as_a_coin(sentences: int | None) -> None:
    pairs = SentencePairs(unequal_documents(5), 64, sentences, (CLS, SEP, PAD), PLAIN)
    assert abs(share_right(*counts_of(pairs, 4000, 6)) - 0.5) < 0.035  # four standard errors


@pytest.mark.quick_cases(1)
@pytest.mark.shared_data
@pytest.mark.parametrize("sentences", [None, 1])
@pytest.mark.parametrize("name", ["wikitext-2/train.txt.xz", "zhwiki/zhwiki.txt.xz"])
def test_counting_does_not_tell_real_texts(
    name: str, sentences: int | None, shared_data: Path, tmp_path: Path
) -> None:
    with lzma.open(shared_data / name, "rt", encoding="utf-8") as file:
        (tmp_path / "text.txt").write_text(file.read(1_000_000), encoding="utf-8")
    corpus = Corpus(tmp_path / "text.txt", CorpusConfig(sentences="punctuation"))
    tokenizer = learn_subwords("wordpiece", {"vocab_size": 4000}, corpus)
    tokens = write_tokens(corpus, tokenizer, tmp_path / "ids", valid_rate=0.0).train
    pairs = SentencePairs(tokens, 128, sentences, (CLS, SEP, PAD), PLAIN)
    assert abs(share_right(*counts_of(pairs, 10_000, 7)) - 0.5) < 0.02


def test_texts_have_the_sentences_that_a_user_chooses() -> None:
    tokens = token_file([[3, 3, 3, 3], [4, 4, 4, 4], [5, 5]])
    pairs = SentencePairs(tokens, 64, 2, (CLS, SEP, PAD), PLAIN)
    rng = np.random.default_rng(8)
    for row in pairs.batch(pairs.keys(rng), rng).targets["original"].tolist():
        first, second = (place for place, index in enumerate(row) if index == SEP)
        assert len({*row[1:first]}) == len({*row[first + 1 : second]}) == 2


def test_texts_without_so_many_sentences_have_no_pairs() -> None:
    tokens = token_file([[3, 3], [3, 3, 3, 3], [3, 3]])
    assert has_pairs(tokens)
    assert not has_pairs(tokens, 2)


def test_a_part_of_a_batch_is_that_of_the_whole() -> None:
    pairs = SentencePairs(unequal_documents(9), 40, None, (CLS, SEP, PAD), PLAIN)
    keys = pairs.keys(np.random.default_rng(0))[:12]
    whole = pairs.batch(keys, np.random.default_rng(1))
    part = pairs.part(keys, range(4, 9), np.random.default_rng(1))
    width = part.inputs.ids.shape[1]
    assert torch.equal(whole.targets["original"][4:9, :width], part.targets["original"])
    assert torch.equal(whole.targets["follows"][4:9], part.targets["follows"])
