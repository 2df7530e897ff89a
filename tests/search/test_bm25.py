"""BM25: a worked example by hand, a plain program over many passages, and another's program."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import ModelFileError
from foretext.base.parsing import read_tensors, write_tensors
from foretext.search import word_index as word_index_writer
from foretext.search.bm25 import BM25, idf
from foretext.search.folder import EmbeddingOptions, IndexFacts, IndexFolder, ModelFacts
from foretext.search.word_index import WordIndex, write_word_index

TEXTS = ["the ship and the sea", "the judge", "a ship a ship a ship", "law"]


def word_index(folder: Path, texts: list[str], kind: str = "unicode_words") -> WordIndex:
    at = IndexFolder(folder)
    write_word_index(at.words, texts, kind)
    return opened(at, len(texts), kind)


def opened(at: IndexFolder, num_passages: int, kind: str = "unicode_words") -> WordIndex:
    model = ModelFacts(name="", given="", kept=None, dim=1, options=EmbeddingOptions())
    facts = IndexFacts(
        kind="search index", foretext="0", passages=num_passages, places=0, length=1, overlap=0,
        keep_duplicates=False, dtype="float32", words=kind, model=model,
    )  # fmt: skip
    return WordIndex(at, facts)


def plain(texts: list[str], query: str, k1: float = 1.2, b: float = 0.75) -> list[float]:
    """The formula, word by word."""
    counts = [Counter(text.lower().split()) for text in texts]
    average = sum(each.total() for each in counts) / len(texts)
    scores = []
    for each in counts:
        score = 0.0
        for word in query.split():
            num_with = sum(word in other for other in counts)
            weight = math.log(1 + (len(texts) - num_with + 0.5) / (num_with + 0.5))
            room = k1 * (1 - b + b * each.total() / average)
            if each[word]:
                score += weight * each[word] * (k1 + 1) / (each[word] + room)
        scores.append(score)
    return scores


def test_by_hand(tmp_path: Path) -> None:
    index = word_index(tmp_path, TEXTS)
    weight = math.log(1 + 2.5 / 2.5)  # "ship" is in two of four passages; 14 words in all
    assert idf(2, 4) == pytest.approx(weight)
    first = weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 5 / 3.5))
    third = weight * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 6 / 3.5))
    assert index.scores(["ship"], BM25()) == pytest.approx([first, 0, third, 0])


@pytest.mark.parametrize("settings", [{}, {"k1": 0.9, "b": 0.4}, {"k1": 0.0}, {"b": 0.0}], ids=str)
def test_the_plain_formula(
    tmp_path: Path, settings: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_index_writer, "BLOCK", 7)  # several blocks meet in one table
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(40)])
    texts = [" ".join(rng.choice(words, rng.integers(1, 30))) for _ in range(50)]
    index = word_index(tmp_path, texts)
    for query in ("w1 w2 w3", "w4 w4", "w5 never", "never"):
        expected = plain(texts, query, **settings)
        found = index.scores(query.split(), BM25(**settings))
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_the_order_of_another_program(tmp_path: Path) -> None:
    """rank_bm25 has the logarithm of the paper, which orders rare words alike."""
    rank_bm25 = pytest.importorskip("rank_bm25")
    rng = np.random.default_rng(1)
    words = np.array([f"w{number}" for number in range(400)])
    texts = [" ".join(rng.choice(words, rng.integers(5, 30))) for _ in range(200)]
    theirs = rank_bm25.BM25Okapi([text.split() for text in texts], k1=1.2, b=0.75)
    index = word_index(tmp_path, texts)
    for word in ("w1", "w2", "w3"):
        found, expected = index.scores([word], BM25()), theirs.get_scores([word])
        assert found.argsort(kind="stable").tolist() == expected.argsort(kind="stable").tolist()


def test_words_are_cut_and_small(tmp_path: Path) -> None:
    index = word_index(tmp_path, ["Die Größe: 4711!", "cafe\u0301"])
    assert index.words("GRÖSSE Größe 4711 café") == ["grösse", "größe", "4711", "café"]
    assert [index.num_with(word) for word in ("größe", "4711", "café", "x")] == [1, 1, 1, 0]
    assert len(index) == 4


def test_chinese_characters_are_words(tmp_path: Path) -> None:
    index = word_index(tmp_path, ["我喜欢大海", "法官喜欢法律"], "chinese_characters")
    assert index.scores(index.words("大海"), BM25()).argmax() == 0
    assert index.rows_with_all(index.words("喜欢")).tolist() == [0, 1]


def test_passages_with_all_words(tmp_path: Path) -> None:
    index = word_index(tmp_path, TEXTS)
    assert index.rows_with_all(["ship", "the"]).tolist() == [0]
    assert index.rows_with_all(["ship", "law"]).tolist() == []
    assert index.rows_with_all([]).tolist() == []


def test_texts_without_a_word(tmp_path: Path) -> None:
    index = word_index(tmp_path, ["...", "!"])
    assert len(index) == 0
    assert index.scores(["a"], BM25()).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("name", "value"),
    [("rows", 99), ("first", -1), ("first", 1 << 40), ("word_starts", 1 << 40)],
)
def test_numbers_that_lead_elsewhere(tmp_path: Path, name: str, value: int) -> None:
    at = IndexFolder(tmp_path)
    write_word_index(at.words, TEXTS, "unicode_words")
    tensors = dict(read_tensors(at.words, ModelFileError).tensors)
    tensors[name] = np.full_like(tensors[name], value)
    write_tensors(at.words, tensors)
    with pytest.raises(ModelFileError, match="its words are not where it says"):
        opened(at, len(TEXTS)).scores(["ship"], BM25())


def test_another_number_of_passages(tmp_path: Path) -> None:
    at = IndexFolder(tmp_path)
    write_word_index(at.words, TEXTS, "unicode_words")
    with pytest.raises(ModelFileError, match="is damaged"):
        opened(at, 5)
