"""Sub-sampling, noise and the loss of negative sampling by their formulas."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.corpus import Corpus
from foretext.data.token_writer import write_tokens
from foretext.tokenizers import WordTokenizer
from foretext.vectors.output_layer import NegativeSampling, as_chances, keep_rates, noise_weights
from foretext.vectors.word2vec import Word2Vec
from foretext.vectors.word_vectors import WordVectors

COUNTS = np.array([0, 900, 90, 10])


def test_authors_formula() -> None:
    """Keep with (sqrt(f / t) + 1) t / f: f = 0.9, t = 1e-3 gives 0.0344."""
    rates = keep_rates(COUNTS, 1e-3, "word2vec")
    assert rates[0] == 0
    assert rates[1] == pytest.approx((np.sqrt(900) + 1) / 900)
    assert rates[3] == pytest.approx((np.sqrt(10) + 1) / 10)


def test_papers_formula() -> None:
    """Drop with 1 - sqrt(t / f): f = 0.9, t = 1e-4 drops all but 0.0105."""
    rates = keep_rates(COUNTS, 1e-4, "paper")
    assert 1 - rates[1] == pytest.approx(max(1 - np.sqrt(1e-4 / 0.9), 0))
    assert keep_rates(np.array([1, 10**6]), 1e-4, "paper")[0] == 1.0  # a rare word always stays


def test_no_sub_sampling_keeps_all_but_what_never_occurs() -> None:
    assert keep_rates(COUNTS, 0, "word2vec").tolist() == [0, 1, 1, 1]


def test_noise_is_a_power_of_the_counts() -> None:
    assert noise_weights(COUNTS, 0.75).tolist() == [0, *np.array([900.0, 90, 10]) ** 0.75]
    assert noise_weights(COUNTS, 0.0).tolist() == [0, 1, 1, 1]


def test_chances_span_all_32_bits() -> None:
    assert as_chances(np.array([0.0, 0.5, 1.0])).tolist() == [0, 2**31, 2**32 - 1]


PREDICTED = np.array([1.1, -2.2, 3.3, -4.4])  # scores of a centre word and three noise words
ROWS = np.array([[0, 1, 2, 3], [0, 1, -1, -1]])  # the second prediction has two outputs alone
LABELS = np.array([[True, False, False, False], [False, True, False, False]])


def test_binary_cross_entropy_of_masked_outputs() -> None:
    """Divided by the outputs that there are, 0.9352 and 1.8462."""
    layer = NegativeSampling(np.array([5, 5, 5, 5]), 3, 0.75)
    losses = layer.losses(np.ones((2, 1)), PREDICTED[:, None], ROWS, LABELS)
    assert losses / (ROWS >= 0).sum(axis=1) == pytest.approx([0.9352, 1.8462], abs=1e-4)
    by_hand = np.log1p(np.exp([-1.1, -2.2, 3.3, -4.4])).sum()  # -log σ(x) = log(1 + e^-x)
    assert losses[0] == pytest.approx(by_hand)


@pytest.mark.parametrize(("of_noise", "of_centre"), [(1.1, -2.2), (0.7, 3.0)])
def test_training_counts_that_loss(tmp_path: Path, of_noise: float, of_centre: float) -> None:
    """Two words, so that the noise of the one is always the other.

    Input vectors 1 and -1 score their noise as `of_noise` and -`of_centre`, and their centre as
    `of_centre` and -`of_noise`: both predictions have one loss, of two outputs each.
    """
    corpus, text = tmp_path / "two.txt", "ship sail\n" * 64
    corpus.write_text(text)
    tokenizer = WordTokenizer.learn(WordTokenizer.Config(min_count=1), Corpus(corpus))
    tokens = write_tokens(Corpus(corpus), tokenizer, tmp_path / "tokens", valid_rate=0.0)
    config = Word2Vec.Config(
        vector_size=1, window=1, negative=1, sample=0.0, alpha=1e-6, min_alpha=1e-7, workers=1
    )
    first, second = tokenizer.vocabulary.words[1:]
    base = WordVectors([first, second], np.array([[1.0], [-1.0]], np.float32))
    outputs = np.array([[of_noise], [of_centre]], np.float32)
    component = Word2Vec(config, tokenizer.vocabulary, tokens, base=base, base_outputs=outputs)
    learned = component.learn(0, 0, (1e-6, 1e-6), 1)
    expected = np.log1p(np.exp(of_noise)) + np.log1p(np.exp(-of_centre))
    assert learned.predictions > 0
    assert learned.loss / learned.predictions == pytest.approx(expected, rel=1e-2)
    if of_noise == 1.1:
        assert expected / 2 == pytest.approx(1.8462, abs=1e-4)
