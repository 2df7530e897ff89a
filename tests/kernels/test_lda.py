"""The kernels of LDA against plain numpy, and exp(psi) against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import psi

from foretext.base.runtime import Threads
from foretext.kernels.lda import weigh_words
from foretext.topics.bags import Batch
from foretext.topics.lda import LEAST_CHANGE, MOST_PASSES, Priors, TopicWords, expected
from tests.kernels import lda_twin

CASES = [(5, 40, 0.1), (16, 70, 0.5), (37, 130, 0.02)]  # topics, words, prior


def a_model(num_topics: int, num_words: int, prior: float) -> TopicWords:
    words = TopicWords(num_topics, num_words, Priors(document_prior=prior, word_prior=0.05))
    rng = np.random.default_rng(3)
    words.table[...] = 0.05 + rng.gamma(0.2, 30, words.table.shape)
    return words


def documents(num_words: int, size: int = 24) -> np.ndarray:
    rng = np.random.default_rng(8)
    counts = rng.poisson(rng.gamma(0.1, 3, (size, num_words)))
    counts[4] = 0  # a document without a word
    counts[0, 0] += 1
    return counts


def batch_of(counts: np.ndarray) -> Batch:
    places, rows = np.nonzero(counts)
    repeated = counts[places, rows]
    row_of = np.arange(counts.shape[1])
    return Batch.of(np.repeat(rows, repeated), np.repeat(places, repeated), len(counts), row_of)


@pytest.mark.parametrize(("num_topics", "num_words", "prior"), CASES)
def test_documents_are_inferred_as_in_numpy(num_topics: int, num_words: int, prior: float) -> None:
    words, counts = a_model(num_topics, num_words, prior), documents(num_words)
    batch = batch_of(counts)
    found = words.infer(batch, words.weights(batch.rows))
    gamma = found.parameters.reshape(-1, words.stride)
    twin, _ = lda_twin.infer(
        counts.astype(float), words.table.astype(float), prior, LEAST_CHANGE, MOST_PASSES
    )
    np.testing.assert_allclose(gamma[:, :num_topics], twin, rtol=2e-3, atol=2e-3)
    assert (gamma[:, num_topics:] == np.float32(prior)).all()  # the lanes beyond the last topic


@pytest.mark.parametrize(("num_topics", "num_words", "prior"), CASES)
def test_a_step_moves_the_topics_as_in_numpy(num_topics: int, num_words: int, prior: float) -> None:
    words, counts = a_model(num_topics, num_words, prior), documents(num_words)
    before = words.table.astype(float)
    _, says = lda_twin.infer(counts.astype(float), before, prior, LEAST_CHANGE, MOST_PASSES)
    words.learn(batch_of(counts), 0.3, 240)
    wanted = 0.7 * before + 0.3 * (0.05 + 10 * says)
    np.testing.assert_allclose(words.table, wanted, rtol=2e-3, atol=2e-3)


def test_threads_change_no_bit() -> None:
    counts = documents(200, size=300)
    alone, together = a_model(20, 200, 0.1), a_model(20, 200, 0.1)
    alone.learn(batch_of(counts), 0.5, 600)
    with Threads(3) as pool:
        together.learn(batch_of(counts), 0.5, 600, pool)
    assert alone.parameters.tobytes() == together.parameters.tobytes()


@pytest.mark.parametrize("value", [1e-3, 0.02, 0.5, 1.0, 7.3, 1e3, 1e8])
def test_the_exponential_of_psi(value: float) -> None:
    assert expected(np.array([value]))[0] == pytest.approx(np.exp(psi(value)), rel=1e-8)


@pytest.mark.parametrize("offset", [0.0, 0.37])
def test_rows_of_weights_have_the_ratios_of_exp_psi(offset: float) -> None:
    values = np.array([0.02, 0.3, 1.0, 5.0, 80.0, 4e6]) + offset
    parameters = np.full(16, values.min(), np.float32)
    parameters[: len(values)] = values
    weights = np.zeros(16, np.float32)
    topics = np.zeros(16, np.float32)
    topics[: len(values)] = 1
    weigh_words(parameters, 16, np.zeros(1, np.int64), topics, weights)
    wanted = np.exp(psi(parameters[: len(values)].astype(float)))
    np.testing.assert_allclose(
        weights[: len(values)] / weights[len(values) - 1],
        wanted / wanted[-1],
        rtol=3e-5,
        atol=1e-30,
    )
    assert not weights[len(values) :].any()


def test_a_word_that_no_topic_has_yet_is_shared_by_all() -> None:
    words = TopicWords(3, 5, Priors(document_prior=0.1, word_prior=1e-3))
    words.table[:4] += 50
    batch = batch_of(np.array([[3, 0, 0, 0, 2]]))
    words.learn(batch, 0.5, 1)
    np.testing.assert_allclose(words.table[4], 0.5 * 2 / 3, rtol=0.05)  # exp(-1000) each, not 0
