"""IBM model 1 learns the dictionary by which rows were made."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.tasks.text_to_text.ibm_model_1 import IbmModel1, WordRows

DAS, HAUS, BUCH, EIN = 1, 2, 3, 4
THE, HOUSE, BOOK, A = 1, 2, 3, 4


def test_the_classic_example_converges() -> None:
    """das Haus / the house, das Buch / the book, ein Buch / a book (Koehn 2010, figure 4.4)."""
    sources = WordRows.of([[DAS, HAUS], [DAS, BUCH], [EIN, BUCH]])
    targets = WordRows.of([[THE, HOUSE], [THE, BOOK], [A, BOOK]])
    model = IbmModel1(IbmModel1.Config(iterations=50)).fit(sources, targets)
    assert model.best_targets().tolist()[1:] == [THE, HOUSE, BOOK, A]
    assert model.rates([DAS, HAUS, BUCH, EIN], [THE, HOUSE, BOOK, A]).min() > 0.9
    assert model.rates([DAS, HAUS], [BOOK, A]).max() < 0.02
    assert np.diff(model.likelihoods).min() > -1e-6  # never less likely (Dempster et al. 1977)


def rows_of_a_dictionary(num_rows: int) -> tuple[WordRows, WordRows, np.ndarray]:
    """Rows of words that a permutation translates, in any order, with a word too many in each."""
    rng = np.random.default_rng(1)
    dictionary = np.append(0, 1 + rng.permutation(60))
    sources = [1 + rng.choice(60, rng.integers(3, 9), replace=False) for _ in range(num_rows)]
    targets = [np.append(rng.permutation(dictionary[row]), 61) for row in sources]
    return WordRows.of(sources), WordRows.of(targets), dictionary  # 61 comes from no word


def test_it_aligns_words_as_they_were_made() -> None:
    sources, targets, dictionary = rows_of_a_dictionary(400)
    model = IbmModel1().fit(sources, targets)
    assert model.best_targets()[1:].tolist() == dictionary[1:].tolist()
    assert model.best_targets()[0] == 61  # of the empty word
    wrong = num_words = 0
    for row in range(400):
        own = sources.words[sources.starts[row] : sources.starts[row + 1]]
        others = targets.words[targets.starts[row] : targets.starts[row + 1]]
        candidates = np.append(0, own)
        for word in others:
            best = candidates[model.rates(candidates, np.full(len(candidates), word)).argmax()]
            right = 0 if word == 61 else np.flatnonzero(dictionary == word)[0]
            wrong, num_words = wrong + int(best != right), num_words + 1
    assert wrong / num_words < 0.01  # the alignment error rate where each word has one link


def test_little_memory_learns_from_rows_out_of_all_parts() -> None:
    sources, targets, _ = rows_of_a_dictionary(400)
    config = IbmModel1.Config(max_pairs=2000)
    model = IbmModel1(config).fit(sources, targets)
    assert 0 < model.num_rows < 400
    assert np.count_nonzero(model._keys) <= 2000
    seen = model.rates(np.zeros(61, np.int64), np.arange(1, 62)) > 0  # with the empty word
    assert seen.mean() > 0.9
    assert IbmModel1().fit(sources, targets).num_rows == 400


def test_rows_without_words_on_one_side_teach_nothing() -> None:
    with pytest.raises(CorpusError, match="No row has a word on both sides"):
        IbmModel1().fit(WordRows.of([[], []]), WordRows.of([[], []]))
    empty = WordRows.of([[1], []]), WordRows.of([[], [1]])
    with pytest.raises(CorpusError, match="No row has a word on both sides"):
        IbmModel1().fit(*empty)


def test_of_words_that_never_met_the_rate_is_zero() -> None:
    model = IbmModel1().fit(WordRows.of([[1], [2]]), WordRows.of([[1], [2]]))
    assert model.rates([1, 2], [2, 1]).tolist() == [0, 0]
