from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.problems import pairs_in_window, prospects


@given(length=st.integers(0, 30), window=st.integers(1, 12))
def test_pairs_in_window_equals_counting_them(length: int, window: int) -> None:
    pairs = sum(i != j and abs(i - j) <= window for i in range(length) for j in range(length))
    assert pairs_in_window(length, window) == pairs


def test_figures_of_a_small_corpus() -> None:
    found = {
        each.objective: each.figures
        for each in prospects(
            sentence_lengths={3: 2, 100: 1},
            sentences_a_document={1: 1, 2: 1},
            word_lengths={5: 10},  # where: 5 + 4 + 3 + 2 n-grams of <where>
            kept=(7, 90),
        )
    }
    assert found["glove"]["co_occurrences"] == 2 * 6 + 2 * (5 * 100 - 15)
    mean = sum(2 * min(6, 2 * (3 * w - w * (w + 1) // 2) if w < 3 else 6) for w in range(1, 6)) / 5
    mean += sum(2 * (w * 100) - w * (w + 1) for w in range(1, 6)) / 5
    assert found["word2vec"] == {"pairs": round(mean), "words": 7, "tokens": 90}
    assert found["fasttext"]["ngrams_a_token"] == pytest.approx(14)
    assert found["masked"] == {"subwords": 138, "sequences": 2, "predictions": 21}
    assert found["causal"] == {"subwords": 138, "sequences": 2, "predictions": 138}
    assert found["next_sentence"] == {"documents": 1, "pairs": 1}


@pytest.mark.parametrize(
    ("sentences_a_document", "sentence"),
    [
        (
            {1: 3, 2: 2, 4: 1},
            "3 of 6 documents have two sentences or more, which gives 5 pairs of neighbours.",
        ),
        (
            {1: 3, 2: 1},
            "1 of 4 documents have two sentences or more, which gives 1 pairs of neighbours; there "
            "must be two, because negative pairs need another document.",
        ),
    ],
)
def test_next_sentences_need_two_documents(
    sentences_a_document: dict[int, int], sentence: str
) -> None:
    found = prospects({5: 9}, sentences_a_document, {5: 45}, (1, 45))[-1]
    assert found.sentence == sentence
